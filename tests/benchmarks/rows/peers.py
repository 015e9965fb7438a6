"""Beside qmd, the fastest program of this kind, where it is installed.

It is neither installed nor fetched from here. Its word search is asked, which uses
no model.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Process, Trial, nothing
from tests.benchmarks.row import Row
from tests.benchmarks.rows.indexing import INDEX
from tests.benchmarks.workbench import QUESTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

NAME = "bench"


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of peers."""
    files = sizes.small
    yield Row(
        key="qmd-search",
        title=f"beside qmd: cold search, {files:,} files, JSON",
        tree="small",
        setup=lambda bench: _searching(bench, files),
        goal=0.35,
    )
    yield Row(
        key="qmd-first",
        title=f"beside qmd: first index, {files:,} files",
        tree="small",
        setup=lambda bench: _first(bench, files),
        goal=0.3,
    )
    yield Row(
        key="qmd-unchanged",
        title=f"beside qmd: reindex, nothing changed, {files:,} files",
        tree="small",
        setup=lambda bench: _unchanged(bench, files),
        goal=0.35,
    )


def _searching(bench: Workbench, files: int) -> Trial:
    peer = _Peer(bench, files)
    peer.forget()
    peer.first().run()
    tree = bench.indexed(files)
    return Trial(
        bench.crewmem("memory", "search", "--path", tree, "--json", *QUESTION),
        peer.process("search", "--json", " ".join(QUESTION)),
    )


def _first(bench: Workbench, files: int) -> Trial:
    peer, tree = _Peer(bench, files), bench.tree(files)
    index = tree / INDEX
    return Trial(
        bench.crewmem(
            *("memory", "reindex", "--path", tree),
            before=lambda: index.unlink(missing_ok=True),
        ),
        peer.first(before=peer.forget),
    )


def _unchanged(bench: Workbench, files: int) -> Trial:
    peer = _Peer(bench, files)
    peer.forget()
    peer.first().run()
    tree = bench.indexed(files)
    return Trial(
        bench.crewmem("memory", "reindex", "--path", tree), peer.process("update")
    )


class _Peer:
    """qmd with a configuration and a cache of its own."""

    def __init__(self, bench: Workbench, files: int) -> None:
        self._program = bench.program("qmd")
        self._tree = bench.tree(files) / ".memory"
        self._state = bench.directory / "qmd"
        self._environ = {
            **bench.environ,
            "XDG_CACHE_HOME": str(self._state / "cache"),
            "XDG_CONFIG_HOME": str(self._state / "config"),
        }

    def forget(self) -> None:
        shutil.rmtree(self._state, ignore_errors=True)
        self._state.mkdir()

    def first(self, *, before: Callable[[], None] = nothing) -> Process:
        tree = str(self._tree)
        return self.process("collection", "add", tree, "--name", NAME, before=before)

    def process(self, *words: str, before: Callable[[], None] = nothing) -> Process:
        return Process(
            name=f"qmd {words[0]}",
            argv=[self._program, *words],
            environ=self._environ,
            before=before,
        )
