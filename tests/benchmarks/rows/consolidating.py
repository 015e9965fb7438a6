"""Consolidation: a year of daily notes, beside reading the files once."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Process, Trial
from tests.benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

SCRIPT = Path(__file__).parent.parent / "notes.py"

FILLED = ".filled-by"
"""Where the script whose notes a home has is left in it, and the day that it ran."""

AGENTS, DAYS = 20, 365


def rows(sizes: Sizes) -> Iterable[Row]:  # noqa: ARG001 - needs no tree
    """Return the row."""
    yield Row(
        key="consolidate",
        title=f"consolidate {DAYS} days of notes of {AGENTS} agents, a plan",
        setup=_consolidate,
        goal=20,
        part="upkeep",
    )


def _consolidate(bench: Workbench) -> Trial:
    home = _home(bench)
    agents = home / "workspaces/default/crews/harbor/agents"
    return Trial(
        bench.crewmem("--home", home, "consolidate", "run", "--dry-run", "--quiet"),
        bench.baseline("read_files.py", agents),
    )


def _home(bench: Workbench) -> Path:
    """Return a home with a year of notes up to yesterday."""
    home = bench.directory / f"notes-{AGENTS}-{DAYS}"
    last = datetime.now(UTC).date() - timedelta(days=1)
    made_by = f"{last}\n{SCRIPT.read_text('utf-8')}"
    by = home / FILLED
    if not by.exists() or by.read_text("utf-8") != made_by:
        shutil.rmtree(home, ignore_errors=True)
        bench.crewmem("--home", home, "init", "--quiet").run()
        words = ("crew", "add", "harbor", "--lead", "agent-0", "--quiet")
        bench.crewmem("--home", home, *words).run()
        for number in range(AGENTS):
            words = ("agent", "add", f"agent-{number}", "--crew", "harbor", "--quiet")
            bench.crewmem("--home", home, *words).run()
        agents = home / "workspaces/default/crews/harbor/agents"
        argv = [sys.executable, SCRIPT, agents, AGENTS, DAYS, last]
        argv = [str(each) for each in argv]
        Process(name=SCRIPT.name, argv=argv, environ=bench.environ).run()
        by.write_text(made_by, encoding="utf-8")
    return home
