"""Writing a file piece by piece: what is larger than memory should hold at once."""

from __future__ import annotations

import os

from crewmem.disk.durable import before
from crewmem.disk.names import printable, temporary_name
from crewmem.disk.ownership import PRIVATE
from crewmem.disk.paths import locate, path_below
from crewmem.disk.staging import NEW, finish, publish, put_whole, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.disk.paths import StrPath


def write_pieces(
    root: int, relative: StrPath, pieces: Iterable[bytes], *, mode: int = PRIVATE
) -> None:
    """Make the file *relative* below *root* hold *pieces*, one after the other.

    It is as durable as `write`: whatever happens while they are made, what was there
    before stays, and nothing is left beside it.

    Raises:
        As `write`, and whatever is raised while *pieces* are made.
    """
    parent, name = locate(root, printable(relative))
    with parent:
        like = before(parent, name, path_below(parent, name))
        temporary = temporary_name(name)

        def prepare() -> None:
            opened = os.open(temporary, NEW, PRIVATE if like else mode, dir_fd=parent)
            try:
                for piece in pieces:
                    put_whole(opened, piece)
                finish(opened, parent, like)
            finally:
                os.close(opened)

        publish(parent, temporary, name, prepare=prepare, put=replace)
