"""``crewmem scratch list``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text

USUAL, MOST = 50, 1_000
"""Notes that are listed, and that are at most."""


@verb
@option("--session", metavar="ID", callback=as_text, help="Only of this session.")
@option("-l", "--limit", type=int, metavar="N", help="Most notes, 1 to 1000.  [50]")
@pass_app
def list_command(app: App, *, session: str | None, limit: int | None) -> None:
    """List one's own notes, oldest first."""
    from crewmem import times
    from crewmem.cli.held import memories_to_read
    from crewmem.cli.output import Table
    from crewmem.cli.scratch.sessions import session_of
    from crewmem.memories.scratch_store import Scratch

    most = app.clamped("--limit", limit, USUAL, MOST)
    memories = memories_to_read(app)
    who = (app.workspace, str(app.actor), session_of(session) if session else "")
    now = times.to_text(app.now)
    notes = Scratch(memories.db).of(who, now, most) if memories else []
    rows = [
        (
            each.id,
            each.session,
            times.to_text(each.created_at),
            times.ago(each.expires_at, app.now),
            " ".join(each.content.split()),
        )
        for each in notes
    ]
    app.out.listing(notes, Table(("ID", "SESSION", "WRITTEN", "GONE", "NOTE"), rows))
    if not notes:
        app.out.note("No notes.")
