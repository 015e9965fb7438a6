"""Questions that ask when, and texts that tell it."""

import pytest

from crewmem.hybrid.moments import asks_when, tells_when


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When did the crane break?", True),
        ("what day was the pump changed", True),
        ("Which month had the most alarms?", True),
        ("how long ago was that", True),
        ("Who broke the crane?", False),
        ("whenever it broke", False),
        ("what did we do that day", False),
        ("", False),
    ],
)
def test_a_time_is_asked_for(text, asks):
    """By the words with which people ask for one."""
    assert asks_when(text) is asks


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("It broke yesterday.", True),
        ("we met last Friday", True),
        ("two weeks ago", True),
        ("Next month I shall", True),
        ("since 2019", True),
        ("in OCTOBER", True),
        ("It broke.", False),
        ("12019 of them", False),
        ("a sundayish mood", False),
        ("", False),
    ],
)
def test_a_time_is_told(text, tells):
    """As a date, or counted from the day on which it was said."""
    assert tells_when(text) is tells
