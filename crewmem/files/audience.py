"""Who may read an index: nobody who may not read each of the files that are in it."""

from __future__ import annotations

import os
from contextlib import suppress
from stat import S_IMODE

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.store import INDEX_NAME

CLASSES = ((0o040, 0o070), (0o004, 0o007))
"""Of group and others the bit to read, and all that they have."""


def narrowed(mode: int, shared: int) -> int:
    """Return *mode* without those who may not read what has only the bits *shared*."""
    for read, every in CLASSES:
        if not shared & read:
            mode &= ~every
    return mode


def narrow(folder: int, shared: int) -> None:
    """Close the index in *folder* to those who may not read its files.

    Args:
        folder: Descriptor of its directory.
        shared: The bits that all files have that were brought in. Whose index it is
            may be somebody else: then it stays as he made it.
    """
    with suppress(CrewmemError, OSError):
        mode = S_IMODE(os.lstat(INDEX_NAME, dir_fd=folder).st_mode)
        if (wanted := narrowed(mode, shared)) != mode:
            disk.set_mode(folder, INDEX_NAME, wanted)
