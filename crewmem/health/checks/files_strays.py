"""Files: does anything lie in a memory directory that no search ever finds?"""

from __future__ import annotations

import os
import stat
from shlex import join

from crewmem.files.folders import open_place
from crewmem.files.store import INDEX_NAME, SIDECARS
from crewmem.files.walk import visible
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_TREES
from crewmem.health.strays import Kind, strays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "files.strays"
CATEGORY = "files"

OURS = frozenset({INDEX_NAME, *(f"{INDEX_NAME}{end}" for end in SIDECARS)})
"""What lies beside memory files at the top of a directory."""

TEXTS = frozenset({"", ".txt", ".text", ".markdown", ".mdown", ".markdn"})
"""Endings of what may well be a memory file under another name."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name what is no memory file by its name, hidden things left aside."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    return [each for tree in scene.open_trees for each in _in(tree)] or [
        passed("nothing lies in a memory directory but memory")
    ]


def _in(tree: Tree) -> Iterator[Finding]:
    with open_place(tree.place) as root:
        for stray in strays(root):
            names = stray.file.split("/")
            is_hidden = any(name[0] == "." for name in names) or tree.hides(stray.file)
            if stray.kind is Kind.OTHER and not is_hidden and stray.file not in OURS:
                yield _finding(tree, stray.file, _mode(root, stray.file))


def _mode(root: int, file: str) -> int:
    try:
        return os.lstat(file, dir_fd=root).st_mode
    except OSError:
        return 0  # gone meanwhile


def _finding(tree: Tree, file: str, mode: int) -> Finding:
    path = tree.path / visible(file)
    base, end = os.path.splitext(str(path))  # noqa: PTH122 - of a path that may be odd
    is_text = stat.S_ISREG(mode) and end.lower() in TEXTS and visible(file) == file
    return warned(
        "it is not named as memory files are, *.md: no search and no prompt finds it",
        expected="memory files alone: give it another name, or another place",
        repair=join(["mv", str(path), f"{base}.md"]) if is_text else "",
        where=str(path),
    )
