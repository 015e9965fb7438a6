"""How vectors lie among each other is what a comparison of all with all tells."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors.conftest import DIM, SPACE, in_this_process, unit

from crewmem.retrieval.numerics import np
from crewmem.vectors import themes
from crewmem.vectors.themes import SAMPLE, TOP, Themes, lowest

pytestmark = pytest.mark.usefixtures("_small_pages")

texts = st.lists(
    st.tuples(
        st.integers(1, 30),
        st.lists(st.integers(-2, 2), min_size=DIM, max_size=DIM).filter(any),
    ),
    max_size=50,
)


@settings(deadline=None, max_examples=60)
@given(texts=texts, others=texts, removed=st.sets(st.integers(1, 30), max_size=5))
def test_themes_are_those_of_a_comparison_of_all(texts, others, removed):
    """Nearest others and all pairs, of one owner, whatever else is there."""
    with in_this_process() as store:
        for owner, some, base in ((1, texts, 0), (2, others, 100)):
            if some:
                keys = [base + key for key, _ in some]
                store.add(SPACE, keys, owner, [vector for _, vector in some])
        store.remove(SPACE, removed)
        found = store.themes(SPACE, [1])
        rows = [(key, unit(v)) for key, v in texts if key not in removed]
    near = _near(rows)
    assert found.sampled == len(near)
    if near:
        assert found.near == pytest.approx(np.mean(near), abs=1e-6)
    else:
        assert found.near is None
    if rows:
        every = np.array([vector for _, vector in rows]).mean(axis=0)
        assert found.every == pytest.approx(every @ every, abs=0.02)
    else:
        assert found == Themes(0, None, None)


def _near(rows):
    """Return of each key the mean of its `TOP` nearest others."""
    keys = sorted({key for key, _ in rows})
    means = []
    for key in keys:
        best = {}
        for one, mine in rows:
            for other, theirs in rows:
                if one == key != other:
                    cosine = float(np.dot(mine, theirs))
                    best[other] = max(cosine, best.get(other, cosine))
        top = sorted(best.values(), reverse=True)[:TOP]
        means += [sum(top) / len(top)] if top else []
    return means


@given(
    keys=st.sets(st.integers(1, 1 << 40), max_size=200),
    more=st.sets(st.integers(1, 1 << 40), max_size=50),
)
def test_the_sample_stays(keys, more):
    """What comes takes few places; what is sampled of more was sampled of less."""
    few = set(lowest(np.array(sorted(keys), np.int64), SAMPLE).tolist())
    every = np.array(sorted(keys | more), np.int64)
    many = set(lowest(every, SAMPLE).tolist())
    assert len(few) == min(SAMPLE, len(keys))
    assert many & keys <= few


def test_the_sample_is_drawn_from_everywhere():
    """Neighbouring keys have hashes that look drawn: no part is preferred."""
    keys = np.arange(1, 64_001, dtype=np.int64)
    eighths = np.bincount(lowest(keys, 800) * 8 // 64_001, minlength=8)
    assert eighths.min() > 60
    assert eighths.max() < 140


def test_a_store_without_vectors_has_no_themes():
    """Nothing is compared, and nothing is made up."""
    with in_this_process() as store:
        assert store.themes(SPACE, [1]) == Themes(0, None, None)
        store.add(SPACE, [1], 1, [[1.0] * DIM])
        assert store.themes(SPACE, [1]).near is None
        assert store.themes(SPACE, []) == Themes(0, None, None)
    assert themes.LOOK >= TOP + 1
