"""Where memory is imported from: a directory, an archive or one file, never trusted.

All of them are the same to whoever reads: names, and what is under each. Nothing is
unpacked onto the disk.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager

from crewmem import disk
from crewmem.bundles.limits import DEEPEST
from crewmem.bundles.names import alike, common_folder, hidden, trouble
from crewmem.bundles.reading import LeftOut
from crewmem.disk.failures import KINDS, failure
from crewmem.disk.paths import step
from crewmem.errors import CrewmemError
from crewmem.errors.bundles import UnpackedTooLargeError
from crewmem.errors.cli import InputTooLargeError
from crewmem.files.place import MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    from crewmem.bundles.limits import Limits

HIDDEN = "it is hidden"

ALIKE = "another name is the same, or differs in case alone"

SPEAKING = frozenset({MEMORY, "groups", "memory", "agents", "shared", "daily"})
"""Directories that say what is in them, so that one around all the rest is no wrap."""


class Source:
    """What is imported from.

    Attributes:
        name: What it was called.
        sizes: Bytes of each file, by name, in the order they are read best.
        left_out: What of it is not even looked at.
    """

    def __init__(self, name: str, limits: Limits) -> None:
        self.name, self.limits = name, limits
        self.sizes: dict[str, int] = {}
        self.left_out: list[LeftOut] = []
        self._wrap = ""
        self._hidden: set[str] = set()

    def read(self, name: str, most: int) -> bytes:
        """Return the file called *name*.

        Raises:
            InputTooLargeError: If it holds more than *most* bytes.
        """
        size = self.sizes[name]
        if size > most:
            raise InputTooLargeError(name, size, most)
        with self.opened(name) as stream:
            content = stream.read(most + 1)
        if len(content) > most:
            raise InputTooLargeError(name, len(content), most)
        return content

    def opened(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open the file called *name*, to be read from its beginning."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of it."""

    def _found(self, name: str, size: int, why_not: str = "") -> None:
        """Take note of a file, or of why it is left out."""
        if len(self.sizes) + len(self.left_out) >= self.limits.members:
            raise UnpackedTooLargeError(self.name, self.limits.members, "files")
        if above := hidden(name, but=MEMORY):
            if above not in self._hidden:
                self._hidden.add(above)
                self.left_out.append(LeftOut(above, HIDDEN))
        elif reason := why_not or trouble(name):
            self.left_out.append(LeftOut(name, reason))
        elif name in self.sizes:
            self.left_out.append(LeftOut(name, ALIKE))
        else:
            self.sizes[name] = size

    def _settle(self, *, unwrap: bool) -> None:
        """Leave out what is ambiguous, and a directory that is around everything."""
        twice = {each.source for each in self.left_out if each.reason == ALIKE}
        for name in sorted(alike(self.sizes) | twice):
            if self.sizes.pop(name, None) is not None and name not in twice:
                self.left_out.append(LeftOut(name, ALIKE))
        if unwrap and (wrap := common_folder([*self.sizes], but=SPEAKING)):
            self._wrap = wrap
            self.sizes = {
                name.removeprefix(wrap): size for name, size in self.sizes.items()
            }


class Folder(Source):
    """A directory. The way to it may be through links, and nothing below it is."""

    def __init__(self, path: str, limits: Limits) -> None:
        super().__init__(path, limits)
        self._root = disk.open_root(path)
        try:
            self._walk(self._root, "", 0)
        except BaseException:
            self._root.close()
            raise
        self._settle(unwrap=False)

    def _walk(self, directory: int, above: str, depth: int) -> None:
        try:
            with os.scandir(directory) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            raise failure(error, f"{self.name}/{above}", "read") from error
        for entry in entries:
            name = f"{above}{entry.name}"
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                self._enter(directory, name, depth)
            elif stat.S_ISREG(mode):
                self._found(name, entry.stat(follow_symlinks=False).st_size)
            else:
                why = KINDS.get(stat.S_IFMT(mode), "it is not a file")
                self._found(name, 0, why)

    def _enter(self, directory: int, name: str, depth: int) -> None:
        if hidden(name, but=MEMORY) or trouble(name):
            self._found(name, 0)
            return
        if depth >= DEEPEST:
            self._found(name, 0, "it is nested too deeply")
            return
        try:
            entered = step(directory, name.rpartition("/")[2])
        except CrewmemError as error:
            self._found(name, 0, str(error))
            return
        with entered:
            self._walk(entered, f"{name}/", depth + 1)

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open the file called *name*, as it is now."""
        with disk.open_file(self._root, name) as file:
            if file.stat.st_size > self.limits.input:
                size = file.stat.st_size
                error = InputTooLargeError(file.path, size, self.limits.input)
                error.hint = "--max-input SIZE lets more in."
                raise error
            with io.FileIO(int(file), "rb", closefd=False) as raw:
                yield io.BufferedReader(raw)

    def close(self) -> None:
        """Let go of the directory."""
        self._root.close()


class Single(Source):
    """One file, which is held in memory."""

    def __init__(self, name: str, content: bytes, limits: Limits) -> None:
        super().__init__(name, limits)
        self._content = content
        self.sizes = {os.path.basename(name) or name: len(content)}  # noqa: PTH119

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:  # noqa: ARG002 - there is one
        """Open the file."""
        yield io.BytesIO(self._content)


def open_stream(name: str, stream: BinaryIO, size: int, limits: Limits) -> Source:
    """Open *stream*, a file of *size* bytes, as what its first bytes say that it is."""
    start = stream.read(512)
    stream.seek(0)
    if start[:2] == b"\x1f\x8b" or start[257:262] == b"ustar":
        from crewmem.bundles.tars import Tar

        return Tar(name, stream, size, limits, packed=start[:2] == b"\x1f\x8b")
    if start[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:
        from crewmem.bundles.zips import Zip

        return Zip(name, stream, size, limits)
    return Single(name, stream.read(), limits)
