"""Making an index and keeping it up to date."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Trial
from tests.benchmarks.row import Of, Row

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.benchmarks.measuring import Process
    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

INDEX = ".memory/index.sqlite"


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of indexing."""
    few, many, most = sizes.small, sizes.middle, sizes.large
    first_of_many = _first(many)
    for tree, files, setup in (
        ("small", few, _first(few)),
        ("middle", many, first_of_many),
    ):
        yield Row(
            key=f"first-{tree}",
            title=f"first index, {files:,} files",
            setup=setup,
            tree=tree,
            goal=1.4,
            stretch=1.15,
        )
    yield Row(
        key="index-size",
        title=f"size of the index, {many:,} files",
        setup=first_of_many,
        tree="middle",
        of=Of.SIZE,
        goal=1.15,
    )
    yield Row(
        key="index-peak",
        title=f"peak memory of a first index, {many:,} files",
        setup=_first(many, lean=True),
        tree="middle",
        of=Of.PEAK,
        goal=1.5,
    )
    for tree, files, goal, stretch in (
        ("middle", many, 4.0, 3.0),
        ("large", most, 1.6, 1.4),
    ):
        yield Row(
            key=f"unchanged-{tree}",
            title=f"reindex, nothing changed, {files:,} files",
            setup=_unchanged(files),
            tree=tree,
            goal=goal,
            stretch=stretch,
        )
    yield Row(
        key="changed",
        title=f"reindex, one file of {many:,} changed",
        setup=_changed(many),
        tree="middle",
        goal=1.1,
    )


def _first(files: int, *, lean: bool = False) -> Setup:
    def setup(bench: Workbench) -> Trial:
        tree = bench.tree(files)
        own, bare = tree / INDEX, bench.directory / f"bare-{files}.sqlite"
        measured = bench.crewmem(
            *("memory", "reindex", "--path", tree),
            before=lambda: own.unlink(missing_ok=True),
            leaves=own,
        )
        baseline = bench.baseline(
            *("bare_index.py", tree, bare),
            before=lambda: bare.unlink(missing_ok=True),
            leaves=bare,
        )
        return Trial(replace(measured, lean=lean), replace(baseline, lean=lean))

    return setup


def _unchanged(files: int) -> Setup:
    def setup(bench: Workbench) -> Trial:
        tree = bench.indexed(files)
        return Trial(_reindex(bench, tree), bench.find(tree))

    return setup


def _changed(files: int) -> Setup:
    def setup(bench: Workbench) -> Trial:
        tree = bench.indexed(files)
        return Trial(changed_and_reindexed(bench, tree), settled_reindex(bench, tree))

    return setup


def _reindex(bench: Workbench, tree: Path) -> Process:
    return bench.crewmem("memory", "reindex", "--path", tree)


def changed_and_reindexed(bench: Workbench, tree: Path) -> Process:
    """Return a reindex of *tree* in which each time another file has changed."""
    files = sorted((tree / ".memory").rglob("*.md"))
    texts = {path: path.read_bytes() for path in files[:: max(1, len(files) // 20)]}
    numbers = count()

    def change() -> None:
        number = next(numbers)
        path = list(texts)[number % len(texts)]
        path.write_bytes(texts[path] + b"\nAnd note number %d.\n" % number)

    return bench.crewmem("memory", "reindex", "--path", tree, before=change)


def settled_reindex(bench: Workbench, tree: Path) -> Process:
    """Return a reindex of *tree* that has nothing at all to do.

    What was written a moment before an index is read once more by the next.
    """
    reindex = _reindex(bench, tree)
    return bench.crewmem(
        *("memory", "reindex", "--path", tree), before=lambda: bench.settled(reindex)
    )
