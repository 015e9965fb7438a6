"""Homes that tests begin with, made once and copied; and what of one was touched."""

import io
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from entries import NOW

from crewmem.cli.app import World
from crewmem.cli.root import run

MIRA = "workspaces/default/crews/harbor/agents/mira/.memory"

HARBOR = (
    "init",
    "crew add harbor --lead pilot",
    "agent add pilot --crew harbor",
    "agent add mira --crew harbor",
)
"""A crew, its lead and an agent."""


KEPT = TemporaryDirectory()
"""Gone when the tests are done."""


def copied(home, *commands):
    """Make *home* what the *commands* make of a new one; nothing is wrong in it."""
    return Path(shutil.copytree(_made(commands), home))


@cache
def _made(commands):
    home = Path(mkdtemp(dir=KEPT.name)) / "home"
    for words in commands:
        world = World(
            environ={"CREWMEM_HOME": str(home), "LOGNAME": "ada"},
            clock=lambda: NOW,
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
        assert run(words.split(), world) == 0, world.stderr.getvalue()
    return home


def stamps(folder):
    """Every byte, mode and timestamp below *folder*."""
    return {
        str(path): (
            path.lstat().st_mtime_ns,
            path.lstat().st_ctime_ns,
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else None,
        )
        for path in [folder, *sorted(folder.rglob("*"))]
    }
