"""Installs hooks: plans and writes changes of files, and reverts them byte for byte.

Each changed file has a receipt in ``<home>/hooks/`` with its previous content and the hash of our
version. If nobody else has changed the file, removal restores the previous bytes. Otherwise it
removes only our entries.
"""

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from crewmem.errors import RefusedError
from crewmem.hooks.configuration import (
    add_entries,
    find_value,
    parse,
    remove_entries,
    render_entries,
)
from crewmem.hooks.programs import Program, Target, Wiring, WiringPlace
from crewmem.storage.filesystem import make_directory, read_file, remove_file, replace_file

RECEIPTS = "hooks"
"""Directory of receipts in the home."""

MAX_CONFIGURATION = 50_000_000

CREATE, UPDATE, UNCHANGED, KEEP, DELETE, RESTORE = (
    "create", "update", "unchanged", "keep", "delete", "restore",
)  # fmt: skip


@dataclass(slots=True)
class FileChange:
    """A change of a file.

    Attributes:
        action: ``create``, ``update``, ``unchanged``, ``keep`` (a person changed our file),
            ``delete`` or ``restore``.
        added: The added text, if the change is only shown.
        reason: Reason for ``keep``.
    """

    path: Path
    action: str
    added: str = ""
    reason: str = ""
    _after: bytes | None = None
    _original: bytes | None = None


@dataclass(slots=True)
class Receipt:
    """The record of an installation's change of a file.

    Attributes:
        place: The project; "" for all projects of the user.
        after: SHA-256 of the file as we wrote it.
        directories: Directories that were created for it, the innermost first.
    """

    program: str
    place: str
    path: str
    after: str
    existed: bool
    directories: list[str] = field(default_factory=list)

    def is_of(self, program: Program, place: WiringPlace) -> bool:
        """Tell whether it belongs to the installation of *program* in *place*."""
        return (self.program, self.place) == (program.name, str(place.project or ""))


def show_install(program: Program, place: WiringPlace, wiring: Wiring) -> list[FileChange]:
    """Return what an installation adds, even to files that cannot be changed."""
    return [
        FileChange(
            target.path,
            UPDATE if target.path.exists() else CREATE,
            target.text or render_entries(target.entries, target.format),
        )
        for target in program.find_targets(place, wiring)
    ]


def plan_install(
    program: Program, place: WiringPlace, wiring: Wiring, home: Path
) -> list[FileChange]:
    """Return the changes of an installation; there are none if it is complete.

    Raises:
        RefusedError: If a file cannot be changed safely. Then nothing is written.
    """
    changes = []
    for target in program.find_targets(place, wiring):
        try:
            change = _plan_target(program, target, find_receipt(home, target.path), home)
            _check_writable(change)
        except RefusedError as error:
            raise _cannot_change(program, target, error) from error
        changes.append(change)
    return changes


def apply_install(
    program: Program, place: WiringPlace, changes: Sequence[FileChange], home: Path
) -> None:
    """Write the files of a plan."""
    for change in changes:
        if change.action not in (CREATE, UPDATE):
            continue
        assert change._after is not None
        path = _real(change.path)
        missing = [str(p) for p in (path.parent, *path.parent.parents) if not p.exists()]
        earlier = find_receipt(home, change.path)
        receipt = Receipt(
            program=program.name,
            place=str(place.project or ""),
            path=str(change.path),
            after=sha256(change._after).hexdigest(),
            existed=change._original is not None,
            directories=missing or (earlier.directories if earlier else []),
        )
        _write_receipt(home, receipt, change._original)
        for directory in reversed(missing):
            os.mkdir(directory)  # with the user's umask, because the directory is the program's
        replace_file(path, change._after)


def plan_remove(
    program: Program, place: WiringPlace, wiring: Wiring, home: Path
) -> list[FileChange]:
    """Return the changes of a removal.

    Raises:
        RefusedError: As for `plan_install`.
    """
    targets = {target.path: target for target in program.find_targets(place, wiring)}
    for receipt in list_receipts(home):
        if receipt.is_of(program, place):
            path = Path(receipt.path)
            targets.setdefault(path, Target(path))
    changes = []
    for target in targets.values():
        try:
            change = _plan_removal(program, target, find_receipt(home, target.path), home)
            if change is not None:
                _check_writable(change)
                changes.append(change)
        except RefusedError as error:
            raise _cannot_change(program, target, error) from error
    return changes


def apply_remove(
    program: Program, place: WiringPlace, changes: Sequence[FileChange], home: Path
) -> None:
    """Remove what was installed; files that a person changed are theirs from now on."""
    for change in changes:
        path = _real(change.path)
        if change.action == DELETE:
            remove_file(path.parent, path.name)
        elif change.action in (RESTORE, UPDATE):
            assert change._after is not None
            replace_file(path, change._after)
    directories: set[str] = set()
    paths = {str(change.path) for change in changes}
    for receipt in list_receipts(home):
        if receipt.path in paths or receipt.is_of(program, place):
            directories.update(receipt.directories)
            base = home / RECEIPTS / _receipt_name(Path(receipt.path))
            for file in (base.with_suffix(".json"), base.with_suffix(".backup")):
                if file.exists():
                    remove_file(file.parent, file.name)
    for directory in sorted(directories, key=len, reverse=True):
        with contextlib.suppress(OSError):  # others have files there
            os.rmdir(directory)


# Receipts


def list_receipts(home: Path) -> list[Receipt]:
    """Return all readable receipts."""
    receipts = []
    for path in sorted((home / RECEIPTS).glob("*.json")):
        try:
            receipts.append(Receipt(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):
            continue
    return receipts


def find_receipt(home: Path, path: Path) -> Receipt | None:
    """Return the receipt of the file *path*."""
    return next((each for each in list_receipts(home) if each.path == str(path)), None)


def _receipt_name(path: Path) -> str:
    return sha256(str(path).encode()).hexdigest()[:16]


def _write_receipt(home: Path, receipt: Receipt, original: bytes | None) -> None:
    make_directory(home / RECEIPTS)
    base = home / RECEIPTS / _receipt_name(Path(receipt.path))
    values = {name: getattr(receipt, name) for name in Receipt.__slots__}
    if original is not None:
        replace_file(base.with_suffix(".backup"), original)
    replace_file(base.with_suffix(".json"), (json.dumps(values, indent=1) + "\n").encode())


def _read_original(home: Path, receipt: Receipt) -> bytes | None:
    if not receipt.existed:
        return None
    name = f"{_receipt_name(Path(receipt.path))}.backup"
    return read_file(home / RECEIPTS, name, max_bytes=MAX_CONFIGURATION)


# Planning


def _plan_target(
    program: Program, target: Target, receipt: Receipt | None, home: Path
) -> FileChange:
    before = _read(target.path)
    if target.format == "own":
        return _plan_own_file(target, before, receipt)
    text = _decode(before)
    after = add_entries(text, target.format, target.entries, program.name)
    if after == text and before is not None:
        return FileChange(target.path, UNCHANGED)
    change = FileChange(target.path, CREATE, _after=after.encode())
    if before is not None:
        change.action = UPDATE
        if receipt is not None and sha256(before).hexdigest() == receipt.after:
            change._original = _read_original(home, receipt)
        else:
            ours = target.entries
            if receipt is None:
                # A server of our name with other values is the user's, so removal restores it.
                values = parse(text, target.format)
                ours = tuple(e for e in ours if e.is_item or find_value(values, e.path) == e.value)
            original = remove_entries(text, target.format, ours, program.name)
            change._original = original.encode()
    return change


def _plan_own_file(target: Target, before: bytes | None, receipt: Receipt | None) -> FileChange:
    after = target.text.encode()
    change = FileChange(target.path, CREATE, _after=after)
    if before == after:
        change.action = UNCHANGED
    elif before is not None:
        change.action = UPDATE
        if receipt is None or sha256(before).hexdigest() != receipt.after:
            change.action, change.reason = KEEP, "somebody changed it, or it is not ours"
    return change


def _plan_removal(
    program: Program, target: Target, receipt: Receipt | None, home: Path
) -> FileChange | None:
    before = _read(target.path)
    if before is None:
        return None
    if receipt is not None and sha256(before).hexdigest() == receipt.after:
        original = _read_original(home, receipt)
        return FileChange(target.path, DELETE if original is None else RESTORE, _after=original)
    if target.format == "own":
        if target.text and before == target.text.encode():
            return FileChange(target.path, DELETE)
        if receipt is None:
            return None
        return FileChange(target.path, KEEP, reason="it was changed since")
    after = remove_entries(_decode(before), target.format, target.entries, program.name)
    if after.encode() == before:
        return None
    if receipt is not None and not receipt.existed and not parse(after, target.format):
        return FileChange(target.path, DELETE)
    return FileChange(target.path, UPDATE, _after=after.encode())


# Files


def _real(path: Path) -> Path:
    """Resolve a link: people may keep their configuration elsewhere."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes | None:
    real = _real(path)
    if not real.exists():
        return None
    return read_file(real.parent, real.name, max_bytes=MAX_CONFIGURATION)


def _decode(content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        raise RefusedError("it is not UTF-8 text", code="bad-text") from error


def _check_writable(change: FileChange) -> None:
    """Raise RefusedError if a file cannot be written; called before the first write."""
    if change.action in (UNCHANGED, KEEP):
        return
    path = _real(change.path)
    if path.exists() and not path.stat().st_mode & 0o222:
        raise RefusedError("it is marked read-only", code="not-writable")
    directory = next(each for each in path.parents if each.exists())
    if not os.access(directory, os.W_OK | os.X_OK):
        raise RefusedError(f"nothing can be written in {directory}", code="not-writable")


def _cannot_change(program: Program, target: Target, error: RefusedError) -> RefusedError:
    return RefusedError(
        f"cannot change {target.path}, so nothing was written: {error.message}",
        code="cannot-merge",
        command=f"hooks install {program.name} --print",
    )
