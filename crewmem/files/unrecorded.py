"""Which files of a directory may not be as their newest versions have them. Pure.

The usual answer is: none. It is found by comparing bytes that a walk yields anyway
with those that were kept when the files were last compared; nothing is read.
"""

from __future__ import annotations

from crewmem.files.listing import ODD
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crewmem.files.walk import Found


class Suspects(NamedTuple):
    """What is to be compared with its versions.

    Attributes:
        listings: What lies in each directory that is not as it was, by its path.
        changed: Files that may have other bytes, or are new, below the memory
            directory; a link or a FIFO is none.
        gone: Files that are no longer there.
        folders: Directories that are no longer there.
    """

    listings: Mapping[str, bytes]
    changed: Sequence[str]
    gone: Sequence[str]
    folders: Sequence[str]


def is_as_recorded(found: Sequence[Found], known: Mapping[str, bytes]) -> bool:
    """Tell whether the directories *found* are as they were when last compared.

    Those that cannot be listed now, and what is below them, say nothing.
    """
    here = {each.path for each in found if not each.trouble}
    same = all(
        known.get(each.path) == each.listing for each in found if not each.trouble
    )
    return same and not [*_gone(found, here, known)]


def suspects(found: Sequence[Found], known: Mapping[str, bytes]) -> Suspects:
    """Return what of *found* is to be compared, given what is *known*."""
    from crewmem.files.changes import changes

    listed = [each for each in found if not each.trouble]
    here = {each.path for each in listed}
    gone = [*_gone(found, here, known)]
    lacking = changes(
        listed, {path: known[path] for path in (*here, *gone) if path in known}
    )
    files = [
        (_joined(change.path, name), is_gone)
        for change in lacking.directories
        for names, is_gone in ((change.suspects, False), (change.gone, True))
        for name in names
        if is_gone or change.found[name][0] != ODD
    ]
    files += [
        (_joined(path, name), True) for path in gone for name in _names(known[path])
    ]
    return Suspects(
        {
            each.path: each.listing
            for each in listed
            if known.get(each.path) != each.listing
        },
        sorted(file for file, is_gone in files if not is_gone),
        sorted(file for file, is_gone in files if is_gone),
        gone,
    )


def _gone(
    found: Sequence[Found], here: set[str], known: Mapping[str, bytes]
) -> Iterator[str]:
    """Yield the directories that are no longer there, as far as that can be seen."""
    if len(here) == len(found) and known.keys() <= here:
        return
    closed = tuple(each.path for each in found if each.trouble)
    for path in sorted(known.keys() - here):
        if not any(
            path == each or not each or path.startswith(f"{each}/") for each in closed
        ):
            yield path


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _names(listing: bytes) -> list[str]:
    from crewmem.files.listing import unpack

    return list(unpack(listing))
