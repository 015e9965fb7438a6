"""The memory directories of a tree, which `--path` names."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from crewmem.access import Scope
from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import NotFoundError, RefusedError
from crewmem.files.directories import (
    SKIPPED_FOLDERS,
    MemoryDirectory,
    find_crew_directories,
    find_home_directories,
    is_directory,
)

MEMORY_FILES = ("AGENT.md", "CREW.md", "PERSONA.md", "pins.md")
"""Files that identify a memory directory that was copied under another name."""


def find_tree_directories(
    path: Path, scope: Scope | None = None, *, workspace: str = "default"
) -> list[MemoryDirectory]:
    """Return the memory directories of *path*.

    *path* may be a ``.memory`` directory or its parent, the root of a crew, the directory of an
    agent (with *scope* ``all`` its crew's directories are included), a home, or any directory with
    markdown.

    Raises:
        NotFoundError: If there is no markdown; the error lists the directories that were tried.
        RefusedError: If *path* cannot be listed.
    """
    path = Path(os.path.realpath(path))
    if not path.is_dir():
        raise NotFoundError(f"{path} is not a directory", code="path-not-found")
    if not os.access(path, os.R_OK | os.X_OK):
        raise RefusedError(f"cannot list {path}: permission denied", code="not-permitted")
    workspace_dir = path / "workspaces" / workspace
    if is_directory(workspace_dir):
        return find_home_directories(workspace_dir)
    tried: list[Path] = []
    found = list(_tiered_directories(path, scope, tried))
    if not found:
        tried.append(path)
        whole = MemoryDirectory(path, Scope.WORKSPACE, has_tiers=False)
        if not _has_markdown(path):
            listed = ", ".join(map(str, tried))
            raise NotFoundError(
                f"there is no markdown at {path}; tried {listed}",
                code="no-markdown",
                details={"tried": list(map(str, tried))},
            )
        return [whole]
    return _with_prefixes(found)


def _has_markdown(path: Path) -> bool:
    """Return whether there is markdown in a directory or below it, by the names alone."""
    for _, folders, names in os.walk(path):
        if any(name[0] != "." and name[-3:].lower() == ".md" for name in names):
            return True
        folders[:] = [each for each in folders if each[0] != "." and each not in SKIPPED_FOLDERS]
    return False


def _tiered_directories(
    path: Path, scope: Scope | None, tried: list[Path]
) -> Iterator[MemoryDirectory]:
    single = path if path.name == MEMORY_DIRECTORY else path / MEMORY_DIRECTORY
    tried.append(single)
    if is_directory(single):
        directory = _identify(single)
        if scope is not Scope.CREW or directory.scope is Scope.CREW:
            yield directory
            above = single.parent.parent
            if scope is Scope.ALL and above.name == "agents":
                yield from _find_crew(above.parent, Scope.CREW)
            return
    tried += [path / "shared" / MEMORY_DIRECTORY, path / "agents"]
    found = list(_find_crew(path, scope))
    yield from found
    if not found and any((path / name).is_file() for name in MEMORY_FILES):
        yield _identify(path)


def _find_crew(root: Path, scope: Scope | None) -> Iterator[MemoryDirectory]:
    """Yield the memory directories of the root of a crew; with scope ``crew`` only the crew's."""
    for each in find_crew_directories(root, _crew_name(root), in_home=False):
        if scope is not Scope.CREW or each.scope is Scope.CREW:
            yield each


def _crew_name(root: Path) -> str:
    """Return the name of the crew with this root; "" if the path does not show it."""
    return root.name if root.parent.name == "crews" else ""


def _identify(path: Path) -> MemoryDirectory:
    """Return the memory directory at *path*; its owner is found by the path, else by its files."""
    above = path.parent if path.name == MEMORY_DIRECTORY else path
    if above.name == "shared":
        return MemoryDirectory(path, Scope.CREW, _crew_name(above.parent))
    if above.parent.name == "agents":
        return MemoryDirectory(path, Scope.AGENT, _crew_name(above.parent.parent), above.name)
    if above.parent.name == "workspaces":
        return MemoryDirectory(path, Scope.WORKSPACE)
    is_crew = (path / "CREW.md").is_file()
    return MemoryDirectory(path, Scope.CREW if is_crew else Scope.AGENT)


def _with_prefixes(found: Sequence[MemoryDirectory]) -> list[MemoryDirectory]:
    """Set prefixes: the path of each directory below their common parent."""
    if len(found) == 1:
        return list(found)
    root = os.path.commonpath([each.path for each in found])
    return [each._replace(prefix=os.path.relpath(each.path, root) + "/") for each in found]
