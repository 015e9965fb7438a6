"""Vectors: what could not be embedded, time and again?"""

from __future__ import annotations

from contextlib import suppress

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.episodes.spaces import ENTRIES
from crewmem.errors import CrewmemError
from crewmem.files.existing import existing
from crewmem.files.folders import open_place
from crewmem.files.store import INDEX_NAME
from crewmem.files.words_store import Filter
from crewmem.health.check import by_hand
from crewmem.health.finding import Status, passed, warned
from crewmem.health.inside import of_truth, of_vectors
from crewmem.journal.store import Journal
from crewmem.vectors.retries import MANY_TRIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree
    from crewmem.vectors.space import Failure
    from crewmem.vectors.store import VectorStore

NAME = "vectors.failures"
CATEGORY = "vectors"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name entries and chunks that were tried often, each with the reason."""
    entries = _of_entries(scene) if scene.home else []
    problems = [each for each in entries if each.is_problem] + [*_of_chunks(scene)]
    return problems or entries or [passed("nothing failed time and again")]


def _of_entries(scene: Scene) -> list[Finding]:
    """Return what there is to say of entries; nothing if none failed."""
    kept: dict[int, Failure] = {}

    def read(store: VectorStore) -> list[Finding]:
        spaces = [each.space for each in store.spaces() if each.space.kind == ENTRIES]
        for space in spaces:
            if scene.is_meant(space.workspace):
                kept.update((each.key, each) for each in often(store.failures(space)))
        return []

    if found := of_vectors(scene, read, by_all=True):
        return [each for each in found if each.status is Status.SKIP]
    return of_truth(scene, lambda db: _named(scene, db, kept), by_all=True)


def often(failures: Sequence[Failure]) -> list[Failure]:
    """Return those of *failures* that were tried often."""
    return [each for each in failures if each.tries >= MANY_TRIES]


def _named(
    scene: Scene, db: apsw.Connection, kept: dict[int, Failure]
) -> list[Finding]:
    entries = Journal(db).by_seq(kept)
    return [
        _finding(
            f"entry {entry.id}",
            kept[seq],
            repair=scene.command(
                "journal", "get", entry.id, "--workspace", entry.workspace_id
            ),
        )
        for seq, entry in sorted(entries.items())
        if scene.reach(entry.workspace_id).sees(entry.crew_id, entry.agent_id)
    ]


def _of_chunks(scene: Scene) -> Iterator[Finding]:
    for tree in scene.open_trees:
        with suppress(CrewmemError):  # index.usable says what is wrong with it
            yield from _in_tree(tree)


def _in_tree(tree: Tree) -> Iterator[Finding]:
    mode = Mode.FROZEN if disk.is_read_only(tree.path) else Mode.READ
    with open_place(tree.place) as root:
        index = existing(root, tree.path / INDEX_NAME, mode, busy_timeout=0).memory
    if index is None:
        return
    try:
        if not index.has_vectors:
            return
        vectors = index.vectors
        kept = {
            each.key: each
            for space in vectors.store.spaces()
            for each in often(vectors.store.failures(space.space))
        }
        shown = vectors.chunks(kept, Filter(hidden=tree.hidden))
        for text in vectors.of_keys(kept):
            if text.chunk in shown:
                above = text.text.partition("\n")[0]
                yield _finding(above, kept[shown[text.chunk]], where=str(tree.path))
    finally:
        index.close()


def _finding(
    what: str, failure: Failure, *, repair: str = "", where: str = ""
) -> Finding:
    return warned(
        f"{what} could not be embedded, tried {failure.tries:,} times: {failure.error}",
        expected="a vector; until then it is found by its words alone",
        repair=repair,
        where=where,
    )
