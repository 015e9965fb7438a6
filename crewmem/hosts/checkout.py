"""Memory files of shared tiers in a mirror: contents of versions, and the files themselves.

A file has a base: the version that it holds here. A version that others wrote is checked out
over a file that nobody changed since; a changed file goes to review first, so that nothing
wins silently.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import LOCK_FILE, MEMORY_DIRECTORY, Context, content_path
from crewmem.errors import ConflictError, CrewmemError, NotFoundError, RefusedError
from crewmem.files.versions import load_content
from crewmem.hosts.changes import IS_SHARED, SHARED_FILES, Row, Table
from crewmem.review.store import ReviewStore
from crewmem.security.secrets import redact
from crewmem.storage.filesystem import (
    make_directory,
    read_file,
    remove_file,
    stat_file,
    write_file,
)
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import Database, transaction

if TYPE_CHECKING:  # psycopg takes longer to import than most commands take to run
    from psycopg import Cursor

    from crewmem.hosts.patience import PatientConnection

NEWEST = (
    "select v.workspace, v.path, v.id, v.file_sha256, v.stored_sha256, v.written_by"
    " from file_versions v where v.id = (select w.id from file_versions w where"
    " w.workspace = v.workspace and w.path = v.path"
    " order by w.number desc, w.written_at desc, w.id desc limit 1)"
)


class Newest(NamedTuple):
    """The newest version of a file."""

    workspace: str
    path: str
    id: str
    file_sha256: str
    stored_sha256: str
    written_by: str


class FilePlace(NamedTuple):
    """Where a memory file is: its memory directory, and its path below."""

    directory: Path
    file: str


def locate(context: Context, workspace: str, path: str) -> FilePlace:
    """Return where the file *path* of a workspace is, as ``crew:harbor/CREW.md``."""
    assert context.home is not None
    place = context.home / "workspaces" / workspace
    kind, _, rest = path.partition(":")
    if kind == "workspace":
        return FilePlace(place / MEMORY_DIRECTORY, rest)
    crew, _, rest = rest.partition("/")
    place = place / "crews" / crew
    if kind == "crew":
        return FilePlace(place / "shared" / MEMORY_DIRECTORY, rest)
    agent, _, rest = rest.partition("/")
    return FilePlace(place / "agents" / agent / MEMORY_DIRECTORY, rest)


def make_directories(context: Context, db: Database) -> None:
    """Make the memory directories of workspaces, crews and agents that were added elsewhere."""
    for workspace, path in db.all(
        "select name, 'workspace:' from workspaces where removed_at is null"
        " union all select workspace_id, 'crew:' || name from crews where removed_at is null"
        " union all select workspace_id, 'agent:' || crew || '/' || slug from agents"
        " where removed_at is null"
    ):
        make_directory(locate(context, workspace, path).directory)


# Contents


def _versions(tables: Mapping[str, Table], rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row.table == "file_versions" and not row.is_deleted and row.text is not None:
            yield tables[row.table].decode(row.text)


def find_missing_contents(
    context: Context, tables: Mapping[str, Table], rows: Iterable[Row]
) -> set[str]:
    """Return the contents of versions among *rows* that are not here."""
    assert context.home is not None
    return {
        version["stored_sha256"]
        for version in _versions(tables, rows)
        if stat_file(context.home, content_path(version["stored_sha256"])) is None
    }


def store_contents(context: Context, contents: Mapping[str, bytes]) -> None:
    """Store compressed contents by their hash."""
    assert context.home is not None
    for digest, content in contents.items():
        if stat_file(context.home, content_path(digest)) is None:
            write_file(context.home, content_path(digest), content)


def find_deleted_contents(
    db: Database, tables: Mapping[str, Table], rows: Iterable[Row]
) -> set[str]:
    """Return the contents of versions that *rows* delete."""
    found = set()
    for row in rows:
        if row.table == "file_versions" and row.is_deleted:
            key = tables[row.table].decode(row.key)
            digest = db.value("select stored_sha256 from file_versions where id = :id", key)
            if digest is not None:
                found.add(digest)
    return found


def send_contents(
    context: Context, cursor: Cursor[Any], tables: Mapping[str, Table], rows: Sequence[Row]
) -> None:
    """Write the contents of new versions to the server, and delete those without a version."""
    assert context.home is not None
    for version in _versions(tables, rows):
        digest = version["stored_sha256"]
        cursor.execute(
            "insert into file_contents (workspace_id, sha256, content) values (%s, %s, %s)"
            " on conflict do nothing",
            (version["workspace"], digest, read_file(context.home, content_path(digest))),
        )
    if any(row.table == "file_versions" and row.is_deleted for row in rows):
        cursor.execute(
            "delete from file_contents c where not exists (select 1 from file_versions v"
            " where v.workspace = c.workspace_id and v.stored_sha256 = c.sha256)"
        )


def send_all_contents(context: Context, db: Database, connection: PatientConnection) -> None:
    """Write the contents of all shared versions to a new store."""
    assert context.home is not None
    with connection.cursor() as cursor:
        for workspace, digest in db.all(
            f"select distinct workspace, stored_sha256 from file_versions where {IS_SHARED}"
        ):
            content = read_file(context.home, content_path(digest))
            cursor.execute(
                "insert into file_contents values (%s, %s, %s) on conflict do nothing",
                (workspace, digest, content),
            )


def receive_contents(context: Context, connection: PatientConnection) -> None:
    """Store all contents of a store that is joined."""
    with connection.cursor() as cursor:
        for digest, content in cursor.stream("select sha256, content from file_contents"):
            store_contents(context, {digest: bytes(content)})


# Bases


def check_bases(
    db: Database, tables: Mapping[str, Table], rows: Sequence[Row]
) -> dict[tuple[str, str], str]:
    """Check that new versions follow the version that the file held here.

    Returns:
        The newest version of each file that got one, by workspace and path.

    Raises:
        ConflictError: If another host wrote the file in the meantime.
    """
    new = {version["id"]: version for version in _versions(tables, rows)}
    newest = {}
    for workspace, path in sorted({(each["workspace"], each["path"]) for each in new.values()}):
        found = find_newest(db, workspace, path)
        assert found is not None
        base = load_base(db, workspace, path)
        newest[workspace, path] = version = found.id
        while version in new and version != base:
            version = new[version]["parent"]
        if version != base:
            raise ConflictError(
                f"another host changed {path} in the meantime; its version holds",
                code="file-conflict",
                hint="read it and write again; your text waits in review",
                details={"file": path},
            )
    return newest


def load_base(db: Database, workspace: str, path: str) -> str:
    """Return the version that a file holds here; "" for none."""
    found = db.value(
        "select version_id from file_bases where workspace_id = ? and path = ?", (workspace, path)
    )
    return str(found or "")


def set_bases(db: Database, newest: Mapping[tuple[str, str], str]) -> None:
    """Note which version files hold now."""
    db.executemany(
        "insert or replace into file_bases (workspace_id, path, version_id) values (?, ?, ?)",
        [(*place, version) for place, version in newest.items()],
    )


# Files


def find_newest(db: Database, workspace: str, path: str) -> Newest | None:
    """Return the newest version of a file."""
    row = db.one(f"{NEWEST} and v.workspace = ? and v.path = ?", (workspace, path))
    return Newest._make(row) if row else None


def check_out_files(context: Context, db: Database) -> list[str]:
    """Write the files whose newest version came from elsewhere; return their paths."""
    unlike = (
        f"{NEWEST} and ({IS_SHARED}) and not exists (select 1 from file_bases b where"
        " b.workspace_id = v.workspace and b.path = v.path and b.version_id = v.id)"
    )
    rows = db.all(unlike)
    for workspace, path, *_ in rows:
        check_out_newest(context, db, workspace, path)
    with transaction(db, local=True):
        db.execute(f"update shared_store set is_behind = exists ({unlike})")
    return [row[1] for row in rows]


def check_out_newest(context: Context, db: Database, workspace: str, path: str) -> None:
    """Make a file hold its newest version, under the lock of its memory directory.

    One that is a link by now, or may not be written, stays as it is and keeps no other waiting.
    """
    directory = locate(context, workspace, path).directory
    try:
        make_directory(directory)
        with lock(directory / LOCK_FILE):
            newest = find_newest(db, workspace, path)
            if newest is not None:
                check_out_file(context, db, newest)
    except RefusedError as error:
        context.warn(
            "file-not-updated",
            f"{path} does not hold its newest version: {error.message}",
            context.command("doctor"),
        )


def check_out_file(context: Context, db: Database, newest: Newest) -> str:
    """Make a file hold its newest version, and note that. The caller holds its lock.

    Returns:
        The id of the review item that holds what the file had; "" when nothing was lost.
    """
    place = locate(context, newest.workspace, newest.path)
    item = ""
    try:
        found: bytes | None = read_file(place.directory, place.file)
    except NotFoundError:
        found = None
    digest = sha256(found).hexdigest() if found is not None else ""
    if digest not in (newest.file_sha256, newest.stored_sha256):
        if found is not None and not _is_known(db, newest, digest):
            item = propose_merge(context, db, newest, found)
        content = load_content(context, newest.stored_sha256)
        if content is None:
            context.warn(
                "content-missing",
                f"the newest version of {newest.path} has no content here; the file stays as it is",
                context.command("doctor"),
            )
            return item
        write_file(place.directory, place.file, content)
    with transaction(db, local=True):
        set_bases(db, {(newest.workspace, newest.path): newest.id})
    return item


def propose_merge(
    context: Context,
    db: Database,
    newest: Newest,
    ours: bytes,
    *,
    base: str | None = None,
    version: str = "",
) -> str:
    """Put a text that lost against *newest* into review; return the item's id.

    Args:
        ours: The text.
        base: The version that both came from; by default that which the file held.
        version: The version that has the text; without one, somebody wrote it outside crewmem, and
            it has the origin class of *base*.
    """
    if base is None:
        base = load_base(db, newest.workspace, newest.path)
    stored = db.value("select stored_sha256 from file_versions where id = ?", (base,))
    before = (load_content(context, stored) if stored else None) or b""
    origin = db.value("select origin from file_versions where id = ?", (version or base,))
    crew = newest.path.partition(":")[2].partition("/")[0] if "crew:" in newest.path else ""
    return ReviewStore(context.derive(workspace=newest.workspace)).add(
        "merge",
        f"{newest.path} was changed on two hosts; {newest.written_by}'s version holds",
        payload={
            "file": newest.path,
            "base": before.decode("utf-8", "replace"),
            "ours": redact(ours.decode("utf-8", "replace")),
            "origin": origin or "agent",
            "theirs": newest.id,
            "evidence": [f"{newest.path}@{sha256(ours).hexdigest()[:16]}"],
        },
        crew=crew,
        key=f"{newest.path}@{sha256(ours).hexdigest()}",
    )


def take_back(
    context: Context, db: Database, tables: Mapping[str, Table], rows: Sequence[Row]
) -> str:
    """After a transaction that failed: files that it wrote hold the newest version again.

    What they held goes to review if another host wrote them; else nothing is left of it, as
    the error says. The caller's writer holds the locks.

    Returns:
        The id of the review item, or "".
    """
    item = ""
    written = {(each["workspace"], each["path"]): each for each in _versions(tables, rows)}
    for (workspace, path), version in written.items():
        place = locate(context, workspace, path)
        newest = find_newest(db, workspace, path)
        with contextlib.suppress(CrewmemError):
            found = read_file(place.directory, place.file)
            if sha256(found).hexdigest() != version["file_sha256"]:
                continue
            if newest is None:
                remove_file(place.directory, place.file)
                continue
            is_private = not path.startswith(SHARED_FILES)
            if is_private or newest.id == load_base(db, workspace, path):
                content = load_content(context, newest.stored_sha256)
                if content is not None:
                    write_file(place.directory, place.file, content)
            else:
                item = check_out_file(context, db, newest)
    return item


def _is_known(db: Database, newest: Newest, digest: str) -> bool:
    return bool(
        db.value(
            "select 1 from file_versions where workspace = ? and path = ?"
            " and (file_sha256 = ? or stored_sha256 = ?)",
            (newest.workspace, newest.path, digest, digest),
        )
    )
