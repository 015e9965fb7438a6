"""What of a memory directory is not found by a search, and why."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from crewmem.files.store import MemoryIndex
    from crewmem.files.walk import Found

LOSSY = "bytes that are not UTF-8 were replaced"

SHOWN = 3
"""Skipped files that a search names; ``memory status`` names them all."""


class Skipped(NamedTuple):
    """A file or directory that is not in the index, or only with loss.

    Attributes:
        file: Path below the memory directory; "." is that directory itself.
        reason: Why.
    """

    file: str
    reason: str


def skipped(
    index: MemoryIndex, found: Sequence[Found], *, hidden: Collection[str] = ()
) -> tuple[Skipped, ...]:
    """Return what is not in *index*, by path; nothing of the *hidden* tiers."""
    files = [
        Skipped(file.file, file.skipped or LOSSY)
        for file in index.skipped()
        if file.tier not in hidden
    ]
    troubled = [
        Skipped(each.path or ".", each.trouble) for each in found if each.trouble
    ]
    return tuple(sorted(files + troubled, key=lambda each: each.file))


def told(left: Sequence[Skipped]) -> str:
    """Return what the first of *left* are, and how many more there are."""
    named = ", ".join(f"{each.file} ({each.reason})" for each in left[:SHOWN])
    more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
    return f"{named}{more}"
