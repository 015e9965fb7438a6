"""Reads and writes files. No other module writes them.

A write is durable: it writes a temporary file beside the target, syncs it, renames it, syncs the
directory, and only then returns. Paths below a root are opened directory by directory without
following links, so that a directory replaced by a link between check and use never leads outside
the root.
"""

import contextlib
import errno
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from crewmem.errors import ConflictError, CrewmemError, DamagedError, NotFoundError, RefusedError
from crewmem.times import format_time, parse_time

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

TEMPORARY_PREFIX = ".crewmem-"
"""Names of temporary files: ``.crewmem-<pid>-<random>.tmp``."""

LEFTOVER_AGE = 3600.0
"""Age in seconds from which a temporary file counts as left over; no write takes that long."""

MAX_FILE_BYTES = 8 * 1024 * 1024
"""Maximum size of a memory file that is read."""

MIN_FREE_BYTES = 64 * 1024
"""Free bytes below which nothing is written; SQLite needs 32 KiB to open its log."""

SYNC_THREADS, WRITE_BATCH = 16, 64
"""Maximum number of files that are synced in parallel, and that are open at once."""

NOT_PLAIN = "its name has control characters or is not UTF-8"
"""Why a file or directory is skipped that `is_plain_name` rejects."""

CHANGED_MEANWHILE = "changed-meanwhile"
"""Code of the error for a file that another program changes while it is written."""

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_TIME_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


WriteFiles = Callable[[Path, Mapping[str, bytes], Mapping[str, bytes | None]], None]
"""A function with the arguments of `write_files`."""


class FileEntry(NamedTuple):
    """A regular file found by a walk."""

    relative: str
    mtime_ns: int


class SkippedFile(NamedTuple):
    """A file that a walk skipped, with the reason."""

    relative: str
    reason: str


def check_name(name: str) -> None:
    """Raise RefusedError unless *name* is usable as one component of a path."""
    if name in ("", ".", "..") or "/" in name or not is_plain_name(name):
        raise RefusedError(f"{name!r} is not a file name", code="bad-file-name")


def find_working_directory() -> Path | None:
    """Return the working directory of the process; None if it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def is_plain_name(name: str) -> bool:
    """Return whether a file name is valid UTF-8 without control characters."""
    # Nearly all names are printable, and the pattern takes long to compile.
    return name.isprintable() or re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", name) is None


def escape_name(name: str) -> str:
    r"""Return a name with unprintable characters escaped, as ``\x1b``."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if is_plain_name(c) else f"\\x{ord(c):02x}" for c in text)


@contextlib.contextmanager
def open_parent(root: Path, relative: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
    """Open the directory below *root* that contains *relative*.

    Yields:
        A file descriptor of the directory, and the last component of *relative*.

    Raises:
        RefusedError: If a component is a link, or not a directory.
        NotFoundError: If a directory is missing and *create* is false.
    """
    parts = relative.split("/")
    for part in parts:
        check_name(part)
    if create:
        make_directory(root)
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise convert_os_error(error, root, "open") from error
    try:
        path = root
        for part in parts[:-1]:
            path = path / part
            child = _open_child(descriptor, part, path, create=create)
            os.close(descriptor)
            descriptor = child
        yield descriptor, parts[-1]
    finally:
        os.close(descriptor)


def _open_child(parent: int, name: str, path: Path, *, create: bool) -> int:
    """Open the subdirectory *name* of an open directory."""
    try:
        if create:
            try:
                os.mkdir(name, PRIVATE_DIRECTORY, dir_fd=parent)
                os.chmod(name, PRIVATE_DIRECTORY, dir_fd=parent)
                os.fsync(parent)
            except FileExistsError:
                pass
        return os.open(name, _DIRECTORY_FLAGS, dir_fd=parent)
    except OSError as error:
        raise convert_os_error(error, path, "open") from error


def read_file(root: Path, relative: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a regular file below *root*, without following links.

    Raises:
        NotFoundError: If there is no such file.
        RefusedError: If it is a link, FIFO, socket, device or directory, or too large.
    """
    with open_parent(root, relative) as (parent, name):
        return read_at(parent, name, f"{root}/{relative}", max_bytes=max_bytes)


def read_at(parent: int, name: str, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of the regular file *name* in an open directory.

    Args:
        path: Path to name in errors.
    """
    try:
        descriptor = os.open(name, _READ_FLAGS, dir_fd=parent)
    except OSError as error:
        raise convert_os_error(error, path, "read") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError(f"{path} is not a regular file", code="not-a-file")
        try:
            content = os.read(descriptor, min(status.st_size, max_bytes) + 1)
            if len(content) != status.st_size:  # it grew, or its size is unknown, as in /proc
                while len(content) <= max_bytes and (more := os.read(descriptor, 65_536)):
                    content += more
        except OSError as error:
            raise convert_os_error(error, path, "read") from error
        if len(content) > max_bytes:
            raise RefusedError(
                f"{path} has {status.st_size:,} bytes, more than {max_bytes:,}",
                code="file-too-large",
            )
        return content
    finally:
        os.close(descriptor)


def stat_file(root: Path, relative: str) -> os.stat_result | None:
    """Return the lstat of a file below *root*, without following links; None if missing."""
    try:
        with open_parent(root, relative) as (parent, name):
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (NotFoundError, FileNotFoundError):
        return None


def write_file(root: Path, relative: str, data: bytes) -> None:
    """Write a file below *root* durably, or change nothing.

    A new file is private; an existing file keeps its permissions.

    Args:
        root: A directory; it is created if missing.
        relative: Path below it, with ``/``; missing directories are created, private.
        data: The whole content.

    Raises:
        RefusedError: If a component of the path is a link, or the file cannot be written.
        DamagedError: If the disk fails or is full.
    """
    write_files(root, {relative: data})


def write_files(
    root: Path, contents: Mapping[str, bytes], before: Mapping[str, bytes | None] | None = None
) -> None:
    """Write many files below *root* durably, in batches that are synced in parallel.

    Args:
        before: What each file had when the caller read it; None for no file. It is compared again
            at the last moment, so that a line which a shell appends meanwhile is not lost.

    Raises:
        ConflictError: If a file has changed since, with the code `CHANGED_MEANWHILE`.
        CrewmemError: As for `write_file`; earlier batches stay written.
    """

    def check(parent: int, path: Path, relative: str) -> None:
        if before is None:
            return
        current = _read_current(parent, path)
        if current not in (before[relative], contents[relative]):
            raise ConflictError(f"{path} is changed by another program", code=CHANGED_MEANWHILE)

    if len(contents) < 2:
        for relative, data in contents.items():
            with open_parent(root, relative, create=True) as (parent, name):
                path = root / relative
                _replace_at(parent, name, path, data, check=partial(check, parent, path, relative))
        return
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and few writes need it

    def sync(item: tuple[int, Path]) -> None:
        try:
            os.fsync(item[0])
        except OSError as error:
            raise convert_os_error(error, item[1], "write") from error

    remaining = list(contents.items())
    with ThreadPoolExecutor(SYNC_THREADS) as pool:
        while remaining:
            with contextlib.ExitStack() as stack:
                parents: dict[str, tuple[int, Path]] = {}
                files: list[tuple[int, Path]] = []
                renames: list[tuple[int, str, Path, str]] = []
                for relative, data in remaining[:WRITE_BATCH]:
                    folder, _, name = relative.rpartition("/")
                    if folder not in parents:
                        opened = open_parent(root, relative, create=True)
                        parents[folder] = stack.enter_context(opened)[0], root / folder
                    parent, path = parents[folder][0], root / relative
                    descriptor, temporary = _write_temporary(parent, name, path, data)
                    stack.callback(_discard, parent, temporary)
                    stack.callback(os.close, descriptor)
                    files.append((descriptor, path))
                    renames.append((parent, temporary, path, relative))
                # Only fsync runs in threads: other work would not run in parallel.
                list(pool.map(sync, files))
                for parent, temporary, path, relative in renames:
                    check(parent, path, relative)
                    try:
                        os.rename(temporary, path.name, src_dir_fd=parent, dst_dir_fd=parent)
                    except OSError as error:
                        raise convert_os_error(error, path, "write") from error
                list(pool.map(sync, parents.values()))
            del remaining[:WRITE_BATCH]


@contextlib.contextmanager
def undo_writes_on_error() -> Iterator[WriteFiles]:
    """Yield a function that does what `write_files` does; if the block fails, undo its writes.

    The old files keep a second name meanwhile, because a full disk has no room to write them again.
    """
    written: list[_Written] = []

    def write(
        root: Path, contents: Mapping[str, bytes], before: Mapping[str, bytes | None]
    ) -> None:
        for relative, data in contents.items():
            old = before[relative]
            second_name = "" if old is None else _link_second_name(root, relative)
            written.append(_Written(root, relative, old, data, second_name))
        write_files(root, contents, before)

    try:
        yield write
    except BaseException:
        for each in written:
            with contextlib.suppress(CrewmemError, OSError):  # report the first error
                _undo_write(each)
        raise
    for each in written:
        if each.second_name:
            with (
                contextlib.suppress(CrewmemError, OSError),  # the writes are complete
                open_parent(each.root, each.relative) as (parent, _),
            ):
                _discard(parent, each.second_name)


class _Written(NamedTuple):
    """A file that was written, or was about to be.

    Attributes:
        second_name: A hard link to the old file in the same directory; "" for none.
    """

    root: Path
    relative: str
    before: bytes | None
    after: bytes
    second_name: str


def _link_second_name(root: Path, relative: str) -> str:
    """Give a file a second name in its directory; return "" if the file system has no links."""
    second_name = _make_temporary_name()
    try:
        with open_parent(root, relative) as (parent, name):
            os.link(name, second_name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    except (CrewmemError, OSError):
        return ""
    return second_name


def _undo_write(written: _Written) -> None:
    """Restore the old file, unless another program has changed the new one."""
    with open_parent(written.root, written.relative) as (parent, name):
        path = written.root / written.relative
        if _read_current(parent, path) == written.after != written.before:
            if written.before is None:
                os.unlink(name, dir_fd=parent)
            else:
                try:
                    os.rename(written.second_name, name, src_dir_fd=parent, dst_dir_fd=parent)
                except FileNotFoundError:  # it has none, or it was removed as a leftover
                    _replace_at(parent, name, path, written.before)
            os.fsync(parent)
        if written.second_name:
            _discard(parent, written.second_name)


def replace_file(path: Path, data: bytes, *, mode: int = PRIVATE_FILE) -> None:
    """Write the file *path*, named by an operator, durably; links are followed.

    Args:
        mode: Permissions of a new file; an existing file keeps its own.
    """
    path = path.expanduser()
    if path.is_symlink():
        path = path.resolve()
    try:
        parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise convert_os_error(error, path.parent, "open") from error
    try:
        _replace_at(parent, path.name, path, data, mode)
    finally:
        os.close(parent)


def _read_current(parent: int, path: Path) -> bytes | None:
    """Return the content of a file in an open directory; None if there is none."""
    try:
        return read_at(parent, path.name, str(path))
    except NotFoundError:
        return None


def _replace_at(
    parent: int,
    name: str,
    path: Path,
    data: bytes,
    mode: int = PRIVATE_FILE,
    check: Callable[[], None] | None = None,
) -> None:
    """Write the file *name* in an open directory durably, replacing an existing one.

    Args:
        check: Called before the file is replaced; it raises an error to prevent that.
    """
    descriptor, temporary = _write_temporary(parent, name, path, data, mode)
    try:
        os.fsync(descriptor)
        if check is not None:
            check()
        os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    except OSError as error:
        raise convert_os_error(error, path, "write") from error
    finally:
        os.close(descriptor)
        _discard(parent, temporary)
    try:
        os.fsync(parent)
    except OSError as error:
        raise DamagedError(
            f"{path} was written, but the disk did not confirm it: {error.strerror}",
            code="not-durable",
        ) from error


def _write_temporary(
    parent: int, name: str, path: Path, data: bytes, mode: int = PRIVATE_FILE
) -> tuple[int, str]:
    """Write *data* to a temporary file that will replace *name*.

    Returns:
        Its file descriptor, still open and not synced, and its name.
    """
    temporary = _make_temporary_name()
    descriptor = -1
    try:
        before = _stat_target(parent, name, path)
        descriptor = os.open(temporary, _CREATE_FLAGS, PRIVATE_FILE, dir_fd=parent)
        _write_all(descriptor, data)
        _copy_ownership(descriptor, before, mode)
    except BaseException as error:
        if descriptor >= 0:
            os.close(descriptor)
        _discard(parent, temporary)
        if isinstance(error, OSError):
            raise convert_os_error(error, path, "write") from error
        raise
    return descriptor, temporary


def _make_temporary_name() -> str:
    return f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(4).hex()}.tmp"


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _discard(parent: int, temporary: str) -> None:
    """Remove a temporary file, unless it was already renamed."""
    with contextlib.suppress(OSError):
        os.unlink(temporary, dir_fd=parent)


def _stat_target(parent: int, name: str, path: Path) -> os.stat_result | None:
    """Return the status of the file to be replaced; None if there is none.

    Raises:
        RefusedError: If it is not a regular file, or marked read-only.
    """
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(f"{path} is not a regular file", code="not-a-file")
    if not status.st_mode & 0o222:
        raise RefusedError(f"{path} is marked read-only", code="not-writable")
    return status


def _copy_ownership(descriptor: int, before: os.stat_result | None, mode: int) -> None:
    """Set the mode of a new file; if it replaces a file, copy the mode and owner of that file."""
    if before is None:
        os.fchmod(descriptor, mode)
        return
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)


@contextlib.contextmanager
def open_stream(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing; after the block it durably replaces *path*.

    If the block fails, the temporary file is removed and *path* stays unchanged.
    """
    path = path.expanduser()
    temporary = path.with_name(_make_temporary_name())
    try:
        descriptor = os.open(temporary, _CREATE_FLAGS, PRIVATE_FILE)
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        os.rename(temporary, path)
        _sync_directory(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise convert_os_error(error, path, "write") from error
        raise


def append_file(root: Path, relative: str, data: bytes, *, size: int) -> None:
    """Append *data* durably after the first *size* bytes of a file below *root*.

    Bytes beyond *size* were left by a killed process and are removed.

    Raises:
        RefusedError: If it is not a regular file, or cannot be written.
        DamagedError: If the file is shorter than *size*, or the disk fails.
    """
    path = root / relative
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with open_parent(root, relative, create=True) as (parent, name):
        try:
            descriptor = os.open(name, flags, PRIVATE_FILE, dir_fd=parent)
            try:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise RefusedError(f"{path} is not a regular file", code="not-a-file")
                if status.st_size < size:
                    raise DamagedError(f"{path} is shorter than it was", code="file-truncated")
                os.ftruncate(descriptor, size)
                os.lseek(descriptor, size, os.SEEK_SET)
                _write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if size == 0:
                os.fsync(parent)
        except OSError as error:
            raise convert_os_error(error, path, "write") from error


def append_line(path: Path, line: bytes) -> None:
    """Append one line to a log, without waiting for the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        raise convert_os_error(error, path, "write") from error
    try:
        os.write(descriptor, line.rstrip(b"\n") + b"\n")
    finally:
        os.close(descriptor)


def write_time(path: Path, at: datetime) -> None:
    """Store a time in the file *path*, without waiting for the disk; create it if it is missing.

    A copy of the file says the same, unlike a modification time.
    """
    try:
        descriptor = os.open(path, _TIME_FLAGS, PRIVATE_FILE)
    except OSError as error:
        raise convert_os_error(error, path, "write") from error
    try:
        os.pwrite(descriptor, format_time(at).encode(), 0)  # all times have the same length
    finally:
        os.close(descriptor)


def read_time(path: Path) -> datetime | None:
    """Return the time that `write_time` stored; None if the file has none."""
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except OSError:
        return None
    try:
        return parse_time(os.read(descriptor, 64).decode("ascii"))
    except (OSError, ValueError, CrewmemError):
        return None
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def undo_on_failure() -> Iterator[contextlib.ExitStack]:
    """Yield a stack of callbacks that undo file operations if the block fails.

    It surrounds a transaction, whose commit may fail after files were moved.
    """
    with contextlib.ExitStack() as undo:
        yield undo
        undo.pop_all()


def make_directory(path: Path, undo: contextlib.ExitStack | None = None) -> None:
    """Create *path* and missing parents, private whatever the umask.

    Args:
        undo: Removes them, unless others wrote files there; see `undo_on_failure`.
    """
    if path.is_dir():
        return
    if path.parent != path:
        make_directory(path.parent, undo)
    try:
        os.mkdir(path, PRIVATE_DIRECTORY)
        if undo is not None:
            undo.callback(_remove_empty, path)
        os.chmod(path, PRIVATE_DIRECTORY)
        _sync_directory(path.parent)
    except FileExistsError:
        if not path.is_dir():
            raise RefusedError(f"{path} is not a directory", code="not-a-directory") from None
    except FileNotFoundError as error:  # although its parent exists: a file system such as /proc
        raise RefusedError(
            f"cannot create {path}: its file system does not allow it", code="not-permitted"
        ) from error
    except OSError as error:
        raise convert_os_error(error, path, "create") from error


def _remove_empty(directory: Path) -> None:
    with contextlib.suppress(OSError):  # it has files
        os.rmdir(directory)


def is_disk_full(directory: Path) -> bool:
    """Return whether the disk of *directory* has less than MIN_FREE_BYTES left."""
    disk = os.statvfs(directory)
    free = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
    return disk.f_blocks > 0 and free * disk.f_frsize < MIN_FREE_BYTES


def check_free_space(path: Path) -> None:
    """Raise DamagedError if the disk of *path* is full."""
    if is_disk_full(path.parent):
        raise disk_full_error(path)


def disk_full_error(path: Path | str) -> DamagedError:
    """Return the error for a write to *path* that failed because the disk is full."""
    return DamagedError(
        f"{path} cannot be written: the disk is full",
        code="disk-full",
        hint="free some space, then run the command again",
    )


def remove_file(root: Path, relative: str) -> None:
    """Remove a file below *root* durably; if it is a link, its target stays."""
    with open_parent(root, relative) as (parent, name):
        try:
            os.unlink(name, dir_fd=parent)
            os.fsync(parent)
        except OSError as error:
            raise convert_os_error(error, root / relative, "remove") from error


def move_files(root: Path, moves: Mapping[str, str]) -> None:
    """Move files below *root* durably, each to its new name; all wait for the disk together.

    An interrupted move leaves files under both names; moving them again completes it.

    Raises:
        ConflictError: If a new name is another file's; files before it have both names.
    """
    with contextlib.ExitStack() as stack:
        folders: dict[str, int] = {}

        def open_folder(relative: str, *, create: bool) -> tuple[int, str]:
            folder, _, name = relative.rpartition("/")
            if folder not in folders:
                opened = open_parent(root, relative, create=create)
                folders[folder] = stack.enter_context(opened)[0]
            return folders[folder], name

        sources = {open_folder(source, create=False): source for source in moves}
        targets = {open_folder(target, create=True): target for target in moves.values()}
        try:
            for (old, name), (new, new_name) in zip(sources, targets, strict=True):
                try:
                    os.link(name, new_name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
                except FileExistsError:
                    before = os.stat(name, dir_fd=old, follow_symlinks=False)
                    after = os.stat(new_name, dir_fd=new, follow_symlinks=False)
                    if not os.path.samestat(before, after):
                        raise ConflictError(
                            f"{root / targets[new, new_name]} already exists", code="file-exists"
                        ) from None
            for new in {folder for folder, _ in targets}:
                os.fsync(new)
            for old, name in sources:
                os.unlink(name, dir_fd=old)
            for old in {folder for folder, _ in sources}:
                os.fsync(old)
        except OSError as error:
            raise convert_os_error(error, root / next(iter(moves)), "move") from error


def walk_files(root: Path) -> Iterator[FileEntry | SkippedFile]:
    """Walk the regular files below *root* whose name ends in ``.md``, in any case.

    Hidden files and directories are skipped silently. Links, unreadable directories and special
    files are reported as skipped. The order is that of the file system.
    """
    failed: list[OSError] = []
    for directory, folders, names in os.walk(root, onerror=failed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = os.path.relpath(directory, root)
        for name in (*names, *folders):
            if name.startswith(".") or not name.lower().endswith(".md"):
                continue
            relative = name if below == "." else f"{below}/{name}"
            if not is_plain_name(relative):
                yield SkippedFile(escape_name(relative), NOT_PLAIN)
                continue
            try:
                status = os.lstat(f"{directory}/{name}")
            except OSError as error:
                yield SkippedFile(relative, _reason(error))
                continue
            if stat.S_ISREG(status.st_mode):
                yield FileEntry(relative, status.st_mtime_ns)
            elif not stat.S_ISDIR(status.st_mode):
                is_link = stat.S_ISLNK(status.st_mode)
                yield SkippedFile(relative, "a link" if is_link else "not a regular file")
    for each in failed:
        yield SkippedFile(os.path.relpath(str(each.filename), root), _reason(each))


def find_leftovers(root: Path, *, now: float, recursive: bool = True) -> Iterator[Path]:
    """Yield temporary files that killed writers left in *root* more than LEFTOVER_AGE ago.

    Args:
        root: A home, a memory directory, or a directory of exports.
        now: The current Unix time.
        recursive: Whether to search subdirectories.
    """
    pruned = (".git", "node_modules")
    for directory, folders, files in os.walk(root):
        folders[:] = [each for each in folders if recursive and each not in pruned]
        for name in files:
            if name.startswith(TEMPORARY_PREFIX) and name.endswith(".tmp"):
                path = Path(directory, name)
                with contextlib.suppress(OSError):
                    if now - path.lstat().st_mtime > LEFTOVER_AGE:
                        yield path


def remove_leftovers(root: Path, *, now: float, recursive: bool = True) -> int:
    """Remove the files that `find_leftovers` yields; return their number."""
    removed = 0
    for path in list(find_leftovers(root, now=now, recursive=recursive)):
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def convert_os_error(error: OSError, path: Path | str, verb: str) -> CrewmemError:
    """Convert an OSError about *path* to a CrewmemError.

    Args:
        verb: What was tried, as in "cannot write …".
    """
    reason = _reason(error)
    if isinstance(error, FileNotFoundError):
        directory = Path(path).parent
        if verb == "write" and not directory.is_dir():
            return NotFoundError(
                f"cannot write {path}: there is no directory {directory}",
                code="directory-not-found",
                hint=shlex.join(["mkdir", "-p", str(directory)]),
            )
        return NotFoundError(f"{path} does not exist", code="file-not-found")
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return RefusedError(
            f"cannot {verb} {path}: a part of the path is a link or not a directory",
            code="unsafe-path",
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENXIO, errno.EISDIR):
        return RefusedError(f"cannot {verb} {path}: {reason}", code="not-permitted")
    if error.errno in (errno.ENAMETOOLONG, errno.EINVAL):
        return RefusedError(f"cannot {verb} {path}: {reason}", code="bad-file-name")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full_error(path)
    return DamagedError(f"cannot {verb} {path}: {reason}", code="disk-failed")
