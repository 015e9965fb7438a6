"""Wiring agent programs: what is written is planned, applied, and taken back byte for byte.

Each file that was changed has a receipt in ``<home>/hooks/``: what it held before, and the hash
of what we made of it. While nobody else changed the file, removing restores the old bytes;
otherwise our entries are cut out of what is there now.
"""

import contextlib
import json
import os
import tomllib
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from crewmem.errors import CrewmemError, RefusedError
from crewmem.hooks import jsontext
from crewmem.hooks.programs.base import Entry, Place, Program, Target, Wiring
from crewmem.storage.filesystem import make_directory, read_file, remove_file, replace_file

RECEIPTS = "hooks"
"""Directory of the home that holds them."""

MAX_CONFIGURATION = 50_000_000

CREATE, UPDATE, UNCHANGED, KEEP, DELETE, RESTORE = (
    "create", "update", "unchanged", "keep", "delete", "restore",
)  # fmt: skip


@dataclass(slots=True)
class FileChange:
    """What is done to a file.

    Attributes:
        action: ``create``, ``update``, ``unchanged``, ``keep`` (a person changed what was
            ours), ``delete`` or ``restore``.
        added: What is added, to show it.
        reason: Of ``keep``.
    """

    path: Path
    action: str
    added: str = ""
    reason: str = ""
    _before: bytes | None = None
    _after: bytes | None = None
    _original: bytes | None = None
    _block: str = ""


@dataclass(slots=True)
class Receipt:
    """What an installation did to a file.

    Attributes:
        place: The project; "" for all of a person's projects.
        after: SHA-256 of the file as we left it.
        directories: That were made for it, the innermost first.
        block: Text that was added to a TOML file.
    """

    program: str
    place: str
    path: str
    after: str
    existed: bool
    directories: list[str] = field(default_factory=list)
    block: str = ""


def plan_install(program: Program, place: Place, wiring: Wiring, home: Path) -> list[FileChange]:
    """Return what an installation would change; the second time nothing.

    Raises:
        RefusedError: If a configuration cannot be merged safely. Then nothing is written.
    """
    return [
        _plan_target(program, target, find_receipt(home, target.path), home)
        for target in program.targets(place, wiring)
    ]


def apply_install(
    program: Program, place: Place, changes: Sequence[FileChange], home: Path
) -> None:
    """Write the files of a plan."""
    for change in changes:
        if change.action not in (CREATE, UPDATE):
            continue
        assert change._after is not None
        path = _real(change.path)
        missing = [str(p) for p in (path.parent, *path.parent.parents) if not p.exists()]
        receipt = Receipt(
            program=program.name,
            place=str(place.project or ""),
            path=str(change.path),
            after=sha256(change._after).hexdigest(),
            existed=change._original is not None,
            directories=missing or _find_made_directories(home, change.path),
            block=change._block,
        )
        _write_receipt(home, receipt, change._original)
        for directory in reversed(missing):
            os.mkdir(directory)  # with the person's umask: it is the program's, not ours
        replace_file(path, change._after)


def plan_remove(program: Program, place: Place, wiring: Wiring, home: Path) -> list[FileChange]:
    """Return what removing would change."""
    targets = {target.path: target for target in program.targets(place, wiring)}
    for receipt in list_receipts(home):
        path = Path(receipt.path)
        if (receipt.program, receipt.place) == (program.name, str(place.project or "")):
            targets.setdefault(path, Target(path, _guess_format(path)))
    changes = []
    for target in targets.values():
        change = _plan_removal(program, target, find_receipt(home, target.path), home)
        if change is not None:
            changes.append(change)
    return changes


def apply_remove(changes: Sequence[FileChange], home: Path) -> None:
    """Take back what was installed."""
    directories: set[str] = set()
    for change in changes:
        receipt = find_receipt(home, change.path)
        path = _real(change.path)
        if change.action == DELETE:
            remove_file(path.parent, path.name)
        elif change.action in (RESTORE, UPDATE):
            assert change._after is not None
            replace_file(path, change._after)
        if receipt is not None and change.action != KEEP:
            directories.update(receipt.directories)
            base = _receipt_name(change.path)
            for name in (f"{base}.json", f"{base}.backup"):
                if (home / RECEIPTS / name).exists():
                    remove_file(home / RECEIPTS, name)
    for directory in sorted(directories, key=len, reverse=True):
        with contextlib.suppress(OSError):  # somebody else has files there
            os.rmdir(directory)


# Receipts


def list_receipts(home: Path) -> list[Receipt]:
    """Return all receipts; a damaged one is left out."""
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


def _find_made_directories(home: Path, path: Path) -> list[str]:
    receipt = find_receipt(home, path)
    return receipt.directories if receipt else []


# Planning


def _plan_target(
    program: Program, target: Target, receipt: Receipt | None, home: Path
) -> FileChange:
    before = _read(target.path)
    if target.format == "own":
        return _plan_own_file(target, before, receipt)
    text = _decode(target.path, before)
    try:
        if target.format == "json":
            after, added = _merge_json(text, target.entries, program.name)
        else:
            after, added = _merge_toml(text, target, program.name)
    except RefusedError as error:
        raise _cannot_merge(target, error) from error
    change = FileChange(target.path, UNCHANGED, added, _before=before)
    if after == text and before is not None:
        return change
    change.action = UPDATE if before is not None else CREATE
    change._after = after.encode()
    if target.format == "toml":
        change._block = target.text.replace("\n", "\r\n" if "\r\n" in text else "\n")
    if before is not None:
        if receipt is not None and sha256(before).hexdigest() == receipt.after:
            change._original = _read_original(home, receipt)
        else:
            installed = receipt is not None
            own = _without_ours(target, text, program.name, installed=installed)
            change._original = own.encode()
    return change


def _plan_own_file(target: Target, before: bytes | None, receipt: Receipt | None) -> FileChange:
    after = target.text.encode()
    change = FileChange(target.path, CREATE, target.text, _before=before, _after=after)
    if before == after:
        change.action = UNCHANGED
    elif before is not None:
        change.action = UPDATE
        if receipt is None or sha256(before).hexdigest() != receipt.after:
            change.action, change.reason = KEEP, "it was changed, or is not ours"
    return change


def _plan_removal(
    program: Program, target: Target, receipt: Receipt | None, home: Path
) -> FileChange | None:
    before = _read(target.path)
    if before is None:
        return None
    if receipt is not None and sha256(before).hexdigest() == receipt.after:
        original = _read_original(home, receipt)
        action = DELETE if original is None else RESTORE
        return FileChange(target.path, action, _before=before, _after=original)
    if target.format == "own":
        if target.text and before == target.text.encode():
            return FileChange(target.path, DELETE, _before=before)
        if receipt is None:
            return None
        return FileChange(target.path, KEEP, reason="it was changed since", _before=before)
    text = _decode(target.path, before)
    try:
        if receipt is not None and receipt.block and receipt.block in text:
            head, _, tail = text.partition(receipt.block)
            text = head.removesuffix("\n").removesuffix("\r") + tail
        after = _without_ours(target, text, program.name)
    except RefusedError as error:
        raise _cannot_merge(target, error) from error
    if after.encode() == before:
        return None
    if receipt is not None and not receipt.existed and not _has_content(target.format, after):
        return FileChange(target.path, DELETE, _before=before)
    return FileChange(target.path, UPDATE, _before=before, _after=after.encode())


def _has_content(format_: str, text: str) -> bool:
    return bool(jsontext.parse(text).plain()) if format_ == "json" else bool(text.strip())


def _guess_format(path: Path) -> str:
    """Return the format of a file of which only a receipt tells."""
    return {".toml": "toml", ".json": "json", ".jsonc": "json"}.get(path.suffix, "own")


# JSON


def is_our_command(command: object, program: str) -> bool:
    """Tell whether a command of a hook is ours."""
    return (
        isinstance(command, str) and "crewmem" in command and f" hook {program}" in f" {command} "
    )


def _is_our_group(value: Any, program: str) -> bool:
    hooks = value.get("hooks") if isinstance(value, dict) else None
    if not isinstance(hooks, list) or not hooks:
        return False
    return all(isinstance(h, dict) and is_our_command(h.get("command"), program) for h in hooks)


def _merge_json(text: str, entries: Iterable[Entry], program: str) -> tuple[str, str]:
    """Return *text* with the entries, and what is added, to show it."""
    text = text if text.strip("\ufeff \t\r\n") else text.strip() + "{}\n"
    root = jsontext.parse(text)
    if root.kind != "object":
        raise RefusedError("it is no JSON object", code="bad-shape")
    expected = _strip_json(root.plain(), entries, program)
    added: dict[str, Any] = {}
    for entry in entries:
        inner = added
        for name in entry.path[:-1]:
            inner = inner.setdefault(name, {})
        inner[entry.path[-1]] = [entry.value] if entry.is_item else entry.value
        text = _merge_entry(text, entry, program)
    if _strip_json(jsontext.parse(text).plain(), entries, program) != expected:
        raise RefusedError("merging would change something else in it", code="bad-shape")
    return text, json.dumps(added, indent=2)


def _merge_entry(text: str, entry: Entry, program: str) -> str:
    node = jsontext.find(jsontext.parse(text), entry.path)
    if node is None:
        add = jsontext.add_item if entry.is_item else jsontext.add_member
        return add(text, entry.path, entry.value)
    if not entry.is_item:
        if node.plain() == entry.value:
            return text
        return jsontext.replace_value(text, entry.path, entry.value)
    if node.kind != "array":
        raise RefusedError(f"{'.'.join(entry.path)} is no list", code="bad-shape")
    ours = [index for index, value in enumerate(node.plain()) if _is_our_group(value, program)]
    if len(ours) == 1 and node.plain()[ours[0]] == entry.value:
        return text
    for index in reversed(ours):
        text = jsontext.remove_member(text, entry.path, index)
    return jsontext.add_item(text, entry.path, entry.value)


def _remove_json(text: str, entries: Iterable[Entry], program: str) -> str:
    """Return *text* without our entries, and without the objects and lists that become empty."""
    for entry in entries:
        node = jsontext.find(jsontext.parse(text), entry.path)
        if node is None:
            continue
        if entry.is_item:
            values = node.plain() if node.kind == "array" else []
            ours = [i for i, value in enumerate(values) if _is_our_group(value, program)]
            for index in reversed(ours):
                text = jsontext.remove_member(text, entry.path, index)
            if not ours or len(ours) < len(values):
                continue
        text = jsontext.remove_member(text, entry.path)
        for length in range(len(entry.path) - 1, 0, -1):
            parent = jsontext.find(jsontext.parse(text), entry.path[:length])
            if parent is None or parent.members:
                break
            text = jsontext.remove_member(text, entry.path[:length])
    return text


def _strip_json(value: Any, entries: Iterable[Entry], program: str) -> Any:
    """Return a parsed configuration without what is ours, and without places empty for it."""
    stripped = json.loads(_remove_json(json.dumps(value), entries, program))
    for entry in entries:
        for length in range(len(entry.path), 0, -1):
            parent = stripped
            for name in entry.path[: length - 1]:
                parent = parent.get(name, {})
            if parent.get(entry.path[length - 1]) in ({}, []):
                del parent[entry.path[length - 1]]
    return stripped


# TOML


def _merge_toml(text: str, target: Target, program: str) -> tuple[str, str]:
    """Return *text* with our tables at its end: what stands before keeps its bytes."""
    wanted = tomllib.loads(target.text)
    present = _parse_toml(text)
    if all(_has_table(present, wanted, path, program) for path in target.tables):
        return text, target.text
    text = _remove_toml(text, target.tables, program)
    others = _parse_toml(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = ("" if text.endswith("\n") or not text else newline) + (newline if text.strip() else "")
    merged = text + gap + target.text.replace("\n", newline)
    if _strip_toml(_parse_toml(merged), target.tables, program) != _strip_toml(
        others, target.tables, program
    ):
        raise RefusedError("merging would change something else in it", code="bad-shape")
    return merged, target.text


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RefusedError(str(error), code="bad-toml") from error


def _at(values: Any, path: Sequence[str]) -> Any:
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _has_table(present: Any, wanted: Any, path: Sequence[str], program: str) -> bool:
    here, there = _at(present, path), _at(wanted, path)
    if isinstance(there, list):
        return [group for group in here or () if _is_our_group(group, program)] == there
    return bool(here == there)


def _remove_toml(text: str, tables: Iterable[Sequence[str]], program: str) -> str:
    """Return *text* without our tables; comments and order of the others stay."""
    present = _parse_toml(text)
    ours = [
        path
        for path in tables
        if (found := _at(present, path)) is not None
        and (not isinstance(found, list) or any(_is_our_group(g, program) for g in found))
    ]
    if not ours:
        return text
    import tomlkit  # slow to import, and wanted where something is taken out only

    document = tomlkit.parse(text)
    for path in ours:
        parents: list[Any] = [document]
        for name in path[:-1]:
            parents.append(parents[-1][name])
        found = parents[-1][path[-1]]
        if isinstance(found, list):
            for index in reversed(range(len(found))):
                if _is_our_group(found[index].unwrap(), program):
                    del found[index]
            if len(found):
                continue
        for depth in range(len(path) - 1, -1, -1):
            del parents[depth][path[depth]]
            if depth == 0 or len(parents[depth]):
                break
    removed = document.as_string()
    if _parse_toml(removed) != _strip_toml(present, tables, program):
        raise RefusedError("our tables cannot be taken out without the others", code="bad-shape")
    return removed


def _strip_toml(values: Any, tables: Iterable[Sequence[str]], program: str) -> Any:
    stripped = deepcopy(values)
    for path in tables:
        parent = _at(stripped, path[:-1])
        if not isinstance(parent, dict) or path[-1] not in parent:
            continue
        found = parent[path[-1]]
        if isinstance(found, list):
            found[:] = [group for group in found if not _is_our_group(group, program)]
        if not isinstance(found, list) or not found:
            del parent[path[-1]]
        if not parent:
            _at(stripped, path[:-2]).pop(path[-2], None)
    return stripped


def _without_ours(target: Target, text: str, program: str, *, installed: bool = True) -> str:
    """Return *text* without what is ours.

    Before anything was *installed* an MCP server of our name with other values is the person's:
    it is replaced, and removing brings it back.
    """
    if target.format == "toml":
        wanted, present = tomllib.loads(target.text), _parse_toml(text)
        tables = [
            path
            for path in target.tables
            if installed
            or isinstance(_at(wanted, path), list)
            or _at(present, path) == _at(wanted, path)
        ]
        return _remove_toml(text, tables, program)
    if not text.strip():
        return text
    root = jsontext.parse(text)
    entries = [
        entry
        for entry in target.entries
        if installed
        or entry.is_item
        or ((node := jsontext.find(root, entry.path)) is not None and node.plain() == entry.value)
    ]
    return _remove_json(text, entries, program)


# Files


def _real(path: Path) -> Path:
    """Return the file that a link names: people keep their configuration elsewhere."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes | None:
    real = _real(path)
    if not real.exists():
        return None
    return read_file(real.parent, real.name, max_bytes=MAX_CONFIGURATION)


def _decode(path: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        raise RefusedError(f"{path} is not UTF-8 text", code="cannot-merge") from error


def _cannot_merge(target: Target, error: CrewmemError) -> RefusedError:
    return RefusedError(
        f"cannot merge into {target.path} safely, so nothing was written: {error.message}",
        code="cannot-merge",
        hint="correct the file, or add the entries by hand: crewmem hooks install PROGRAM --print",
    )
