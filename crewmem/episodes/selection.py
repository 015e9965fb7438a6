"""Which entries are worth recalling, and the text by which they are found. Pure.

Selective on purpose: embedding everything drowns recall in noise.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ALWAYS = frozenset(
    {
        "approval.denied",
        "eval.regression_detected",
        "memory.consolidated",
        "peer.escalation",
        "summary.generated",
    }
)
"""Types that are recalled whatever else they say."""

WHEN_SEVERE = frozenset({"keeper.decision", "mission.status_change"})
"""Types that are recalled from `SEVERE` on."""

SEVERE = frozenset({"warn", "error"})

NEVER = frozenset({"container.metrics", "exec.output_chunk"})
"""Types that come by the thousand: one emitter that tags them would drown the rest."""

NEVER_GROUPS = ("network.",)

ESCALATED = "escalated"
"""State of a conversation in its payload that makes it worth recalling."""


def is_never(entry_type: str) -> bool:
    """Tell whether entries of this type are not selected even when tagged."""
    return entry_type in NEVER or entry_type.startswith(NEVER_GROUPS)


def is_tagged(payload: Mapping[str, object], refs: Mapping[str, object]) -> bool:
    """Tell whether ``refs.episodic``, here or in the payload, is the boolean true."""
    inner = payload.get("refs")
    return refs.get("episodic") is True or (
        isinstance(inner, dict) and inner.get("episodic") is True
    )


def is_selected(
    entry_type: str,
    severity: str,
    payload: Mapping[str, object],
    refs: Mapping[str, object],
) -> bool:
    """Tell whether an entry is worth recalling."""
    if is_never(entry_type):
        return False
    return (
        entry_type in ALWAYS
        or (entry_type in WHEN_SEVERE and severity in SEVERE)
        or (entry_type == "peer.conversation" and payload.get("state") == ESCALATED)
        or is_tagged(payload, refs)
    )


def text_of(summary: str, payload: Mapping[str, object]) -> str:
    """Return what of an entry is embedded: its summary, then question, then reason."""
    parts = (summary, payload.get("question"), payload.get("reason"))
    told = (part.strip() for part in parts if isinstance(part, str))
    return "\n".join(part for part in told if part)
