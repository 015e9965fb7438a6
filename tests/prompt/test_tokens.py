"""How many tokens a text may be."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.prompt.budget import Budget
from crewmem.prompt.room import room, size
from crewmem.prompt.tokens import DENSE, TOKEN_CHARS, quarters, tokens

TEXTS = st.text(st.sampled_from("ab é記か한\U0001f511\U00020000"), max_size=40)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("記憶", 2),
        ("記憶a", 3),
        ("éé", 1),
    ],
)
def test_tokens_are_estimated(text, count):
    """Four characters are one, rounded up; each of Chinese or Japanese is one."""
    assert tokens(text) == count


@given(TEXTS, TEXTS)
def test_more_text_is_no_fewer_tokens(text, more):
    """A text has no more tokens than its parts, and no fewer than one of them."""
    assert tokens(text) <= tokens(text + more) <= tokens(text) + tokens(more)


@given(TEXTS, st.integers(1, 40), st.sampled_from("tcb"))
def test_there_is_one_estimate(text, amount, unit):
    """A budget, its room and the estimate agree on what fits."""
    budget = Budget(amount, unit)
    counted = {"t": tokens(text), "c": len(text), "b": len(text.encode())}[unit]
    assert budget.spent(text) == counted
    assert budget.fits(text) == room(budget).holds(size(text)) == (counted <= amount)


@given(st.lists(TEXTS))
def test_quarters_add_up(texts):
    """Parts of a text take together what it takes."""
    assert sum(map(quarters, texts)) == quarters("".join(texts))


@given(st.one_of(TEXTS, st.text()))
def test_each_dense_character_is_a_token(text):
    """Whatever a text is of, its Chinese, Japanese and Korean is counted."""
    dense = len(re.findall(DENSE, text))
    assert quarters(text) == len(text) + (TOKEN_CHARS - 1) * dense
