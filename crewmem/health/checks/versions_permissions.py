"""Versions: are they their owner's alone?"""

from __future__ import annotations

import os
import stat

from crewmem import disk
from crewmem.errors.disk import PathMissingError
from crewmem.files.kept import VERSIONS
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "versions.permissions"
CATEGORY = "versions"

OWN = 0o700
"""The bits that remain: what memory said once is its owner's business, too."""


def look(scene: Scene) -> list[Finding]:
    """Count directories and files of versions that others may read."""
    home = scene.home
    if home is None or not home.is_dir() or not scene.is_operator:
        return [skipped(NO_HOME)]
    open_to_others = [path for path, mode in _modes(home) if mode & ~OWN]
    if not open_to_others:
        return [passed("what versions keep is its owner's alone")]
    first, *more = open_to_others
    others = f" and {len(more):,} more" if more else ""
    writable = disk.is_writable(home)
    return [
        warned(
            f"{first}{others} may be read or changed by others",
            expected="directories of mode 0700, files of mode 0600",
            repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
            fix="take the rights of group and others away" if writable else "",
            where=str(home / VERSIONS),
        )
    ]


def _modes(home: Path) -> Iterator[tuple[str, int]]:
    """Yield directories and files of versions below *home*, with their bits."""
    try:
        with disk.open_root(home) as root, disk.open_directory(root, VERSIONS) as here:
            yield VERSIONS, _mode(here)
            for folder in _listed(here):
                status = os.lstat(folder, dir_fd=here)
                if not stat.S_ISDIR(status.st_mode):
                    continue
                with disk.open_directory(here, folder) as inside:
                    yield f"{VERSIONS}/{folder}", _mode(inside)
                    for name in _listed(inside):
                        mode = os.lstat(name, dir_fd=inside).st_mode
                        if stat.S_ISREG(mode):
                            yield f"{VERSIONS}/{folder}/{name}", stat.S_IMODE(mode)
    except PathMissingError:
        return


def _mode(directory: disk.Directory) -> int:
    return stat.S_IMODE(os.fstat(directory).st_mode)


def _listed(directory: disk.Directory) -> list[str]:
    return sorted(os.listdir(directory))  # noqa: PTH208 - of a descriptor


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Take the rights of group and others away."""
    if scene.home is None:
        return
    wrong = [(path, mode & OWN) for path, mode in _modes(scene.home) if mode & ~OWN]
    with disk.open_root(scene.home) as root:
        for path, mode in wrong:
            if path.count("/") > 1:
                disk.set_mode(root, path, mode)
            else:
                with disk.open_directory(root, path) as folder:
                    disk.set_mode(folder, "", mode)
