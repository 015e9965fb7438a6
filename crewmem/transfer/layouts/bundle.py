"""crewmem's own bundles, as `export` writes them."""

import io
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from crewmem.errors import CrewmemError, DamagedError
from crewmem.files.locations import parse_memory_file
from crewmem.files.tiers import PRIVATE_TIERS, tier_of
from crewmem.files.versions import check_version
from crewmem.storage.json_lines import BadLineError, check_fields, load_record, read_lines
from crewmem.transfer.archive import Item, Source
from crewmem.transfer.contents import Contents, ImportOptions, Text
from crewmem.transfer.exporter import (
    CONTENTS,
    FACTS,
    FILES,
    FORMAT,
    JOURNAL,
    MANIFEST,
    REGISTRY,
    VERSIONS,
    BundleFile,
    parse_manifest,
)
from crewmem.transfer.members import MEMBER_FIELDS, Described

NAME = "crewmem"


def matches(source: Source) -> bool:
    """Tell whether there is a manifest of crewmem."""
    if MANIFEST not in source.files:
        return False
    try:
        record = json.loads(source.read(MANIFEST))
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("format") == FORMAT


def read(source: Source, options: ImportOptions) -> Contents:
    """Read a bundle; the hash of each file is checked.

    Raises:
        DamagedError: If a file is missing or does not match the manifest.
    """
    data = source.read(MANIFEST)
    listed = parse_manifest(data, source.name)
    contents = Contents(origin="external", is_bundle=True, digest=sha256(data).hexdigest())
    for name in source.files:
        if name not in listed and name != MANIFEST:
            contents.leave_out(name, "the manifest does not list it")
    for name, item in listed.items():
        if name not in source.files:
            raise DamagedError(f"{source.name}: {name} is missing", code="bad-bundle")
        if sha256(source.read(name)).hexdigest() != item.sha256:
            raise DamagedError(f"{source.name}: {name} does not match its hash", code="bad-bundle")
    newest = _read_versions(source, contents, listed)
    for name in sorted(listed):
        if name.startswith(FILES):
            _read_file(source, contents, name, newest)
    if REGISTRY in listed:
        contents.registry = _read_registry(source)
    if FACTS in listed:
        for number, value in _read_lines(source, contents, FACTS):
            contents.facts.append(Item(FACTS, number, "facts", value))
    if JOURNAL in listed:
        contents.journal = source.read(JOURNAL)
    return contents


def _read_registry(source: Source) -> Described:
    try:
        registry: Described = json.loads(source.read(REGISTRY))
        for kind, fields in MEMBER_FIELDS.items():
            for each in registry[f"{kind}s"]:
                check_fields(each, fields)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(
            f"{source.name}: {REGISTRY} is not what an export writes", code="bad-bundle"
        ) from error
    return registry


def _read_lines(source: Source, contents: Contents, name: str) -> list[tuple[int, dict[str, Any]]]:
    found = []
    for number, line in read_lines(io.BytesIO(source.read(name))):
        try:
            found.append((number, load_record(line)))
        except BadLineError as error:
            contents.leave_out(name, str(error), number)
    return found


def _read_versions(
    source: Source, contents: Contents, listed: Mapping[str, BundleFile]
) -> dict[str, str]:
    """Read the versions; return the origin class of the newest of each file."""
    newest: dict[str, str] = {}
    if VERSIONS not in listed:
        return newest
    for number, value in _read_lines(source, contents, VERSIONS):
        try:
            check_version(value)
        except BadLineError as error:
            contents.leave_out(VERSIONS, str(error), number)
            continue
        if f"{CONTENTS}{value['stored_sha256']}" not in listed:
            contents.leave_out(VERSIONS, "its content is missing", number)
            continue
        contents.versions.append(value)
        newest[value["path"]] = value["origin"]

    def load_content(digest: str) -> bytes:
        return source.read(f"{CONTENTS}{digest}")

    contents.load_content = load_content
    return newest


def _read_file(source: Source, contents: Contents, name: str, newest: Mapping[str, str]) -> None:
    reference = name.removeprefix(FILES).replace("/", ":", 1)
    try:
        found = parse_memory_file(reference)
    except CrewmemError as error:
        contents.leave_out(name, error.message)
        return
    assert found.scope is not None
    if tier_of(found.file, found.scope) in PRIVATE_TIERS:
        contents.leave_out(name, "bundles never contain profiles of people")
        return
    text = source.read(name).decode("utf-8", "surrogateescape")
    contents.texts.append(
        Text(
            name, found.file, text, scope=found.scope, crew=found.crew, agent=found.agent,
            origin=newest.get(reference, ""), may_split=found.file.startswith("topics/"),
        )
    )  # fmt: skip
