"""What rows measure with: programs, trees of memory files, a home."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import AbsentError, Process, nothing

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent

TREES, GROWN = HERE / "trees.py", ".grown-by"
"""What fills a tree, and where a copy of it is left beside the tree."""

HOME = (
    ("init",),
    ("crew", "add", "harbor", "--lead", "mira"),
    ("agent", "add", "mira", "--crew", "harbor", "--role", "lead"),
)
"""What makes a home with one agent."""

SETTLED = 0.1
"""Seconds after which the stamps of files are trusted; twice what crewmem asks for."""

FOLDERS = 100
"""Over which the files of a tree are spread."""

QUESTION = ("where", "is", "the", "deploy", "key", "of", "the", "harbour")
"""Asked in all searches: a few words that tell, as common as such words are."""


class Workbench:
    """A directory in which trees lie, and the programs that work on them."""

    def __init__(self, directory: Path, *, flat: bool = False) -> None:
        self.directory = directory
        self._folders, self._shape = (0, "flat") if flat else (FOLDERS, "spread")
        self.environ = {
            "HOME": str(self._made("person")),
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "USER": "ada",
        }

    def _made(self, name: str) -> Path:
        path = self.directory / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    # Programs

    def crewmem(
        self,
        *words: str | Path,
        terminal: bool = False,
        before: Callable[[], None] = nothing,
        leaves: Path | None = None,
    ) -> Process:
        """Return a run of crewmem, by the script that its users call."""
        return Process(
            name=" ".join(["crewmem", *(_brief(word) for word in words)]),
            argv=[str(_script()), *map(str, words)],
            environ=self.environ,
            terminal=terminal,
            before=before,
            leaves=leaves,
        )

    def completing(self, process: Process, line: str, variable: str) -> Process:
        """Return *process* as bash runs it to complete *line* through click."""
        words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        return Process(
            name=f"{process.name} ({line}<TAB>)",
            argv=process.argv,
            environ={**self.environ, **words, variable: "bash_complete"},
        )

    def python(self, code: str) -> Process:
        """Return a run of *code* by the interpreter that runs crewmem."""
        return Process(
            name=code, argv=[sys.executable, "-c", code], environ=self.environ
        )

    def baseline(
        self,
        script: str,
        *words: str | Path,
        before: Callable[[], None] = nothing,
        leaves: Path | None = None,
    ) -> Process:
        """Return a run of a script of ``baselines``."""
        argv = [sys.executable, HERE / "baselines" / script, *words]
        return Process(
            name=script.removesuffix(".py"),
            argv=[str(word) for word in argv],
            environ=self.environ,
            before=before,
            leaves=leaves,
        )

    def find(self, tree: Path) -> Process:
        """Return a run of ``find`` that looks at the size of every file."""
        argv = [self.program("find"), str(tree), "-size", "+8192k"]
        return Process(name="find -size", argv=argv, environ=self.environ)

    def program(self, name: str) -> str:
        """Return where the program *name* is.

        Raises:
            AbsentError: If it is not installed.
        """
        if found := shutil.which(name):
            return found
        raise AbsentError(f"{name} is not installed")

    # Trees

    def tree(self, files: int) -> Path:
        """Return a directory whose ``.memory`` holds as many *files*."""
        path = self.directory / f"{self._shape}-{files}"
        if not _is_grown(path / ".memory"):
            shutil.rmtree(path, ignore_errors=True)
            self._grow(path / ".memory", files)
        return path

    def indexed(self, files: int) -> Path:
        """Return the tree of as many *files* with a fresh index in it."""
        tree = self.tree(files)
        self.settled(self.crewmem("memory", "reindex", "--path", tree))
        return tree

    def settled(self, reindex: Process) -> None:
        """Run *reindex* until it has nothing left to do."""
        for _ in range(2):
            time.sleep(SETTLED)  # files of this very moment would be read again
            reindex.run()

    def home(self, files: int) -> Path:
        """Return a home where one agent of one crew has as many *files*."""
        home = self.directory / f"home-{self._shape}-{files}"
        below = home / "workspaces/default/crews/harbor/agents/mira/.memory"
        if not _is_grown(below):
            shutil.rmtree(home, ignore_errors=True)
            for words in HOME:
                self.crewmem("--home", home, *words).run()
            self._grow(below, files)
        self.settled(self.crewmem("--home", home, "memory", "reindex"))
        return home

    def _grow(self, path: Path, files: int) -> None:
        """Fill *path* in a process of its own, so that this one stays small.

        A process that is spawned starts with the peak of the one that spawns it.
        """
        argv = [sys.executable, TREES, path, files, self._folders]
        Process(name="trees.py", argv=list(map(str, argv)), environ=self.environ).run()
        path.with_name(GROWN).write_bytes(TREES.read_bytes())


def _is_grown(path: Path) -> bool:
    """Tell whether *path* was filled, and by the script as it is now."""
    by = path.with_name(GROWN)
    return by.exists() and by.read_bytes() == TREES.read_bytes()


def _script() -> Path:
    beside = Path(sys.executable).with_name("crewmem")
    if beside.exists():
        return beside
    raise AbsentError("crewmem is not installed beside this Python")


def _brief(word: str | Path) -> str:
    return word.name if isinstance(word, Path) else word
