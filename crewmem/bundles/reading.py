"""What was found in a source: documents, each for one memory file. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.bundles.manifest import Item
    from crewmem.memories.dump import Item as Foreign
    from crewmem.scope import Scope

HELD_BACK = "it is the crew's; --with-crew takes it along"
"""Why what is of a crew does not come with an agent."""


class LeftOut(NamedTuple):
    """Something of a source that is not imported.

    Attributes:
        source: Its name there.
        reason: Why.
    """

    source: str
    reason: str


class Document(NamedTuple):
    """What a memory file is to hold.

    Attributes:
        scope: Whose directory it is for: an agent's, a crew's, the workspace's.
        crew: The crew; None: the one that the command names.
        agent: The agent; None: the one that the command names, or none.
        file: The file below the memory directory.
        content: What it is to hold.
        sources: What it is made of, by name.
    """

    scope: Scope
    crew: str | None
    agent: str | None
    file: str
    content: bytes
    sources: tuple[str, ...]


class Piece(NamedTuple):
    """A part of a document, as one file of a source has it.

    Attributes:
        is_crew: Whether it is for the crew, whoever else is named.
    """

    file: str
    source: str
    content: bytes
    is_crew: bool = False


class Aim(NamedTuple):
    """For whom a source is read that does not say it itself.

    Attributes:
        crew: The crew, or the home crew of the agent.
        agent: The agent; None: it is for the crew.
        group: The group of several that is meant.
        person: The name of the file of the person whom the source is about.
        with_crew: Whether what is the crew's comes with an agent.
        workspace: The workspace.
        names: What agents, crews and kinds are called here, by what they are there.
        with_issues: Whether Beads' issues come as action items.
    """

    crew: str | None = None
    agent: str | None = None
    group: str | None = None
    person: str | None = None
    with_crew: bool = False
    workspace: str = "default"
    names: Mapping[str, str] = {}
    with_issues: bool = False


class Reading(NamedTuple):
    """What a source holds.

    Attributes:
        documents: One for each memory file.
        left_out: What of it is not imported.
        rejected: What cannot be: it is not what the source says that it is.
        parts: Files of a bundle that are no memory files, by their path.
        is_whole: Whether it holds all there is of what it is of, its history as well.
        memories: What a dump of memories holds; None: it is no such dump.
    """

    documents: tuple[Document, ...]
    left_out: tuple[LeftOut, ...]
    rejected: tuple[LeftOut, ...] = ()
    parts: Mapping[str, Item] = {}
    is_whole: bool = False
    memories: tuple[Foreign, ...] | None = None


def joined(pieces: Sequence[Piece]) -> bytes:
    """Return the text of *pieces* of one file; of several each under its source."""
    if len(pieces) == 1:
        return pieces[0].content
    parts = [
        b"## %s\n\n%s\n" % (piece.source.encode("utf-8", "replace"), _trimmed(piece))
        for piece in pieces
    ]
    return b"\n".join(parts)


def _trimmed(piece: Piece) -> bytes:
    return piece.content.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n")
