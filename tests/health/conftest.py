"""A home as it should be, and what of it was touched."""

import io
import shutil

import pytest

from crewmem.cli.app import World
from crewmem.cli.root import run


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A home with one crew, its lead and an agent, indexed; it is copied by tests."""
    home = tmp_path_factory.mktemp("template") / "home"
    for words in (
        "init",
        "crew add harbor --lead pilot",
        "agent add pilot --crew harbor",
        "agent add mira --crew harbor",
        "memory reindex",
    ):
        world = World(
            environ={"CREWMEM_HOME": str(home), "LOGNAME": "ada"},
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
        assert run(words.split(), world) == 0, world.stderr.getvalue()
    return home


@pytest.fixture
def harbor(template, home):
    """A home in which nothing is wrong."""
    return shutil.copytree(template, home)


@pytest.fixture
def snapshot():
    """``snapshot(tree)``: every byte, mode and timestamp below a directory."""

    def call(tree):
        return {
            str(path.relative_to(tree)): (
                path.lstat().st_mtime_ns,
                path.lstat().st_ctime_ns,
                path.lstat().st_mode,
                path.read_bytes() if path.is_file() and path.exists() else None,
            )
            for path in [tree, *sorted(tree.rglob("*"))]
        }

    return call
