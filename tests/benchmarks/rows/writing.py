"""Writing to a memory file, as durably as a bare script."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Process, Trial
from tests.benchmarks.row import Row
from tests.benchmarks.rows.episodes import AfterStart
from tests.benchmarks.workbench import HOME

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

PART = "write path"

TEXT = "The deploy key of the harbour is kept by the lead, and renewed in March."


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of writing; none of them needs a tree."""
    del sizes
    yield Row(
        key="durable-write",
        title="durable write of one file, with version, entry and index, after start",
        setup=_durable_write,
        goal=1.3,
        part=PART,
    )


def _durable_write(bench: Workbench) -> Trial:
    template = _template(bench)
    ours, bare = bench.directory / "write-ours", bench.directory / "write-bare"
    words = ("memory", "write", "--tier", "agent", TEXT)
    whole = bench.crewmem("--home", ours, "--as", "agent:mira", *words)
    return Trial(
        AfterStart(_anew(whole, template, ours), bench.crewmem("--version")),
        _anew(
            bench.baseline("durable_write.py", bare, "AGENT.md", TEXT), template, bare
        ),
    )


def _anew(process: Process, template: Path, home: Path) -> Process:
    """Return *process* as it runs in a new copy of *template* each time."""

    def copy() -> None:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(template, home)

    return Process(
        name=process.name, argv=process.argv, environ=process.environ, before=copy
    )


def _template(bench: Workbench) -> Path:
    """Return a home of one agent, whose file has a version and is indexed."""
    home = bench.directory / "write-template"
    shutil.rmtree(home, ignore_errors=True)
    for words in (*HOME, ("--as", "agent:mira", "memory", "write", "--tier", "agent")):
        more = ("first",) if "write" in words else ()
        bench.crewmem("--home", home, *words, *more).run()
    return home
