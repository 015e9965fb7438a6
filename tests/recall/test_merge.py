"""One list of what several stores found."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from crewmem.recall.merge import merged


class Hit(NamedTuple):
    """A hit with its relevance, and where it came from."""

    relevance: float
    store: int
    place: int


@st.composite
def lists(draw):
    found = draw(st.lists(st.lists(st.floats(0, 1), max_size=6), max_size=4))
    return [
        [Hit(relevance, store, place) for place, relevance in enumerate(hits)]
        for store, hits in enumerate(found)
    ]


@given(lists(), st.integers(0, 12))
def test_nothing_is_lost_but_what_is_too_much(found, limit):
    """As many as are wanted come back, each once."""
    every = [hit for hits in found for hit in hits]
    shown = merged(found, limit)
    assert len(shown) == min(limit, len(every))
    assert len({*shown}) == len(shown)
    assert {*shown} <= {*every}


@given(lists())
def test_the_order_of_a_store_stays(found):
    """What a store put first comes first."""
    shown = merged(found, 100)
    for store, hits in enumerate(found):
        assert [hit for hit in shown if hit.store == store] == hits


@given(lists())
def test_the_most_relevant_leads(found):
    """The first hit is of a store that has the most relevant of all."""
    if shown := merged(found, 100):
        most = max(hit.relevance for hit in shown)
        assert most in {hit.relevance for hit in found[shown[0].store]}


def test_relevance_decides_between_stores():
    """What is more likely to answer comes first, whatever store it is in."""
    files = [Hit(0.9, 0, 0), Hit(0.2, 0, 1)]
    entries = [Hit(0.5, 1, 0), Hit(0.7, 1, 1), Hit(0.1, 1, 2)]
    shown = merged([files, entries], 4)
    assert [(hit.store, hit.place) for hit in shown] == [(0, 0), (1, 0), (1, 1), (0, 1)]
