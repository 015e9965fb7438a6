"""Indexes: is each one whole, ours, of this version, and made as the settings say?"""

from __future__ import annotations

import os
import stat
from contextlib import closing

from crewmem import disk
from crewmem.db.connect import Mode, connect
from crewmem.db.migrate import APPLICATION_ID, version
from crewmem.disk.failures import KINDS
from crewmem.errors import CrewmemError
from crewmem.errors.database import (
    DatabaseBusyError,
    DatabaseDamagedError,
    ForeignDatabaseError,
    NotADatabaseError,
)
from crewmem.errors.disk import PathMissingError
from crewmem.files.existing import is_hot
from crewmem.files.header import refuse_foreign
from crewmem.files.reindex import reindex
from crewmem.files.store import INDEX_NAME, SCHEMA_VERSION, SIDECARS, MemoryIndex
from crewmem.health.advice import counted
from crewmem.health.finding import Finding, Status, failed, passed, skipped
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.health.scene import Scene, Tree

NAME = "index.usable"
CATEGORY = "index"

EXPECTED = "an index of this version; until then searches go without it"


def look(scene: Scene) -> list[Finding]:
    """Name indexes that cannot be used as they are."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    found = [finding for tree in scene.open_trees if (finding := about(scene, tree))]
    return found or [passed("every index that is there can be used")]


def about(scene: Scene, tree: Tree) -> Finding | None:
    """Return what is wrong with the index in *tree*; None if nothing is.

    One that is not there is not wrong, nor one that a writer holds now.
    """
    path = tree.path / INDEX_NAME
    for end in ("", *SIDECARS):
        name = f"{INDEX_NAME}{end}"
        if what := _stands_in_the_way(tree.path / name):
            return failed(
                f"where {name} {'might' if end else 'should'} be: {what}",
                expected="nothing in its place: move it away",
                where=str(tree.path),
            )
    try:
        refuse_foreign(path)
        if is_hot(path):
            return None  # index.journal says so
        frozen = disk.is_read_only(tree.path)
        db = connect(path, Mode.FROZEN if frozen else Mode.READ)
        with closing(db):
            found = version(db, APPLICATION_ID)
            return _inside(scene, tree, MemoryIndex(db), found)
    except (PathMissingError, DatabaseBusyError):
        return None
    except CrewmemError as error:
        return _unread(scene, tree, error)


def _unread(scene: Scene, tree: Tree, error: CrewmemError) -> Finding:
    if isinstance(error, ForeignDatabaseError):
        observed = f"{INDEX_NAME} was made by another program"
        return _finding(scene, tree, Status.WARN, observed)
    if isinstance(error, NotADatabaseError | DatabaseDamagedError):
        reason = getattr(error, "reason", "it is no database")
        observed = f"{INDEX_NAME} is damaged: {reason}"
        return _finding(scene, tree, Status.FAIL, observed, mended=True)
    return _finding(scene, tree, Status.WARN, str(error))


def _stands_in_the_way(path: Path) -> str:
    """Say what stands where the index should, if it is no file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) else KINDS.get(stat.S_IFMT(mode), "it is no file")


def _inside(scene: Scene, tree: Tree, index: MemoryIndex, found: int) -> Finding | None:
    if found > SCHEMA_VERSION:
        observed = f"{INDEX_NAME} was made by a newer crewmem"
        return _finding(scene, tree, Status.WARN, observed)
    if found < SCHEMA_VERSION:
        observed = f"{INDEX_NAME} was made by an older crewmem"
        return _finding(scene, tree, Status.WARN, observed, mended=True)
    if trouble := index.trouble() or index.flaw():
        observed = f"{INDEX_NAME} is damaged: {trouble}"
        return _finding(scene, tree, Status.FAIL, observed, mended=True)
    policy = scene.access.policy(tree.place)
    if not index.about().items() >= policy.about.items():
        observed = f"{INDEX_NAME} was made with other settings"
        return _finding(scene, tree, Status.WARN, observed, mended=True)
    if trouble := _unread_vectors(index):
        return _finding(scene, tree, Status.FAIL, trouble, mended=True)
    return None


def _unread_vectors(index: MemoryIndex) -> str:
    """Say what of the vectors in *index* cannot be read; "" if all of them can."""
    if not index.has_vectors:
        return ""
    vectors = index.vectors
    store = vectors.store
    store.check_all()
    if not store.damaged:
        return f"some vectors of {INDEX_NAME} are gone" if vectors.is_torn else ""
    pages = counted(len(store.damaged), "damaged page", "damaged pages")
    return f"{pages} of vectors in {INDEX_NAME}: {next(iter(store.damaged.values()))}"


def _finding(
    scene: Scene, tree: Tree, status: Status, observed: str, *, mended: bool = False
) -> Finding:
    writable = disk.is_writable(tree.path)
    repair = scene.command("memory", "reindex", "--full", "--path", tree.path)
    return Finding(
        status=status,
        observed=observed,
        expected=EXPECTED,
        repair=repair if writable else "",
        fix="build it anew" if mended and writable else "",
        where=str(tree.path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Build it anew from its files, aside; who reads keeps the old one until then."""
    reindex(scene.tree_at(finding.where).place, scene.access, full=True)
