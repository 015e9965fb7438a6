"""Whose a file is: like what it replaces, or like the directory it is made in."""

from __future__ import annotations

import errno
import os

PRIVATE = 0o600
"""Mode of a new file: memory is its owner's business."""

PERMISSIONS = 0o777
"""The mode bits that are kept; set-id bits on a memory file mean nothing good."""

NOT_PERMITTED = frozenset({errno.EPERM, errno.EINVAL, errno.ENOTSUP})
"""Answers to giving a file away: not to that owner, not by us, not here."""


def give(made: int, parent: int) -> None:
    """Give what root has made to whoever owns the directory that it is in.

    Else the agent whose memory an operator cares for as root is locked out of it.
    """
    if os.geteuid() == 0:
        _give_to(made, os.fstat(parent))


def resemble(opened: int, like: os.stat_result) -> None:
    """Give *opened* the owner, group and permissions of *like*, as far as allowed."""
    mode = like.st_mode & PERMISSIONS
    if not _give_to(opened, like):
        others = mode & 0o007  # what was the group's must not be another group's
        mode = mode & 0o707 | others << 3
    if os.fstat(opened).st_mode & PERMISSIONS != mode:
        os.fchmod(opened, mode)


def _give_to(opened: int, like: os.stat_result) -> bool:
    """Give *opened* the owner and group of *like*; tell whether the group is right."""
    now = os.fstat(opened)
    if now.st_uid != like.st_uid and _chown(opened, like.st_uid, like.st_gid):
        return True
    return now.st_gid == like.st_gid or _chown(opened, -1, like.st_gid)


def _chown(opened: int, owner: int, group: int) -> bool:
    try:
        os.fchown(opened, owner, group)
    except OSError as error:
        if error.errno in NOT_PERMITTED:
            return False
        raise
    return True
