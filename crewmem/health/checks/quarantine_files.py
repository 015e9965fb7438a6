"""Quarantine: do texts that were refused wait for a person, and are they whole?"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from shlex import join

from crewmem import disk, times
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.files.folders import open_place
from crewmem.files.quarantine import FOLDER, HASH_DIGITS, get
from crewmem.files.walk import visible
from crewmem.health.advice import counted
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.files.quarantine import Refused
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "quarantine.files"
CATEGORY = "quarantine"

OWN = 0o700
"""The bits that remain: what was refused may be a secret."""

SHORT = 12
"""Digits of a hash that name it on a command line."""


def look(scene: Scene) -> list[Finding]:
    """Name what was refused and waits, and what in a quarantine is no such text."""
    if not scene.is_operator:
        return [skipped("what was refused is for operators to look at")]
    if not scene.trees:
        return [skipped(NO_TREES)]
    found = [each for tree in scene.open_trees for each in _in(scene, tree)]
    return found or [passed("no text that was refused waits for a person")]


def _in(scene: Scene, tree: Tree) -> Iterator[Finding]:
    folder = tree.path / FOLDER
    try:
        names = _names(tree)
    except PathMissingError:
        return
    except CrewmemError as error:
        yield failed(
            f"what is refused cannot be kept: {getattr(error, 'reason', error)}",
            expected="a directory, or nothing",
            repair=join(["mv", str(folder), f"{folder}.aside"]),
            where=str(folder),
        )
        return
    waiting: list[Refused] = []
    for name in names:
        stem = name.removesuffix(".md")
        if len(stem) != HASH_DIGITS or stem == name or _is_folder(folder / name):
            yield _odd(folder / visible(name))
            continue
        try:
            waiting.append(get(tree.place, stem)[0])
        except PathMissingError:
            continue
        except CrewmemError as error:
            yield _damaged(scene, tree, stem, error)
    if open_to_others := [name for name in names if _mode(tree, name) & ~OWN]:
        yield _open(scene, tree, folder, open_to_others)
    if waiting:
        yield _waiting(scene, tree, folder, waiting)


def _names(tree: Tree) -> list[str]:
    with open_place(tree.place) as root, disk.open_directory(root, FOLDER) as folder:
        names = os.listdir(folder)  # noqa: PTH208 - of a descriptor
    return sorted(name for name in names if not disk.is_temporary(name))


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _mode(tree: Tree, name: str) -> int:
    """Return the bits of the file *name* in quarantine; 0 if it is none."""
    try:
        with open_place(tree.place) as root, disk.open_directory(root, FOLDER) as here:
            mode = os.lstat(name, dir_fd=here).st_mode
    except (OSError, CrewmemError):
        return 0
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else 0


def _odd(path: Path) -> Finding:
    aside = path.parents[2] / f"{path.name}.aside"  # in no memory directory
    return warned(
        "it is no text that was refused",
        expected="texts alone, as crewmem keeps them",
        repair=join(["mv", str(path), str(aside)]),
        where=str(path),
    )


def _damaged(scene: Scene, tree: Tree, name: str, error: CrewmemError) -> Finding:
    return warned(
        f"it is damaged: {getattr(error, 'reason', 'it is not what was put there')}",
        expected="the text that was refused; it can be dropped, not released",
        repair=scene.command(
            *(*_workspace(scene, tree), "memory", "quarantine", "drop", name[:SHORT]),
            *_named(tree),
        ),
        where=str(tree.path / FOLDER / f"{name}.md"),
    )


def _open(scene: Scene, tree: Tree, folder: Path, names: list[str]) -> Finding:
    writable = disk.is_writable(tree.path)
    texts = counted(len(names), "text", "texts")
    return warned(
        f"{texts} that may hold a secret can be read by others",
        expected="files of mode 0600",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="take the rights of group and others away" if writable else "",
        where=str(folder / visible(names[0])),
    )


def _waiting(scene: Scene, tree: Tree, folder: Path, waiting: list[Refused]) -> Finding:
    oldest = min(waiting, key=lambda each: each.rejected_at)
    texts = counted(len(waiting), "text was", "texts were")
    since = times.ago(oldest.rejected_at, scene.now)
    return warned(
        f"{texts} refused and waits, the first for {oldest.ref}, {since}"
        if len(waiting) == 1
        else f"{texts} refused and wait, the first for {oldest.ref}, {since}",
        expected="somebody who releases or drops what was refused",
        look=scene.command(
            *(*_workspace(scene, tree), "memory", "quarantine", "list", *_named(tree))
        ),
        where=str(folder),
    )


def _workspace(scene: Scene, tree: Tree) -> tuple[str, ...]:
    workspace = scene.workspace_of(tree)
    return ("--workspace", workspace) if workspace else ()


def _named(tree: Tree) -> tuple[object, ...]:
    return () if tree.place.kept else ("--path", tree.path)


def mend(scene: Scene, finding: Finding) -> None:
    """Take the rights of group and others away from what was refused."""
    folder = Path(finding.where).parent
    tree = next(each for each in scene.trees if each.path / FOLDER == folder)
    for name in _names(tree):
        mode = _mode(tree, name)
        if mode & ~OWN:
            with open_place(tree.place) as root:
                disk.set_mode(root, f"{FOLDER}/{name}", mode & OWN)
