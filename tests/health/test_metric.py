"""Scores and what would raise them, from counts alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.cli.table import TABLE
from crewmem.health.actions import gains
from crewmem.health.metric import Counts, Recalled, Repeat, band, composite, judge
from crewmem.health.metrics import METRICS, coherence, coverage, efficiency, freshness
from crewmem.health.snapshot_store import METRICS as COLUMNS

few = st.integers(0, 60)
part = st.floats(0, 1)


@st.composite
def counts(draw):
    """Draw counts that could be of something."""
    episodes = draw(few)
    vectors = draw(st.integers(0, episodes))
    model = draw(st.sampled_from(["", "minilm"]))
    median = draw(st.none() | st.floats(0, 400)) if episodes else None
    hits = draw(few)
    ungated = draw(st.integers(0, hits))
    relevant = draw(st.integers(0, hits - ungated))
    distinct = draw(st.integers(0, relevant))
    repeated = draw(st.integers(0, relevant - distinct))
    times = st.integers(1, max(1, repeated))
    worst = draw(st.builds(Repeat, st.just("m_2"), st.just("m_1"), times))
    chunks = draw(few)
    is_near = vectors > 1
    return Counts(
        model=model,
        why_words="" if model else "there is none",
        episodes=episodes,
        median_age=median if episodes else None,
        newest_age=None if median is None else draw(st.floats(0, median)),
        lacking=draw(few),
        indexed=draw(st.integers(0, episodes)),
        stuck=0,
        others=draw(few),
        chunks=chunks,
        indexed_chunks=draw(st.integers(0, chunks)),
        vectors=vectors,
        sampled=vectors,
        near=draw(st.floats(-1, 1)) if is_near else None,
        every=draw(part) if is_near else None,
        came=Recalled(
            recalls=hits,
            hits=hits,
            ungated=ungated,
            relevant=relevant,
            distinct=distinct,
            repeated=repeated,
            worst=worst if repeated else None,
        ),
        is_gated=draw(st.booleans()),
        connected=draw(st.integers(0, episodes)),
        unlinked=draw(st.integers(0, vectors)),
        consolidated_age=draw(st.none() | st.floats(0, 9)),
    )


def everything(_):
    return True


def test_weights_make_one():
    """The weights are those that were published, and the columns are the metrics."""
    assert [each.WEIGHT for each in METRICS] == [0.25, 0.25, 0.20, 0.15, 0.15]
    assert tuple(each.NAME for each in METRICS) == COLUMNS


@settings(deadline=None, max_examples=200)
@given(counts=counts())
def test_what_has_no_basis_shares_its_weight_out(counts):
    """Shares make one, in the proportion of the weights; scores are from 0 to 100."""
    judged = judge(METRICS, counts)
    told = [each for each in judged if each.score is not None]
    for each in judged:
        assert (each.score is None) == (each.share is None) == bool(each.why)
    assert all(0 <= each.score <= 100 for each in told)
    score = composite(judged)
    if not told:
        assert score is band(score) is None
        return
    assert sum(each.share for each in told) == pytest.approx(1)
    assert {round(each.share / each.weight, 9) for each in told} == {
        round(told[0].share / told[0].weight, 9)
    }
    lowest, highest = (f(each.score for each in told) for f in (min, max))
    assert lowest - 1e-9 <= score <= highest + 1e-9


@settings(deadline=None, max_examples=200)
@given(counts=counts())
def test_actions_bring_what_they_say(counts):
    """Each gain is the score with that mended less the score; best first, three."""
    now = composite(judge(METRICS, counts))
    found = gains(METRICS, counts, everything)
    if now is None:
        assert found == []
        return
    assert len(found) <= 3
    assert [each.points for each in found] == sorted(
        (each.points for each in found), reverse=True
    )
    for each in found:
        assert each.points > 0
        assert each.score == pytest.approx(now + each.points)
        assert each.score <= 100
    assert gains(METRICS, counts, lambda _: False) == []


def test_the_commands_are_there():
    """What is told to be typed can be typed."""
    wide = Counts(
        episodes=10,
        median_age=50.0,
        newest_age=40.0,
        lacking=2,
        indexed=2,
        chunks=9,
        vectors=8,
        unlinked=4,
        came=Recalled(9, 9, 2, 5, 3, 2, Repeat("m_2", "m_1", 2)),
    )
    every = [
        mend.words
        for model in ("", "minilm")
        for others in (0, 3)
        for is_gated in (True, False)
        for metric in METRICS
        for mend in metric.mends(
            wide._replace(model=model, others=others, is_gated=is_gated)
        )
    ]
    for first, second, *_ in {each if each[1:] else (*each, "") for each in every}:
        verbs = TABLE[first]
        assert isinstance(verbs, str) or second in verbs[1], (first, second)


@pytest.mark.parametrize(
    ("days", "score"), [(0, 100), (30, 50), (60, 25), (-5, 100), (3000, 0)]
)
def test_freshness_is_halved_every_thirty_days(days, score):
    """As was published; what is to come is of today."""
    found = freshness.score(Counts(episodes=5, median_age=float(days)))
    assert found == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize(
    ("near", "every", "score"),
    [(0.6, 0.2, 50), (1, 1, 100), (0.2, 0.2, 0), (0.1, 0.2, 0), (1, 0, 100)],
)
def test_coherence_is_how_far_the_nearest_are_beyond_all(near, every, score):
    """As was published, within 0 and 100; where all are one there is one theme."""
    found = coherence.score(Counts(episodes=9, vectors=9, near=near, every=every))
    assert found == pytest.approx(score)


def test_the_two_kinds_of_what_is_indexed_count_alike():
    """An entry and a piece of a file weigh the same."""
    assert coverage.score(Counts(episodes=3, indexed=3, lacking=1)) == 75
    assert coverage.score(Counts(chunks=4, indexed_chunks=3)) == 75
    both = Counts(episodes=3, indexed=3, lacking=1, chunks=12, indexed_chunks=9)
    assert coverage.score(both) == 75


def test_a_hit_counts_that_is_relevant_and_new():
    """Both have to be so."""
    assert efficiency.score(Counts(came=Recalled(hits=4, relevant=3, distinct=1))) == 25


@pytest.mark.parametrize(
    ("score", "told"),
    [(0, "red"), (49.99, "red"), (50, "yellow"), (74.99, "yellow"), (75, "green")],
)
def test_bands(score, told):
    """Red below 50, yellow below 75, green from there."""
    assert band(score) == told
