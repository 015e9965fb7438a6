"""How many tokens a text may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.prompt.budget import Budget
from crewmem.prompt.tokens import Within, tokens

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
def test_a_budget_is_kept_by_either_count(text, amount, unit):
    """What fits fits by bytes, and of tokens by the estimate as well."""
    budget = Budget(amount, unit)
    if Within(budget).fits(text):
        assert budget.spent(text) <= amount
        assert unit != "t" or tokens(text) <= amount
