"""``crewmem scratch clear``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.scratch.sessions import session_option


@verb
@session_option
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def clear_command(app: App, *, session: str, yes: bool) -> None:
    """Drop one's own notes of a session."""
    from crewmem.cli.confirm import confirmed
    from crewmem.cli.held import desk_there
    from crewmem.memories.scratch_store import Scratch

    if not confirmed(app, f"Dropping the notes of session {session!r}", yes=yes):
        app.out.note("Nothing was dropped.")
        return
    dropped = 0
    if opened := desk_there(app):
        with opened.journal.transaction():
            who = (app.workspace, str(app.actor), session)
            dropped = Scratch(opened.memories.db).clear(who)
    words = "1 note" if dropped == 1 else f"{dropped} notes"
    app.out.record({"session": session, "dropped": dropped}, [f"Dropped {words}."])
