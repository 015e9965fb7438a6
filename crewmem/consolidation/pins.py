"""Pinned entries, mirrored into the crew's pins.md. Pure.

Only lines of ours are taken out: what a person pinned by hand stays.
"""

from __future__ import annotations

from crewmem.consolidation.section import PINNED, added, leads_to, section, without
from crewmem.consolidation.wording import one_line
from crewmem.digests import sha256
from crewmem.files.screen import screened
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    version: str | None = None
    lines: tuple[str, ...] = ()


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
    wanted = {name(each.id): each for each in pinned}
    gone = {
        each: found.blocking
        for each, entry in wanted.items()
        if (found := screened("", line_of(entry), scan)).blocking
    }
    removed = sorted(known - wanted.keys() | known & gone.keys())
    content = without(content, PINNED, frozenset(removed))
    left = [
        f"{wanted[each].id} is not mirrored: it looks like {found[0].rule}"
        for each, found in gone.items()
    ]
    order = {priority: place for place, priority in enumerate(PRIORITIES)}
    new: list[str] = []
    for each, entry in sorted(
        wanted.items(), key=lambda pair: (order[pair[1].priority], -pair[1].seq)
    ):
        if each in known or each in gone:
            continue
        after = added(content, PINNED, [line_of(entry)])
        if cap is not None and len(after) > cap:
            left.append(f"{entry.id} is not mirrored: pins.md has no room for it")
            continue
        content = after
        new.append(entry.id)
    lines = tuple(line_of(wanted[name(each)]) for each in new)
    return Mirror(content, tuple(new), tuple(removed), tuple(left), lines)


def line_of(entry: Entry) -> str:
    """Return the line of a pinned *entry*."""
    said = one_line(entry.summary, PIN_MOST)
    day = entry.ts.date().isoformat()
    return f"- {said} ({entry.entry_type}, {day}; {name(entry.id)})"


def name(entry_id: str) -> str:
    """Return how a line names an entry: an imported one, whose id is any, by a hash."""
    if leads_to(f"; {entry_id})".encode("utf-8", "replace")) == entry_id:
        return entry_id
    digest = sha256(entry_id.encode("utf-8", "surrogatepass"))
    return f"#{digest[:HASH_DIGITS]}"
