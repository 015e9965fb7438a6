"""What a format is: one Protocol, and what formats of JSON lines share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from crewmem.sessions.turns import Record, State, Turn


class Document(NamedTuple):
    """A session that is read whole: one JSON object, or a session in a database.

    Attributes:
        state: What its head says: session, project, title.
        records: Position and content of each message.
    """

    state: State
    records: Sequence[tuple[int, Record]]


class Format(Protocol):
    """How a program writes its sessions.

    A log is a file of JSON lines, which grows; a document, which is one JSON object; or a file
    that holds several sessions. The last two are read whole when they changed.

    Attributes:
        name: Of the program: ``claude``, ``codex`` …
    """

    name: str

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        """Return the directories where the program leaves its logs."""
        ...

    def is_log(self, relative: str) -> bool:
        """Tell whether a file below a root is a log, by its name."""
        ...

    def knows(self, record: Record) -> bool:
        """Tell whether a line, or the object of a document, is of this format."""
        ...

    def read_record(self, record: Record, line: int, state: State) -> Iterator[Turn]:
        """Yield the turns of one record; what it says of the session goes to *state*."""
        ...

    def split_document(self, document: Record, path: Path) -> Document | None:
        """Return head and messages of a JSON object; None if it is none of this format."""
        ...

    def list_sessions(self, path: Path) -> dict[str, str] | None:
        """Return a fingerprint of each session in a file that holds several; else None.

        Raises:
            CrewmemError: If it cannot be read.
        """
        ...

    def load_session(self, path: Path, inner: str) -> Document:
        """Read one of the sessions that `list_sessions` named."""
        ...


class LineFormat:
    """A format whose logs are JSON lines."""

    def split_document(self, document: Record, path: Path) -> Document | None:
        """Return None: there are no documents."""
        return None

    def list_sessions(self, path: Path) -> dict[str, str] | None:
        """Return None: a log is one session."""
        return None

    def load_session(self, path: Path, inner: str) -> Document:
        """Never called: a log is one session."""
        raise NotImplementedError(f"{path} {inner}")
