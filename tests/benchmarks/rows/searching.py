"""Searches of an index that is fresh: whole processes, from nothing to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Trial
from tests.benchmarks.row import Row
from tests.benchmarks.workbench import QUESTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.benchmarks.measuring import Process
    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

    Search = Callable[[Workbench], Process]


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of searching."""
    few, many = sizes.small, sizes.middle
    yield _cold("search-json", f"{few:,} files, JSON", _by_path(few, "--json"))
    yield _cold("search-plain", f"{few:,} files, plain", _by_path(few))
    yield _cold("search-home", f"a home of {few:,} files, JSON", _at_home(few))
    yield Row(
        key="search-table",
        title=f"cold memory search, {few:,} files, table on a terminal",
        setup=_beside(_by_path(few, terminal=True), _by_path(few)),
        tree="small",
        goal=1.7,
        stretch=1.4,
    )
    yield _fresh("search-fresh", f"{many:,} files", many, _by_path(many, "--json"))
    yield _fresh("search-fresh-home", f"a home of {many:,} files", many, _at_home(many))


def _cold(key: str, title: str, search: Search) -> Row:
    return Row(
        key=key,
        title=f"cold memory search, {title}",
        setup=_beside(search, lambda bench: bench.python("import sqlite3")),
        tree="small",
        goal=3.2,
        stretch=2.3,
    )


def _fresh(key: str, title: str, files: int, search: Search) -> Row:
    return Row(
        key=key,
        title=f"cold memory search, {title}, freshness checked",
        setup=_beside(search, lambda bench: bench.find(bench.tree(files))),
        tree="middle",
        goal=4.5,
        stretch=3.0,
    )


def _beside(measured: Search, baseline: Search) -> Setup:
    return lambda bench: Trial(measured(bench), baseline(bench))


def _by_path(files: int, *words: str, terminal: bool = False) -> Search:
    def search(bench: Workbench) -> Process:
        where: list[str | Path] = ["--path", bench.indexed(files)]
        asked = [*where, *words, *QUESTION]
        return bench.crewmem("memory", "search", *asked, terminal=terminal)

    return search


def _at_home(files: int) -> Search:
    def search(bench: Workbench) -> Process:
        home = bench.home(files)
        return bench.crewmem("--home", home, "memory", "search", "--json", *QUESTION)

    return search
