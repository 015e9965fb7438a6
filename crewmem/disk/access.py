"""What may be done in a directory, told without doing it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.disk.names import StrPath


def is_writable(directory: StrPath) -> bool:
    """Tell whether this process may make files in *directory*, without trying.

    For root the system looks past the permissions, and on older ones past a
    read-only mount as well, so the mount is asked, too. False if it is not there.
    """
    effective = os.access in os.supports_effective_ids
    path = os.fspath(directory)
    inside = path and f"{path}/."  # only in a directory, and only if it may be entered
    try:
        allowed = os.access(inside, os.W_OK, effective_ids=effective)
    except ValueError:  # no path at all
        return False
    return allowed and not is_read_only(inside)


def is_read_only(directory: StrPath) -> bool:
    """Tell whether *directory* is on a medium on which nobody can write now."""
    try:
        return bool(os.statvfs(directory).f_flag & os.ST_RDONLY)
    except (OSError, ValueError):
        return False
