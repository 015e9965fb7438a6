"""The cases of a suite, and the lines that are none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.evaluation.case import BadCaseError, read
from crewmem.evaluation.suite import suite

GOOD = {"id": "a", "query": "where", "relevant": ["m_a"]}


def test_a_case_is_read():
    """A case has what its line says; what it does not say follows from the rest."""
    case = read({**GOOD, "agent": "winch", "now": "2026-05-01T09:30:00Z"}, 1)
    assert (case.kind, case.should_inject, case.agent) == ("recall", True, "winch")
    assert case.now.year == 2026
    assert read({"query": "where"}, 7).id == "line-7"
    assert read({"query": "where"}, 7).should_inject is False
    recovery = {"id": "r", "recovery": {"agent": "winch"}, "expect": ["words"]}
    assert read(recovery, 1).agent == "winch"
    assert read({"id": "p", "promotion": "m_a"}, 1).memories == ("m_a",)


def test_the_fields_of_public_sets_are_known():
    """Their queries are cases as they are."""
    told = {"id": "q1", "text": "where", "relevant": ["d1"], "category": 4}
    case = read({**told, "conversation": "conv-26", "answerable": True}, 1)
    assert (case.query, case.workspace, case.category) == ("where", "conv-26", "4")


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"id": "a"}, "query should be a question"),
        ({"query": "  "}, "query should be a question"),
        ({**GOOD, "relevant": [1]}, "relevant should be a list of texts"),
        ({**GOOD, "should_inject": False}, "and something is relevant"),
        ({"query": "x", "should_inject": True}, "and nothing is relevant"),
        ({**GOOD, "should_inject": "yes"}, "should be true or false"),
        ({**GOOD, "agent": "../x"}, "agent should be the slug"),
        ({**GOOD, "now": "yesterday"}, "now should be a time"),
        ({**GOOD, "id": "a\nb"}, "id should be a text in one line"),
        ({"recovery": "winch"}, "recovery should be an object"),
        ({"recovery": {}, "expect": ["x"]}, "name the agent"),
        ({"recovery": {"agent": "winch"}}, "expect should be texts"),
        ({"promotion": []}, "promotion should be ids"),
        ({"recovery": {}, "promotion": []}, "at once"),
    ],
)
def test_what_is_no_case_says_why(told, why):
    """A line that is no case is told with what is wrong with it."""
    with pytest.raises(BadCaseError, match=why):
        read(told, 1)


def test_a_bad_line_costs_itself():
    """It is told by its number, and the others are cases."""
    lines = [
        (1, {"corpus": "there.jsonl"}),
        (2, GOOD),
        (3, "it is not JSON"),
        (5, {"query": ""}),
        (6, {**GOOD, "query": "again"}),
        (7, {**GOOD, "id": "b", "colour": "red"}),
    ]
    found = suite(lines)
    assert [each.id for each in found.cases] == ["a", "b"]
    assert [each.line for each in found.bad] == [3, 5, 6]
    assert "another case has the id" in found.bad[2].reason
    assert (found.corpus, found.extra) == ("there.jsonl", {"colour"})


def test_a_suite_is_known_by_its_cases():
    """Another order is the same suite; another question is another."""
    one, other = {**GOOD, "id": "a"}, {**GOOD, "id": "b"}
    digest = suite([(1, one), (2, other)]).digest
    assert suite([(1, other), (2, one)]).digest == digest
    assert suite([(1, one), (2, {**other, "query": "why"})]).digest != digest


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)

FIELDS = ("id", "query", "relevant", "agent", "now", "recovery", "promotion", "expect")


@settings(deadline=None, max_examples=200)
@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), json, max_size=6)))
def test_every_line_is_a_case_or_bad(records):
    """Whatever a line holds, it is one or the other."""
    numbered = [*enumerate(records, 1)]
    found = suite(numbered)
    assert len(found.cases) + len(found.bad) == len(records)
