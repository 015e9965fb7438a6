"""The rows of versions in crewmem.db."""

from __future__ import annotations

from crewmem import times
from crewmem.db.batches import batched
from crewmem.db.connect import explained, fetch
from crewmem.errors.values import PrefixTooShortError
from crewmem.errors.versions import VersionAmbiguousError, VersionMissingError
from crewmem.files.version import Version
from crewmem.ids import SHORT_DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Row
    from crewmem.files.version import New

COLUMNS = """
    id, seq, path, tier, sha256, bytes, parent, written_at, written_by, operation, kept
"""
"""What a `Version` is made of, in its order."""

AT_ONCE = 500
"""Most values that one statement asks for."""

SHOWN = 5
"""Candidates that are named for a prefix that several versions begin with."""


class VersionStore:
    """The versions of the memory files of one workspace."""

    def __init__(self, db: apsw.Connection, workspace: str) -> None:
        self.db, self.workspace = db, workspace

    def add(self, version_id: str, new: New, parent: str | None) -> Version:
        """Add *new* as the successor of *parent*; call it inside a transaction."""
        values = (
            version_id,
            self.workspace,
            new.ref,
            new.tier,
            new.sha256,
            new.bytes,
            parent,
            times.to_text(new.at),
            new.by,
            new.operation,
            new.kept,
        )
        sql = f"""
            insert into memory_versions
                   (id, workspace_id, path, tier, sha256, bytes, parent, written_at,
                    written_by, operation, kept)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            returning {COLUMNS}
        """
        (row,) = fetch(self.db, sql, values)
        return _version(row)

    def newest(self, ref: str) -> Version | None:
        """Return the newest version of the file *ref*; None if it has none."""
        return next(iter(self.versions(ref, limit=1)), None)

    def versions(
        self, ref: str, *, limit: int = -1, before: int | None = None
    ) -> list[Version]:
        """Return versions of the file *ref*, newest first; *before* a place, or all."""
        sql = f"""
            select {COLUMNS} from memory_versions
             where workspace_id = ? and path = ? and (? is null or seq < ?)
             order by seq desc
             limit ?
        """
        values = (self.workspace, ref, before, before, limit)
        return [_version(row) for row in fetch(self.db, sql, values)]

    def hashes(self, prefix: str) -> dict[str, str]:
        """Return the newest hash of every file whose ref begins with *prefix*.

        Files that were removed have the hash ``""``.
        """
        sql = """
            select path, sha256, max(seq) from memory_versions
             where workspace_id = ? and path >= ? and path < ?
             group by path
        """
        values = (self.workspace, prefix, f"{prefix}\U0010ffff")
        return {path: sha256 for path, sha256, _ in fetch(self.db, sql, values)}

    def count(self, ref: str) -> int:
        """Return how many versions of the file *ref* there are."""
        sql = "select count(*) from memory_versions where workspace_id = ? and path = ?"
        return int(fetch(self.db, sql, (self.workspace, ref))[0][0])

    def find(self, ref: str, name: str) -> Version:
        """Return the version of *ref* whose id or hash is *name*, or begins with it.

        Of several with one content it is the newest.

        Raises:
            VersionMissingError: If there is none.
            VersionAmbiguousError: If several with different contents begin so.
            PrefixTooShortError: If it is neither, and short.
        """
        sql = f"""
            select {COLUMNS} from memory_versions
             where workspace_id = :workspace and path = :ref
               and (substr(id, 1, length(:name)) = :name
                    or substr(sha256, 1, length(:name)) = :name)
             order by id = :name desc, seq desc
        """
        if len(name) < SHORT_DIGITS:
            raise PrefixTooShortError(name, SHORT_DIGITS)
        values = {"workspace": self.workspace, "ref": ref, "name": name}
        found = [_version(row) for row in fetch(self.db, sql, values)]
        if not found:
            raise VersionMissingError(name, ref)
        if found[0].id != name and len({each.sha256 for each in found}) > 1:
            raise VersionAmbiguousError(name, [each.id for each in found[:SHOWN]])
        return found[0]

    def past(self, keep: int, before: datetime) -> list[tuple[str, str]]:
        """Return id and ref of what is past retention, by file, the oldest first.

        The newest *keep* of a file are not, nor what was written *before* or after,
        nor what came later than that.
        """
        sql = """
            select id, path
              from (select id, path, seq,
                           row_number() over (partition by path order by seq desc)
                               as rank,
                           max(written_at) over (partition by path order by seq)
                               as latest
                      from memory_versions
                     where workspace_id = ?)
             where rank > ? and latest < ?
             order by path, seq
        """
        values = (self.workspace, keep, times.to_text(before))
        return [(version_id, ref) for version_id, ref in fetch(self.db, sql, values)]

    def remove(self, ids: Iterable[str]) -> None:
        """Remove rows; what they kept is another's business."""
        sql = "delete from memory_versions where workspace_id = ? and id = ?"
        with explained(self.db):
            self.db.executemany(sql, ((self.workspace, each) for each in ids))


def referred(
    db: apsw.Connection, names: Iterable[str], *, without: Collection[str] = ()
) -> set[str]:
    """Return those of the contents *names* that a version of any workspace keeps.

    Those whose ids are in *without* do not count.
    """
    found: set[str] = set()
    for some in batched(names, AT_ONCE):
        marks = ", ".join("?" * len(some))
        sql = f"select kept, id from memory_versions where kept in ({marks})"
        rows = fetch(db, sql, some)
        found.update(kept for kept, version_id in rows if version_id not in without)
    return found


def newest_at(db: apsw.Connection) -> datetime | None:
    """Return when the last version of any workspace was written; None without any.

    Raises:
        ValueError: If what says so is no time.
    """
    ((found,),) = fetch(db, "select max(written_at) from memory_versions")
    return None if found is None else times.from_text(found)


def every_kept(db: apsw.Connection) -> dict[str, list[tuple[str, str, str]]]:
    """Return, by content, workspace, ref and id of the versions that keep it."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    sql = """
        select kept, workspace_id, path, id from memory_versions
         where kept is not null
         order by kept, seq desc
    """
    for kept, *version in fetch(db, sql):
        found.setdefault(kept, []).append((version[0], version[1], version[2]))
    return found


def broken_chains(db: apsw.Connection) -> list[tuple[str, str, str]]:
    """Return workspace, ref and id of versions whose parent is not the one before.

    That of the oldest version that is left may have been pruned.
    """
    sql = """
        select workspace_id, path, id
          from (select workspace_id, path, id, parent, seq,
                       lag(id) over (partition by workspace_id, path order by seq)
                           as before
                  from memory_versions)
         where before is not null and parent is not before
         order by seq
    """
    return [(workspace, ref, found) for workspace, ref, found in fetch(db, sql)]


def _version(row: Row) -> Version:
    found_id, seq, ref, tier, sha256, size, parent, at, by, operation, kept = row
    return Version(
        id=found_id,
        seq=seq,
        ref=ref,
        tier=tier,
        sha256=sha256,
        bytes=size,
        parent=parent,
        written_at=times.from_text(at),
        written_by=by,
        operation=operation,
        kept=kept,
        is_redacted=kept is not None and kept != sha256,
    )
