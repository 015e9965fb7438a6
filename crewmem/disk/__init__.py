"""The only hand that writes files, and the way to read below a root.

A root is opened once (`open_root`), and everything below it is named relative to
that descriptor. What is reported as done is on the disk; what fails leaves things
as they were; no link, FIFO or ``..`` below the root leads anywhere.
"""

from __future__ import annotations

from crewmem.disk.names import is_temporary, temporary_name
from crewmem.disk.paths import (
    Descriptor,
    Directory,
    File,
    open_below,
    open_directory,
    open_file,
    open_root,
    read,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.access import is_read_only, is_writable
    from crewmem.disk.durable import adopt, create, discard, remove, write
    from crewmem.disk.folders import make_dirs, make_root
    from crewmem.disk.locks import Lock, lock, stamp
    from crewmem.disk.mending import remove_empty, set_mode
    from crewmem.disk.moving import move
    from crewmem.disk.streaming import write_pieces

__all__ = [
    "Descriptor",
    "Directory",
    "File",
    "Lock",
    "adopt",
    "create",
    "discard",
    "is_read_only",
    "is_temporary",
    "is_writable",
    "lock",
    "make_dirs",
    "make_root",
    "move",
    "open_below",
    "open_directory",
    "open_file",
    "open_root",
    "read",
    "remove",
    "remove_empty",
    "set_mode",
    "stamp",
    "temporary_name",
    "write",
    "write_pieces",
]

LATE = {
    "adopt": "durable",
    "create": "durable",
    "discard": "durable",
    "remove": "durable",
    "write": "durable",
    "is_read_only": "access",
    "is_writable": "access",
    "make_dirs": "folders",
    "make_root": "folders",
    "Lock": "locks",
    "lock": "locks",
    "stamp": "locks",
    "move": "moving",
    "remove_empty": "mending",
    "set_mode": "mending",
    "write_pieces": "streaming",
}
"""What is imported when it is first asked for, and from where: most commands only
read, and start two thirds of a millisecond sooner without it."""


def __getattr__(name: str) -> object:
    if name not in LATE:
        raise AttributeError(name)
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{LATE[name]}"), name)
    globals()[name] = found
    return found
