"""Whose memory comes into an answer."""

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from crewmem.recall.shares import shared_out

HITS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12).map(
    lambda pairs: [(at, *pair) for at, pair in enumerate(pairs)]
)


def is_own(hit):
    return hit[1]


def leads(hit):
    return hit[2]


def taken(hits, limit):
    return shared_out(hits, limit, is_own=is_own, leads=leads)


@given(HITS, st.integers(0, 14))
def test_as_many_as_are_wanted_are_taken(hits, limit):
    """No room stays empty while something is left, and nothing comes twice."""
    found = taken(hits, limit)
    assert len(found) == min(limit, len(hits))
    assert len({*found}) == len(found)


@given(HITS, st.integers(0, 14))
def test_shared_ones_are_at_most_half(hits, limit):
    """However an answer is cut: while own ones remain, half of it is shared at most."""
    found = taken(hits, limit)
    own = sum(map(is_own, hits))
    for length in range(len(found) + 1):
        of_own = sum(map(is_own, found[:length]))
        assert of_own == own or length - of_own <= ceil(length / 2)


@given(HITS, st.integers(0, 14))
def test_the_order_of_a_group_stays(hits, limit):
    """One's own come best first; so do the shared ones, those that lead before them."""
    found = taken(hits, limit)
    own = [hit for hit in found if is_own(hit)]
    shared = [hit for hit in found if not is_own(hit)]
    assert own == sorted(own)
    assert shared == sorted(shared, key=lambda hit: (not leads(hit), hit))


def test_the_better_comes_first_where_it_may():
    """Within its share what is better is taken first, whoever's it is."""
    hits = [(0, False, False), (1, False, False), (2, True, False), (3, True, False)]
    assert [hit[0] for hit in taken(hits, 4)] == [0, 2, 1, 3]
    hits = [(0, True, False), (1, True, False), (2, False, False)]
    assert [hit[0] for hit in taken(hits, 3)] == [0, 1, 2]
