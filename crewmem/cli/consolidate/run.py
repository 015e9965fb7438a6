"""``crewmem consolidate run``."""

from __future__ import annotations

from contextlib import nullcontext

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.llm import llm_command_option
from crewmem.cli.places import as_slug


@verb
@option("--crew", metavar="NAME", callback=as_slug, help="Only this crew.")
@option("--agent", metavar="SLUG", callback=as_slug, help="Only this agent's notes.")
@option("--since", metavar="TIME", help="Read again what is from then on, as 24h.")
@option(
    "--policy",
    type=click.Choice(("auto", "review")),
    help="Apply what was learned, or have it wait for you.  [the crew's]",
)
@llm_command_option
@option("--dry-run", is_flag=True, help="Only say what would be done.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def run_command(
    app: App,
    *,
    crew: str | None,
    agent: str | None,
    since: str | None,
    policy: str | None,
    llm_command: str | None,
    dry_run: bool,
    strict: bool,
) -> None:
    """Make lasting memory of daily notes and of what happened.

    What several days or sources say goes to AGENT.md, CREW.md or a topic, into a
    section that crewmem owns; rules that the journal teaches go to learned/. Each line
    leads to its evidence, and what is seen again extends its line and makes no other.
    All else in the files stays as it is, and memory restore undoes it. What contradicts
    something waits for you as a proposal, under any policy and until it is decided:
    approved, it takes the place of what was learned before. What has no room waits and
    is told. Notes older than 30 days of which nothing waits go to daily/archive/, where
    a search finds them. Pinned entries are mirrored into the crew's pins.md.

    Each line leads to an entry of the type memory.consolidated; what was seen since is
    in entries of the type memory.seen_again. What one agent noted is that agent's:
    journal list finds it with --agent, and --crew only what the crew holds.

    With the policy review the plan is a proposal: crewmem proposals list. Of what was
    seen again the journal alone is told then. What is read is read once; run again it
    does nothing more, and killed anywhere it goes on. Only one runs at a time; a second
    ends at once. For operators.
    """
    from crewmem.cli.consolidating.means import JOB
    from crewmem.cli.consolidating.running import Wanted, consolidate_all, skipped
    from crewmem.cli.consolidating.shown import notes, run_lines
    from crewmem.cli.jobs.alone import job
    from crewmem.scope import require_operator

    require_operator(app.actor, "consolidate what agents noted")
    start = app.instant("--since", since)
    wanted = Wanted(crew, agent, start, policy, dry_run, llm_command)
    with nullcontext(enter_result=True) if dry_run else job(app, JOB) as is_alone:
        done = consolidate_all(app, wanted) if is_alone else skipped(app)
    app.out.record(done, run_lines(done))
    for note in notes(done):
        app.out.note(note)
    app.strictly(strict=strict)
