"""Dropping versions past retention, and contents that no version keeps any more."""

from __future__ import annotations

from crewmem.db.batches import batched
from crewmem.files import version_store
from crewmem.journal.entry import Draft
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from crewmem.files.kept import Kept
    from crewmem.files.version_store import VersionStore
    from crewmem.journal.store import Journal

    Tell = Callable[[int, int], None]


ROWS, FILES = 1_000, 100
"""Rows, and contents, of a transaction: a few tenths of a second, for which others
wait."""

TYPE = "memory.versions_pruned"


class Plan(NamedTuple):
    """What is to be dropped.

    Attributes:
        keep: How many of each file stay, the newest.
        before: Only what was written before.
        versions: By file, the ids of those that go, oldest first.
        contents: Contents that no version will keep, of any workspace.
        bytes: What these take, compressed.
    """

    keep: int
    before: datetime
    versions: dict[str, list[str]]
    contents: Sequence[str]
    bytes: int

    @property
    def total(self) -> int:
        """How many versions go."""
        return sum(map(len, self.versions.values()))


class PrunedFile(NamedTuple):
    """What a prune dropped of one file.

    Attributes:
        ref: The file.
        versions: How many of its versions.
    """

    ref: str
    versions: int


class Pruned(NamedTuple):
    """What pruning came to.

    Attributes:
        workspace: The workspace.
        keep: How many versions of each file stay, the newest.
        before: Only what was written before was dropped.
        versions: How many were dropped.
        files: The files that they are of.
        contents: Contents that no version kept any more, of any workspace.
        bytes: What these took, compressed.
        dry_run: Whether it was only looked at.
    """

    workspace: str
    keep: int
    before: datetime
    versions: int
    files: tuple[PrunedFile, ...]
    contents: int
    bytes: int
    dry_run: bool = False


def plan(store: VersionStore, contents: Kept, *, keep: int, before: datetime) -> Plan:
    """Return what is to be dropped of the files of a workspace.

    Of each file the newest *keep* stay, and what was written *before* or later; what
    goes is always the beginning of its chain. Contents that nobody refers to any more
    go as well, whoever left them.
    """
    rows = store.past(keep, before)
    versions: dict[str, list[str]] = {}
    for version_id, ref in rows:
        versions.setdefault(ref, []).append(version_id)
    going = {version_id for version_id, _ in rows}
    there = [*contents.names()]
    left = version_store.referred(store.db, there, without=going)
    unkept = [name for name in there if name not in left]
    size = sum(map(contents.size, unkept))
    return Plan(keep, before, versions, unkept, size)


def planned(workspace: str, found: Plan) -> Pruned:
    """Return *found* as what a run would come to."""
    return Pruned(
        workspace=workspace,
        keep=found.keep,
        before=found.before,
        versions=found.total,
        files=tuple(PrunedFile(ref, len(ids)) for ref, ids in found.versions.items()),
        contents=len(found.contents),
        bytes=found.bytes,
        dry_run=True,
    )


def prune(
    store: VersionStore,
    contents: Kept,
    journal: Journal,
    found: Plan,
    *,
    now: datetime,
    tell: Tell | None = None,
) -> Pruned:
    """Do what *found* says: rows first, then what they kept.

    Interrupted and run again it comes to the same.
    """
    ids = [each for some in found.versions.values() for each in some]
    for some in batched(ids, ROWS):
        with journal.transaction():
            store.remove(some)
    dropped, size = drop_unkept(journal, contents, found.contents, tell)
    done = planned(store.workspace, found)._replace(
        contents=dropped, bytes=size, dry_run=False
    )
    if done.versions or done.contents:
        journal.append(store.workspace, [_entry(done)], now=now)
    return done


def drop_unkept(
    journal: Journal, contents: Kept, names: Sequence[str], tell: Tell | None = None
) -> tuple[int, int]:
    """Drop those of the contents *names* that no version keeps.

    That is asked, and they are dropped, while nobody else can record a version: whoever
    has kept one of them for a version to come finds it gone then, and keeps it again.

    Returns:
        How many were dropped, and the bytes that they took.
    """
    dropped = size = done = 0
    for some in batched(names, FILES):
        with journal.transaction():
            kept = version_store.referred(journal.db, some)
            for name in some:
                if name not in kept and (taken := contents.drop(name)):
                    dropped, size = dropped + 1, size + taken
        done += len(some)
        if tell:
            tell(done, len(names))
    return dropped, size


def _entry(done: Pruned) -> Draft:
    return Draft(
        entry_type=TYPE,
        summary=(
            f"{done.versions:,} versions of {len(done.files):,} memory files pruned, "
            f"with {done.contents:,} contents"
        ),
        payload={
            "versions": done.versions,
            "files": len(done.files),
            "contents": done.contents,
            "bytes": done.bytes,
            "keep": done.keep,
            "before": done.before.isoformat(),
        },
    )
