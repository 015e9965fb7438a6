"""Filters and limits of a search in a home."""

import pytest

from crewmem.errors import UsageError


@pytest.fixture
def filled(home):
    """A home with a file, a fact and an entry about the crane; the fact is of a project."""
    home.memory.write("The crane needs oil.", file="workspace:NOTES.md")
    home.facts.add("The crane needs two spotters", project="dock", session="s-1", tags=["rule"])
    home.journal.add("peer.escalation", "The crane stopped", trace_id="s-1")
    return home


@pytest.mark.parametrize(
    ("filters", "stores"),
    [
        ({}, {"memory", "facts", "journal"}),
        ({"project": None}, {"memory", "facts", "journal"}),
        ({"project": "dock"}, {"facts"}),
        ({"session": "s-1"}, {"facts", "journal"}),
        ({"tags": ["rule"]}, {"facts"}),
        ({"tags": ["rule"], "tool": "edit"}, set()),
    ],
)
def test_store_without_the_filtered_field_has_no_hits(filled, filters, stores):
    found = filled.search("the crane", filters=filters, include_all=True)
    assert {hit.store for hit in found} == stores


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"filters": {"colour": "red"}}, "unknown-filter"),
        ({"limit": 0}, "out-of-range"),
        ({"limit": -1}, "out-of-range"),
    ],
)
def test_argument_that_means_nothing_is_an_error(filled, arguments, code):
    with pytest.raises(UsageError) as error:
        filled.search("the crane", **arguments)
    assert error.value.code == code


def test_limits_of_lists_are_checked(filled):
    for list_ in (filled.facts.list, filled.sessions.list, filled.journal.list):
        with pytest.raises(UsageError) as error:
            list_(limit=0)
        assert error.value.code == "out-of-range"
    with pytest.raises(UsageError):
        filled.recall("the crane", limit=0)
