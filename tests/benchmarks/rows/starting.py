"""Commands that do little: what they take is what starting takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Trial
from tests.benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

    Words = tuple[str | Path, ...]

CLICK = "click_one.py"


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of starting."""
    for word in ("--version", "--help"):
        yield Row(
            key=word.strip("-"),
            title=word,
            setup=_beside_click(word),
            goal=1.2,
            stretch=1.05,
        )
    yield Row(
        key="completion",
        title="completion of a command, asked of the program",
        setup=_completion,
        goal=1.2,
        stretch=1.05,
    )
    yield _command(
        "memory-status",
        f"memory status, {sizes.small:,} files",
        lambda bench: ("memory", "status", "--path", bench.indexed(sizes.small)),
    )
    yield _command(
        "status",
        f"status, a home of {sizes.small:,} files",
        lambda bench: ("--home", bench.home(sizes.small), "status"),
    )
    yield _command("config-list", "config list", lambda _: ("config", "list"))


def _beside_click(word: str) -> Setup:
    return lambda bench: Trial(bench.crewmem(word), bench.baseline(CLICK, word))


def _completion(bench: Workbench) -> Trial:
    return Trial(
        bench.completing(bench.crewmem(), "crewmem mem", "_CREWMEM_COMPLETE"),
        bench.completing(bench.baseline(CLICK), "click_one gr", "_CLICK_ONE_COMPLETE"),
    )


def _command(key: str, title: str, words: Callable[[Workbench], Words]) -> Row:
    return Row(
        key=key,
        title=title,
        tree="small",
        setup=lambda bench: Trial(
            bench.crewmem(*words(bench)), bench.python("import sqlite3")
        ),
        goal=3.2,
        stretch=2.6,
    )
