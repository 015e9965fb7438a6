"""``crewmem scratch digest``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.scratch.sessions import session_option


@verb
@session_option
@pass_app
def digest_command(app: App, *, session: str) -> None:
    """Remember the notes of a session as one memory.

    It is a summary of the agent's own, that lists what was noted; an operator's is
    the workspace's. The notes are not listed after it.
    """
    from crewmem.cli.held import desk_there
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.scanner import scanner
    from crewmem.errors.memories import QuarantinedError
    from crewmem.health.advice import counted
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.scratch import Digested, digest

    done = Digested(0, None)
    if opened := desk_there(app):
        tokenize = tokenizer(opened.memories.db)
        done = digest(opened, session, scan=scanner(app), tokenize=tokenize)
    if done.memory and done.memory.action == "quarantined":
        raise QuarantinedError(done.memory.memory.id, done.memory.rules)
    lines = []
    if done.memory:
        said = f"sums up {counted(done.notes, 'note')}"
        lines = [changed_line(done.memory.memory, said)]
    app.out.record(done, lines)
    if not done.memory:
        app.out.note("No notes.")
