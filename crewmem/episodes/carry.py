"""Bringing back what a bundle knows of episodes: deliveries, and relations by hand.

Both are keyed by the entry, so that doing it again does nothing. Vectors, and what
they say of which entries are alike, are made anew by sweeps.
"""

from __future__ import annotations

from math import isfinite

from crewmem.episodes import carried_store
from crewmem.episodes.carried_store import Delivered, Link
from crewmem.episodes.relation import Kind
from crewmem.episodes.store import Episodes
from crewmem.journal.chain import encoded
from crewmem.journal.restore import Restored, is_instant, restored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime
    from typing import BinaryIO

    from crewmem.journal.store import Journal

MADE = frozenset(Kind) - {Kind.SIMILAR}
"""Relations that somebody makes."""

MS_MOST = 1 << 48
"""Of a time: some nine thousand years."""

REFERENCES_MOST = 1 << 53


def delivered_line(each: Delivered) -> str:
    """Return an episode as a line of a bundle."""
    return encoded(each._asdict())


def link_line(each: Link) -> str:
    """Return a relation as a line of a bundle."""
    return encoded(each._asdict())


def restore_delivered(
    journal: Journal, workspace: str, stream: BinaryIO, now: datetime
) -> Restored:
    """Take in how often entries that are there were delivered into prompts.

    One that is no episode becomes one. Where it was delivered more often here, what is
    here stays.
    """

    def take(found: list[Delivered], troubles: list[str]) -> tuple[int, int]:
        seqs = _made(journal, workspace, found, now)
        there = [each for each in found if each.id in seqs]
        now_ms = int(now.timestamp() * 1000)
        new = carried_store.believe(journal.db, seqs, there, now_ms)
        if lacking := len(found) - len(there):
            troubles.append(f"{lacking:,} episodes are of entries that are not here")
        return new, len(there) - new

    return restored(journal, stream, _delivered, take)


def _made(
    journal: Journal, workspace: str, found: Sequence[Delivered], now: datetime
) -> dict[str, int]:
    """Make episodes of what is none yet; return the places of all that are there."""
    episodes = Episodes(journal.db)
    seqs = carried_store.places(journal.db, workspace, (each.id for each in found))
    lacking = {*seqs.values()} - episodes.owner_of([*seqs.values()]).keys()
    if lacking:
        entries = journal.by_seq(sorted(lacking))
        episodes.add([entries[seq] for seq in sorted(entries)], now)
    return seqs


def _delivered(
    number: int, record: dict[str, object], troubles: list[str]
) -> Delivered | None:
    """Return the episode that *record* spells; None, and why, if it spells none."""
    entry_id, indexed, references, last = map(record.get, Delivered._fields)
    if (
        isinstance(entry_id, str)
        and type(indexed) is int
        and type(references) is int
        and 0 <= references <= REFERENCES_MOST
        and -MS_MOST <= indexed <= MS_MOST
        and (last is None or (isinstance(last, str) and is_instant(last)))
    ):
        return Delivered(entry_id, indexed, references, last)
    troubles.append(f"line {number}: it is no episode")
    return None


def restore_links(journal: Journal, workspace: str, stream: BinaryIO) -> Restored:
    """Take in relations between entries that are there."""

    def take(found: list[Link], troubles: list[str]) -> tuple[int, int]:
        ends = {end for each in found for end in each[:2]}
        seqs = carried_store.places(journal.db, workspace, ends)
        there = [each for each in found if _is_there(each, seqs, troubles)]
        new = carried_store.add_links(journal.db, seqs, there)
        return new, len(there) - new

    return restored(journal, stream, _link, take)


def _is_there(each: Link, seqs: Collection[str], troubles: list[str]) -> bool:
    if each.src in seqs and each.dst in seqs:
        return True
    told = f"{each.src} {each.relation} {each.dst}: one of them is not here"
    troubles.append(told)
    return False


def _link(number: int, record: dict[str, object], troubles: list[str]) -> Link | None:
    """Return the relation that *record* spells; None, and why, if it spells none."""
    src, dst, relation, weight, at = map(record.get, Link._fields)
    if (
        isinstance(src, str)
        and isinstance(dst, str)
        and src != dst
        and isinstance(relation, str)
        and relation in MADE
        and type(weight) in {int, float}
        and isinstance(weight, int | float)
        and isfinite(weight)
        and 0 <= weight <= 1
        and isinstance(at, str)
        and is_instant(at)
    ):
        return Link(src, dst, relation, float(weight), at)
    troubles.append(f"line {number}: it is no relation that somebody made")
    return None
