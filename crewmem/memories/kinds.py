"""The kinds of memories, and other words for them. Pure."""

from __future__ import annotations

from crewmem.errors.values import UnknownKindError

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

ALIASES = {
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
"""What other tools call them; the word that was used is kept as the subtype."""


def kind_of(word: str) -> tuple[str, str | None]:
    """Return the kind that *word* names, and the subtype that it is kept as.

    Raises:
        UnknownKindError: If it names none; it tells the nearest that does.
    """
    spelled = word.strip().lower().replace("-", "_").replace(" ", "_")
    if spelled in KINDS:
        return spelled, None
    if spelled in ALIASES:
        return ALIASES[spelled], spelled
    from difflib import get_close_matches  # 4 ms, for a mistake only

    near = get_close_matches(spelled, [*KINDS, *ALIASES], n=1, cutoff=0.5)
    raise UnknownKindError(word, near[0] if near else None, KINDS)
