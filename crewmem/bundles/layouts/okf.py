"""OKF bundles: pages with front matter, and ``okf.yaml`` that lists them."""

from __future__ import annotations

from crewmem.bundles.layouts import crewship, nanoclaw, openclaw
from crewmem.bundles.layouts.crewship import normal
from crewmem.bundles.layouts.gathered import (
    AGENT_FILE,
    CREW_FILE,
    NO_MARKDOWN,
    PERSONA_FILE,
    Gathering,
    daily,
    is_markdown,
)
from crewmem.bundles.limits import FOREIGN_MOST
from crewmem.bundles.names import hidden, trouble
from crewmem.bundles.reading import Piece
from crewmem.bundles.source import HIDDEN
from crewmem.bundles.yaml import YamlError, parsed
from crewmem.errors.bundles import BundleDamagedError
from crewmem.files.contents import day_of
from crewmem.files.front_matter import front_matter_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source

MANIFEST = "okf.yaml"

SNIFFED = 64
"""Pages that are looked into for front matter where there is no manifest."""

CREW_KINDS = frozenset({"crew", "workspace", "learned"})
"""Types of pages that are a crew's."""

CREW_TOPS = ("topics/", "learned/", "users/", CREW_FILE)
"""Files that only a crew has."""

KINDS = {
    "crew": CREW_FILE,
    "workspace": CREW_FILE,
    "pins": "pins.md",
    "persona": PERSONA_FILE,
}
"""The file of a type, where the page does not name it."""

Fields = dict[str, str]


def fits(names: Collection[str], source: Source) -> bool:
    """Tell whether there is a manifest, or pages say of what type they are.

    Pages of others may say so as well, so those are asked first.
    """
    if MANIFEST in names:
        return True
    if any(each.fits(names, source) for each in (crewship, nanoclaw, openclaw)):
        return False
    pages = [name for name in sorted(names) if is_markdown(name)]
    return any(_has_type(source, name) for name in pages[:SNIFFED])


def _has_type(source: Source, name: str) -> bool:
    if source.sizes[name] > FOREIGN_MOST:
        return False
    try:
        fields, _ = split(source.read(name, FOREIGN_MOST))
    except (YamlError, UnicodeDecodeError):
        return False
    return "type" in fields


def read(source: Source, aim: Aim) -> Reading:
    """Return what the pages of *source* hold.

    Raises:
        BundleDamagedError: If its manifest cannot be read.
    """
    listed = _listed(source)
    gathering = Gathering(source, aim)
    for name in sorted(source.sizes):
        if name == MANIFEST:
            continue
        if not is_markdown(name):
            gathering.leave(name, NO_MARKDOWN)
        elif listed is not None and name not in listed:
            gathering.leave(name, f"{MANIFEST} does not list it")
        else:
            _take(gathering, name, (listed or {}).get(name, {}))
    for name in sorted(set(listed or ()) - source.sizes.keys()):
        gathering.leave(name, f"{MANIFEST} lists it, and it is not there")
    return gathering.reading()


def _listed(source: Source) -> dict[str, Fields] | None:
    """Return what the manifest says of each page; None: there is no manifest."""
    if MANIFEST not in source.sizes:
        return None
    try:
        found = parsed(source.read(MANIFEST, FOREIGN_MOST).decode())
    except UnicodeDecodeError as error:
        raise BundleDamagedError(source.name, f"{MANIFEST} is not UTF-8") from error
    except YamlError as error:
        raise BundleDamagedError(source.name, f"{MANIFEST}: {error}") from error
    if found.get("format") != "okf":
        raise BundleDamagedError(source.name, f"{MANIFEST} is of another format")
    documents = found.get("documents") or []
    if not isinstance(documents, list):
        raise BundleDamagedError(source.name, f"{MANIFEST} lists no documents")
    pages = [_texts(each) for each in documents if isinstance(each, dict)]
    return {each["path"]: each for each in pages if "path" in each}


def _texts(fields: Mapping[str, object]) -> Fields:
    return {key: value for key, value in fields.items() if isinstance(value, str)}


def split(content: bytes) -> tuple[Fields, bytes]:
    """Return the fields that a page begins with, and what follows them.

    Raises:
        YamlError: If they cannot be read.
        UnicodeDecodeError: If it is not UTF-8.
    """
    text = content.decode("utf-8-sig")
    unix = text.replace("\r\n", "\n")
    end = front_matter_end(f"\n{unix}")
    if not end:
        if unix.startswith("---\n"):
            raise YamlError("what stands between the dashes is not read")
        return {}, content
    head = unix[:end].strip("\n").removeprefix("---").removesuffix("---")
    body = unix[end:].lstrip("\n")
    return _texts(parsed(head.removesuffix("..."))), body.encode()


def _take(gathering: Gathering, name: str, item: Fields) -> None:
    content = gathering.content(name)
    if content is None:
        return
    try:
        fields, body = split(content)
    except YamlError as error:
        gathering.leave(name, f"its front matter cannot be read: {error}")
        return
    if not body.strip():
        gathering.leave(name, "it is empty")
        return
    kind = fields.get("type") or item.get("tier") or "agent"
    scope = fields.get("scope") or item.get("scope") or ""
    path = fields.get("crewship_path", "")
    if reason := path and (HIDDEN if hidden(path) else trouble(path)):
        gathering.leave(name, f"it is for {path!r}: {reason}")
        return
    file = normal(path) if path else _file_of(kind, name)
    is_crew = scope == "crew" or kind in CREW_KINDS or file.startswith(CREW_TOPS)
    gathering.add(Piece(file, name, body, is_crew and scope != "agent"))


def _file_of(kind: str, name: str) -> str:
    """Return the memory file that a page of *kind* is for, if it does not say so."""
    if kind == "learned":
        day = day_of(name[-len("2026-01-01.md") :])
        return f"learned/{day.isoformat()}.md" if day else "topics/learned.md"
    if kind == "daily" and (note := daily(name)):
        return note
    return KINDS.get(kind, AGENT_FILE)
