"""Versions that a bundle brings: a file's history as a whole, or not at all. Pure.

A history goes on what is here when what is here is its beginning. Where a file has
had another one, nothing is mixed: the bundle's stays out, and what it brings becomes
a version of its own.
"""

from __future__ import annotations

import re
from itertools import pairwise

from crewmem import times
from crewmem.bundles.manifest import owner_of_ref
from crewmem.bundles.versions_store import Row
from crewmem.files.kept import is_hash
from crewmem.files.tiers import Tier
from crewmem.journal.entry import NAME_MOST
from crewmem.journal.reading import BadLineError, json_object, lines
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import BinaryIO

ID = re.compile(r"v_[0-9a-z]{12}")

OPERATION = re.compile(r"[a-z][a-z_-]{0,39}")

OTHER = "it has another history here"

UNWRITTEN = "the file itself was not imported"

BROKEN = "its versions do not follow on each other"

TAKEN = "its versions are in another workspace of this home"


class History(NamedTuple):
    """The versions of one file, as a bundle has them.

    Attributes:
        rows: All of them, oldest first.
        new: Those that are not here yet.
        reason: Why they stay out, else "".
        is_newest: Whether the last of them is the newest, once they are here.
    """

    rows: tuple[Row, ...]
    new: tuple[Row, ...]
    reason: str = ""
    is_newest: bool = False


def read(stream: BinaryIO) -> tuple[list[Row], list[str]]:
    """Return the versions that the lines of *stream* spell, and what is none."""
    rows: list[Row] = []
    troubles: list[str] = []
    for line in lines(stream):
        row = _row(line.text)
        if row is None:
            troubles.append(f"line {line.number} is no version")
        else:
            rows.append(row)
    return rows, troubles


def _row(text: bytes | None) -> Row | None:
    if text is None:
        return None
    try:
        found = json_object(text)
    except BadLineError:
        return None
    row = Row._make(found.get(name) for name in Row._fields)
    return row if _is_sound(row) else None


def _is_sound(row: Row) -> bool:
    texts: tuple[object, ...] = (*row[:4], *row[6:9])
    return (
        all(isinstance(text, str) for text in texts)
        and type(row.bytes) is int
        and row.bytes >= 0
        and _is_name(row.id)
        and (row.parent is None or _is_name(row.parent))
        and owner_of_ref(row.path) is not None
        and row.tier in {*Tier}
        and (not row.sha256 or is_hash(row.sha256))
        and (row.kept is None or is_hash(str(row.kept)))
        and _is_instant(row.written_at)
        and 0 < len(row.written_by) <= NAME_MOST
        and row.written_by.isprintable()
        and OPERATION.fullmatch(row.operation) is not None
    )


def _is_name(text: object) -> bool:
    return isinstance(text, str) and ID.fullmatch(text) is not None


def _is_instant(text: str) -> bool:
    try:
        return times.to_text(times.from_text(text)) == text
    except ValueError:
        return False


def histories(
    rows: Sequence[Row], here: Mapping[str, Sequence[str]], taken: Collection[str]
) -> dict[str, History]:
    """Return the history of each file of *rows*, and what of it is new.

    Args:
        rows: Versions, oldest first.
        here: Ids of the versions that are here, oldest first, by file.
        taken: Ids of *rows* that some workspace of this home has.
    """
    by_path: dict[str, list[Row]] = {}
    paths: dict[str, set[str]] = {}
    for row in rows:
        by_path.setdefault(row.path, []).append(row)
        paths.setdefault(row.id, set()).add(row.path)
    shared = {each for each, some in paths.items() if len(some) > 1}
    return {
        path: History(tuple(some), (), BROKEN)
        if any(row.id in shared for row in some)
        else _history(some, here.get(path, ()), taken)
        for path, some in by_path.items()
    }


def _history(
    rows: Sequence[Row], here: Sequence[str], taken: Collection[str]
) -> History:
    ids = [row.id for row in rows]
    known = _known(ids, here)
    if known is None:
        return History(tuple(rows), (), OTHER)
    new = rows[known:]
    if any(row.id in taken for row in new):
        return History(tuple(rows), (), TAKEN)
    if len({*ids}) != len(ids) or not _is_chain(rows):
        return History(tuple(rows), (), BROKEN)
    is_newest = bool(new) or ids[-1] == here[-1]
    return History(tuple(rows), tuple(new), is_newest=is_newest)


def _known(ids: Sequence[str], here: Sequence[str]) -> int | None:
    """Return how many of *ids* are here already; None if the two are no one history.

    Of either the oldest may have been pruned.
    """
    if not here:
        return 0
    if ids[0] in here:
        start = here.index(ids[0])
        common = len(here[start : start + len(ids)])
        return common if [*here[start : start + common]] == [*ids[:common]] else None
    if here[0] in ids:
        start = ids.index(here[0])
        common = len(ids[start : start + len(here)])
        same = [*ids[start : start + common]] == [*here[:common]]
        return start + common if same else None
    return None


def _is_chain(rows: Sequence[Row]) -> bool:
    return all(later.parent == earlier.id for earlier, later in pairwise(rows))
