"""``crewmem transcripts extract``."""

from __future__ import annotations

from contextlib import nullcontext

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.llm import llm_command_option
from crewmem.cli.transcripts.roots import Where, root_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.cli.transcripts.extraction import Extraction
    from crewmem.transcripts.learn import Learned

MOST = 1_000_000
"""Logs of one run, at most: nobody has more."""


@verb
@root_options
@option("-l", "--limit", type=int, metavar="N", help="Read the N newest logs.  [all]")
@option(
    "--from-now",
    is_flag=True,
    help="Learn nothing of what is there already: read on from here.",
)
@option("--retry", is_flag=True, help="Ask the model again of all that waits for it.")
@llm_command_option
@option("--dry-run", is_flag=True, help="Only say what would be learned.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def extract_command(
    app: App,
    *,
    harness: str,
    root: str | None,
    agent: str | None,
    limit: int | None,
    from_now: bool,
    retry: bool,
    llm_command: str | None,
    dry_run: bool,
    strict: bool,
) -> None:
    """Learn from the session logs of agents' programs.

    It reads what OpenClaw, Claude Code and Codex leave on disk, where they leave it, or
    JSON lines below --root, and keeps decisions with their reasons, preferences,
    lessons, facts, things to do and corrections. Each is a memory of the agent whose
    log it is, with where it was said; what was said for others as well is proposed.
    Secrets are taken out first. What tools say is left out, and so is memory that was
    laid before the agent: it would learn from itself.

    A log is read once, and on from there as it grows. Run again, killed or not, nothing
    is lost and nothing is learned twice; what was forgotten stays forgotten. The logs
    of OpenClaw are of the agent of that name; others are of whom --agent names, or the
    setting transcripts.agents, as claude=SLUG or /directory=SLUG.

    Without a language model phrases tell what is worth keeping. With one that the
    setting llm names, it is asked where there is a sign that it is worth it; each
    memory has to quote what was said. Where it cannot be asked, that part waits.
    """
    from crewmem.cli.jobs.alone import job
    from crewmem.cli.transcripts.extracting import JOB, extract_all
    from crewmem.cli.transcripts.extraction import How, nothing

    most = None if limit is None else app.clamped("--limit", limit, MOST, MOST)
    where = Where(harness, root, agent)
    how = How(
        is_plan=dry_run,
        is_past=from_now,
        limit=most,
        is_retry=retry,
        llm_command=llm_command,
    )
    with nullcontext(enter_result=True) if dry_run else job(app, JOB) as is_alone:
        done = extract_all(app, where, how) if is_alone else nothing()
    app.out.record(done, _lines(done, dry_run=dry_run))
    if not done.files and is_alone:
        app.out.note("No transcript is there: --root names where to look.")
    app.strictly(strict=strict)


def _lines(done: Extraction, *, dry_run: bool) -> Iterator[Line]:
    from crewmem.health.advice import counted

    for each in done.learned:
        yield from _learned(each)
    told = [
        counted(done.read, "transcript", "transcripts"),
        counted(done.turns, "turn"),
        f"{len(done.learned):,} {'to learn' if dry_run else 'learned'}",
    ]
    if done.known:
        told.append(f"{done.known:,} known")
    if done.losses:
        told.append(counted(done.losses, "context loss", "context losses"))
    if done.skipped:
        told.append(counted(done.skipped, "line skipped", "lines skipped"))
    if done.unknown:
        kinds = ", ".join(done.unknown)
        told.append(f"{sum(done.unknown.values()):,} lines of unknown kinds: {kinds}")
    if done.answered:
        told.append(f"{done.answered:,} answered by the model")
    yield [("dim", ", ".join(told))]


STYLES = {"quarantined": "bad", "refused": "bad", "new": "good", "created": "good"}


def _learned(each: Learned) -> Iterator[Line]:
    name = each.memory or each.action
    whom = each.agent or "nobody yet"
    yield [
        (STYLES.get(each.action, ""), f"{name}"),
        f"  [{each.kind}] {each.content}",
    ]
    day = each.at.strftime("%Y-%m-%d") if each.at else "undated"
    more = f"; proposed as {each.proposal}" if each.proposal else ""
    if each.scope != "agent" and not each.proposal:
        more = f"; for the {each.scope}"
    if each.memory and each.action != "created":
        more += f"; {each.action}"
    yield [("dim", f"  {whom}, {day}, {each.how}{more}: {each.file}:{each.line}")]
