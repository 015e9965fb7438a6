"""Faults by the kernel: strace refuses a call of a process, or kills it there."""

import ctypes
import os
import shutil
import subprocess

import pytest

from tests.faults.conftest import BUG

STRACE = shutil.which("strace")

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

KILL = "signal=SIGKILL"

FAULTS = [f"error={error}" for error in ERRORS] + [KILL]

LET_ANYBODY_TRACE = (0x59616D61, -1)
"""prctl: PR_SET_PTRACER, PR_SET_PTRACER_ANY."""


def child(action, ready, gate):
    """Do *action* in a child when the gate opens; it tells by its status."""
    pid = os.fork()
    if pid:
        return pid
    status = BUG
    try:
        ctypes.CDLL(None).prctl(*LET_ANYBODY_TRACE)
        os.write(ready, b"!")
        os.read(gate, 1)
        status = action()
    finally:
        os._exit(status)


def injected(folder, action, call, fault, nth):
    """Do *action* with one fault; return its status, and whether there was one.

    The status is None where it was killed. What strace says is kept in *folder*.
    """
    pipes = [*os.pipe(), *os.pipe()]
    is_ready, ready, gate, opener = pipes
    pid = child(action, ready, gate)
    os.read(is_ready, 1)
    log = folder / "strace.log"
    argv = [STRACE, "-o", log, "-p", str(pid), "-e", f"trace={PATTERNS[call]}"]
    argv += ["-e", f"inject={PATTERNS[call]}:{fault}:when={nth}"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as strace:
        attached = strace.stderr.readline()
        os.write(opener, b"!")
        _, ended = os.waitpid(pid, 0)
        strace.communicate()
    for end in pipes:
        os.close(end)
    if "attached" not in attached:
        pytest.skip(f"strace cannot attach here: {attached.strip()}")
    if os.WIFSIGNALED(ended):
        return None, True
    status = os.waitstatus_to_exitcode(ended)
    assert status != BUG, (call, fault, nth)
    return status, "(INJECTED)" in log.read_text()
