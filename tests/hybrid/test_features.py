"""What an entry has to show for itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.hybrid.dates import Asked
from crewmem.hybrid.features import Entry, Question, features, weight

QUESTION = Question(
    idfs=(5.0, 2.0),
    entries=500,
    mean=20.0,
    actors=frozenset({"Caroline"}),
    dates=(Asked(2023, 5, 3),),
)


def of(entry, *others, question=QUESTION):
    entries = {each.seq: each for each in (entry, *others)}
    return features(question, entries, entries)[entry.seq]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_rarer_the_weightier(one, other, total):
    """A word weighs something in the smallest store, too."""
    less, more = sorted((min(one, total), min(other, total)))
    assert 0.0 < weight(more, total) <= weight(less, total)
    assert weight(1, 1) > 3


def test_what_is_known_is_shown():
    """Who spoke, when, how much was said, and whether it was a question."""
    entry = Entry(
        seq=1,
        words=30,
        frequencies=(1.0, 0.0),
        cosine=0.4,
        actor="Caroline",
        session="s",
        at="2023-05-03T09:00:00.000Z",
        asks=True,
    )
    found = of(entry)
    assert (found.cosine, found.session) == (0.4, 0.4)
    assert (found.named, found.date, found.length, found.asks) == (1.0, 1.0, 0.5, 1.0)
    assert found.coverage == pytest.approx(5 / 7)


def test_what_is_no_remark_has_no_prior_by_length():
    """A note without a speaker or without a session may be as short as it likes."""
    for entry in (Entry(1, 5, actor="a"), Entry(1, 5, session="s"), Entry(1, 5)):
        found = of(entry._replace(asks=True))
        assert (found.length, found.asks, found.is_remark) == (0.0, 0.0, False)


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=2),
    st.integers(0, 1),
    st.integers(1, 500),
)
def test_more_of_the_words_never_score_less(often, at, words):
    """One word more, at the same length: neither score nor coverage falls."""
    more = [n + (place == at) for place, n in enumerate(often)]
    less, better = (of(Entry(1, words, frequencies=f)) for f in (often, more))
    assert less.words <= better.words
    assert less.coverage <= better.coverage
    assert 0.0 <= better.words <= 1.0


def test_the_rarer_word_counts_more():
    """At the same length."""
    rare, common = of(Entry(1, 9, (1.0, 0.0))), of(Entry(1, 9, (0.0, 1.0)))
    assert rare.words > common.words
    assert rare.coverage > common.coverage


def test_a_word_is_held_once():
    """Said ten times it covers no more of the question."""
    once, often = of(Entry(1, 9, (0.0, 1.0))), of(Entry(1, 9, (0.0, 9.0)))
    assert once.coverage == often.coverage == pytest.approx(2 / 7)


def test_a_session_lends_its_best_cosine():
    """To its short entries alone."""
    best = Entry(2, 10, cosine=0.9, session="s")
    other = Entry(3, 10, cosine=0.2, session="t")
    short = of(Entry(1, 10, cosine=0.1, session="s"), best, other)
    long = of(Entry(1, 400, cosine=0.1, session="s"), best, other)
    alone = of(Entry(1, 10, cosine=0.1), best, other)
    assert short.session == pytest.approx(0.9, abs=0.01)
    assert long.session == pytest.approx(0.1, abs=0.01)
    assert alone.session == 0.1


def test_an_entry_that_waits_for_its_vector_is_not_set_back():
    """It counts as the mean of what was offered."""
    found = of(Entry(1, 9), Entry(2, 9, cosine=0.2), Entry(3, 9, cosine=0.6))
    assert found.cosine == pytest.approx(0.4)


def test_a_long_remark_is_read_by_passages():
    """Words that stand together count more than words far apart."""
    remark = Entry(1, 400, (1.0, 1.0), actor="a", session="s")
    near = of(remark._replace(places=((10,), (20,))))
    far = of(remark._replace(places=((10,), (390,))))
    whole = of(remark)
    assert near.words > far.words
    assert near.words > whole.words
    document = remark._replace(actor="", places=((10,), (20,)))
    assert of(document).words == whole.words


def test_without_a_question_there_are_no_words():
    """No phrases, no score."""
    found = of(Entry(1, 9, cosine=0.5), question=Question())
    assert (found.words, found.coverage) == (0.0, 0.0)
