"""``crewmem proposals approve``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import id_argument, reason_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.desk import Desk
    from crewmem.proposals.proposal import Proposal


def as_numbers(
    ctx: click.Context, param: click.Parameter, text: str | None
) -> tuple[int, ...]:
    """Return the numbers that were typed as 1,3."""
    if text is None:
        return ()
    words = [each.strip() for each in text.split(",")]
    if not all(each.isascii() and each.isdigit() and len(each) < 9 for each in words):  # noqa: PLR2004 - enough
        raise click.BadParameter(f"{text!r} is not numbers, as 1,3.", ctx, param)
    return tuple(dict.fromkeys(map(int, words)))


@verb
@id_argument
@option(
    "--only", metavar="N,N", callback=as_numbers, help="Only these parts of a plan."
)
@reason_option
@pass_app
def approve_command(
    app: App, *, id: str, only: tuple[int, ...], reason: str | None
) -> None:
    """Do what was proposed, at once.

    For operators, and for the lead of the crew that it is for. It is done once: a
    proposal that is decided already ends with 9.

    A plan of consolidate run is for operators. With --only some of its parts are done,
    by the numbers that proposals show prints, and the rest is rejected with that. All
    is checked before anything is written: where a file has changed since, nothing is
    done, and it ends with 9. An approval that was killed is gone on with by the same
    command, or by the next run.

    Of a contradiction one side is kept, chosen with --only where there are two. It
    takes the place of the line that consolidate run wrote before; a line of your own
    is never changed, but named. With reject what stands stays.
    """
    from crewmem.cli.held import desk, memories_to_read
    from crewmem.cli.proposals.planned import is_plan
    from crewmem.cli.reasons import reason_of
    from crewmem.errors.proposals import ProposalMissingError
    from crewmem.proposals.review import find

    if memories_to_read(app) is None:
        raise ProposalMissingError(id, app.workspace)
    opened, why = desk(app), reason_of(app, reason)
    wanted = find(opened, id)
    if is_plan(wanted):
        _approve_plan(app, wanted, why, only)
    elif only:
        raise click.UsageError(f"--only is for a plan, and {wanted.id} is none.")
    else:
        _approve_memory(app, opened, wanted, why)


def _approve_memory(app: App, opened: Desk, wanted: Proposal, why: str) -> None:
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import policies
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.memory import Owner
    from crewmem.proposals.review import approve

    policies(app, [Owner(wanted.scope, crew=wanted.crew or "")])  # the crew is there
    done = approve(
        opened,
        wanted.id,
        reason=why,
        scan=scanner(app),
        tokenize=tokenizer(app.truth),
    )
    lines = []
    if done.done:
        whom = done.proposal.crew or "the workspace"
        lines = [changed_line(done.done.memory, f"is held by {whom}")]
    app.out.record(done, lines)


def _approve_plan(app: App, plan: Proposal, why: str, only: tuple[int, ...]) -> None:
    from crewmem.cli.consolidating.shown import undo
    from crewmem.cli.proposals.planned import approve_plan, decided_lines

    decided = approve_plan(app, plan, why, only)
    app.out.record(decided, decided_lines(decided))
    for note in undo(decided.versions):
        app.out.note(note)
