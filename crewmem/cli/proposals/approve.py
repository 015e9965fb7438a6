"""``crewmem proposals approve``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.typed import as_text


@verb
@argument("id", metavar="ID", callback=as_text, help="Its id, or how that begins.")
@option("--reason", metavar="TEXT", callback=as_text, help="Why; it is kept.")
@pass_app
def approve_command(app: App, *, id: str, reason: str | None) -> None:
    """Do what was proposed, at once.

    For operators, and for the lead of the crew that it is for. It is done once: a
    proposal that is decided already ends with 9.
    """
    from crewmem.cli.held import desk, memories_to_read
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import policies
    from crewmem.errors.proposals import ProposalMissingError
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.memory import Owner
    from crewmem.proposals.review import approve, find

    if memories_to_read(app) is None:
        raise ProposalMissingError(id, app.workspace)
    opened = desk(app)
    wanted = find(opened, id)
    policies(app, [Owner(wanted.scope, crew=wanted.crew or "")])  # the crew is there
    done = approve(
        opened,
        wanted.id,
        reason=reason or "",
        scan=scanner(app),
        tokenize=tokenizer(app.truth),
    )
    lines = []
    if done.done:
        whom = done.proposal.crew or "the workspace"
        lines = [changed_line(done.done.memory, f"is held by {whom}")]
    app.out.record(done, lines)
