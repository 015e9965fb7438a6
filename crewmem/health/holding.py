"""How much is held to be true, and what of it waits for a person, in numbers."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.scope import Sight


class Holding(NamedTuple):
    """What is held in one workspace, as far as one may read it.

    Attributes:
        memories: Those that are active.
        quarantined: Those that look like an attack or a secret.
        proposals: What waits for a person.
    """

    memories: int = 0
    quarantined: int = 0
    proposals: int = 0


NOTHING = Holding()


def holding(db: apsw.Connection, workspace: str, sight: Sight) -> Holding:
    """Return what of *db*, which is crewmem.db, who has *sight* may read, in numbers.

    One that is older than this crewmem holds nothing that can be counted.
    """
    from crewmem.db.migrate import TRUTH, newest, version

    if version(db) < newest(TRUTH):
        return NOTHING
    from crewmem.memories import audit_store
    from crewmem.memories.view import view_of
    from crewmem.registry.crews_store import led_by

    actor = sight.actor
    led = () if actor.is_operator else led_by(db, workspace, actor.name)
    view = view_of(sight, workspace, led=frozenset(led), restricted=True)
    return Holding(
        audit_store.counted(db, view, "active"),
        audit_store.counted(db, view, "quarantined"),
        audit_store.open_for(db, view),
    )
