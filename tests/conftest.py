"""A world of its own for every test: a home, a clock that stands still, no network."""

import gc
import io
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""As crewmem has it: with more, tests beside each other wait for each other."""

sys.dont_write_bytecode = False
"""What pytest makes of the tests is kept, whoever runs them: it takes it 10 s."""

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
"""What the clock says, unless a test says otherwise."""

NOBODY = 65534

LOCAL = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command line came to."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self):
        """The document on standard output."""
        return json.loads(self.stdout)

    @property
    def error(self):
        """The failure that was told as JSON on standard error."""
        return json.loads(self.stderr)["error"]


class Stream(io.StringIO):
    """Text that may claim to be a terminal."""

    def __init__(self, text="", *, tty=False):
        super().__init__(text)
        self.tty = tty

    def isatty(self):
        return self.tty


def pytest_collection_finish():
    """Leave what was collected out of looking for garbage: it lives to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _out_of_reach(tmp_path, monkeypatch):
    """Keep every test from the person's own memory, and from the network."""
    for name in [name for name in os.environ if name.startswith(("CREWMEM_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in ("HOME", "CREWMEM_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "person"))
    connect = socket.socket.connect

    def guarded(self, address):
        assert self.family == socket.AF_UNIX or address[0] in LOCAL, address
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def home(tmp_path):
    """Where the home is, or will be: `init` and the first write make it."""
    return tmp_path / "home"


@pytest.fixture
def crewmem(tmp_path, home):
    """``crewmem("crew", "add", "harbor")``: run a command line in this process.

    It works in `home`, as an operator, at `NOW`, and reads *stdin*. With *tty* all
    three streams are a terminal. *environ* is added to the environment.
    """

    def call(*argv, stdin="", tty=False, environ=None, now=NOW):
        from crewmem.cli.app import World
        from crewmem.cli.root import run

        world = World(
            environ={
                "HOME": str(tmp_path / "person"),
                "LOGNAME": "ada",
                "CREWMEM_HOME": str(home),
            }
            | (environ or {}),
            clock=lambda: now,
            mount=str(tmp_path / "crew"),
            stdin=Stream(stdin, tty=tty),
            stdout=Stream(tty=tty),
            stderr=Stream(tty=tty),
        )
        # click prints help and versions to the process's own streams
        with redirect_stdout(world.stdout), redirect_stderr(world.stderr):
            status = run([str(word) for word in argv], world)
        return Ran(status, world.stdout.getvalue(), world.stderr.getvalue())

    return call


@pytest.fixture
def memory(tmp_path):
    """``memory({"daily/2026-05-01.md": "…"}, AGENT="…")``: write memory files.

    They go below ``.memory`` in *at*, which is made; its path is returned. Text is
    written in UTF-8 with the line ends it has, bytes as they are.
    """

    def write(files=None, /, *, at=None, **stems):
        directory = (at or tmp_path / "agent") / ".memory"
        directory.mkdir(parents=True, exist_ok=True)
        named = {f"{stem}.md": text for stem, text in stems.items()}
        for name, content in {**(files or {}), **named}.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return directory

    return write


@pytest.fixture
def reachable():
    """A directory that anybody can get to, unlike ``tmp_path``."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture
def nobody():
    """``with nobody():`` be somebody whom permissions bind, also when root tests.

    They may not be able to read Python's own files: what is used inside is imported
    before. Files are in `reachable`.
    """

    @contextmanager
    def become():
        if os.geteuid():
            yield
            return
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(0)

    return become


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
