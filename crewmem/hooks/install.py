"""Installs hooks: plans and writes changes of files, and reverts them byte for byte.

Each changed file has a receipt with its previous content and the hash of the new content. If the
file was not changed since, removal restores the previous content; otherwise it removes only
crewmem's entries.
"""

import contextlib
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from crewmem.errors import ConflictError, RefusedError
from crewmem.hooks.configuration import (
    add_entries,
    find_value,
    parse,
    remove_entries,
    render_entries,
)
from crewmem.hooks.programs import HookCommands, InstallLocation, Program, Target
from crewmem.hooks.receipts import (
    MAX_CONFIGURATION,
    Receipt,
    delete_receipt,
    find_receipt,
    list_receipts,
    read_original,
    write_receipt,
)
from crewmem.storage.filesystem import read_file, remove_file, replace_file

CREATE = "create"
UPDATE = "update"
UNCHANGED = "unchanged"
KEEP = "keep"
DELETE = "delete"
RESTORE = "restore"


@dataclass(slots=True)
class FileChange:
    """A change of a file.

    Attributes:
        action: ``create``, ``update``, ``unchanged``, ``keep`` (somebody changed the file),
            ``delete`` or ``restore``.
        added: The text that an installation adds; only for `show_install`.
        reason: Reason for ``keep``.
        _after: New content of the file; of an unchanged one, its content if there is no receipt.
        _original: Content to be restored by a removal; None if the file is new.
        _before: Content when the change was planned; None if there was no file.
    """

    path: Path
    action: str
    added: str = ""
    reason: str = ""
    _after: bytes | None = None
    _original: bytes | None = None
    _before: bytes | None = None


def show_install(
    program: Program, location: InstallLocation, commands: HookCommands
) -> list[FileChange]:
    """Return the text that an installation adds to each file, even if it cannot be changed."""
    return [
        FileChange(
            target.path,
            UPDATE if target.path.exists() else CREATE,
            target.text or render_entries(target.entries, target.format),
        )
        for target in program.find_targets(location, commands)
    ]


def plan_install(
    program: Program, location: InstallLocation, commands: HookCommands, home: Path
) -> list[FileChange]:
    """Return the changes that an installation makes, without writing them.

    Raises:
        RefusedError: If a file cannot be changed safely.
    """
    targets = program.find_targets(location, commands)
    return _plan_changes(program, location, targets, home, _plan_target)


def apply_install(
    program: Program, location: InstallLocation, changes: Sequence[FileChange], home: Path
) -> None:
    """Write the files of a plan.

    Raises:
        ConflictError: If a file has changed since, so that nothing was written.
    """
    _check_unchanged(program, changes)
    for change in changes:
        if change._after is None:
            continue
        path = _resolve(change.path)
        missing = [str(p) for p in (path.parent, *path.parent.parents) if not p.exists()]
        old_receipt = find_receipt(home, change.path)
        receipt = Receipt(
            program=program.name,
            project=str(location.project or ""),
            path=str(change.path),
            after=sha256(change._after).hexdigest(),
            existed=change._original is not None,
            directories=missing or (old_receipt.directories if old_receipt else []),
        )
        write_receipt(home, receipt, change._original)
        if change.action == UNCHANGED:
            continue
        for directory in reversed(missing):
            os.mkdir(directory)  # not private, because it is a directory of the program
        replace_file(path, change._after)


def plan_remove(
    program: Program, location: InstallLocation, commands: HookCommands, home: Path
) -> list[FileChange]:
    """Return the changes that a removal makes, without writing them.

    Raises:
        RefusedError: If a file cannot be changed safely.
    """
    targets = {target.path: target for target in program.find_targets(location, commands)}
    for receipt in list_receipts(home):
        if receipt.belongs_to(program, location):
            path = Path(receipt.path)
            targets.setdefault(path, Target(path))
    return _plan_changes(program, location, targets.values(), home, _plan_removal)


def apply_remove(
    program: Program, location: InstallLocation, changes: Sequence[FileChange], home: Path
) -> None:
    """Make the changes of a removal, and delete the receipts, also of files that are kept.

    Raises:
        ConflictError: If a file has changed since, so that nothing was written.
    """
    _check_unchanged(program, changes)
    for change in changes:
        path = _resolve(change.path)
        if change.action == DELETE:
            remove_file(path.parent, path.name)
        elif change.action in (RESTORE, UPDATE):
            assert change._after is not None
            replace_file(path, change._after)
    directories: set[str] = set()
    paths = {str(change.path) for change in changes}
    for receipt in list_receipts(home):
        if receipt.path in paths or receipt.belongs_to(program, location):
            directories.update(receipt.directories)
            delete_receipt(home, receipt)
    for directory in sorted(directories, key=len, reverse=True):
        with contextlib.suppress(OSError):  # it contains other files
            os.rmdir(directory)


# Planning


PlanTarget = Callable[[Program, Target, bytes | None, Receipt | None, Path], "FileChange | None"]
"""Plans the change of a file, given its content and its receipt; returns None for no change."""


def _plan_changes(
    program: Program,
    location: InstallLocation,
    targets: Iterable[Target],
    home: Path,
    plan_target: PlanTarget,
) -> list[FileChange]:
    """Plan the changes of *targets*.

    Raises:
        RefusedError: If a file cannot be changed safely.
    """
    changes = []
    for target in targets:
        try:
            before = _read_file(target.path)
            change = plan_target(program, target, before, find_receipt(home, target.path), home)
            if change is not None:
                change._before = before
                _check_writable(change)
                changes.append(change)
        except RefusedError as error:
            raise _cannot_change_error(program, location, target, error) from error
    return changes


def _plan_target(
    program: Program, target: Target, before: bytes | None, receipt: Receipt | None, home: Path
) -> FileChange:
    """Plan to write or extend a file; see `plan_install`."""
    if target.format == "own":
        return _plan_own_file(target, before, receipt)
    text = _decode(before)
    after = add_entries(text, target.format, target.entries, program.name)
    if before is None:
        return FileChange(target.path, CREATE, _after=after.encode())
    if after == text and receipt is not None:
        return FileChange(target.path, UNCHANGED)
    action = UNCHANGED if after == text else UPDATE
    if receipt is not None and sha256(before).hexdigest() == receipt.after:
        original = read_original(home, receipt)
    else:
        own = target.entries
        if receipt is None:
            # A server named crewmem with other values is the user's, so removal restores it.
            values = parse(text, target.format)
            own = tuple(e for e in own if e.is_item or find_value(values, e.path) == e.value)
        original = remove_entries(text, target.format, own, program.name).encode()
    return FileChange(target.path, action, _after=after.encode(), _original=original)


def _plan_own_file(target: Target, before: bytes | None, receipt: Receipt | None) -> FileChange:
    after = target.text.encode()
    if before == after:
        return FileChange(target.path, UNCHANGED, _after=None if receipt else after)
    if before is None:
        return FileChange(target.path, CREATE, _after=after)
    is_own = receipt is not None and sha256(before).hexdigest() == receipt.after
    if not is_own and _drop_options(before) != _drop_options(after):  # of another home or agent
        return FileChange(target.path, KEEP, reason="somebody changed it, or it is not crewmem's")
    return FileChange(target.path, UPDATE, _after=after)


def _plan_removal(
    program: Program, target: Target, before: bytes | None, receipt: Receipt | None, home: Path
) -> FileChange | None:
    """Plan to remove a file, or crewmem's entries in it; return None if there are none."""
    if before is None:
        return None
    if receipt is not None and sha256(before).hexdigest() == receipt.after:
        original = read_original(home, receipt)
        return FileChange(target.path, DELETE if original is None else RESTORE, _after=original)
    if target.format == "own":
        if target.text and _drop_options(before) == _drop_options(target.text.encode()):
            return FileChange(target.path, DELETE)
        if receipt is None:
            return None
        return FileChange(target.path, KEEP, reason="it was changed after the installation")
    after = remove_entries(_decode(before), target.format, target.entries, program.name)
    if after.encode() == before:
        return None
    if receipt is not None and not receipt.existed and not parse(after, target.format):
        return FileChange(target.path, DELETE)
    return FileChange(target.path, UPDATE, _after=after.encode())


def _drop_options(text: bytes) -> bytes:
    """Return the text of a skill without the options of its commands, such as the agent."""
    return re.sub(rb"`crewmem (?:--\S+ (?:'[^']*'|[^\s']+) )*", b"`crewmem ", text)


# Files


def _resolve(path: Path) -> Path:
    """Resolve links, because users may keep their configuration elsewhere."""
    return Path(os.path.realpath(path))


def _read_file(path: Path) -> bytes | None:
    """Return the content of a file, following links; None if it does not exist."""
    target = _resolve(path)
    if not target.exists():
        return None
    return read_file(target.parent, target.name, max_bytes=MAX_CONFIGURATION)


def _decode(content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        raise RefusedError("it is not UTF-8 text", code="bad-text") from error


def _check_unchanged(program: Program, changes: Sequence[FileChange]) -> None:
    """Raise ConflictError if a file is not as it was planned: programs rewrite theirs as they run.

    A person may have thought about the plan for long.
    """
    for change in changes:
        if change.action not in (UNCHANGED, KEEP) and _read_file(change.path) != change._before:
            raise ConflictError(
                f"{change.path} has just changed, so nothing was written: run this again,"
                f" after {program.title} has ended",
                code="file-changed",
            )


def _check_writable(change: FileChange) -> None:
    """Raise RefusedError if a file cannot be written."""
    if change.action in (UNCHANGED, KEEP):
        return
    path = _resolve(change.path)
    if path.exists() and not path.stat().st_mode & 0o222:
        raise RefusedError("it is marked read-only", code="not-writable")
    directory = next(each for each in path.parents if each.exists())
    if not os.access(directory, os.W_OK | os.X_OK):
        raise RefusedError(f"{directory} is not writable", code="not-writable")


def _cannot_change_error(
    program: Program, location: InstallLocation, target: Target, error: RefusedError
) -> RefusedError:
    words = ["hooks", "install", program.name]
    if location.project is not None:
        words += ["--project", str(location.project)]
    return RefusedError(
        f"cannot change {target.path}, so nothing was written: {error.message}",
        code="cannot-merge",
        command=shlex.join([*words, "--print"]),
    )
