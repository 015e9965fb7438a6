"""A terminal of our own, in which a process believes itself before a person."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

ROWS, COLUMNS = 40, 100


class Terminal:
    """A pair of descriptors: the process writes to one, we read from the other."""

    def __enter__(self) -> Self:
        self._ours, self._theirs = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, size)
        return self

    def __exit__(self, *_: object) -> None:
        self._close_theirs()
        os.close(self._ours)

    @property
    def actions(self) -> list[tuple[int, int, int]]:
        """What makes it the three streams of a process that is spawned."""
        return [(os.POSIX_SPAWN_DUP2, self._theirs, number) for number in range(3)]

    def drain(self) -> None:
        """Read until the process has closed its side."""
        self._close_theirs()
        try:
            while os.read(self._ours, 65536):
                pass
        except OSError:
            return  # how Linux says that nobody is left on the other side

    def _close_theirs(self) -> None:
        if self._theirs >= 0:
            os.close(self._theirs)
            self._theirs = -1
