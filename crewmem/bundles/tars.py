"""Reading a tar, packed or not, as a source: in order, within limits, files alone."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from contextlib import contextmanager

from crewmem.bundles.source import Source
from crewmem.errors.bundles import BundleDamagedError, UnpackedTooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from _typeshed import WriteableBuffer

    from crewmem.bundles.limits import Limits

AT_ONCE = 1 << 20
"""Most bytes that are unpacked for one reading: a header may claim to be any size."""

BUFFER = 1 << 16
"""Bytes of a file that are unpacked together."""

FAILURES = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError)
"""What the libraries say of what is no archive, or of one that was cut."""

KINDS = {
    tarfile.SYMTYPE: "it is a link",
    tarfile.LNKTYPE: "it is a hard link",
    tarfile.CHRTYPE: "it is a device",
    tarfile.BLKTYPE: "it is a device",
    tarfile.FIFOTYPE: "it is a FIFO",
}
"""What a member can be besides a file."""

PLAIN = {tarfile.REGTYPE, tarfile.AREGTYPE}
"""A file. Sparse ones are not among them: they are as large as they like to be."""


class Guarded:
    """A stream that is not read beyond an end, whatever is claimed to be in it."""

    def __init__(self, stream: BinaryIO, name: str, most: int) -> None:
        self._stream, self._name, self._most = stream, name, most
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next *size* bytes, as far as there are any."""
        if size < 0 or size > AT_ONCE:
            raise BundleDamagedError(self._name, "a header in it is far too long")
        self._require(self._at + size)
        content = self._stream.read(size)
        self._at += len(content)
        return content

    def seek(self, position: int) -> int:
        """Go on at *position*."""
        self._require(position)
        self._at = self._stream.seek(position)
        return self._at

    def tell(self) -> int:
        """Return where it goes on."""
        return self._at

    def _require(self, position: int) -> None:
        if position > self._most + AT_ONCE:
            raise UnpackedTooLargeError(self._name, self._most, "bytes")


class Tar(Source):
    """A tar. Of what is in it only the places are kept."""

    def __init__(
        self, name: str, stream: BinaryIO, size: int, limits: Limits, *, packed: bool
    ) -> None:
        super().__init__(name, limits)
        inner: BinaryIO = gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[assignment]
        self._stream = Guarded(inner, name, limits.unpacks_to(size))
        self._places: dict[str, int] = {}
        with self._explained():
            self._list()
        self._settle(unwrap=True)

    def _list(self) -> None:
        tar = tarfile.open(fileobj=self._stream, mode="r:")  # type: ignore[call-overload] # noqa: SIM115 - nothing to close
        while info := tar.next():
            tar.members.clear()  # it would keep each of them
            name = info.name.removeprefix("./")
            if info.isdir():
                continue
            kind = "" if info.type in PLAIN else KINDS.get(info.type, "it is no file")
            if name not in self.sizes:
                self._places[name] = info.offset_data
            self._found(name, info.size, kind)
        self._finish(tar.offset)

    def _finish(self, end: int) -> None:
        """See that it ends as a tar does, and read what the last checksum is over."""
        self._stream.seek(end)
        if self._stream.read(512).strip(b"\0") or self._stream.tell() != end + 512:
            raise BundleDamagedError(self.name, "it ends too early, or is damaged")
        while self._stream.read(AT_ONCE):
            pass

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open the file called *name*."""
        part = Part(self._stream, self._places[self._wrap + name], self.sizes[name])
        with self._explained():
            yield io.BufferedReader(part, BUFFER)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise BundleDamagedError(self.name, _reason(error)) from error


class Part(io.RawIOBase):
    """A file in a tar, as a stream."""

    def __init__(self, stream: Guarded, start: int, size: int) -> None:
        self._tar, self._at, self._end = stream, start, start + size

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill *buffer* as far as there is something left."""
        room = memoryview(buffer).cast("B")
        wanted = min(len(room), self._end - self._at, AT_ONCE)
        if not wanted:
            return 0
        self._tar.seek(self._at)
        piece = self._tar.read(wanted)
        if not piece:
            raise EOFError
        room[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "it ends too early"
    return str(error).lower() or "it is damaged"
