"""Bundles of crewmem, as written by `export`."""

import json
from collections.abc import Mapping
from hashlib import sha256

from crewmem.errors import CrewmemError, DamagedError
from crewmem.files.references import parse_memory_file
from crewmem.files.tiers import PRIVATE_TIERS, tier_of
from crewmem.files.versions import check_version
from crewmem.storage.json_lines import BadLineError, check_fields
from crewmem.transfer.contents import Contents, ImportOptions, Layout, Text
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
from crewmem.transfer.import_source import Source
from crewmem.transfer.members import MEMBER_FIELDS, MemberRecords


def matches(source: Source) -> bool:
    """Return whether there is a crewmem manifest."""
    if MANIFEST not in source.files:
        return False
    try:
        record = json.loads(source.read(MANIFEST))
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("format") == FORMAT


def read(source: Source, options: ImportOptions) -> Contents:
    """Return the contents of a bundle, after checking the hash of each file.

    Raises:
        DamagedError: If a file is missing or does not match the manifest.
    """
    data = source.read(MANIFEST)
    manifest = parse_manifest(data, source.name)
    contents = Contents(origin="external", is_bundle=True, digest=sha256(data).hexdigest())
    for name in source.files:
        if name not in manifest and name != MANIFEST:
            contents.leave_out(name, "the manifest does not list it")
    for name, item in manifest.items():
        if name not in source.files:
            raise DamagedError(f"{source.name}: {name} is missing", code="bad-bundle")
        if sha256(source.read(name)).hexdigest() != item.sha256:
            raise DamagedError(f"{source.name}: {name} does not match its hash", code="bad-bundle")
    origins = _read_versions(source, contents, manifest)
    for name in sorted(manifest):
        if name.startswith(FILES):
            _read_file(source, contents, name, origins)
    if REGISTRY in manifest:
        contents.registry = _read_registry(source)
    if FACTS in manifest:
        contents.facts += source.read_items(FACTS)
    if JOURNAL in manifest:
        contents.journal = source.read(JOURNAL)
    contents.left_out += source.bad_lines
    return contents


def _read_registry(source: Source) -> MemberRecords:
    try:
        registry: MemberRecords = json.loads(source.read(REGISTRY))
        for kind, fields in MEMBER_FIELDS.items():
            for each in registry[f"{kind}s"]:
                check_fields(each, fields)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(
            f"{source.name}: {REGISTRY} is not what an export writes", code="bad-bundle"
        ) from error
    return registry


def _read_versions(
    source: Source, contents: Contents, manifest: Mapping[str, BundleFile]
) -> dict[str, str]:
    """Add the versions to *contents*; return the origin class of each file's newest version."""
    origins: dict[str, str] = {}
    if VERSIONS not in manifest:
        return origins
    for item in source.read_items(VERSIONS):
        value = item.value
        try:
            check_version(value)
        except BadLineError as error:
            contents.leave_out(VERSIONS, str(error), item.line)
            continue
        if f"{CONTENTS}{value['stored_sha256']}" not in manifest:
            contents.leave_out(VERSIONS, "its content is missing", item.line)
            continue
        contents.versions.append(value)
        origins[value["path"]] = value["origin"]

    def load_content(digest: str) -> bytes:
        return source.read(f"{CONTENTS}{digest}")

    contents.load_content = load_content
    return origins


def _read_file(source: Source, contents: Contents, name: str, origins: Mapping[str, str]) -> None:
    """Add a memory file to *contents*."""
    reference = name.removeprefix(FILES).replace("/", ":", 1)
    try:
        parsed = parse_memory_file(reference)
    except CrewmemError as error:
        contents.leave_out(name, error.message)
        return
    assert parsed.scope is not None
    if tier_of(parsed.file, parsed.scope) in PRIVATE_TIERS:
        contents.leave_out(name, "bundles never contain profiles of people")
        return
    text = source.read(name).decode("utf-8", "surrogateescape")
    contents.texts.append(
        Text(
            name,
            parsed.file,
            text,
            scope=parsed.scope,
            crew=parsed.crew,
            agent=parsed.agent,
            origin=origins.get(reference, ""),
            may_split=parsed.file.startswith("topics/"),
        )
    )


LAYOUT = Layout("crewmem", matches, read)
