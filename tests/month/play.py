"""Playing a life: deeds at their times, and between them the jobs that are due."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from crewmem.cli.app import World
from crewmem.cli.root import run

from . import life

EVERY = timedelta(hours=6)
"""How often a scheduler asks for what is due: as often as consolidation may be."""

AFTER = timedelta(days=36)
"""How long jobs go on when nobody works any more: until all notes are archived."""


class Ran(NamedTuple):
    """What a command line came to."""

    status: int
    out: str
    err: str


class Crew:
    """A home with the crew in it, and who works there."""

    def __init__(self, home):
        self.home = Path(home)
        self.environ = {
            "CREWMEM_HOME": str(self.home),
            "CREWMEM_TIMEZONE": "UTC",
            "CREWMEM_EMBEDDER": "none",
            "HOME": str(self.home.parent / "person"),
            "LOGNAME": "ada",
        }

    @property
    def root(self):
        """The crew's own directory."""
        return self.home / "workspaces/default/crews" / life.CREW

    def founded(self):
        """Make home, crew and agents, and return self."""
        at = life.moment(0, 0) - timedelta(days=1)
        self.did(at, "", "init")
        self.did(at, "", "crew", "add", life.CREW, "--lead", life.LEAD)
        for slug in life.AGENTS:
            self.did(at, "", "agent", "add", slug, "--crew", life.CREW)
        return self

    def run(self, at, who, *words):
        """Run a command line in this process, by *who* at a time."""
        acting = {"CREWMEM_ACTOR": f"agent:{who}"} if who else {}
        out, err = io.StringIO(), io.StringIO()
        world = World(
            environ=self.environ | acting,
            clock=lambda: at,
            mount=str(self.home.parent / "nowhere"),
            stdin=io.StringIO(),
            stdout=out,
            stderr=err,
        )
        given = ["--as", f"agent:{who}"] if who else []
        with redirect_stdout(out), redirect_stderr(err):
            status = run([*given, *words], world)
        return Ran(status, out.getvalue(), err.getvalue())

    def did(self, at, who, *words):
        """Run a command line that has to succeed; return what it printed."""
        ran = self.run(at, who, *words)
        assert ran.status == 0, (words, ran)
        return ran.out

    def asked(self, at, *words):
        """Return the data that a command line answers with."""
        return json.loads(self.did(at, "", *words, "--json"))["data"]

    def process(self, at, *words):
        """Start a command line as a process of its own."""
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "crewmem",
                "--now",
                f"{at:%Y-%m-%dT%H:%M:%SZ}",
                *words,
            ],
            env={**os.environ, **self.environ},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def live(self, deed):
        """Do a deed."""
        match deed.words:
            case ("shell", line):
                day = f"{deed.at:%Y-%m-%d}"
                path = self.root / f"agents/{deed.who}/.memory/daily/{day}.md"
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
            case ("unpin", summary):
                found = self.asked(deed.at, "journal", "list", "--query", summary)
                words = ("--priority", "normal", "--reason", "it is over")
                self.did(deed.at, "", "journal", "pin", found[0]["id"], *words)
            case ("approve", what):
                found = self.asked(deed.at, "proposals", "list")
                name = next(each["id"] for each in found if what in each["title"])
                self.did(deed.at, "", "proposals", "approve", name)
            case words:
                self.did(deed.at, deed.who, *words)


def ticks(first, last, every=EVERY):
    """Yield the times at which a scheduler asks."""
    at = first
    while at <= last:
        yield at
        at += every


def play(crew, deeds, upkeep, every=EVERY, after=AFTER):
    """Live through *deeds*, and call *upkeep(at)* whenever a scheduler asks."""
    waiting = list(deeds)
    start = life.moment(0, 0, 20)
    end = datetime.combine(life.FIRST, datetime.min.time(), UTC)
    end += timedelta(days=life.DAYS)
    calm = ticks(end, end + after, max(every, timedelta(days=1)))
    for at in [*ticks(start, end, every), *calm]:
        while waiting and waiting[0].at <= at:
            crew.live(waiting.pop(0))
        upkeep(at)
