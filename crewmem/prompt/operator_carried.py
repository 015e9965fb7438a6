"""What persons said of themselves, as bundles carry it beside their cards. Pure.

It goes along with the cards, and only with them: for operators who ask for it.
"""

from __future__ import annotations

import re

from crewmem import times
from crewmem.journal import restore
from crewmem.journal.chain import encoded
from crewmem.journal.entry import NAME_MOST, SUMMARY_MOST
from crewmem.journal.restore import is_instant
from crewmem.prompt.operator_fact import FactField
from crewmem.prompt.operator_store import Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

CARD = re.compile(
    r"(?:crew:[^/\0\n]+/users|agent:[^/\0\n]+/[^/\0\n]+/peers)/([0-9a-f]{16})\.md"
)
"""Names the card of a person."""

FIELDS = frozenset(FactField)


def slug_of(card: str) -> str:
    """Return what stands for the person whose card it is; "" if it is none."""
    found = CARD.fullmatch(card)
    return found[1] if found else ""


def evidence_line(each: Evidence) -> str:
    """Return what a person said as a line of a bundle."""
    record = each._asdict()
    record["observed_at"] = times.to_text(each.observed_at)
    return encoded(record)


def read(stream: BinaryIO) -> tuple[list[Evidence], list[str]]:
    """Return what the lines of *stream* say that persons said, and what is none."""
    return restore.read(stream, _evidence, "nothing that a person said")


def _evidence(record: dict[str, object]) -> Evidence | None:
    card, field, value, quote, at, by = map(record.get, Evidence._fields)
    if (
        isinstance(card, str)
        and slug_of(card)
        and isinstance(field, str)
        and field in FIELDS
        and isinstance(value, str)
        and isinstance(quote, str)
        and 0 < len(value) + len(quote) <= SUMMARY_MOST
        and isinstance(at, str)
        and is_instant(at)
        and isinstance(by, str)
        and 0 < len(by) <= NAME_MOST
        and by.isprintable()
    ):
        when = times.from_text(at)
        return Evidence(card, FactField(field), value, quote, when, by)
    return None
