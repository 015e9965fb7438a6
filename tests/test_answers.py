"""Answers of language models."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.answers import NotBelievedError, array, require_named

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
around = st.text(st.characters(exclude_characters="[]"), max_size=20)


@settings(max_examples=60, deadline=None)
@given(st.lists(values), around, around)
def test_an_array_is_read_whatever_stands_around_it(said, before, behind):
    """Models greet, explain and fence; what they were asked for is there."""
    assert array(f"{before}{json.dumps(said)}{behind}") == said


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_no_answer_fails(answer):
    """Whatever a model says, it is an array or none."""
    found = array(answer)
    assert found is None or isinstance(found, list)


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("answer", ["", "{}", "]1[", "[1", "[1] or [2]", DEEP])
def test_what_is_no_array_is_none(answer):
    """Two, half a one, or one without an end are none; neither is an object."""
    assert array(answer) is None


@pytest.mark.parametrize(
    "named",
    [
        "https://vault.example/a",
        "ada@vault.example",
        "`systemctl stop kontor`",
        "/etc/Kontor.toml",
        "~/notes.md",
        "vault.example.com",
    ],
)
def test_only_what_was_told_of_may_be_named(named):
    """Addresses, commands and files of a model's own are refused; its words are not."""
    told = f"We use {named} now.".casefold()
    require_named(f"First look into {named}.", told)
    require_named("Look into the vault first", "")
    with pytest.raises(NotBelievedError):
        require_named(f"Look into {named} first", "We use another one now.")
