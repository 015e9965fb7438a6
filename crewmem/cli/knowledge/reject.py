"""``crewmem knowledge reject``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text, of_option, read_text
from crewmem.errors.values import BadMemoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.knowledge.corrections import Rejected


@verb
@option(
    "--original",
    metavar="TEXT",
    required=True,
    callback=as_text,
    help="What was wrong; - reads it.",
)
@option(
    "--reason",
    metavar="TEXT",
    required=True,
    callback=as_text,
    help="Why it was wrong; - reads it.",
)
@option("--issue", metavar="NAME", callback=as_text, help="Issue that it was about.")
@option("--agent", metavar="SLUG", callback=as_text, help="Agent that was corrected.")
@pass_app
def reject_command(
    app: App, *, original: str, reason: str, issue: str | None, agent: str | None
) -> None:
    """Keep that something was rejected, and why.

    It is a lesson of the agent's, so that it is not done again. Where other agents
    were corrected alike, a correction that is shared says how many they are. Alike is
    what means much the same, or, where nothing embeds, shares four of five words.
    """
    from crewmem.cli.held import desk
    from crewmem.cli.knowledge.comparing import cosines
    from crewmem.cli.scanner import scanner
    from crewmem.errors.memories import QuarantinedError
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.knowledge.corrections import reject

    if original == reason == "-":
        raise click.UsageError("Standard input can be read once.")
    slug = _agent(app, agent)
    what, why = (
        read_text(app).rstrip("\n") if each == "-" else each
        for each in (original, reason)
    )
    try:
        done = reject(
            desk(app),
            slug,
            what,
            why,
            issue=issue,
            crew_of=lambda each: _home_crew(app, each),
            scan=scanner(app),
            tokenize=tokenizer(app.truth),
            compare=lambda text, others: cosines(app, text, others),
        )
    except BadMemoryError as error:
        raise of_option(error) from error
    if done.lesson.action == "quarantined":
        raise QuarantinedError(done.lesson.memory.id, done.lesson.rules)
    app.out.record(done, _lines(done))
    if done.by:
        how = "their meaning" if done.by == "cosine" else "their words"
        app.out.note(f"{done.agents} agents were corrected alike, by {how}.")


def _lines(done: Rejected) -> Iterator[Line]:
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.sharing import shared_lines

    yield changed_line(done.lesson.memory, "is a lesson")
    if done.correction:
        yield from shared_lines([done.correction])


def _home_crew(app: App, slug: str) -> str | None:
    from crewmem.registry.crews_store import crews_of

    return next(iter(crews_of(app.truth, app.workspace, slug)), None)


def _agent(app: App, agent: str | None) -> str:
    from crewmem.errors.registry import AgentMissingError, OutOfScopeError
    from crewmem.registry.crews_store import crews_of

    if not app.actor.is_operator:
        if agent not in {None, app.actor.name}:
            rule = "agents and leads keep what they were corrected for themselves"
            raise OutOfScopeError(str(app.actor), f"write for {agent}", rule)
        return app.actor.name
    if not agent:
        raise click.UsageError("Name the agent that was corrected: --agent SLUG.")
    db = app.truth_to_read if app.home.is_dir() else None
    if db is None or not crews_of(db, app.workspace, agent):
        raise AgentMissingError(agent, app.workspace)
    return agent
