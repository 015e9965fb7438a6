"""What of a memory directory is not in its index as it stands. Pure."""

from __future__ import annotations

from crewmem.files.listing import EMPTY, is_copy, same_file, unpack
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.files.listing import Stamp
    from crewmem.files.walk import Found


class DirectoryChange(NamedTuple):
    """One directory whose listing is not the one the index knows.

    Attributes:
        path: Below the memory directory.
        found: All its files with their stamps, as they are now.
        suspects: Names of files that may have changed, or are new, in order.
        gone: Names of files that are no longer there.
        is_new: Whether the index does not know the directory at all.
    """

    path: str
    found: dict[str, Stamp]
    suspects: list[str]
    gone: list[str]
    is_new: bool


class Changes(NamedTuple):
    """What an index lacks.

    Attributes:
        directories: Those whose listing differs, by path.
        gone: Paths of directories that are no longer there.
    """

    directories: list[DirectoryChange]
    gone: list[str]

    @property
    def is_fresh(self) -> bool:
        """Tell whether every answer of the index is still true.

        A copied tree has other inodes and nothing else; that changes no answer.
        """
        return not self.gone and not any(
            change.suspects or change.gone for change in self.directories
        )


def changes(found: Sequence[Found], known: Mapping[str, bytes]) -> Changes:
    """Compare the directories *found* with the listings that the index has."""
    differing = sorted(
        (each for each in found if known.get(each.path) != each.listing),
        key=lambda each: each.path,
    )
    now = {each.path: unpack(each.listing) for each in differing}
    before = {path: unpack(known.get(path, b"")) for path in now}
    paths = {each.path for each in found}
    copied = all(
        is_copy(before[path], now[path]) for path in now if before[path] and now[path]
    ) and not any(
        # A directory that holds no file is the same in a copy.
        each.path not in now and each.listing != EMPTY
        for each in found
    )
    return Changes(
        [
            _change(path, before[path], now[path], copied=copied, known=path in known)
            for path in now
        ],
        sorted(known.keys() - paths),
    )


def _change(
    path: str,
    before: Mapping[str, Stamp],
    now: dict[str, Stamp],
    *,
    copied: bool,
    known: bool,
) -> DirectoryChange:
    suspects = sorted(
        name
        for name, stamp in now.items()
        if not same_file(before.get(name), stamp, copied=copied)
    )
    return DirectoryChange(
        path, now, suspects, sorted(before.keys() - now.keys()), is_new=not known
    )
