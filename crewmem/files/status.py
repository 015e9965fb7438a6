"""The state of memory directories and their index."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crewmem.context import Context
from crewmem.files.directories import MemoryDirectory
from crewmem.files.index import Index
from crewmem.files.tiers import PRIVATE_TIERS, find_directory_cap


class DirectoryStatus(NamedTuple):
    """The state of one memory directory.

    Attributes:
        share: Used share of the directory's cap.
        stale: Number of files that changed since they were indexed.
    """

    scope: str
    owner: str
    path: str
    files: int
    chunks: int
    bytes: int
    cap: int
    share: float
    stale: int
    skipped: int


@dataclass(slots=True)
class MemoryStatus:
    """The state of the memory files that the actor may read.

    Attributes:
        index: Path of the index; "" if it is not on disk.
        indexed_at: When it was last changed; "" if never.
        skipped: Files that are not indexed, or not completely, each with the reason.
        vectors: Number of the workspace's chunks with a vector; None without a home.
        mode: Search mode: ``hybrid``, or ``sparse`` by words alone.
    """

    index: str
    indexed_at: str
    files: int
    chunks: int
    bytes: int
    stale: int
    directories: tuple[DirectoryStatus, ...]
    skipped: tuple[tuple[str, str], ...]
    vectors: int | None = None
    mode: str = "sparse"


def make_status(
    index: Index,
    directories: Sequence[MemoryDirectory],
    context: Context,
    stale: Mapping[str, int],
) -> MemoryStatus:
    """Return the state of *directories*, all of which the actor may read.

    Args:
        stale: Number of files that changed since they were indexed, by path of the directory.
    """
    is_operator = context.access.is_operator
    counted = {
        row[0]: row[1:]
        for row in index.db.execute(
            "select directory_id, count(*), sum(chunks), sum(size), sum(skipped != '')"
            " from files where :is_operator or tier not in (select value from json_each(:private))"
            " group by directory_id",
            {"is_operator": is_operator, "private": json.dumps(sorted(PRIVATE_TIERS))},
        )
    }
    rows = {str(each.path): row for row, each in index.directories.items()}
    cap = find_directory_cap(context.settings)
    statuses, shown = [], {}
    for directory in directories:
        row = rows.get(str(directory.path), -1)
        shown[row] = directory
        files, chunks, size, skipped = counted.get(row, (0, 0, 0, 0))
        of_cap = cap if directory.has_tiers else 0
        statuses.append(
            DirectoryStatus(
                scope=str(directory.scope),
                owner=directory.owner,
                path=str(directory.path),
                files=files,
                chunks=chunks,
                bytes=size,
                cap=of_cap,
                share=size / of_cap if of_cap else 0.0,
                stale=stale.get(str(directory.path), 0),
                skipped=skipped,
            )
        )
    skipped_files = [
        (shown[row].prefix + path, why)
        for row, path, tier, why in index.db.execute(
            "select directory_id, path, tier, skipped from files where skipped != ''"
            " order by directory_id, path"
        )
        if row in shown and (tier not in PRIVATE_TIERS or is_operator)
    ]
    return MemoryStatus(
        index="" if index.db.path == ":memory:" else str(index.db.path),
        indexed_at=index.indexed_at,
        files=sum(each.files for each in statuses),
        chunks=sum(each.chunks for each in statuses),
        bytes=sum(each.bytes for each in statuses),
        stale=sum(each.stale for each in statuses),
        directories=tuple(statuses),
        skipped=tuple(skipped_files),
    )
