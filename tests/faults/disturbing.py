"""What is done to jobs: killed at random moments, and refused a call by the kernel.

A scene of jobs has ``fresh()``, ``run(job)``, which returns its status, ``state()``,
all that a job is to leave behind, and ``ends(job)``: what a job that has been done may
end with when it is run again.
"""

import os
import secrets
import signal
from itertools import count

from strace import KILL

from tests.faults.tracing import injected

ALL = bool(os.environ.get("CREWMEM_FAULTS"))
"""Whether all faults are wanted, which takes long, or a sample."""

FEWER = {"write": 7, "open": 3}
"""Of calls that there are hundreds of: one in so many."""

FAULTS = ("error=EIO", "error=ENOSPC", KILL)

REFUSED = {None, 0, 3, 5, 6, 8}
"""With what may end who met a fault: killed, in spite of it, or in words."""


def undisturbed(scene, job):
    """Return what *job* comes to when nothing happens to it."""
    scene.fresh()
    assert scene.run(job) == 0
    return scene.state()


def again(scene, job, expected, when):
    """Run *job* to its end: now it comes to what is *expected*."""
    assert scene.run(job) in scene.ends(job), when
    found = scene.state()
    assert found == expected, when


def killed_at_random(scene, job, expected, rounds, most=700_000):
    """Kill *job* now and then, some times over, and let it end; this so many times.

    It is killed after *most* steps of a loop, or fewer.
    """
    for _ in range(rounds):
        scene.fresh()
        for _ in range(1 + secrets.randbelow(3)):
            pid = os.fork()
            if not pid:
                try:
                    scene.run(job)
                finally:
                    os._exit(0)
            for _ in range(secrets.randbelow(most)):  # into the middle of it
                pass
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        again(scene, job, expected, "killed at random")


def disturbed(scene, job, call, fault, nth, expected):
    """Do *job* with a fault, then again; return whether there was one."""
    scene.fresh()
    status, was_injected = injected(
        scene.home.parent, lambda: scene.run(job), call, fault, nth
    )
    assert status in REFUSED | scene.ends(job), (status, call, fault, nth)
    again(scene, job, expected, (call, fault, nth))
    return was_injected


def every_fault(scene, job, call, expected, faults=FAULTS):
    """Do *job* with each of *faults* at each *call* that it makes, or at many of it."""
    done = 0
    for fault in faults:
        for nth in count(1, FEWER.get(call, 1)):
            if not disturbed(scene, job, call, fault, nth, expected):
                break
            done += 1
    return done
