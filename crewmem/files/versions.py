"""Versions of memory files: the record, its table, the stored contents, and pruning.

Restoring one is a write: `Memory.restore`.
"""

import contextlib
import os
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.context import Context, content_path
from crewmem.errors import CrewmemError, DamagedError, NotFoundError
from crewmem.files.origins import NEWEST_IDS_SQL
from crewmem.files.references import parse_memory_file
from crewmem.files.tiers import former_name
from crewmem.ids import is_id, new_id, resolve_prefix
from crewmem.origins import ORIGINS, lowest_origin
from crewmem.security.secrets import find_secrets, redact
from crewmem.storage.derived import blank_statements_of_file
from crewmem.storage.filesystem import read_file, remove_file, stat_file, write_file, write_files
from crewmem.storage.json_lines import BadLineError, check_fields
from crewmem.storage.sqlite import Database, transaction
from crewmem.times import format_time, parse_time

UNKNOWN = "unknown"
"""Author of a change made outside crewmem."""

OUTSIDE = "outside"
"""Operation of such a change."""

PURGED_TYPE = "memory.versions_purged"
"""Type of the journal entries that name purged versions."""

PURGE_BATCH = 500
"""Maximum versions that such an entry names."""

MAX_STORED = 64 * 1024 * 1024
"""Maximum bytes of a stored content; a larger one is damaged."""


class Version(NamedTuple):
    """The content of a memory file at a time.

    Attributes:
        number: Counted from 1 for each file; archiving it goes on counting.
        file_sha256: Hash of the file.
        stored_sha256: Hash of the stored content, in which secrets are redacted.
        written_by: Actor; ``unknown`` for a change outside crewmem.
    """

    id: str
    path: str
    tier: str
    number: int
    file_sha256: str
    stored_sha256: str
    bytes: int
    parent: str
    origin: str
    written_at: str
    written_by: str
    operation: str


COLUMNS = ", ".join(Version._fields)

PORTABLE = {
    name: kind for name, kind in Version.__annotations__.items() if name not in ("number", "parent")
}
"""Fields of a version in a bundle, with their types; an import computes the others."""


class NewVersion(NamedTuple):
    """A version to add.

    Attributes:
        content: Whole content of the file.
        origin: Origin class.
    """

    path: str
    tier: str
    content: bytes
    written_by: str
    operation: str
    origin: str


class PrunePlan(NamedTuple):
    """Versions to delete.

    Attributes:
        bytes: Total size of the versions.
        files: Number of files that they belong to.
    """

    versions: tuple[Version, ...]
    bytes: int
    files: int


class PruneResult(NamedTuple):
    """The number of deleted versions, and of deleted contents that no other version uses."""

    versions: int
    contents: int


def check_version(record: Any, fields: Mapping[str, type | tuple[type, ...]] = PORTABLE) -> None:
    """Check the record of a version from another home.

    Raises:
        BadLineError: If it is invalid.
    """
    check_fields(record, fields)
    try:
        parse_memory_file(record["path"])
        parse_time(record["written_at"])
    except CrewmemError as error:
        raise BadLineError(error.message) from error
    if record["origin"] not in ORIGINS:
        raise BadLineError("it has no valid 'origin'")


def plan_prune(versions: Iterable[Version], *, keep: int, before: datetime) -> PrunePlan:
    """Choose the versions to delete.

    The newest *keep* versions of each file always stay, however old they are.
    """
    by_file: dict[str, list[Version]] = {}
    for version in versions:
        by_file.setdefault(version.path, []).append(version)
    cutoff = format_time(before)
    old: list[Version] = []
    for history in by_file.values():
        history.sort(key=lambda version: version.number, reverse=True)
        old += [version for version in history[keep:] if version.written_at < cutoff]
    return PrunePlan(
        tuple(old), sum(version.bytes for version in old), len({version.path for version in old})
    )


def redact_contents(contents: Sequence[bytes]) -> list[bytes]:
    """Return *contents* with secrets redacted; those without secrets stay byte for byte."""
    texts = [content.decode("utf-8", "surrogateescape") for content in contents]
    # Few texts have secrets, and searching all texts at once is three times as fast.
    if not find_secrets("\n\n".join(texts)):
        return list(contents)
    return [redact(text).encode("utf-8", "surrogateescape") for text in texts]


def read_stored(context: Context, digest: str) -> bytes | None:
    """Return a stored content in compressed form; None if it is missing."""
    assert context.home is not None
    try:
        return read_file(context.home, content_path(digest), max_bytes=MAX_STORED)
    except NotFoundError:
        return None


def load_content(context: Context, digest: str) -> bytes | None:
    """Return a stored content by its hash; None if it is missing or damaged."""
    data = read_stored(context, digest)
    try:
        content = zlib.decompressobj().decompress(data or b"", MAX_STORED)
    except zlib.error:
        return None
    return content if sha256(content).hexdigest() == digest else None


def remove_unused_contents(context: Context, db: Database, digests: Collection[str]) -> int:
    """Remove the contents among *digests* that no version uses; return how many.

    Each content is looked up and removed in its own transaction. A writer looks for the content in
    the transaction that adds the version, so either its row is visible here, or it stores the
    content again. An enclosing transaction is not allowed, because its rollback would restore rows
    without their contents. Contents that are not in *digests* stay even without a row, because an
    older copy of the database may have been restored.

    Args:
        digests: ``stored_sha256`` of deleted versions, or of versions that could not be added.
    """
    assert context.home is not None
    assert not db.in_transaction, "a rollback would restore versions without their contents"
    removed = 0
    for digest in sorted(digests):
        with transaction(db, local=True), contextlib.suppress(NotFoundError):
            if not db.value("select 1 from file_versions where stored_sha256 = ?", (digest,)):
                remove_file(context.home, content_path(digest))
                removed += 1
    return removed


def find_newest(db: Database, workspace: str, paths: Collection[str]) -> dict[str, Version]:
    """Return the newest version of each of *paths* that has one."""
    rows = db.execute(
        f"select {COLUMNS} from file_versions where id in ({NEWEST_IDS_SQL})",
        {"workspace": workspace, "paths": paths},
    )
    return {row[1]: Version(*row) for row in rows}


class Versions:
    """The versions of a workspace."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._new_contents: set[str] = set()

    @contextlib.contextmanager
    def adding(self) -> Iterator[None]:
        """Run the block in a transaction; if it fails, remove the contents that it stored."""
        db = self._context.db
        is_whole = not db.in_transaction
        self._new_contents.clear()
        try:
            with transaction(db):
                yield
        except BaseException:
            if is_whole:
                with contextlib.suppress(CrewmemError):  # report the first error
                    remove_unused_contents(self._context, db, self._new_contents)
            raise

    def newest(self, path: str) -> Version | None:
        """Return the newest version of a file."""
        return self.newest_of([path]).get(path)

    def newest_of(self, paths: Collection[str]) -> dict[str, Version]:
        """Return the newest version of each of *paths* that has one."""
        return find_newest(self._context.db, self._context.workspace, paths)

    def list_versions(self, path: str, *, limit: int = 0, below: int = 0) -> list[Version]:
        """Return the versions of a file, newest first; those of an archived note under both names.

        Args:
            limit: Maximum number of versions; 0 for all.
            below: Only versions with a smaller number, for the next page; 0 for all.
        """
        rows = self._context.db.execute(
            f"select {COLUMNS} from file_versions where workspace = :workspace"
            " and (path = :path or path = :former and number < (select min(number)"
            "  from file_versions where workspace = :workspace and path = :path))"
            " and (:below = 0 or number < :below)"
            " order by number desc, written_at desc, id desc limit :limit",
            {
                "workspace": self._context.workspace,
                "path": path,
                "former": former_name(path),
                "below": below,
                "limit": limit or -1,
            },
        )
        return [Version(*row) for row in rows]

    def list_purged(self) -> set[str]:
        """Return the ids of versions that operators purged, in this home or in one it synced with.

        No bundle and no sync brings them back.
        """
        return set(
            self._context.db.column(
                "select value from journal_entries,"
                " json_each(iif(json_valid(payload), payload, '{}'), '$.versions')"
                " where workspace_id = ? and entry_type = ? and actor_type = 'user'"
                " and origin <> 'external'",
                (self._context.workspace, PURGED_TYPE),
            )
        )

    def list_all(self) -> list[Version]:
        """Return all versions of the workspace."""
        rows = self._context.db.execute(
            f"select {COLUMNS} from file_versions where workspace = ? order by path, number, id",
            (self._context.workspace,),
        )
        return [Version(*row) for row in rows]

    def find_file(self, version: str) -> str:
        """Return the path of the file that has the version with this id; "" for none."""
        path = self._context.db.value(
            "select path from file_versions where workspace = ? and id = ?",
            (self._context.workspace, version),
        )
        return path or ""

    def get(self, path: str, name: str) -> Version:
        """Return a version of a file by its id, a prefix of it, or its number.

        Raises:
            NotFoundError: If the file has no such version.
            UsageError: If *name* is ambiguous.
        """
        hint = self._context.command("memory log", path)
        history = {version.id: version for version in self.list_versions(path)}
        if name.startswith("v_"):
            ids = [each for each in history if each.startswith(name)]
            if ids or not is_id(name):
                return history[resolve_prefix(name, ids, "version", hint)]
        for version in history.values():
            if str(version.number) == name:
                return version
        raise NotFoundError(f"{path} has no version '{name}'", code="version-not-found", hint=hint)

    def read(self, version: Version) -> bytes:
        """Return the stored content of a version after checking its hash.

        Raises:
            DamagedError: If it is missing or damaged.
        """
        content = load_content(self._context, version.stored_sha256)
        if content is None:
            raise DamagedError(
                f"the stored content of version {version.id} is missing or damaged:"
                f" {self._home / content_path(version.stored_sha256)}",
                code="version-damaged",
                hint=self._context.command("doctor"),
            )
        return content

    def add_all(self, news: Sequence[NewVersion]) -> list[Version]:
        """Store versions of different files in the open transaction."""
        digests = []
        contents: dict[str, bytes] = {}
        for stored in redact_contents([new.content for new in news]):
            digests.append(sha256(stored).hexdigest())
            name = content_path(digests[-1])
            if name not in contents and not os.path.lexists(self._home / name):
                contents[name] = zlib.compress(stored)
                self._new_contents.add(digests[-1])
        write_files(self._home, contents)
        paths = [new.path for new in news]
        newest = self.newest_of([*paths, *filter(None, map(former_name, paths))])
        context, versions = self._context, []
        for new, digest in zip(news, digests, strict=True):
            parent = newest.get(new.path)
            before = parent or newest.get(former_name(new.path))
            versions.append(
                Version(
                    id=new_id("v", context.random),
                    path=new.path,
                    tier=new.tier,
                    number=1 + (before.number if before else 0),
                    file_sha256=sha256(new.content).hexdigest(),
                    stored_sha256=digest,
                    bytes=len(new.content),
                    parent=parent.id if parent else "",
                    origin=new.origin,
                    written_at=context.now_text,
                    written_by=new.written_by,
                    operation=new.operation,
                )
            )
        self.insert(versions)
        return versions

    def insert(self, versions: Iterable[Version]) -> None:
        """Add rows unchanged; their contents must be stored already."""
        workspace = self._context.workspace
        values = ", ".join("?" * (len(Version._fields) + 1))
        self._context.db.executemany(
            f"insert into file_versions ({COLUMNS}, workspace) values ({values})",
            [(*version, workspace) for version in versions],
        )

    def import_versions(
        self, records: Iterable[Mapping[str, Any]], read_content: Callable[[str], bytes]
    ) -> int:
        """Add the new versions of a bundle, and their contents; renumber by time of writing.

        Args:
            records: Records with the fields of PORTABLE.
            read_content: Returns the content with a ``stored_sha256``.

        Returns:
            Number of added versions.
        """
        by_path: dict[str, list[Version]] = {}
        for record in records:
            fields = {name: record[name] for name in PORTABLE}
            found = Version(number=0, parent="", **fields)
            by_path.setdefault(found.path, []).append(found)
        added, purged = 0, self.list_purged()
        for path, news in sorted(by_path.items()):  # a daily note before its archived name
            with self.adding():
                new = [
                    version
                    for version in news
                    if is_id(version.id)
                    and version.id not in purged
                    and not self._context.db.one(
                        "select 1 from file_versions where id = ?", (version.id,)
                    )
                ]
                if not new:
                    continue
                for version in new:
                    name = content_path(version.stored_sha256)
                    if stat_file(self._home, name) is None:
                        content = zlib.compress(read_content(version.stored_sha256))
                        self._new_contents.add(version.stored_sha256)
                        write_file(self._home, name, content)
                self._renumber(path, [*self._list_own(path), *new])
                added += len(new)
        return added

    def rename_directory(self, old: str, new: str) -> None:
        """Give the files of a directory that was renamed the history of their old names.

        Args:
            old: Start of the old references, such as ``agent:harbor/ada/``.
            new: Start of the new ones.
        """
        rows = self._context.db.all(
            "select distinct path from file_versions where workspace = ?"
            " and substr(path, 1, length(?2)) = ?2 order by path",
            (self._context.workspace, old),
        )
        for (path,) in rows:
            name = new + path.removeprefix(old)
            moved = [version._replace(path=name) for version in self._list_own(path)]
            known = moved[-1]
            # After an interrupted move, a sweep recorded the files as new ones of unknown origin.
            own = [
                version._replace(origin=lowest_origin([version.origin, known.origin]))
                if version.operation == OUTSIDE and version.written_at >= known.written_at
                else version
                for version in self._list_own(name)
            ]
            self._renumber(name, [*moved, *own])

    def _list_own(self, path: str) -> list[Version]:
        """Return the versions of a file under its present name, oldest first."""
        return [each for each in reversed(self.list_versions(path)) if each.path == path]

    def _renumber(self, path: str, versions: list[Version]) -> None:
        """Store the versions of a file again, in order of time; equal times keep their order."""
        versions.sort(key=lambda version: version.written_at)
        db, parent = self._context.db, ""
        db.executemany("delete from file_versions where id = ?", [(v.id,) for v in versions])
        before = self.newest(former_name(path))
        for number, version in enumerate(versions, start=1 + (before.number if before else 0)):
            self.insert([version._replace(number=number, parent=parent)])
            parent = version.id

    def find_damaged(self) -> list[str]:
        """Return the ids of versions whose stored content is missing or damaged."""
        rows = self._context.db.all(
            "select id, stored_sha256 from file_versions where workspace = ?",
            (self._context.workspace,),
        )
        is_lost = {
            digest: load_content(self._context, digest) is None
            for digest in {row[1] for row in rows}
        }
        return [id_ for id_, digest in rows if is_lost[digest]]

    def find_orphans(self) -> list[tuple[str, str]]:
        """Return id and correct parent of each version whose parent is missing."""
        return self._context.db.all(
            "select v.id, (select o.id from file_versions o where o.workspace = v.workspace"
            "  and o.path = v.path and o.number < v.number order by o.number desc limit 1) as older"
            " from file_versions v where v.workspace = ? and older is not null"
            " and not exists (select 1 from file_versions p where p.id = v.parent)",
            (self._context.workspace,),
        )

    def set_parents(self, parents: Iterable[tuple[str, str]]) -> None:
        """Set the parents of versions, given as pairs of id and parent id."""
        with transaction(self._context.db):
            self._context.db.executemany(
                "update file_versions set parent = ? where id = ?",
                [(parent, id_) for id_, parent in parents],
            )

    def purge(self, versions: Collection[Version]) -> PruneResult:
        """Delete versions, and what review and consolidation keep of their texts."""
        context, ids = self._context, {version.id for version in versions}
        context.db.execute("pragma secure_delete = on")
        with transaction(context.db):
            for path, newest in self.newest_of({version.path for version in versions}).items():
                content = None
                if newest.id not in ids:
                    content = load_content(context, newest.stored_sha256)
                present = (content or b"").decode("utf-8", "replace")
                blank_statements_of_file(
                    context.db, context.workspace, path, present, context.now_text
                )
        return self.delete(versions)

    def delete(self, versions: Collection[Version]) -> PruneResult:
        """Delete versions, and the contents that no other version uses."""
        if not versions:
            return PruneResult(0, 0)
        db = self._context.db
        with transaction(db):
            db.executemany("delete from file_versions where id = ?", [(v.id,) for v in versions])
        digests = {version.stored_sha256 for version in versions}
        return PruneResult(len(versions), remove_unused_contents(self._context, db, digests))

    @property
    def _home(self) -> Path:
        assert self._context.home is not None
        return self._context.home
