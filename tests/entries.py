"""Drafts of entries, plain ones and whatever hypothesis thinks of."""

import string
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from crewmem.journal.entry import ACTOR_TYPES, PRIORITIES, SEVERITIES, Draft

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)
NAMES = st.text(string.ascii_lowercase + "-/:éž", min_size=1, max_size=12)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 53), 1 << 53)
    | WORDS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, JSON, max_size=4)
TYPES = st.sampled_from(
    ["memory.updated", "peer.escalation", "exec.command", "a.b_c.d"]
)
INSTANTS = st.integers(0, 130 * 365 * 86_400_000).map(
    lambda ms: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
)


def drafts(**fixed):
    """Return a strategy of drafts; *fixed* are strategies of some of the fields."""
    return st.builds(
        Draft,
        **{
            "entry_type": TYPES,
            "summary": WORDS.filter(str.strip),
            "crew_id": st.none() | NAMES,
            "agent_id": st.none() | NAMES,
            "mission_id": st.none() | NAMES,
            "ts": st.none() | INSTANTS,
            "severity": st.sampled_from(SEVERITIES),
            "priority": st.sampled_from(PRIORITIES),
            "actor_type": st.sampled_from(ACTOR_TYPES),
            "actor_id": st.none() | NAMES,
            "payload": OBJECTS,
            "refs": OBJECTS,
            "trace_id": st.none() | NAMES,
            "span_id": st.none() | NAMES,
            "expires_at": st.none() | INSTANTS,
            **fixed,
        },
    )


def draft(summary="Something happened", /, kind="note.taken", *, days=0, **fields):
    """Return a draft of what happened *days* ago."""
    ts = fields.pop("ts", NOW - timedelta(days=days))
    return Draft(kind, summary, ts=ts, **fields)
