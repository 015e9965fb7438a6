"""Reading what is compressed with zstd, with the extra of that name."""

from __future__ import annotations

import os

from crewmem.errors.transcripts import LogDamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Read = Callable[[int], bytes]

WINDOW_MOST = 256 << 20
"""Bytes of memory that a file may ask for to be read: more is no log's."""


def is_there() -> bool:
    """Tell whether what reads it is installed."""
    try:
        import zstandard  # noqa: F401 - asked for by name alone
    except ImportError:
        return False
    return True


class _Open:
    """Reads an open file, which stays whose it is."""

    def __init__(self, number: int) -> None:
        self._number = number

    def read(self, size: int) -> bytes:
        """Return the next *size* bytes, or fewer."""
        return os.read(self._number, size)


def unpack(number: int, path: str) -> Read:
    """Return what reads what is compressed in the open file *number*.

    What it returns raises LogDamagedError, which names *path*.
    """
    from zstandard import ZstdDecompressor, ZstdError

    opened: Any = _Open(number)  # it is asked for no more than to be read
    stream = ZstdDecompressor(max_window_size=WINDOW_MOST).stream_reader(
        opened, read_across_frames=True, closefd=False
    )

    def read(size: int) -> bytes:
        try:
            return stream.read(size)
        except ZstdError as error:
            raise LogDamagedError(path, str(error)) from error

    return read


def unpacked(content: bytes, most: int) -> bytes:
    """Return what *content* is, uncompressed.

    Raises:
        LogDamagedError: If it is nothing of that kind, or more than *most* bytes.
    """
    from zstandard import ZstdDecompressor, ZstdError

    try:
        with ZstdDecompressor(max_window_size=WINDOW_MOST).stream_reader(content) as it:
            found = it.read(most + 1)
    except ZstdError as error:
        raise LogDamagedError("a row", str(error)) from error
    if len(found) > most:
        raise LogDamagedError("a row", "it is too long")
    return found
