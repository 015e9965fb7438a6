"""Which entries of the journal are inputs, and what they say. Pure."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.consolidation.normal import says_something
from crewmem.consolidation.observation import TEXT_LEAST, TEXT_MOST
from crewmem.consolidation.piece import ENTRY, Piece, digest_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from crewmem.consolidation.normal import Reader

ESCALATION, DECISION, REGRESSION = (
    "peer.escalation",
    "keeper.decision",
    "eval.regression_detected",
)

SUMMARY = "summary.generated"

TYPES = frozenset({ESCALATION, DECISION, REGRESSION, SUMMARY, "mission.status_change"})
"""Entries that are inputs; pinned ones of any other type are as well."""

TROUBLES = frozenset({ESCALATION, DECISION, REGRESSION})
"""Entries that, where they come again, are a rule: the next one should know."""

PINNED = frozenset({"pin", "permanent"})

DENIED = frozenset({"deny", "denied", "reject", "rejected"})

VERDICTS = ("decision", "outcome", "result")


class Told(NamedTuple):
    """An entry, as far as consolidation reads it.

    Attributes:
        payload: As it is stored.
    """

    seq: int
    id: str
    agent: str
    ts: str
    entry_type: str
    severity: str
    priority: str
    summary: str
    payload: str

    @property
    def whole(self) -> str:
        """All that it says."""
        return f"{self.summary}\n{self.payload}"

    @property
    def sha256(self) -> str:
        """The hash by which it is known again; a purge of it changes it."""
        return digest_of(f"{self.summary}\0{self.payload}")

    @property
    def fields(self) -> Mapping[str, object]:
        """What its payload holds."""
        try:
            found = json.loads(self.payload)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def is_pinned(self) -> bool:
        """Tell whether somebody pinned it."""
        return self.priority in PINNED

    @property
    def is_input(self) -> bool:
        """Tell whether it is read: of decisions those that deny."""
        if self.is_pinned:
            return True
        return self.entry_type != DECISION or is_denied(self.fields)


def is_denied(payload: Mapping[str, object]) -> bool:
    """Tell whether the *payload* of a decision says no."""
    if payload.get("allowed") is False:
        return True
    said = (payload.get(each) for each in VERDICTS)
    return any(
        isinstance(each, str) and each.strip().casefold() in DENIED for each in said
    )


def piece_of(told: Told, reader: Reader, zone: tzinfo) -> Piece | None:
    """Return what *told* says, to be compared with notes; None if that is nothing.

    A summary repeats what notes say, and is no source of its own.
    """
    text = " ".join(told.summary.split())
    if told.entry_type == SUMMARY or not TEXT_LEAST <= len(text) <= TEXT_MOST:
        return None
    form = reader.form(text)
    if not says_something(form):
        return None
    day = times.day(times.from_text(told.ts), zone).isoformat()
    where = (day, told.agent, ENTRY, told.id, 0, 0, told.entry_type)
    return Piece._make((*where, text, form, told.whole, told.sha256))
