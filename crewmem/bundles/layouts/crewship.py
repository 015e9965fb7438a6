"""Live ``.memory`` trees, ours and our predecessor's: bytes as they are.

One directory, or a whole crew, or all crews of a workspace.
"""

from __future__ import annotations

import re

from crewmem.bundles.layouts.gathered import NO_MARKDOWN, is_markdown
from crewmem.bundles.limits import DOCUMENT_MOST
from crewmem.bundles.names import hidden
from crewmem.bundles.reading import HELD_BACK, Document, LeftOut, Reading
from crewmem.errors.cli import InputTooLargeError
from crewmem.files.place import MEMORY
from crewmem.files.tiers import FOLDERS, NAMED
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim
    from crewmem.bundles.source import Source

PLACED = re.compile(
    r"(?:(?:workspaces/(?P<workspace>[^/]+)/)?crews/(?P<crew>[^/]+)/)?"
    r"(?:shared|agents/(?P<agent>[^/]+))/\.memory/(?P<file>.+)"
)
"""A file of a crew's root, or of a root of several crews."""

SHARED = re.compile(r"(?:workspaces/(?P<workspace>[^/]+)/)?\.memory/(?P<file>.+)")
"""A file of the workspace, in a root of several crews."""

SIGNS = frozenset(name.lower() for name in (*NAMED, "learned.md"))

OWN = tuple(f"{folder}/" for folder in FOLDERS)
"""Directories that only a memory directory has."""

CREW_TOPS = ("topics/", "learned/", "users/", "CREW.md")
"""What the directory of a crew has, and no agent's."""

OLD_TOPIC = re.compile(r"[a-z0-9][a-z0-9_-]*/topics/(?P<name>[^/]+\.md)")
"""Where the predecessor's jobs wrote, below the crew's directory."""

OLD_LEARNED = re.compile(r"learned-(?P<day>\d{4}-\d\d-\d\d)\.md")

DERIVED = frozenset({"index.sqlite"})
"""What is made again of the files."""


class Place(NamedTuple):
    """Whose a file is, as its path says."""

    scope: Scope
    crew: str | None
    agent: str | None
    file: str
    workspace: str | None = None


def fits(names: Collection[str], source: Source) -> bool:  # noqa: ARG001 - by names alone
    """Tell whether *names* are those of memory directories."""
    tops = {name for name in names if "/" not in name}
    return (
        any(name.lower() in SIGNS for name in tops)
        or any(f"/{MEMORY}/" in f"/{name}" for name in names)
        or any(name.startswith(OWN) and is_markdown(name) for name in names)
    )


def normal(file: str) -> str:
    """Return where *file*, as the predecessor called it, belongs."""
    if found := OLD_TOPIC.fullmatch(file):
        name = found["name"]
        if name == "pins.md":
            return name
        if day := OLD_LEARNED.fullmatch(name):
            return f"learned/{day['day']}.md"
        return f"topics/{name}"
    lower = {name.lower(): name for name in NAMED}
    return lower.get(file.lower(), file)


def read(source: Source, aim: Aim) -> Reading:
    """Return the memory files that *source* holds."""
    documents: list[Document] = []
    left_out: list[LeftOut] = []
    many = any(PLACED.fullmatch(name) for name in source.sizes)
    is_crew = _is_crew(source.sizes)
    workspace = _workspace(source.sizes)
    for name in sorted(source.sizes):
        place = _placed(name) if many else _alone(name, is_crew=is_crew)
        if place is None:
            left_out.append(LeftOut(name, "it is in no memory directory"))
            continue
        if reason := _why_not(name, place, aim, workspace):
            left_out.append(LeftOut(name, reason))
            continue
        try:
            content = source.read(name, DOCUMENT_MOST)
        except InputTooLargeError as error:
            left_out.append(LeftOut(name, f"it is over {error.limit:,} bytes"))
            continue
        documents.append(_document(place, aim, name, content))
    return Reading(tuple(documents), tuple(left_out))


def _is_crew(names: Collection[str]) -> bool:
    files = [name.removeprefix(f"{MEMORY}/") for name in names]
    return any(
        file.startswith(CREW_TOPS) or OLD_TOPIC.fullmatch(file) for file in files
    )


def _workspace(names: Collection[str]) -> str | None:
    found = (PLACED.fullmatch(name) for name in sorted(names))
    return next((match["workspace"] for match in found if match), None)


def _placed(name: str) -> Place | None:
    if match := PLACED.fullmatch(name):
        scope = Scope.AGENT if match["agent"] else Scope.CREW
        return Place(
            scope, match["crew"], match["agent"], match["file"], match["workspace"]
        )
    if match := SHARED.fullmatch(name):
        return Place(Scope.WORKSPACE, None, None, match["file"], match["workspace"])
    return None


def _alone(name: str, *, is_crew: bool) -> Place:
    file = name.removeprefix(f"{MEMORY}/")
    return Place(Scope.CREW if is_crew else Scope.AGENT, None, None, file)


def _why_not(name: str, place: Place, aim: Aim, workspace: str | None) -> str:
    """Return why the file *name* is left out, else ""."""
    if name.rpartition("/")[2] in DERIVED:
        return "it is made again of the files"
    if hidden(place.file):
        return "it is hidden"
    if not is_markdown(name):
        return NO_MARKDOWN
    if place.workspace != workspace:
        return "it is of another workspace"
    return _not_asked(place, aim)


def _not_asked(place: Place, aim: Aim) -> str:
    crew, agent = place.crew or aim.crew, place.agent or aim.agent
    if aim.agent is not None:
        if place.scope is Scope.WORKSPACE or (
            place.scope is Scope.AGENT and agent != aim.agent
        ):
            return NOT_ASKED
        if place.scope is Scope.CREW and not aim.with_crew:
            return HELD_BACK
    return NOT_ASKED if aim.crew is not None and crew != aim.crew else ""


NOT_ASKED = "it is another's, and was not asked for"


def _document(place: Place, aim: Aim, name: str, content: bytes) -> Document:
    is_shared = place.scope is Scope.WORKSPACE
    return Document(
        scope=place.scope,
        crew=None if is_shared else place.crew or aim.crew,
        agent=place.agent or aim.agent if place.scope is Scope.AGENT else None,
        file=normal(place.file),
        content=content,
        sources=(name,),
    )
