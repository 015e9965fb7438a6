"""``crewmem forget``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text, id_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.memories.memory import Memory


@verb
@id_argument
@option("--reason", metavar="TEXT", callback=as_text, help="Why; the journal keeps it.")
@pass_app
def forget_command(app: App, *, id: str, reason: str | None) -> None:
    """Put a memory away: nothing finds it any more.

    It is archived, and memories restore brings it back. A day that it was summed up
    with is told without it by the next rollup; what it was condensed into is named. To
    erase it for good there is memories purge.
    """
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.cli.reasons import reason_of
    from crewmem.memories.change import forget

    why, memory = reason_of(app, reason), named(app, id)
    opened = desk(app, restricted=True)
    done = forget(opened, memory, why)
    said = "forgotten" if done.changed else "was forgotten already"
    if told := opened.memories.summaries_of(memory.seq):
        _warn_of(app, told)
    tell(app, done, said)
    if done.changed:
        app.out.note(f"Back with: crewmem memories restore {done.memory.id}")


def _warn_of(app: App, summaries: Sequence[Memory]) -> None:
    """Name those of *summaries* that go on telling of what is forgotten."""
    from crewmem.memories.condense import SUBTYPE
    from crewmem.memories.lifecycle import LIVE

    for each in summaries:
        if each.subtype == SUBTYPE and each.status in LIVE:
            app.out.warn(f"{each.id} tells of it as well: crewmem forget {each.id}")
