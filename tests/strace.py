"""Faults by the kernel: strace refuses a call of a child process, or kills it there."""

import ctypes
import os
import shutil
import subprocess
import sys

import pytest

STRACE = shutil.which("strace")

KILL = "signal=SIGKILL"

BUG = 70
"""With what a child ends whose action was not done to its end."""

LET_ANYBODY_TRACE = (0x59616D61, -1)
"""prctl: PR_SET_PTRACER, PR_SET_PTRACER_ANY."""


def child(action, ready, gate):
    """Do *action* in a child when the gate opens; it tells by its status."""
    pid = os.fork()
    if pid:
        return pid
    status = BUG
    sys.dont_write_bytecode = True  # calls that write are the action's
    try:
        ctypes.CDLL(None).prctl(*LET_ANYBODY_TRACE)
        os.write(ready, b"!")
        os.read(gate, 1)
        status = action()
    finally:
        os._exit(status)


def injected(log, action, *faults):
    """Do *action* with faults (pattern of calls, fault, when); return its status.

    It is None where it was killed. What strace says is in *log*.
    """
    pipes = [*os.pipe(), *os.pipe()]
    is_ready, ready, gate, opener = pipes
    pid = child(action, ready, gate)
    os.read(is_ready, 1)
    options = ["-e", "trace=" + ",".join(pattern for pattern, _, _ in faults)]
    for pattern, fault, when in faults:
        options += ["-e", f"inject={pattern}:{fault}:when={when}"]
    argv = [STRACE, "-o", log, "-p", str(pid), *options]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as strace:
        attached = strace.stderr.readline()
        os.write(opener, b"!")
        _, ended = os.waitpid(pid, 0)
        strace.communicate()
    for end in pipes:
        os.close(end)
    if "attached" not in attached:
        pytest.skip(f"strace cannot attach here: {attached.strip()}")
    return None if os.WIFSIGNALED(ended) else os.waitstatus_to_exitcode(ended)
