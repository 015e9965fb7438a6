"""How long a text for a model may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.prompt.budget import MOST, Budget
from crewmem.prompt.room import NOTHING, Room, room, size
from crewmem.prompt.tokens import TOKEN_CHARS, quarters


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("15000", Budget(15000, "c")),
        ("15000c", Budget(15000, "c")),
        ("2000t", Budget(2000, "t")),
        ("1800B", Budget(1800, "b")),
        (" 15,000c ", Budget(15000, "c")),
        ("1_000", Budget(1000, "c")),
    ],
)
def test_budgets_are_read(text, budget):
    """A budget is a number with its unit; without one it counts characters."""
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    "text",
    ["", "c", "0", "-1", "1.5", "10k", "10cc", "ten", f"{MOST + 1}", "٣", "1" * 99],
)
def test_what_is_no_budget_is_refused(text):
    """What is no budget says what one would be."""
    with pytest.raises(ValueError, match="is not a budget"):
        Budget.parse(text)


@given(st.integers(1, MOST), st.sampled_from("cbt"))
def test_a_budget_reads_itself(amount, unit):
    """A budget is spelled as it is read."""
    budget = Budget(amount, unit)
    assert Budget.parse(str(budget)) == budget


@given(st.text(), st.sampled_from("cbt"))
def test_what_is_spent_fits(text, unit):
    """A text fits into just what it spends, and into nothing less."""
    spent = Budget(1, unit).spent(text)
    assert Budget(max(spent, 1), unit).fits(text)
    assert not text or not Budget(spent - 1, unit).fits(text)


@given(st.lists(st.text()))
def test_lengths_add_up(texts):
    """The sizes of parts are together the size of the whole."""
    total = NOTHING
    for text in texts:
        total = total.more(size(text))
    whole = "".join(texts)
    assert total == size(whole) == (len(whole), len(whole.encode()), quarters(whole))


def test_tokens_are_counted_by_characters():
    """Four characters are a token in any script, but for those that are one each."""
    assert Budget(1, "t").spent("abcd" * 10) == 10
    assert Budget(1, "t").spent("ябвг" * 10) == 10
    assert Budget(1, "t").spent("記憶" * 10) == 20
    assert room(Budget(5, "t")) == Room(quarters=5 * TOKEN_CHARS)
    assert room(None).holds(size("x" * 10_000))
