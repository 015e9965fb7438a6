"""How large memory files and their directories may be. Pure."""

from __future__ import annotations

from crewmem.files.listing import ODD, unpack
from crewmem.files.tiers import FOLDERS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crewmem.errors.files import DirectoryFullError
    from crewmem.files.target import Target
    from crewmem.files.walk import Found

SOFT = 80
"""Per cent of a cap from which a file is near it."""

ARCHIVE = frozenset(f"{folder}/archive" for folder in FOLDERS)
"""Directories of notes that are put away, and count for nothing."""

LARGEST = 5
"""Files that are named when a directory is full."""


class Caps(NamedTuple):
    """How large things may be.

    Attributes:
        files: Most bytes of a file, by tier.
        directory: Most bytes of all memory files of one directory.
    """

    files: Mapping[str, int]
    directory: int


def usage(size: int, cap: int) -> str:
    """Return *size* and *cap* as a person reads them, the share cut to whole per cent.

    ``3900 of 4000 bytes, 97%``.
    """
    return f"{size} of {cap} bytes, {100 * size // cap}%"


def is_near(size: int, cap: int | None) -> bool:
    """Tell whether *size* is so near to *cap* that it is time to tidy up."""
    return bool(cap) and 100 * size >= SOFT * (cap or 0)


def require_file_fits(
    target: Target, before: int, after: int, cap: int | None, current: str
) -> None:
    """Refuse a file of *after* bytes that is over its *cap*.

    Args:
        target: The file.
        before: Its bytes until now.
        after: What it would have.
        cap: Most that it may have; None: any.
        current: What it says now, to be repaired.

    Raises:
        OverCapError: If it is.
    """
    if cap is None or after <= cap:
        return
    from crewmem.errors.files import OverCapError

    error = OverCapError(
        target.ref,
        projected=after,
        cap=cap,
        usage=usage(before, cap),
        current_entries=current,
    )
    error.hint = advice(target)
    raise error


def advice(target: Target) -> str:
    """Say how the file *target* is made smaller, at once."""
    place = target.place
    words = ["crewmem memory write", f"--tier {target.tier}"]
    if "/" in target.file or target.tier == "workspace":
        words.append(f"--key {_quoted(target.file.rpartition('/')[2][:-3])}")
    if not place.kept:
        words.append(f"--path {_quoted(str(place.path))}")
    elif place.agent:
        words.append(f"--agent {place.agent}")
    elif place.crew:
        words.append(f"--scope crew --crew {place.crew}")
    words.append("--mode replace -")
    return (
        "Merge duplicates, drop stale lines, and write it again in this turn: "
        + " ".join(words)
    )


def _quoted(word: str) -> str:
    """Return *word* as a shell takes it."""
    from shlex import quote

    return quote(word)


class Filling(NamedTuple):
    """What a directory would hold.

    Attributes:
        sizes: Bytes of its files as they are, by path.
        projected: Bytes of all of them, once the one is written.
        cap: Most that it may hold.
    """

    sizes: Mapping[str, int]
    projected: int
    cap: int

    @property
    def is_over(self) -> bool:
        """Whether that is too much."""
        return self.projected > self.cap

    def refusal(self, target: Target, current: str) -> DirectoryFullError:
        """Return the refusal of *target*, which says *current* now."""
        from crewmem.errors.files import DirectoryFullError

        by_size = sorted(self.sizes.items(), key=lambda pair: (-pair[1], pair[0]))
        return DirectoryFullError(
            target.place.path,
            projected=self.projected,
            cap=self.cap,
            usage=usage(sum(self.sizes.values()), self.cap),
            largest=[f"{file} ({size:,} bytes)" for file, size in by_size[:LARGEST]],
            current_entries=current,
        )


def filling(found: Iterable[Found], before: int, after: int, cap: int) -> Filling:
    """Return what a directory would hold.

    Args:
        found: The directory as it was walked.
        before: Bytes of the file that is written, until now.
        after: What it will have.
        cap: Most bytes of a directory.
    """
    sizes = dict(_sizes(found))
    return Filling(sizes, sum(sizes.values()) - before + after, cap)


def is_archive(folder: str) -> bool:
    """Tell whether what lies in *folder*, or below, was put away: it counts nothing."""
    return f"{folder}/".startswith(tuple(f"{each}/" for each in ARCHIVE))


def _sizes(found: Iterable[Found]) -> Iterable[tuple[str, int]]:
    for each in found:
        if is_archive(each.path):
            continue
        for name, stamp in unpack(each.listing).items():
            if stamp[0] != ODD:
                yield f"{each.path}/{name}".lstrip("/"), stamp[0]
