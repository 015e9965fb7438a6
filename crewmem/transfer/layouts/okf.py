"""OKF bundles: pages with front matter, listed in ``okf.yaml``."""

from typing import Any

import yaml

from crewmem.access import Scope
from crewmem.errors import CrewmemError, DamagedError
from crewmem.files.tiers import check_file_name, tier_of
from crewmem.text.markdown import split_front_matter
from crewmem.transfer.contents import Contents, ImportOptions, Layout, Text, find_day, name_topics
from crewmem.transfer.import_source import Source

MANIFEST = "okf.yaml"

CREW_TYPES = frozenset({"crew", "workspace", "learned"})
"""Types of pages that belong to the crew unless their scope says otherwise."""

FILES = {"crew": "CREW.md", "workspace": "CREW.md", "pins": "pins.md", "persona": "PERSONA.md"}
"""Memory files by type, for pages without a path."""

SAMPLE_SIZE = 64
"""Number of pages that are read to recognise a source without a manifest."""


def matches(source: Source) -> bool:
    """Return whether there is a manifest, or a page with a ``crewship_path``."""
    if MANIFEST in source.files:
        return True
    pages = source.markdown()[:SAMPLE_SIZE]
    return any("crewship_path" in split_front_matter(source.read_text(name))[0] for name in pages)


def read(source: Source, options: ImportOptions) -> Contents:
    """Return the pages as texts."""
    contents = Contents(origin="external", is_bundle=True)
    manifest = _load_manifest(source)
    topics = name_topics(source.markdown())
    for name in source.files:
        if name == MANIFEST or name not in topics:
            continue
        if manifest is not None and name not in manifest:
            contents.leave_out(name, f"{MANIFEST} does not list it")
        else:
            _read_page(source, contents, name, (manifest or {}).get(name, {}), topics[name])
    for name in sorted(set(manifest or ()) - source.files.keys()):
        contents.leave_out(name, f"{MANIFEST} lists it, but it does not exist")
    contents.leave_out_others(source, MANIFEST)
    return contents


def _load_manifest(source: Source) -> dict[str, dict[str, Any]] | None:
    """Return the entries of the manifest by path; None without a manifest."""
    if MANIFEST not in source.files:
        return None
    try:
        manifest = yaml.safe_load(source.read_text(MANIFEST))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DamagedError(f"{source.name}: {MANIFEST}: {error}", code="bad-bundle") from error
    if not isinstance(manifest, dict) or manifest.get("format") != "okf":
        raise DamagedError(f"{source.name}: {MANIFEST} has another format", code="bad-bundle")
    documents = manifest.get("documents")
    pages = documents if isinstance(documents, list) else []
    return {str(each["path"]): each for each in pages if isinstance(each, dict) and "path" in each}


def _read_page(
    source: Source, contents: Contents, name: str, item: dict[str, Any], topic: str
) -> None:
    """Add a page to *contents*; *item* is its manifest entry, *topic* its file by default."""
    text = source.read_text(name).replace("\r\n", "\n")
    fields, first_line = split_front_matter(text)
    body = "".join(text.splitlines(keepends=True)[first_line - 1 :])
    first_line += len(body) - len(body.lstrip("\n"))
    body = body.lstrip("\n")
    kind = str(fields.get("type") or item.get("tier") or "agent")
    scope = str(fields.get("scope") or item.get("scope") or "")
    path = str(fields.get("crewship_path") or "")
    day = find_day(name)
    if path:
        try:
            for part in path.split("/"):
                check_file_name(part)
        except CrewmemError as error:
            contents.leave_out(name, f"its path is {path!r}: {error.message}")
            return
        file = path
    elif kind in ("daily", "learned") and day:
        file = f"{kind}/{day}.md"
    else:
        file = FILES.get(kind, topic)
    is_crew = scope != "agent" and (
        scope == "crew" or kind in CREW_TYPES or file.startswith(("learned/", "CREW.md"))
    )
    target = Scope.CREW if is_crew else None
    if tier_of(file, target or Scope.AGENT) in ("other", "peer", "user"):
        contents.leave_out(name, f"{file} is not a memory file that can be imported")
        return
    may_split = file.startswith("topics/")
    contents.texts.append(
        Text(name, file, body, first_line=first_line, scope=target, may_split=may_split)
    )


LAYOUT = Layout("okf", matches, read)
