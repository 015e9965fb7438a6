"""A home that is fast to copy and to break, and what must hold of it ever after."""

import io
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from crewmem import disk
from crewmem.cli.app import World
from crewmem.cli.root import run
from crewmem.db.connect import Mode, connect, fetch
from crewmem.files.kept import Kept
from tests.disk.conftest import (
    before,
    descriptors,
    in_memory,
    interfere,
    uncompiled,
)

__all__ = ["before", "descriptors", "in_memory", "interfere", "uncompiled"]

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
REF = "agent:harbor/mira/AGENT.md"

BUG = 70


@dataclass(frozen=True)
class Scene:
    """A home with one agent, whose file has one version, and a line that nobody knows.

    Attributes:
        template: What `fresh` makes of it again.
    """

    home: Path
    template: Path

    @property
    def memory(self):
        """The agent's directory."""
        return self.home / "workspaces/default/crews/harbor/agents/mira/.memory"

    @property
    def content(self):
        """What the agent's file holds."""
        return (self.memory / "AGENT.md").read_bytes()

    def fresh(self):
        """Make it what it was in the beginning."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.template, self.home)

    def typed(self, *words, acting="agent:mira", minutes=0, stdin=""):
        """Return the status of a command line, what it prints, and what it warns."""
        out, err = io.StringIO(), io.StringIO()
        world = World(
            environ={"CREWMEM_HOME": str(self.home), "HOME": str(self.home.parent)},
            clock=lambda: NOW + timedelta(minutes=minutes),
            mount="/nowhere",
            stdin=io.StringIO(stdin),
            stdout=out,
            stderr=err,
        )
        return run(["--as", acting, *words], world), out.getvalue(), err.getvalue()

    def write(self, text="new", **how):
        """Run a write; return its status."""
        return self.typed("memory", "write", "--tier", "agent", text, **how)

    def versions(self, ref=REF):
        """Return (id, parent, sha256, kept) of the versions of a file, in order."""
        db = connect(self.home / "crewmem.db", Mode.WRITE)
        try:
            sql = """
                select id, parent, sha256, kept from memory_versions
                 where path = ? order by seq
            """
            return fetch(db, sql, (ref,))
        finally:
            db.close()

    def leftovers(self):
        """Return the temporary files that lie anywhere."""
        return [
            str(path.relative_to(self.home))
            for path in self.home.rglob(".*")
            if disk.is_temporary(path.name) and not path.name.startswith(".index.")
        ]

    def check_versions(self, ref=REF):
        """Each version follows the one before, and what it kept can be read."""
        found = self.versions(ref)
        assert [row[1] for row in found[1:]] == [row[0] for row in found[:-1]]
        for _, _, _, kept in found:
            assert sha256(Kept(self.home).get(kept)).hexdigest() == kept
        return found


@pytest.fixture(scope="session")
def template(in_memory):
    """A home that is copied for every fault; all that is used is imported by then."""
    with tempfile.TemporaryDirectory(dir=in_memory) as made:
        scene = Scene(Path(made, "template"), Path(made))
        lines = (
            "init",
            "crew add harbor --lead mira",
            "agent add mira --crew harbor --role lead",
        )
        for line in lines:
            assert scene.typed(*line.split(), acting="operator:ada")[0] == 0
        assert scene.write("old")[0] == 0
        with (scene.memory / "AGENT.md").open("a") as file:
            file.write("by shell\n")
        yield scene.home


@pytest.fixture
def scene(template, monkeypatch):
    """A copy of it, in which nobody waits for stamps to settle."""
    monkeypatch.setattr("crewmem.files.settle.TICK_NS", 0)
    with tempfile.TemporaryDirectory(dir=template.parent) as made:
        scene = Scene(Path(made, "home"), template)
        scene.fresh()
        assert scene.write("warm")[0] == 0
        scene.fresh()
        yield scene
