"""Opening a session log, whatever it lies in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.cursor import Cursor
    from crewmem.transcripts.read import Stream
    from crewmem.transcripts.source import Source


def open_at(source: Source, session: str, cursor: Cursor | None) -> Stream:
    """Open *source*, of a database its *session*, where *cursor* left it.

    Raises:
        PackedError: If it is compressed, and nothing here can read that.
        UnsafePathError: If there is no regular file any more.
    """
    from crewmem.backends import zstd
    from crewmem.transcripts.feed import opened

    is_there = zstd.is_there()
    if session:
        from crewmem.transcripts.openclaw_store import Rows

        rows = Rows(source.file, session, zstd.unpacked if is_there else None)
        if cursor:
            rows.resume(cursor)
        return rows
    return opened(source, cursor, zstd.unpack if is_there else None)


def open_at_start(source: Source, session: str) -> Stream:
    """Open it at its beginning."""
    return open_at(source, session, None)


def open_path(path: str, session: str, harness: str) -> Stream:
    """Open the log that is known as *path*, whether it is compressed by now or not."""
    import os

    from crewmem.transcripts.source import PACKED, Source

    folder, _, name = path.rpartition("/")
    if not session and not os.path.lexists(path):
        name = f"{name}{PACKED}"
    return open_at(Source(folder, name, harness, "", 0, 0, 0, 0), session, None)
