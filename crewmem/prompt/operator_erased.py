"""What erasing a person comes to, and the lock that it happens under."""

from __future__ import annotations

from contextlib import contextmanager

from crewmem import disk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = "locks/operator"
"""Held while somebody is observed or erased, so that neither undoes the other."""


class Erased(NamedTuple):
    """What was erased of what was known of a person.

    Attributes:
        slug: What stands for the person.
        field: The only field that was erased; null for all that there was.
        opted_out: Whether the person is not observed from now on.
        cards: The cards that were erased, or that say less now.
        files: How many files were removed: cards, and what was left beside them.
        facts: How many pieces of evidence were erased.
        versions: How many versions of the cards.
        quarantined: How many texts that were refused, and meant for the cards.
        changed: Whether there was anything, or another decision.
        dry_run: Whether all of this is only what would be erased.
        done: Whether it was done; false if it was not confirmed.
    """

    slug: str
    field: str | None
    opted_out: bool
    cards: tuple[str, ...]
    files: int
    facts: int
    versions: int
    quarantined: int
    changed: bool
    dry_run: bool
    done: bool


def nothing_erased(slug: str, field: str | None) -> Erased:
    """Return that nothing was erased, for nobody confirmed it."""
    return Erased(
        slug=slug,
        field=field,
        opted_out=False,
        cards=(),
        files=0,
        facts=0,
        versions=0,
        quarantined=0,
        changed=False,
        dry_run=False,
        done=False,
    )


@contextmanager
def alone(home: Path, timeout: float) -> Iterator[None]:
    """Let nobody else observe or erase inside.

    Raises:
        LockBusyError: If another process does for longer than *timeout* seconds.
    """
    folder = LOCK.partition("/")[0]
    with disk.open_root(home) as root:
        disk.make_dirs(root, folder)
        with disk.lock(root, LOCK, timeout=timeout):
            yield
