"""The workspaces, crews and agents that a home has directories of.

Of a backup without a database these are all there is to tell who works there.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from crewmem import disk
from crewmem.disk.failures import failure
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.errors.registry import HomeMissingError
from crewmem.registry import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Folders:
    """The directories of a home.

    Attributes:
        unread: What could not be looked into, and why.
    """

    def __init__(self, root: disk.Directory) -> None:
        self._root = root
        self.unread: list[str] = []

    def workspaces(self) -> list[str]:
        """Return the names of workspaces, in order.

        Raises:
            NotReadableError: If they may not be listed.
        """
        return self._listed(layout.WORKSPACES)

    def crews(self, workspace: str) -> list[str]:
        """Return the names of the crews of *workspace*, in order."""
        return self._below(layout.crews(workspace))

    def agents(self, workspace: str, crew: str) -> list[str]:
        """Return the slugs of the agents at home in *crew*, in order."""
        above = layout.agents(workspace, crew)
        return [
            slug for slug in self._below(above) if self._has_memory(f"{above}/{slug}")
        ]

    def _has_memory(self, relative: str) -> bool:
        """Tell whether *relative* has a memory directory; a link to one is none."""
        try:
            status = os.lstat(f"{self._root.path}/{relative}/{layout.MEMORY}")
        except OSError:
            return False
        return stat.S_ISDIR(status.st_mode)

    def _below(self, relative: str) -> list[str]:
        """Return the directories in *relative*; none if it cannot be looked into."""
        try:
            return self._listed(relative)
        except CrewmemError as error:
            self.unread.append(str(error))
            return []

    def _listed(self, relative: str) -> list[str]:
        """Return the directories in *relative* that are no links and not hidden."""
        try:
            with (
                disk.open_directory(self._root, relative) as folder,
                os.scandir(folder) as found,
            ):
                return sorted(
                    each.name
                    for each in found
                    if each.name[0] != "." and each.is_dir(follow_symlinks=False)
                )
        except PathMissingError:
            return []
        except OSError as error:
            raise failure(error, f"{self._root.path}/{relative}", "read") from error


@contextmanager
def opened(home: Path) -> Iterator[Folders]:
    """Open the directories of *home*.

    Raises:
        HomeMissingError: If there is no home.
    """
    try:
        root = disk.open_root(home)
    except PathMissingError as error:
        raise HomeMissingError(home) from error
    with root:
        yield Folders(root)


def crews_with(home: Path, workspace: str, slug: str) -> frozenset[str]:
    """Return the crews of *workspace* that have a directory of the agent *slug*."""
    from glob import escape

    below = f"{layout.agents(workspace, '*')}/{escape(slug)}"
    return frozenset(found.parent.parent.name for found in home.glob(below))
