"""How much is held to be true, and what of it waits for a person, in numbers."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.remembered import Vectors
    from crewmem.scope import Sight


class Holding(NamedTuple):
    """What is held in one workspace, as far as one may read it.

    Attributes:
        memories: Those that are active.
        quarantined: Those that look like an attack or a secret.
        proposals: What waits for a person.
        waiting: Memories that have no vector yet, as far as sweeps know.
        contradictions: Those of what waits for a person that are contradictions.
    """

    memories: int = 0
    quarantined: int = 0
    proposals: int = 0
    waiting: int = 0
    contradictions: int = 0


NOTHING = Holding()


def holding(
    db: apsw.Connection, schema: int, workspace: str, sight: Sight, vectors: Vectors
) -> Holding:
    """Return what of *db*, which is crewmem.db, who has *sight* may read, in numbers.

    One whose *schema* is older than `COUNTED` holds nothing that can be counted. Where
    nothing is held nothing is loaded. *vectors* are those of the home.
    """
    from crewmem.health.remembered import COUNTED
    from crewmem.health.runs_store import is_any_held

    if schema < COUNTED or not is_any_held(db):
        return NOTHING
    from crewmem.memories import audit_store
    from crewmem.memories.view import view_of
    from crewmem.registry.crews_store import led_by, without_memory

    actor = sight.actor
    led = () if actor.is_operator else led_by(db, workspace, actor.name)
    view = view_of(sight, workspace, led=frozenset(led), restricted=True)
    active = audit_store.counted(db, view, "active")
    waiting = vectors.memories.failed
    if not vectors.unread:
        from crewmem.memories.backlog_store import behind

        off = without_memory(db, workspace)
        waiting += behind(db, view, *vectors.memories[:2], off)
    proposals = audit_store.open_for(db, view)
    contested = audit_store.CONTRADICTION
    return Holding(
        active,
        audit_store.counted(db, view, "quarantined"),
        proposals,
        waiting,
        audit_store.open_for(db, view, contested) if proposals else 0,
    )
