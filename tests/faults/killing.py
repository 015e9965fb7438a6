"""Killing what is done, as by SIGKILL, just before a call that changes anything."""

import os
from itertools import count

KILLED, TROUBLE = 99, 98

CHANGES = {"rename", "link", "unlink", "fsync", "mkdir"}
"""Calls that change what is on the disk, or make it last."""


def is_change(call):
    """Tell whether a call changes something, of a file or of a database."""
    module, name = getattr(call, "__module__", "") or "", call.__name__
    if module == "posix":
        return name in CHANGES
    kind = type(getattr(call, "__self__", None)).__module__
    return kind.startswith("apsw") and name in {"execute", "executemany"}


def killed(do, interfere, moment):
    """Do something in a child that ends at a *moment*; tell whether it did.

    A moment is before the n-th call of a name: others may come more or less often.
    """
    pid = os.fork()
    if not pid:
        status = TROUBLE
        try:
            name, nth = moment
            seen = count(1)

            def watch(event, call):
                if event != "call" or call.__name__ != name or not is_change(call):
                    return
                if next(seen) == nth:
                    os._exit(KILLED)

            with interfere(watch):
                do()
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(pid, 0)
    status = os.waitstatus_to_exitcode(ended)
    assert status in {0, KILLED}
    return status == KILLED


def changes(do, interfere):
    """Return the moments before each change of what is done, once it is."""
    made = []

    def watch(event, call):
        if event == "call" and is_change(call):
            made.append(call.__name__)

    with interfere(watch):
        do()
    return [(name, made[: at + 1].count(name)) for at, name in enumerate(made)]
