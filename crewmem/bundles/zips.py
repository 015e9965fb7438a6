"""Reading a zip as a source, within limits, files alone."""

from __future__ import annotations

import stat
import zipfile
import zlib
from contextlib import contextmanager

from crewmem.bundles.source import Source
from crewmem.disk.failures import KINDS
from crewmem.errors.bundles import BundleDamagedError, UnpackedTooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from crewmem.bundles.limits import Limits

FAILURES = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
)
"""What the library says of what is no zip, or of one that it does not read."""

PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""How files in it may be packed: other ways unpack to hardly any limit."""

ENCRYPTED = 0x1
"""The flag of a file that needs a password."""


class Zip(Source):
    """A zip."""

    def __init__(self, name: str, stream: BinaryIO, size: int, limits: Limits) -> None:
        super().__init__(name, limits)
        with self._explained():
            self._zip = zipfile.ZipFile(stream)
            infos = [info for info in self._zip.infolist() if not info.is_dir()]
        self._infos: dict[str, zipfile.ZipInfo] = {}
        most = limits.unpacks_to(size)
        if sum(info.file_size for info in infos) > most:
            raise UnpackedTooLargeError(name, most, "bytes")
        for info in infos:
            self._infos.setdefault(info.filename, info)
            self._found(info.filename, info.file_size, _why_not(info))
        self._settle(unwrap=True)

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open the file called *name*."""
        with (
            self._explained(),
            self._zip.open(self._infos[self._wrap + name]) as stream,
        ):
            yield stream  # type: ignore[misc]

    def close(self) -> None:
        """Let go of it."""
        self._zip.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            reason = str(error).lower() or "it is damaged"
            raise BundleDamagedError(self.name, reason) from error


def _why_not(info: zipfile.ZipInfo) -> str:
    """Return why a member is left out, else ""."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        return KINDS.get(kind, "it is not a file")
    if info.flag_bits & ENCRYPTED:
        return "it is encrypted"
    if info.compress_type not in PACKED:
        return "it is packed in a way that is not read"
    return ""
