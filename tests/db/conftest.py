"""Processes beside the test, and schemas that grow."""

import os
import signal
import traceback

import pytest


@pytest.fixture
def beside():
    """``with beside(action, *more):`` run each in a process of its own, to its end.

    All begin at the same moment. What comes of it are their statuses: 0, or 1 for
    an exception, or the signal that ended it, negative.
    """

    def run(*actions):
        ready, go = os.pipe()
        children = []
        for action in actions:
            child = os.fork()
            if not child:
                os.close(go)
                os.read(ready, 1)  # until the other end is closed
                try:
                    action()
                except BaseException:  # noqa: BLE001 - told by the status
                    os.write(2, traceback.format_exc().encode())
                    os._exit(1)
                os._exit(0)
            children.append(child)
        os.close(go)
        os.close(ready)
        return [os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) for each in children]

    return run


@pytest.fixture
def killed(beside):
    """``killed(action)``: run it in a process that is killed right after."""

    def run(action):
        def then_die():
            kept = action()  # what is let go is closed, and tidied up
            os.kill(os.getpid(), signal.SIGKILL)
            return kept

        assert beside(then_die) == [-signal.SIGKILL]

    return run


@pytest.fixture
def schema(reachable):
    """``schema("create table a (x)", …)``: a schema of these steps, by its name."""

    def write(*steps):
        folder = reachable / "schema"
        folder.mkdir(exist_ok=True)
        for number, sql in enumerate(steps, 1):
            (folder / f"{number:04}_step.sql").write_text(sql, "utf-8")
        return str(folder)

    return write
