"""Which entries are worth recalling, and by what text they are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.episodes.selection import (
    ALWAYS,
    NEVER,
    WHEN_SEVERE,
    is_selected,
    text_of,
)

SEVERITIES = ("info", "notice", "warn", "error")
TAGGED = {"episodic": True}

types = st.sampled_from(
    [*ALWAYS, *WHEN_SEVERE, *NEVER, "network.egress", "peer.conversation", "run.failed"]
)
severities = st.sampled_from(SEVERITIES)


@pytest.mark.parametrize("kind", sorted(ALWAYS))
@pytest.mark.parametrize("severity", SEVERITIES)
def test_some_types_are_always_recalled(kind, severity):
    """Escalations, summaries, consolidations, denials and regressions always are."""
    assert is_selected(kind, severity, {}, {})


@pytest.mark.parametrize("kind", sorted(WHEN_SEVERE))
def test_some_types_are_recalled_when_they_are_severe(kind):
    """A decision or a change of status is recalled from a warning on."""
    severe = [each for each in SEVERITIES if is_selected(kind, each, {}, {})]
    assert severe == ["warn", "error"]


def test_conversations_are_recalled_when_they_escalated():
    """A conversation is recalled only when its payload says that it escalated."""
    kind = "peer.conversation"
    assert is_selected(kind, "info", {"state": "escalated"}, {})
    assert not is_selected(kind, "error", {"state": "ended"}, {})
    assert not is_selected(kind, "error", {}, {})


@given(types, severities)
def test_the_tag_forces_all_but_floods(kind, severity):
    """A tag, here or in the payload, selects any type but those that flood."""
    flood = kind in NEVER or kind.startswith("network.")
    assert is_selected(kind, severity, {}, TAGGED) is not flood
    assert is_selected(kind, severity, {"refs": TAGGED}, {}) is not flood


@pytest.mark.parametrize("value", [1, "true", None, [True], {"a": True}])
def test_the_tag_is_the_boolean(value):
    """Nothing but the boolean true is a tag."""
    assert not is_selected("run.failed", "error", {}, {"episodic": value})
    payload = {"refs": {"episodic": value}}
    assert not is_selected("run.failed", "error", payload, {})
    assert not is_selected("run.failed", "error", {"refs": value}, {})


def test_the_text_is_summary_question_reason():
    """What is embedded is the summary, then question and reason of the payload."""
    payload = {"reason": " too late ", "question": "when?", "other": "no"}
    assert text_of("What happened", payload) == "What happened\nwhen?\ntoo late"
    assert text_of("Alone", {"question": 7, "reason": ""}) == "Alone"
