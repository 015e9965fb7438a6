"""Pieces of foreign files gathered into documents: one for each memory file."""

from __future__ import annotations

from crewmem.bundles.limits import FOREIGN_MOST
from crewmem.bundles.reading import (
    HELD_BACK,
    Document,
    LeftOut,
    Piece,
    Reading,
    joined,
)
from crewmem.errors.cli import InputTooLargeError
from crewmem.files.contents import day_of
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.bundles.reading import Aim
    from crewmem.bundles.source import Source

AGENT_FILE, CREW_FILE, PERSONA_FILE = "AGENT.md", "CREW.md", "PERSONA.md"

NO_MARKDOWN = "it is no markdown"
NOT_ENTERED = "files that deep are not memory there"
EMPTY = "it is empty"

ABOUT = frozenset(
    {"readme.md", "license.md", "changelog.md", "contributing.md", "code_of_conduct.md"}
)
"""Files that say what a folder is, and are no memory of anybody."""

OF_CREW = {AGENT_FILE: CREW_FILE}
"""What an agent's file is called where all is for a crew."""


class Gathering:
    """Pieces as they are met, in the order of their names."""

    def __init__(self, source: Source, aim: Aim) -> None:
        self._source, self._aim = source, aim
        self._pieces: list[Piece] = []
        self._left_out: list[LeftOut] = []

    def leave(self, name: str, reason: str) -> None:
        """Leave *name* out."""
        self._left_out.append(LeftOut(name, reason))

    def content(self, name: str) -> bytes | None:
        """Return the foreign file *name*; None: it is left out."""
        try:
            content = self._source.read(name, FOREIGN_MOST)
        except InputTooLargeError as error:
            self.leave(name, f"it is over {error.limit:,} bytes")
            return None
        try:
            content.decode()
        except UnicodeDecodeError:
            self.leave(name, "it is not UTF-8")
            return None
        if not content.strip():
            self.leave(name, EMPTY)
            return None
        return content

    def take(self, name: str, file: str, *, is_crew: bool = False) -> None:
        """Take the foreign file *name* for the memory file *file*."""
        if (content := self.content(name)) is not None:
            self.add(Piece(file, name, content, is_crew))

    def add(self, piece: Piece) -> None:
        """Take *piece*, which is read already."""
        self._pieces.append(piece)

    def reading(self) -> Reading:
        """Return what came of it."""
        aim = self._aim
        targets: dict[tuple[bool, str], list[Piece]] = {}
        for piece in self._pieces:
            is_crew = piece.is_crew or aim.agent is None
            if is_crew and aim.agent is not None and not aim.with_crew:
                self.leave(piece.source, HELD_BACK)
                continue
            file = OF_CREW.get(piece.file, piece.file) if is_crew else piece.file
            targets.setdefault((is_crew, file), []).append(piece)
        documents = [
            Document(
                scope=Scope.CREW if is_crew else Scope.AGENT,
                crew=aim.crew,
                agent=None if is_crew else aim.agent,
                file=file,
                content=joined(pieces),
                sources=tuple(piece.source for piece in pieces),
            )
            for (is_crew, file), pieces in targets.items()
        ]
        return Reading(tuple(documents), tuple(self._left_out))


def is_markdown(name: str) -> bool:
    """Tell whether *name* is that of a markdown file."""
    return name.lower().endswith((".md", ".markdown"))


def daily(name: str) -> str | None:
    """Return the daily note that a file called *name* is; None: it is none."""
    day = day_of(name)
    return f"daily/{day.isoformat()}.md" if day else None
