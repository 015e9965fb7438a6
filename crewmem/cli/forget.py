"""``crewmem forget``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text, id_argument


@verb
@id_argument
@option("--reason", metavar="TEXT", callback=as_text, help="Why; the journal keeps it.")
@pass_app
def forget_command(app: App, *, id: str, reason: str | None) -> None:
    """Put a memory away: nothing finds it any more.

    It is archived, and memories restore brings it back. To erase it for good there is
    memories purge.
    """
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.cli.reasons import reason_of
    from crewmem.memories.change import forget

    why, memory = reason_of(app, reason), named(app, id)
    done = forget(desk(app, restricted=True), memory, why)
    said = "forgotten" if done.changed else "was forgotten already"
    tell(app, done, said)
    if done.changed:
        app.out.note(f"Back with: crewmem memories restore {done.memory.id}")
