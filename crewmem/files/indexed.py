"""What an index holds: files and their chunks, and how it is made and opened. Pure."""

from __future__ import annotations

from crewmem.db.connect import BUSY_TIMEOUT
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crewmem.files.place import Place


class Policy(NamedTuple):
    """How a directory is indexed.

    Attributes:
        chunk_chars: Most characters of a chunk.
        max_file_bytes: Larger files are left out, and reported.
        is_workspace: Whether the directory is a workspace's.
    """

    chunk_chars: int
    max_file_bytes: int
    is_workspace: bool = False

    @property
    def about(self) -> dict[str, int]:
        """What an index says of how it was made."""
        return {
            "chunk_chars": self.chunk_chars,
            "max_file_bytes": self.max_file_bytes,
        }


class Access(NamedTuple):
    """How indexes are opened.

    Attributes:
        cache: Where indexes of trees that are only to be read are kept; None for
            in memory.
        chunk_chars: Most characters of a chunk.
        max_file_bytes: Larger files are left out, and reported.
        now_ns: When, in nanoseconds since 1970.
        refresh: Whether the files are looked at before an index answers.
        distrust: Whether indexes on disk are left alone: one was found damaged.
        tick: Told after each file that is brought in how many were looked at, and of
            how many.
    """

    cache: Path | None
    chunk_chars: int
    max_file_bytes: int
    now_ns: int
    busy_timeout: float = BUSY_TIMEOUT
    refresh: bool = True
    distrust: bool = False
    tick: Callable[[int, int], None] | None = None

    def policy(self, place: Place) -> Policy:
        """Return how *place* is indexed."""
        is_workspace = place.scope is Scope.WORKSPACE
        return Policy(self.chunk_chars, self.max_file_bytes, is_workspace)


class File(NamedTuple):
    """A file as the index knows it.

    Attributes:
        file: Path below the memory directory, with forward slashes.
        size: In bytes.
        content_hash: Of its bytes; None when it was skipped.
        chunks: How many it was cut into.
        lossy: Whether bytes that are not UTF-8 were replaced.
        skipped: Why it is not indexed, else "".
    """

    id: int
    directory: str
    name: str
    tier: str
    size: int
    mtime_ns: int
    content_hash: bytes | None
    first_chunk: int | None
    chunks: int
    lossy: bool
    skipped: str

    @property
    def file(self) -> str:
        """The path below the memory directory, with forward slashes."""
        return f"{self.directory}/{self.name}" if self.directory else self.name


class Passage(NamedTuple):
    """A chunk as it is shown, with what is known of its file."""

    id: int
    file: str
    tier: str
    mtime_ns: int
    first: int
    last: int
    heading: str
    body: str


class Tally:
    """How many files were brought in, counted as it goes.

    Attributes:
        shared: The permissions that all of them have.
    """

    __slots__ = ("added", "changed", "removed", "shared")

    def __init__(self) -> None:
        self.added = self.changed = self.removed = 0
        self.shared = 0o777
