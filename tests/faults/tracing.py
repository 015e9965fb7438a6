"""Faults by the kernel, of whole commands: every call may be refused or the last."""

import strace

from tests.faults.conftest import BUG

ERRORS = ("EIO", "ENOSPC", "EROFS", "EDQUOT", "EINTR")

PATTERNS = {
    "open": "openat",
    "write": "write,pwrite64",
    "fsync": "fsync,fdatasync",
    "rename": "/^rename",
    "unlink": "/^unlink",
    "truncate": "ftruncate",
    "mkdir": "/^mkdir",
}

FAULTS = [f"error={error}" for error in ERRORS] + [strace.KILL]


def injected(folder, action, call, fault, nth):
    """Do *action* with one fault; return its status, and whether there was one.

    The status is None where it was killed. What strace says is kept in *folder*.
    """
    log = folder / "strace.log"
    status = strace.injected(log, action, (PATTERNS[call], fault, nth))
    if status is None:
        return None, True
    assert status != BUG, (call, fault, nth)
    return status, "(INJECTED)" in log.read_text()
