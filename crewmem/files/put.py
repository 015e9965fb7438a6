"""Replacing a memory file together with the record of it: both, or neither."""

from __future__ import annotations

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.disk import DiskError, NotDurableError, PathMissingError
from crewmem.files.version import New, owner_of, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.draft import Draft
    from crewmem.files.history import History
    from crewmem.files.target import Target
    from crewmem.files.version import Version
    from crewmem.files.written import Means

PRESENT_MOST = 64 << 20
"""Most bytes of a file that is to be changed. No cap is near it, yet a file that grew
by other means has to be read to be repaired."""


def present(root: int, file: str) -> bytes | None:
    """Return what *file* below *root* holds; None if it is not there.

    Raises:
        UnsafePathError: If a link, or what else is no file, stands for it.
        InputTooLargeError: If it is too large to be changed at all.
    """
    try:
        return disk.read(root, file, limit=PRESENT_MOST)
    except PathMissingError:
        return None
    except InputTooLargeError as error:
        error.hint = "Nothing that large is a memory file: move it away."
        raise


def new_version(target: Target, content: bytes, means: Means, operation: str) -> New:
    """Return *content* of *target* as a version to be recorded; it is not kept yet."""
    actor = means.sight.actor
    writer = None if actor.is_operator else actor.name
    owner = owner_of(target.place, target.tier, writer)
    return New(
        ref=target.ref,
        crew=owner.crew,
        agent=owner.agent,
        file=target.file,
        tier=target.tier,
        sha256=sha256(content),
        bytes=len(content),
        kept=None,
        by=means.by,
        operation=operation,
        at=means.now,
    )


def put(
    root: int, target: Target, draft: Draft, means: Means, operation: str
) -> Version | None:
    """Bring *draft* of *target* to the disk; record it where there is a history.

    The database is locked before the file changes, and what fails after that takes
    the change back.

    Raises:
        DatabaseBusyError: If another process writes to the database for too long.
        DiskError: If the disk is full or fails; the file is as it was.
        NotDurableError: If the file was replaced, and could not be brought back.
    """
    folder = target.file.rpartition("/")[0]
    if folder:
        disk.make_dirs(root, folder)
    history, journal = means.history, means.journal
    if history is None or journal is None:
        _replace(root, target, draft)
        return None
    whole: bytes = draft.after
    secrets: tuple[str, ...] = ()
    if draft.has_secrets:
        whole, secrets = without_secrets(draft.after, means.scan)
    new = new_version(target, draft.after, means, operation)._replace(
        kept=history.keep_as_is(whole), allowed=draft.allowed, secrets=secrets
    )
    version = None
    try:
        with journal.transaction():
            _replace(root, target, draft)
            version = history.record(new)
    except BaseException as error:
        if not (version and _is_newest(history, version)):
            _take_back(root, target, draft, error)
        raise
    return version


def _replace(root: int, target: Target, draft: Draft) -> None:
    try:
        disk.write(root, target.file, draft.after)
    except NotDurableError as error:
        if _undone(root, target.file, draft):
            raise DiskError(error.path, "write", error.reason) from error
        raise


def _is_newest(history: History, version: Version) -> bool:
    """Tell whether *version* was recorded, whatever was raised afterwards."""
    try:
        newest = history.newest(version.ref)
    except CrewmemError:
        return False
    return newest is not None and newest.id == version.id


def _take_back(root: int, target: Target, draft: Draft, error: BaseException) -> None:
    """Bring back what was there; say so if that fails."""
    if _undone(root, target.file, draft) or isinstance(error, NotDurableError):
        return
    path = target.place.path / target.file
    raise NotDurableError(
        path, f"{error}; what it said before is in no version"
    ) from error


def _undone(root: int, file: str, draft: Draft) -> bool:
    """Bring back what was there, if it was replaced; tell whether it is there."""
    try:
        if present(root, file) == draft.after:
            if draft.before is None:
                disk.remove(root, file)
            else:
                disk.write(root, file, draft.before)
    except CrewmemError:
        return False
    return True
