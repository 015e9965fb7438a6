"""In which form words are weighed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.threats.forms import form

SAME = [
    "sends send sending",
    "copies copied copy",
    "stop stopped stopping",
    "approve approves approved approving",
    "rex@drop.example mira@example.org",
    "drop.example logs.example.org",
    "agent.md notes.txt",
    "14 2026",
]

OTHERS = ["send sand", "agent.md example.org", "is as", "not no", "密码 密钥", "14 iv"]


@pytest.mark.parametrize("words", SAME)
def test_forms_of_a_word_are_one(words):
    """And so are addresses, hosts, names of files and numbers."""
    assert len({*map(form, words.split())}) == 1


@pytest.mark.parametrize("words", OTHERS)
def test_other_words_stay_apart(words):
    """Short ones have no endings, and other writing none that is known."""
    one, other = map(form, words.split())
    assert one != other


@given(st.text())
def test_every_word_has_a_form(word):
    """Which is not longer than the word, or is one of the few that stand for many."""
    assert len(form(word)) <= max(len(word), 2)
