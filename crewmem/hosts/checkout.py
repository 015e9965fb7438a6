"""Checks out memory files of shared tiers in a mirror, and transfers contents of versions.

The base of a file is the version that it contains here. A newer version from another host
replaces a file that equals a version; the text of any other file goes to review first, so that
nothing is overwritten silently.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.access import Scope
from crewmem.context import LOCK_FILE, Context, content_path
from crewmem.errors import ConflictError, CrewmemError, NotFoundError, RefusedError
from crewmem.files.directories import find_directory
from crewmem.files.references import parse_reference
from crewmem.files.relocation import move_agent_files
from crewmem.files.tiers import PRIVATE_TIERS, tier_of
from crewmem.files.versions import Version, find_newest, load_content
from crewmem.hosts.changes import IS_SHARED_SQL, SHARED_PREFIXES, Row, Table
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

FILE_CONFLICT = "file-conflict"
"""Code of the error for a write of a file that another host changed."""


def locate(context: Context, workspace: str, path: str) -> tuple[Path, str]:
    """Return the memory directory of the file *path* of a workspace, and its path below."""
    parsed = parse_reference(path)
    return find_directory(
        context.derive(workspace=workspace), parsed.crew, parsed.agent
    ), parsed.file


def list_homes(db: Database) -> dict[tuple[str, str], str]:
    """Return the home crew of each agent, by workspace and slug."""
    return {
        (row[0], row[1]): row[2] for row in db.all("select workspace_id, slug, crew from agents")
    }


def move_agents(
    context: Context,
    db: Database,
    before: Mapping[tuple[str, str], str],
    undo: contextlib.ExitStack,
) -> None:
    """Move the files of the agents that another host moved to another crew.

    Args:
        before: The home crews before the change.
        undo: Gets what moves the files back.
    """
    for (workspace, slug), crew in list_homes(db).items():
        old = before.get((workspace, slug), crew)
        if old != crew:
            try:
                move_agent_files(context.derive(workspace=workspace), slug, old, crew, undo)
            except ConflictError as error:
                context.warn("agent-not-moved", f"agent '{slug}' moved: {error.message}")


# Contents


def _decode_versions(tables: Mapping[str, Table], rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield the new file versions among *rows*."""
    for row in rows:
        if row.table == "file_versions" and not row.is_deleted and row.text is not None:
            yield tables[row.table].decode(row.text)


def list_contents(tables: Mapping[str, Table], rows: Iterable[Row]) -> set[tuple[str, str]]:
    """Return (workspace, hash) of the contents of the new file versions among *rows*."""
    return {(each["workspace"], each["stored_sha256"]) for each in _decode_versions(tables, rows)}


def has_content(context: Context, digest: str) -> bool:
    """Return whether the content with the hash *digest* is here."""
    assert context.home is not None
    return stat_file(context.home, content_path(digest)) is not None


def store_contents(context: Context, contents: Mapping[str, bytes]) -> None:
    """Store compressed contents, given by hash."""
    assert context.home is not None
    for digest, content in contents.items():
        if not has_content(context, digest):
            write_file(context.home, content_path(digest), content)


def find_deleted_contents(
    db: Database, tables: Mapping[str, Table], rows: Iterable[Row]
) -> set[str]:
    """Return the hashes of the contents of versions that *rows* delete."""
    digests = set()
    for row in rows:
        if row.table == "file_versions" and row.is_deleted:
            key = tables[row.table].decode(row.key)
            digest = db.value("select stored_sha256 from file_versions where id = :id", key)
            if digest is not None:
                digests.add(digest)
    return digests


def send_contents(context: Context, cursor: Cursor[Any], contents: Iterable[Sequence[str]]) -> None:
    """Send contents, given as (workspace, hash), to the server."""
    assert context.home is not None
    for workspace, digest in contents:
        content = read_file(context.home, content_path(digest))
        cursor.execute(
            "insert into file_contents (workspace_id, sha256, content) values (%s, %s, %s)"
            " on conflict do nothing",
            (workspace, digest, content),
        )


# Bases


def check_bases(
    db: Database, tables: Mapping[str, Table], rows: Sequence[Row]
) -> dict[tuple[str, str], str]:
    """Check that the new versions among *rows* descend from the bases of their files.

    Returns:
        The id of the newest version of each file with a new one, by workspace and path.

    Raises:
        ConflictError: If another host changed a file in the meantime.
    """
    new = {version["id"]: version for version in _decode_versions(tables, rows)}
    newest_ids = {}
    for workspace, path in sorted({(each["workspace"], each["path"]) for each in new.values()}):
        newest = find_newest(db, workspace, [path])[path]
        base = load_base(db, workspace, path)
        newest_ids[workspace, path] = version = newest.id
        while version in new and version != base:
            version = new[version]["parent"]
        if version != base:
            raise ConflictError(
                f"another host changed {path} in the meantime; its version stays",
                code=FILE_CONFLICT,
                hint="read it and write again; your text waits in review",
                details={"file": path},
            )
    return newest_ids


def load_base(db: Database, workspace: str, path: str) -> str:
    """Return the id of the version that a file contains here; "" for none, or an erased one."""
    version = db.value(
        "select version_id from file_bases where workspace_id = ? and path = ?"
        " and version_id in (select id from file_versions)",
        (workspace, path),
    )
    return str(version or "")


def set_bases(db: Database, bases: Mapping[tuple[str, str], str]) -> None:
    """Store the ids of the versions that files contain now, given by workspace and path."""
    db.executemany(
        "insert or replace into file_bases (workspace_id, path, version_id) values (?, ?, ?)",
        [(*file, version) for file, version in bases.items()],
    )


# Files


def check_out_files(context: Context, db: Database) -> None:
    """Check out all shared files whose newest version is not their base."""
    outdated = (
        f"select workspace, path from file_versions v where ({IS_SHARED_SQL}) and v.id ="
        " (select w.id from file_versions w where w.workspace = v.workspace and w.path = v.path"
        " order by w.number desc, w.written_at desc, w.id desc limit 1)"
        " and not exists (select 1 from file_bases b where"
        " b.workspace_id = v.workspace and b.path = v.path and b.version_id = v.id)"
    )
    erased = (
        "select workspace_id, path from file_bases b where not exists"
        " (select 1 from file_versions v where v.workspace = b.workspace_id and v.path = b.path)"
    )
    for workspace, path in db.all(outdated):
        check_out_newest(context, db, workspace, path)
    for workspace, path in db.all(erased):
        _forget_erased(context, db, workspace, path)
    with transaction(db, local=True):
        db.execute(f"update shared_store set is_behind = exists ({outdated}) or exists ({erased})")


def check_out_newest(context: Context, db: Database, workspace: str, path: str) -> None:
    """Check out the newest version of a file, under the lock of its memory directory.

    A file that cannot be written, such as a link, stays as it is; a warning names it.
    """
    directory, _ = locate(context, workspace, path)
    with _warn_if_refused(context, f"{path} was not updated to its newest version"):
        make_directory(directory)
        with lock(directory / LOCK_FILE):
            newest = find_newest(db, workspace, [path]).get(path)
            if newest is not None:
                check_out_file(context, db, workspace, newest)


@contextlib.contextmanager
def _warn_if_refused(context: Context, consequence: str) -> Iterator[None]:
    """Turn a refusal in the block into a warning, so that the other files do not wait."""
    try:
        yield
    except RefusedError as error:
        context.warn(
            "file-not-updated", f"{consequence}: {error.message}", context.command("doctor")
        )


def _forget_erased(context: Context, db: Database, workspace: str, path: str) -> None:
    """Remove the base of a file whose versions were erased, and the file if it is about a person.

    Any other file stays: its text may be newer than the erased versions. A profile that cannot be
    removed keeps its base, so that the next checkout tries again.
    """
    directory, file = locate(context, workspace, path)
    is_profile = path.startswith("crew:") and tier_of(file, Scope.CREW) in PRIVATE_TIERS
    with _warn_if_refused(context, f"{path} was erased on another host, but not here"):
        if is_profile and stat_file(directory, file) is not None:
            with lock(directory / LOCK_FILE), contextlib.suppress(NotFoundError):
                remove_file(directory, file)
        with transaction(db, local=True):
            db.execute(
                "delete from file_bases where workspace_id = ? and path = ?", (workspace, path)
            )


def check_out_file(context: Context, db: Database, workspace: str, newest: Version) -> str:
    """Write the newest version to the file and make it the base. The caller holds the lock.

    Returns:
        The id of the review item with the text that was replaced; "" if it was a stored version.
    """
    directory, file = locate(context, workspace, newest.path)
    item = ""
    try:
        current: bytes | None = read_file(directory, file)
    except NotFoundError:
        current = None
    digest = sha256(current).hexdigest() if current is not None else ""
    if digest not in (newest.file_sha256, newest.stored_sha256):
        is_version = db.value(
            "select 1 from file_versions where workspace = ?1 and path = ?2"
            " and (file_sha256 = ?3 or stored_sha256 = ?3)",
            (workspace, newest.path, digest),
        )
        if current is not None and not is_version:
            item = propose_merge(context, db, workspace, newest, current)
        content = load_content(context, newest.stored_sha256)
        if content is None:
            context.warn(
                "content-missing",
                f"the content of the newest version of {newest.path} is missing here; the file"
                " stays as it is",
                context.command("doctor"),
            )
            return item
        write_file(directory, file, content)
    with transaction(db, local=True):
        set_bases(db, {(workspace, newest.path): newest.id})
    return item


def propose_merge(
    context: Context,
    db: Database,
    workspace: str,
    newest: Version,
    ours: bytes,
    *,
    base: str | None = None,
    version: str = "",
) -> str:
    """Put a text that *newest* replaces into review, to be merged; return the id of the item.

    Args:
        ours: The text.
        base: Id of the common ancestor of both; the base of the file by default.
        version: Id of the version with the text. Without one, the text was written outside
            crewmem, and gets the origin class of *base*.
    """
    if base is None:
        base = load_base(db, workspace, newest.path)
    stored = db.value("select stored_sha256 from file_versions where id = ?", (base,))
    before = (load_content(context, stored) if stored else None) or b""
    origin = db.value("select origin from file_versions where id = ?", (version or base,))
    crew = newest.path.partition(":")[2].partition("/")[0] if "crew:" in newest.path else ""
    return ReviewStore(context.derive(workspace=workspace)).add(
        "merge",
        f"{newest.path} was changed on two hosts; the version of {newest.written_by} stays",
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


def restore_files(
    context: Context, db: Database, tables: Mapping[str, Table], rows: Sequence[Row]
) -> str:
    """Restore the newest version of the files that a failed transaction wrote.

    The text that it wrote goes to review if another host changed the file; else it is discarded,
    because the error reports the failure. The writer of the files holds their locks.

    Args:
        rows: What the transaction changed.

    Returns:
        The id of the review item; "" for none.
    """
    item = ""
    written = {(each["workspace"], each["path"]): each for each in _decode_versions(tables, rows)}
    for (workspace, path), version in written.items():
        if db.value("select 1 from file_versions where id = ?", (version["id"],)):
            continue  # it was only renamed
        directory, file = locate(context, workspace, path)
        newest = find_newest(db, workspace, [path]).get(path)
        with contextlib.suppress(CrewmemError):
            current = read_file(directory, file)
            if sha256(current).hexdigest() != version["file_sha256"]:
                continue
            if newest is None:
                remove_file(directory, file)
                continue
            is_private = not path.startswith(SHARED_PREFIXES)
            if is_private or newest.id == load_base(db, workspace, path):
                content = load_content(context, newest.stored_sha256)
                if content is not None:
                    write_file(directory, file, content)
            else:
                item = check_out_file(context, db, workspace, newest)
    return item
