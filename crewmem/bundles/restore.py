"""Bringing back what a bundle has besides memory files: journal, versions, the rest."""

from __future__ import annotations

from functools import partial

from crewmem.bundles import histories, versions_store
from crewmem.bundles.manifest import (
    ARCHIVED,
    CONTENTS,
    ENTRIES,
    EPISODES,
    PRIORITIES,
    PROPOSALS,
    RELATIONS,
    TRANSCRIPTS,
    VERSIONS,
)
from crewmem.digests import sha256
from crewmem.episodes.carry import restore_delivered, restore_links
from crewmem.errors import CrewmemError
from crewmem.files.kept import Kept
from crewmem.files.version import without_secrets
from crewmem.journal.importing import Policy, import_entries
from crewmem.journal.restore import restore_archive, restore_priorities
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import BinaryIO, Protocol, TypeVar

    import apsw

    from crewmem.bundles.histories import History
    from crewmem.bundles.source import Source
    from crewmem.bundles.versions_store import Row
    from crewmem.journal.restore import Restored
    from crewmem.journal.store import Journal
    from crewmem.threats.rule import Scan

    Restore = Callable[[BinaryIO], Restored]
    Carried = TypeVar("Carried")

    class Room(Protocol[Carried]):
        """What a module has that carries something of its room."""

        def read(self, stream: BinaryIO) -> tuple[list[Carried], list[str]]:
            """Return what the lines of *stream* spell, and what is none of it."""

        def known(
            self, db: apsw.Connection, workspace: str, found: Collection[Carried]
        ) -> int:
            """Return how many of *found* are in *workspace* already."""

        def add(
            self, db: apsw.Connection, workspace: str, found: Collection[Carried]
        ) -> None:
            """Add those of *found* that are not in *workspace* yet."""


CONTENT_MOST = 64 << 20
"""Most bytes of what a version kept."""


class Brought(NamedTuple):
    """What came of a part of a bundle, as of its journal.

    Attributes:
        total: How many there are in it.
        added: How many are new here.
        known: How many are here already.
        left_out: How many are neither, for reasons that are told.
    """

    total: int = 0
    added: int = 0
    known: int = 0
    left_out: int = 0


class Into(NamedTuple):
    """Where something is taken in.

    Attributes:
        db: None where there is nothing yet, and nothing is to be.
        dry_run: Whether nothing is written.
    """

    db: apsw.Connection | None
    workspace: str
    dry_run: bool


class Told(NamedTuple):
    """What was brought, and what a person should know of it."""

    brought: Brought
    warnings: tuple[str, ...] = ()


def bring_entries(
    source: Source,
    parts: Collection[str],
    journal: Journal | None,
    workspace: str,
    *,
    now: datetime,
    dry_run: bool,
) -> Told | None:
    """Take in the journal of *source*; None: it has none.

    The entries are as they were, and get their places in the chain that is here.
    """
    if ENTRIES not in parts:
        return None
    policy = Policy(dry_run=dry_run)
    with source.opened(ENTRIES) as stream:
        done = import_entries(journal, workspace, stream, now=now, policy=policy)
    told = [f"{ENTRIES}, line {each.line}: {each.reason}" for each in done.troubles]
    left_out = done.bad + done.conflicts
    if journal is not None and not dry_run:
        restoring: dict[str, Restore] = {
            PRIORITIES: partial(restore_priorities, journal, workspace),
            RELATIONS: partial(restore_links, journal, workspace),
            EPISODES: lambda lines: restore_delivered(journal, workspace, lines, now),
            ARCHIVED: partial(restore_archive, journal, workspace),
        }
        for path, restore in restoring.items():
            if path in parts:
                with source.opened(path) as stream:
                    restored = restore(stream)
                told += [f"{path}, {each}" for each in restored.troubles]
    return Told(Brought(done.lines, done.added, done.known, left_out), tuple(told))


def bring_carried(
    source: Source,
    parts: Collection[str],
    db: apsw.Connection | None,
    workspace: str,
    *,
    dry_run: bool,
) -> dict[str, Told]:
    """Take in what of *source* rooms carry themselves; return what came, by part.

    That is proposals, and what is known of turns that were learned of, and of losses.
    What is there already stays as it is: it may have been decided since.
    """
    into = Into(db, workspace, dry_run)
    told: dict[str, Told] = {}
    if PROPOSALS in parts:
        from crewmem.proposals import carried_store as proposals

        told[PROPOSALS] = _taken(source, PROPOSALS, proposals, into)
    if TRANSCRIPTS in parts:
        from crewmem.transcripts import carried_store as transcripts

        told[TRANSCRIPTS] = _taken(source, TRANSCRIPTS, transcripts, into)
    return told


def _taken(source: Source, part: str, room: Room[Carried], into: Into) -> Told:
    """Take in a *part* of *source*, which is a *room*'s."""
    with source.opened(part) as stream:
        found, troubles = room.read(stream)
    known = room.known(into.db, into.workspace, found) if into.db else 0
    if into.db and not into.dry_run:
        room.add(into.db, into.workspace, found)
    total = len(found) + len(troubles)
    brought = Brought(total, len(found) - known, known, len(troubles))
    return Told(brought, tuple(f"{part}, {each}" for each in troubles))


def read_histories(
    source: Source, parts: Collection[str], db: apsw.Connection | None, workspace: str
) -> tuple[dict[str, History], list[str]]:
    """Return the histories of files that *source* has, and what of them is none."""
    if VERSIONS not in parts:
        return {}, []
    with source.opened(VERSIONS) as stream:
        rows, troubles = histories.read(stream)
    here: dict[str, list[str]] = {}
    taken: set[str] = set()
    if db is not None:
        here = versions_store.ids_by_path(db, workspace)
        taken = versions_store.taken(db, [row.id for row in rows])
    found = histories.histories(rows, here, taken)
    return found, [f"{VERSIONS}, {each}" for each in troubles]


def counted(found: Mapping[str, History]) -> Told:
    """Return what of the histories *found* is new, without bringing any."""
    total = sum(len(each.rows) for each in found.values())
    added = sum(len(each.new) for each in found.values())
    left_out = sum(len(each.rows) for each in found.values() if each.reason)
    brought = Brought(total, added, total - added - left_out, left_out)
    told = [
        f"the versions of {path} stay out: {each.reason}"
        for path, each in found.items()
        if each.reason
    ]
    return Told(brought, tuple(told))


def bring_versions(
    source: Source,
    parts: Collection[str],
    found: Mapping[str, History],
    journal: Journal,
    home: Path,
    workspace: str,
    scan: Scan,
) -> Told:
    """Bring what is new of the histories *found*: contents first, then versions.

    All versions or none; what another process has recorded meanwhile is not mixed
    with them.
    """
    wanted = {path for path, each in found.items() if each.new}
    with source.opened(VERSIONS) as stream:
        rows = [row for row in histories.read(stream)[0] if row.path in wanted]
    kept, warnings = _bring_contents(source, parts, rows, Kept(home), scan)
    with journal.transaction():
        here = versions_store.ids_by_path(journal.db, workspace)
        taken = versions_store.taken(journal.db, [row.id for row in rows])
        now = histories.histories(rows, here, taken)
        new = {row.id for each in now.values() for row in each.new}
        ready = [
            row if row.kept in kept else row._replace(kept=None)
            for row in rows
            if row.id in new
        ]
        versions_store.add(journal.db, workspace, ready)
    told = counted({**found, **now})
    return told._replace(warnings=(*told.warnings, *warnings))


def _bring_contents(
    source: Source,
    parts: Collection[str],
    rows: Iterable[Row],
    home: Kept,
    scan: Scan,
) -> tuple[set[str], list[str]]:
    """Keep what *rows* kept; return the hashes of what is kept, and what is not."""
    kept: set[str] = set()
    warnings = []
    wanted = {row.kept for row in rows if row.kept}
    for path in source.sizes:
        name = path.rpartition("/")[2]
        if path != _path_of(name) or name not in wanted or path not in parts:
            continue
        wanted.discard(name)
        if reason := _bring_content(source, path, name, home, scan):
            warnings.append(f"{path} was left out: {reason}")
        else:
            kept.add(name)
    warnings += [f"{_path_of(each)} is not in it" for each in sorted(wanted)]
    return kept, warnings


def _path_of(name: str) -> str:
    return f"{CONTENTS}{name[:2]}/{name}"


def _bring_content(source: Source, path: str, name: str, home: Kept, scan: Scan) -> str:
    """Keep one content; return why not, else ""."""
    try:
        content = source.read(path, CONTENT_MOST)
    except CrewmemError as error:
        return str(error)
    if sha256(content) != name:
        return "it is not what its name says"
    if without_secrets(content, scan)[1]:
        return "it holds a secret"
    try:
        home.get(name)
    except CrewmemError:
        home.put(content)
    return ""
