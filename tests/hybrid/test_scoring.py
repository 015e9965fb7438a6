"""The score of hybrid recall."""

from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.hybrid.dates import Asked
from crewmem.hybrid.features import Entry, Question
from crewmem.hybrid.scoring import IMPORTANCE, SPREAD_FROM, answer

QUESTION = Question(
    idfs=(5.0, 2.0),
    entries=100,
    mean=30.0,
    actors=frozenset({"a"}),
    known=1,
    dates=(Asked(2023, 5),),
)

facts = st.builds(
    Entry,
    seq=st.just(0),
    words=st.integers(0, 600),
    frequencies=st.just(()) | st.tuples(*[st.integers(0, 4).map(float)] * 2),
    cosine=st.none() | st.floats(-1, 1),
    actor=st.sampled_from(["", "a", "b"]),
    session=st.sampled_from(["", "s", "t"]),
    at=st.sampled_from(["2023-05-01T00:00:00.000Z", "2024-01-01T00:00:00.000Z"]),
    asks=st.booleans(),
    importance=st.floats(0, 1),
)


@st.composite
def stores(draw, most=8):
    """Return entries that stand beside each other in their sessions."""
    drawn = draw(st.lists(facts, max_size=most))
    entries = [entry._replace(seq=seq) for seq, entry in enumerate(drawn)]
    beside = {
        entry.seq: [e.seq for e in entries if e.session and e.session == entry.session]
        for entry in entries
    }
    return [
        entry._replace(
            before=[s for s in reversed(beside[entry.seq]) if s < entry.seq],
            after=[s for s in beside[entry.seq] if s > entry.seq],
        )
        for entry in entries
    ]


def scored(entries, question=QUESTION, found=None):
    return answer(question, entries, found or [entry.seq for entry in entries])


def order(entries, question=QUESTION):
    return [hit.seq for hit in scored(entries, question).hits]


@settings(deadline=None)
@given(stores(), st.randoms())
def test_the_order_of_what_is_given_does_not_matter(entries, random):
    """Neither of the facts nor of what was found: the answer is the same to the bit."""
    shuffled, found = entries[:], [entry.seq for entry in entries]
    random.shuffle(shuffled)
    random.shuffle(found)
    assert scored(shuffled, found=found) == scored(entries)


@settings(deadline=None)
@given(stores(), st.booleans())
def test_scores_are_finite_and_explained(entries, has_words):
    """The shares of what a score is made of add up to it."""
    question = QUESTION if has_words else Question()
    found = scored(entries, question)
    assert 0.0 <= found.relevance <= 1.0
    assert {hit.seq for hit in found.hits} == {entry.seq for entry in entries}
    for hit in found.hits:
        assert isfinite(hit.score)
        assert 0.0 <= hit.relevance <= 1.0
        shares = [share for _, share in hit.why.values()]
        assert sum(shares) == pytest.approx(hit.score)
        told = [number for pair in hit.told().values() for number in pair]
        assert "-0.0" not in map(str, told)


@settings(deadline=None)
@given(stores())
def test_no_entry_is_more_relevant_than_the_store(entries):
    """The gate asks for the best of everything."""
    found = scored(entries)
    assert all(hit.relevance <= found.relevance + 1e-9 for hit in found.hits)


@settings(deadline=None)
@given(stores())
def test_a_lever_without_facts_changes_nothing(entries):
    """Names and dates that nobody bears, and neighbours out of sight, move no entry."""
    plain = QUESTION._replace(actors=frozenset(), dates=())
    vain = QUESTION._replace(actors=frozenset({"nobody"}), dates=(Asked(1999, 1, 1),))
    assert order(entries, vain) == order(entries, plain)


def test_equals_stand_in_the_order_of_the_journal():
    """What cannot be told apart is not shuffled."""
    entries = [Entry(seq, 10, (1.0, 0.0), cosine=0.5) for seq in (7, 3, 5)]
    assert order(entries) == [3, 5, 7]


def test_words_alone_will_do():
    """Where there are no vectors, those with more and rarer words come first."""
    entries = [
        Entry(1, 10, (0.0, 1.0)),
        Entry(2, 10, (1.0, 1.0)),
        Entry(3, 10, (1.0, 0.0)),
    ]
    assert order(entries) == [2, 3, 1]
    why = scored(entries).hits[0].why
    assert why.keys().isdisjoint({"cosine", "session", "neighbours"})


def test_vectors_alone_will_do():
    """Where the question has no words that count, the nearest come first."""
    entries = [Entry(seq, 10, cosine=seq / 10) for seq in (1, 2, 3)]
    found = scored(entries, Question())
    assert [hit.seq for hit in found.hits] == [3, 2, 1]
    assert "words" not in found.hits[0].why


def test_who_is_meant_comes_first():
    """Among entries that are alike but for who spoke."""
    entries = [
        Entry(seq, 10, (1.0, 0.0), actor=who) for seq, who in ((1, "b"), (2, "a"))
    ]
    assert order(entries) == [2, 1]


def test_the_day_that_is_named_comes_first():
    """Among entries that are alike but for when it was."""
    entries = [
        Entry(seq, 10, (1.0, 0.0), at=at)
        for seq, at in ((1, "2023-06-01"), (2, "2023-05-09"))
    ]
    assert order(entries) == [2, 1]


@given(st.floats(0, 1), st.floats(0, 1))
def test_importance_is_a_bounded_factor(one, other):
    """It decides between equals, lifts nothing by more than a tenth, and is neutral."""
    less, more = sorted((one, other))
    scores = [
        scored([Entry(1, 10, (1.0, 1.0), cosine=0.4, importance=importance)])
        .hits[0]
        .score
        for importance in (less, more, 0.5)
    ]
    assert scores[0] <= scores[1]
    for score in scores:
        assert abs(score / scores[2] - 1) <= IMPORTANCE / 2 + 1e-9


def test_what_answers_may_hold_none_of_the_words():
    """The entry after a question that holds them all is found with it."""
    entries = [
        Entry(1, 8, (1.0, 1.0), actor="b", session="s", after=(2,), asks=True),
        Entry(2, 12, actor="a", session="s", before=(1,)),
    ]
    assert {hit.seq for hit in answer(QUESTION, entries, [1]).hits} == {1, 2}


def test_a_long_list_looks_into_more_sessions():
    """After the tenth hit the first of a session not seen yet comes before the rest."""
    entries = [Entry(seq, 10, (1.0, 0.0), session="s") for seq in range(15)]
    entries.append(Entry(20, 10, (0.0, 1.0), session="t"))
    entries.append(Entry(21, 10, (0.0, 1.0)))
    found = order(entries)
    assert found[:SPREAD_FROM] == list(range(SPREAD_FROM))
    assert found[SPREAD_FROM : SPREAD_FROM + 3] == [20, 21, 10]


def test_sessions_that_hold_more_come_first_after_the_tenth_hit():
    """Of those whose best is alike, the one that has more beside it."""
    entries = [Entry(seq, 10, (2.0, 1.0), session="s") for seq in range(SPREAD_FROM)]
    entries.append(Entry(20, 10, (0.0, 1.0), session="one"))
    entries += [Entry(seq, 10, (0.0, 1.0), session="three") for seq in (21, 22, 23)]
    found = order(entries)
    assert found[SPREAD_FROM : SPREAD_FROM + 2] == [21, 20]


def test_what_tells_a_time_comes_first_where_one_is_asked_for():
    """Among remarks that are alike but for that."""
    entries = [
        Entry(seq, 10, (1.0, 0.0), actor="b", session="s", tells_when=tells)
        for seq, tells in ((1, False), (2, True))
    ]
    assert order(entries) == [1, 2]
    assert order(entries, QUESTION._replace(asks_when=True)) == [2, 1]


def test_a_store_of_one_entry_answers():
    """Words weigh something there as well."""
    question = Question(idfs=(4.0, 4.0), entries=1, mean=9.0)
    assert scored([Entry(1, 9, (1.0, 1.0))], question).relevance > 0.9


def test_an_empty_store_has_no_answer():
    """Nothing in, nothing out."""
    assert answer(QUESTION, [], []) == (0.0, [])
