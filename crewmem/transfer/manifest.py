"""The manifest of a bundle: its files, each with its hash."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from crewmem.errors import DamagedError

MANIFEST = "manifest.json"
REGISTRY = "registry.json"
FACTS = "facts.jsonl"
JOURNAL = "journal.jsonl"
VERSIONS = "versions.jsonl"
CONTENTS = "versions/"
FILES = "files/"
"""Directory of a bundle's contents. Memory files: ``files/agent/harbor/winch/AGENT.md``."""

FORMAT, VERSION = "crewmem", 1

PARTS = ("files", "facts", "journal", "versions")


class BundleFile(NamedTuple):
    """A file of a bundle.

    Attributes:
        tier: Tier of a memory file; for other files, their kind of content.
    """

    path: str
    tier: str
    sha256: str
    bytes: int


def format_manifest(files: Iterable[BundleFile], *, parts: Iterable[str]) -> bytes:
    """Return the manifest of a bundle."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "parts": sorted(parts),
        "files": [each._asdict() for each in sorted(files)],
    }
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()


def parse_manifest(data: bytes, name: str) -> dict[str, BundleFile]:
    """Return the files that a manifest lists, by path.

    Raises:
        DamagedError: If it is not a manifest, or has a later version.
    """
    try:
        record = json.loads(data)
        is_newer = record["format"] == FORMAT and record["version"] > VERSION
        files = [] if is_newer else [BundleFile(**each) for each in record["files"]]
        if not all(isinstance(each.path, str) for each in files):
            raise TypeError("a path is not text")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(
            f"{name}: {MANIFEST} is not what an export writes", code="bad-bundle"
        ) from error
    if is_newer:
        raise DamagedError(
            f"{name} was written by a later crewmem (bundle version {record['version']})",
            code="bundle-too-new",
        )
    return {each.path: each for each in files}


def dump_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Return records as JSON lines; equal records give equal bytes."""
    lines = [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in records]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
