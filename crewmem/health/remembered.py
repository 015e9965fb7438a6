"""What is kept of events in one workspace, in numbers: cheap to read, without a trace.

Neither numpy nor an embedder is loaded, and where the journal is empty nothing of
episodes and vectors either: ``status`` is typed often.
"""

from __future__ import annotations

import os

from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.records import NamedTuple
from crewmem.vectors import FILE, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import apsw

    from crewmem.scope import Reach
    from crewmem.vectors.pages_store import Pages
    from crewmem.vectors.space import Failure, Kept

MEMORIES, CHANGES = "memories", "memories-changed"
"""Kinds of spaces, as in memories/spaces.py; a test compares."""

COUNTED = 12
"""The schema of crewmem.db from which on what is counted here is as it is now: after an
upgrade nobody is told that there is nothing."""


class OfMemories(NamedTuple):
    """How far sweeps have come with the memories of one workspace.

    Attributes:
        mark: The place that they came to.
        changes_ms: Up to when they have looked at changes, in milliseconds.
        failed: Memories that could not be embedded.
    """

    mark: int = 0
    changes_ms: int = 0
    failed: int = 0


class Vectors(NamedTuple):
    """What is kept of vectors, as it matters to one workspace.

    Attributes:
        model: That of most vectors of the home; "" if there are none.
        own: How many of that model the workspace has.
        others: Vectors of other models, in the home.
        mark: How far sweeps of the workspace have come with that model.
        failures: What of the workspace could not be embedded.
        places: How far sweeps of it have come, with any model, and in which journal.
        unreached: By model: why what embeds with it could not be asked last.
        unread: Why none of this is known; "" if it is.
        memories: How far sweeps of it have come with memories.
    """

    model: str = ""
    own: int = 0
    others: int = 0
    mark: int = 0
    failures: Sequence[Failure] = ()
    places: Sequence[Kept] = ()
    unreached: Mapping[str, str] = {}
    unread: str = ""
    memories: OfMemories = OfMemories()


class Remembered(NamedTuple):
    """What is kept of events in one workspace, as far as it is in reach.

    Attributes:
        entries: Entries of the journal, archived ones included.
        episodes: Those worth recalling.
        waiting: Episodes that have no vector yet, those that failed among them; not
            those of agents whose memory is off, which wait for none.
        failed: Episodes that could not be embedded when that was tried.
        stuck: Those of them that were tried often.
        vectors: The vectors of all of them, in reach or not.
    """

    entries: int = 0
    episodes: int = 0
    waiting: int = 0
    failed: int = 0
    stuck: int = 0
    vectors: Vectors = Vectors()


def vectors_of(home: Path, workspace: str, *, busy_timeout: float) -> Vectors:
    """Return what is kept of vectors in *home*, as it matters to *workspace*."""
    path = home / FILE
    if not os.path.lexists(path):
        return Vectors()
    from crewmem.db.examine import examine

    try:
        return examine(
            path, lambda db: _vectors(db, workspace), busy_timeout=busy_timeout
        )
    except PathMissingError:
        return Vectors()
    except CrewmemError as error:
        return Vectors(unread=str(error))


def _vectors(db: apsw.Connection, workspace: str) -> Vectors:
    from crewmem.db.migrate import APPLICATION_ID, version
    from crewmem.episodes.anchor import ANCHOR
    from crewmem.episodes.reached import EMBEDDER
    from crewmem.episodes.spaces import ENTRIES, models, space_of
    from crewmem.vectors.pages_store import Pages

    if version(db, APPLICATION_ID) != VERSION:
        return Vectors()  # the next sweep puts a new one in its place
    pages = Pages(db)
    kept = pages.spaces()
    unreached = {
        each.space.model: failure.error
        for each in kept
        if each.space.kind == EMBEDDER
        for failure in pages.failures(pages.id_of(each.space))
    }
    found, memories = models(kept), _of_memories(pages, kept, workspace)
    if not found:
        return Vectors(unreached=unreached, memories=memories)
    first = found[0]
    space = space_of(workspace, first.name, first.dim)
    return Vectors(
        model=first.name,
        own=sum(each.vectors for each in kept if each.space == space),
        others=sum(each.vectors for each in found[1:]),
        mark=next((each.mark for each in kept if each.space == space), 0),
        failures=pages.failures(pages.id_of(space)),
        places=[
            each
            for each in kept
            if each.space.workspace == workspace
            and each.space.kind in {ENTRIES, ANCHOR}
        ],
        unreached=unreached,
        memories=memories,
    )


def _of_memories(pages: Pages, kept: Sequence[Kept], workspace: str) -> OfMemories:
    mine = [
        each
        for each in kept
        if each.space.kind == MEMORIES and each.space.workspace == workspace
    ]
    if not mine:
        return OfMemories()
    most = max(mine, key=lambda each: each.vectors)
    changes = most.space._replace(kind=CHANGES)
    looked = next((each.mark for each in kept if each.space == changes), 0)
    failures = pages.failures(pages.id_of(most.space))
    return OfMemories(most.mark, looked, len(failures))


def remembered(
    db: apsw.Connection, reach: Reach, vectors: Vectors, schema: int | None = None
) -> Remembered:
    """Return what of *db*, which is crewmem.db, is within *reach*, in numbers.

    One whose *schema* is older than `COUNTED`, asked for if it is not given, keeps
    nothing that can be counted.
    """
    from crewmem.db.migrate import version
    from crewmem.journal.total_store import total

    if (version(db) if schema is None else schema) < COUNTED:
        return Remembered(vectors=vectors)
    if not (entries := total(db, reach)):
        return Remembered(vectors=vectors)
    from crewmem.episodes.anchor import FOREIGN, is_foreign
    from crewmem.episodes.backlog import lacking
    from crewmem.episodes.store import Episodes
    from crewmem.registry.crews_store import without_memory
    from crewmem.vectors.retries import MANY_TRIES

    episodes = Episodes(db)
    off = without_memory(db, reach.workspace)
    mine = episodes.owners(reach)
    owners = episodes.owners(reach, without=off) if off else mine
    if is_foreign(episodes, vectors.places, reach.workspace):
        vectors = vectors._replace(unread=FOREIGN, failures=())
    failures = vectors.failures
    if reach.agent is not None or off:
        owner_of = episodes.owner_of([each.key for each in failures])
        failures = [each for each in failures if owner_of.get(each.key) in owners]
    if vectors.model and not vectors.unread:
        behind = episodes.count_after(vectors.mark, owners)
    else:
        behind = episodes.count(owners)
    return Remembered(
        entries=entries,
        episodes=episodes.count(mine),
        waiting=lacking(behind, failures, vectors.mark),
        failed=sum(each.tries > 0 for each in failures),
        stuck=sum(each.tries >= MANY_TRIES for each in failures),
        vectors=vectors,
    )
