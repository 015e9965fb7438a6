"""Pinned entries, mirrored into the crew's pins.md. Pure.

Only lines of ours are taken out: what a person pinned by hand stays.
"""

from __future__ import annotations

from crewmem.consolidation.section import (
    PINNED,
    added,
    entries_of,
    leads_to,
    lines,
    section,
    without,
)
from crewmem.consolidation.wording import one_line
from crewmem.digests import sha256
from crewmem.files.screen import screened
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.journal.entry import Entry
    from crewmem.threats.rule import Scan

PRIORITIES = ("permanent", "pin")
"""What is mirrored, what matters most first."""

PIN_MOST = 200
"""Most characters of a pinned summary: a prompt has a tenth of its room for pins."""

HASH_DIGITS = 12


class Pinned(NamedTuple):
    """What became of the pins of a crew.

    Attributes:
        added: Entries that came into pins.md.
        removed: Names of entries that left it.
        version: The version of the file; null if nothing changed.
        lines: The lines that came into it.
        before: The version before that; null if there was none.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    version: str | None = None
    lines: tuple[str, ...] = ()
    before: str | None = None


class Mirror(NamedTuple):
    """What becomes of pins.md.

    Attributes:
        content: What it will hold.
        added: Entries that come into it.
        removed: Names of entries that leave it.
        left: Why entries are not in it.
        lines: The lines that come into it.
    """

    content: bytes
    added: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]
    lines: tuple[str, ...]


def mirrored(
    content: bytes, pinned: Sequence[Entry], cap: int | None, scan: Scan
) -> Mirror:
    """Return what pins.md, which holds *content*, becomes with the *pinned* entries.

    What does not fit under the *cap* stays out, and so does what the scanner refuses.

    Raises:
        SectionDamagedError: If its section is damaged.
    """
    cut = section(content, PINNED)
    known = cut.ids if cut else frozenset()
    wanted, left = _harmless(pinned, scan)
    shown = _grouped(wanted)
    stay = {_names(each) for each in shown}
    there = [entries_of(each) for each in lines(cut.body)] if cut else []
    old = frozenset(one for each in there if each and each not in stay for one in each)
    content = without(content, PINNED, old)
    kept = {one for each in there if each in stay for one in each}
    new: list[str] = []
    made: list[str] = []
    for each in shown:
        if _names(each) in there:
            continue
        after = added(content, PINNED, [line_of(*each)])
        if cap is not None and len(after) > cap:
            left += [
                f"{one.id} is not mirrored: pins.md has no room for it" for one in each
            ]
            continue
        content = after
        kept |= {*_names(each)}
        new += [one.id for one in each if name(one.id) not in known]
        made.append(line_of(*each))
    removed = tuple(sorted(known - kept))
    return Mirror(content, tuple(new), removed, tuple(left), tuple(made))


def _harmless(pinned: Iterable[Entry], scan: Scan) -> tuple[list[Entry], list[str]]:
    """Return those of *pinned* that the scanner lets pass, and why others are not."""
    good: list[Entry] = []
    left: list[str] = []
    for each in {name(entry.id): entry for entry in pinned}.values():
        if found := screened("", line_of(each), scan).blocking:
            left.append(f"{each.id} is not mirrored: it looks like {found[0].rule}")
        else:
            good.append(each)
    return good, left


def _grouped(entries: Iterable[Entry]) -> list[tuple[Entry, ...]]:
    """Return *entries* that say the same as one, what matters most first."""
    order = {priority: place for place, priority in enumerate(PRIORITIES)}
    found: dict[str, list[Entry]] = {}
    for each in sorted(entries, key=lambda one: (order[one.priority], -one.seq)):
        found.setdefault(one_line(each.summary, PIN_MOST), []).append(each)
    return [tuple(each) for each in found.values()]


def _names(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(name(each.id) for each in entries)


def line_of(entry: Entry, *more: Entry) -> str:
    """Return the line of a pinned *entry*, and of *more* that say the same."""
    said = one_line(entry.summary, PIN_MOST)
    day = entry.ts.date().isoformat()
    names = "; ".join(_names((entry, *more)))
    return f"- {said} ({entry.entry_type}, {day}; {names})"


def name(entry_id: str) -> str:
    """Return how a line names an entry: an imported one, whose id is any, by a hash."""
    if leads_to(f"; {entry_id})".encode("utf-8", "replace")) == entry_id:
        return entry_id
    digest = sha256(entry_id.encode("utf-8", "surrogatepass"))
    return f"#{digest[:HASH_DIGITS]}"
