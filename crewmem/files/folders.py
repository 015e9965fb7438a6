"""Looking for directories: through links that a person named, and no others.

A crew's directories may be written by its agents. A link among them would show the
files of another workspace, or have an index written beside them.
"""

from __future__ import annotations

import os
import stat

from crewmem import disk
from crewmem.disk.failures import failure, not_a_file
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from crewmem.errors import CrewmemError
    from crewmem.files.place import Place


class Skipped(NamedTuple):
    """A directory that could not be looked into, or is a link, and why."""

    place: Place
    error: CrewmemError


def open_place(place: Place) -> disk.Directory:
    """Open the directory *place*, through no link that nobody named.

    It was looked for by names, and may have been swapped since: from the last name
    that a person gave on, each is opened in the one before.

    Raises:
        PathMissingError: If it is not there.
        UnsafePathError: If one of its names is a link by now.
        NotReadableError: If it may not be listed.
    """
    if not place.below:
        return disk.open_root(place.path)
    names = place.path.parts[-place.below :]
    return disk.open_below(place.path.parents[place.below - 1], "/".join(names))


def make_place(place: Place) -> None:
    """Make the directory *place*, which is a home's, through no link below that.

    Raises:
        UnsafePathError: If a link is in the way.
        NotWritableError: If it may not be made.
    """
    names = place.path.parts[-place.below :]
    with disk.open_root(place.path.parents[place.below - 1]) as home:
        disk.make_dirs(home, "/".join(names))


def is_folder(path: Path) -> bool:
    """Tell whether *path* is a directory, or a link to one.

    Raises:
        NotReadableError: If that may not be known.
    """
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        raise failure(error, str(path), "read") from error


def is_below(
    root: Path, path: Iterable[str], place: Place, skipped: list[Skipped]
) -> bool:
    """Tell whether *path* below *root* leads to a directory, and through no link.

    What is a link, or may not be looked at, is passed over as *place*.
    """
    here = str(root)
    for name in path:
        here = f"{here}/{name}"
        try:
            mode = os.lstat(here).st_mode
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False
        except OSError as error:
            skipped.append(Skipped(place, failure(error, here, "read")))
            return False
        if stat.S_ISLNK(mode):
            skipped.append(Skipped(place, not_a_file(here, mode)))
        if not stat.S_ISDIR(mode):
            return False
    return True


def names(root: Path, folder: str, place: Place, skipped: list[Skipped]) -> list[str]:
    """Return what could be a directory in *folder* of *root*, links too, in order."""
    if not is_below(root, (folder,), place, skipped):
        return []
    try:
        with os.scandir(root / folder) as entries:
            return sorted(
                each.name
                for each in entries
                if each.name[0] != "." and not each.is_file(follow_symlinks=False)
            )
    except OSError as error:
        skipped.append(Skipped(place, failure(error, str(root / folder), "read")))
        return []


def joined(failures: Sequence[CrewmemError]) -> CrewmemError:
    """Return the one of *failures*, or one for all of them: that nothing succeeded."""
    if len(failures) == 1:
        return failures[0]
    from crewmem.errors.cli import NothingReadError

    return NothingReadError([str(failure) for failure in failures])
