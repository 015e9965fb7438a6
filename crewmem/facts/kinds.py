"""The kinds of facts, and the words that other tools have for them."""

import re

from crewmem.errors import UsageError, suggest

KINDS = (
    "fact",
    "decision",
    "preference",
    "lesson",
    "correction",
    "pattern",
    "action_item",
    "error",
    "workflow",
    "context",
    "summary",
    "feedback",
    "meeting",
)

KIND_SYNONYMS = {
    "technical_decision": "decision",
    "process_decision": "decision",
    "personality_trait": "preference",
    "learning": "lesson",
    "avoidance": "correction",
    "anti_pattern": "correction",
    "mistake": "correction",
    "signal": "pattern",
    "todo": "action_item",
    "task": "action_item",
    "incident": "error",
    "procedure": "workflow",
    "observation": "context",
    "note": "context",
    "process_outcome": "context",
    "daily": "summary",
    "digest": "summary",
    "approval": "feedback",
    "rejection": "feedback",
    "meeting_ledger": "meeting",
}
"""Kinds of other tools, and crewmem's kind for each; the other word becomes the subtype."""


def parse_kind(word: str) -> tuple[str, str]:
    """Return the kind that *word* names, and the subtype: the word itself if it is a synonym.

    Raises:
        UsageError: If it names no kind; the error suggests the nearest kind.
    """
    spelled = word if word in KINDS else re.sub(r"[\s-]+", "_", word.strip().lower())
    if spelled in KINDS:
        return spelled, ""
    if spelled in KIND_SYNONYMS:
        return KIND_SYNONYMS[spelled], spelled
    near = suggest(spelled, [*KINDS, *KIND_SYNONYMS])
    known = f"did you mean '{near}'?" if near else f"kinds are {', '.join(KINDS)}"
    raise UsageError(f"'{word}' is not a kind of fact; {known}", code="unknown-kind")
