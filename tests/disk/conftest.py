"""A root, what lies outside of it, and a way to interfere at an exact moment."""

import errno
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from crewmem import disk

NOBODY = 65534


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch):
    """What loads late is not written down compiled: calls that write are ours."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.fixture
def folder(tmp_path):
    """The root, as a path."""
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def in_memory():
    """A directory that costs no time of a disk, where there is one."""
    memory = Path("/dev/shm")  # noqa: S108 - a directory of our own is made in it
    place = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as made:
        yield Path(made)


@pytest.fixture
def root(folder):
    """The root, open."""
    with disk.open_root(folder) as opened:
        yield opened


@pytest.fixture
def outside(tmp_path):
    """A directory beside the root that nothing may touch."""
    path = tmp_path / "outside"
    path.mkdir()
    (path / "AGENT.md").write_bytes(b"secret")
    return path


@pytest.fixture
def unprivileged(folder, root, nobody, monkeypatch):
    """Somebody whom permissions bind, inside a root of their own."""
    assert root, "must be open by now"
    monkeypatch.chdir(folder)  # the way here is closed to them
    if not os.geteuid():
        os.chown(folder, NOBODY, NOBODY)
    with nobody():
        yield


def failing(error):
    """A call that ends with *error*, a name in `errno`."""
    code = getattr(errno, error)

    def fail():
        raise OSError(code, os.strerror(code))

    return fail


def calls_of(run, names=None):
    """Return the calls into the system that *run* makes, in order; of *names* alone."""
    made = []

    def watch(event, call):
        is_one = getattr(call, "__module__", "") in ("posix", "fcntl")
        if event == "call" and is_one and (names is None or call.__name__ in names):
            made.append(call)

    with _interfere(watch):
        run()
    return made


@contextmanager
def _interfere(watch):
    def profile(_frame, event, called):
        if event.startswith("c_"):
            watch("call" if event == "c_call" else "return", called)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


@pytest.fixture
def before():
    """``with before(call, action, nth=1)``: act just before the nth such call."""

    @contextmanager
    def interfere(call, action, nth=1):
        seen = 0

        def watch(event, called):
            nonlocal seen
            if event == "call" and called is call:
                seen += 1
                if seen == nth:
                    action()

        with _interfere(watch):
            yield

    return interfere


@pytest.fixture
def interfere():
    """``with interfere(watch)``: be told of each "call" and "return" of a builtin."""
    return _interfere


@pytest.fixture
def descriptors():
    """How many descriptors are open."""
    return lambda: sum(1 for _ in Path("/dev/fd").iterdir())
