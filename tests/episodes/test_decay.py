"""How episodes fade, and what is told of it."""

from datetime import timedelta

import pytest
from episodes.conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch
from crewmem.episodes.decay import decay, fading
from crewmem.episodes.importance import importance
from crewmem.episodes.store import Episodes
from crewmem.journal.entry import PRIORITIES, SEVERITIES, Draft
from crewmem.journal.store import Journal
from crewmem.scope import Reach

ALL = Reach("default")


def told(episodes, journal, *, now=NOW, limit=50):
    owners = episodes.owners(ALL)
    return fading(episodes, journal, owners, now=now, limit=limit)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(SEVERITIES),
        st.sampled_from(PRIORITIES),
        st.integers(0, 300),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(0, 200))
def test_decay_is_the_formula(rows, later):
    """Decay gives every row its formula, and never raises what nobody asked for."""
    db = truth()
    episodes = Episodes(db)
    journal = Journal(db, on_append=lambda new: episodes.take(new, NOW))
    for severity, priority, days, references in rows:
        draft = Draft(
            "peer.escalation",
            "x",
            severity=severity,
            priority=priority,
            ts=NOW - timedelta(days=days),
        )
        (entry,) = journal.append("default", [draft], now=NOW)
        for _ in range(references):
            episodes.mark([entry.seq], "2026-05-01T10:00:00.000Z")
    decay(episodes, now=NOW)
    before = episodes.importance(episodes.seqs(episodes.owners(ALL)))
    now = NOW + timedelta(days=later)
    assert decay(episodes, now=now).episodes == len(rows)
    for each in episodes.weights(before).values():
        days = (now.timestamp() - each.indexed_ms / 1000) / 86_400
        expected = importance(each.base, each.least, days, each.references)
        assert each.importance == pytest.approx(expected)
        assert each.importance <= before[each.seq] + 1e-12
    found = told(episodes, journal, now=now)
    assert [each.importance for each in found] == sorted(
        each.importance for each in found
    )
    db.close()


def test_the_faintest_are_told_as_they_are_now(happened, journal, episodes):
    """What is told is of now, also when decay was never applied."""
    old, new = happened("old", days=100), happened("new")
    found = told(episodes, journal, now=NOW + timedelta(days=20))
    assert [each.ref for each in found] == [old.id, new.id]
    assert [each.age_days for each in found] == [120, 20]
    assert [each.retention for each in found] == [0.3333, 0.8889]
    assert found[0].importance == pytest.approx(0.7 / 3, abs=1e-4)
    assert found[0].importance_ahead == pytest.approx(0.7 / 6, abs=1e-4)
    assert told(episodes, journal, limit=1)[0].ref == old.id


def test_telling_changes_nothing(db, happened, journal, episodes):
    """A report writes nothing."""
    happened("old", days=100)
    before = fetch(db, "select * from episodes")
    told(episodes, journal, now=NOW + timedelta(days=20))
    assert fetch(db, "select * from episodes") == before


def test_some_fade_and_others_do_not(db, happened, episodes):
    """Only the episodes of the owners that are named are computed anew."""
    happened("x")
    happened("y", workspace="other")
    before = fetch(db, "select importance_score from episodes order by seq")
    done = decay(
        episodes, now=NOW + timedelta(90), owners=episodes.owners(Reach("other"))
    )
    after = fetch(db, "select importance_score from episodes order by seq")
    assert done.episodes == 1
    assert after[0] == before[0]
    assert after[1] < before[1]


def test_a_clock_that_goes_back_makes_nothing_young(happened, episodes):
    """Before an episode was there it is as new as it can be, and no newer."""
    entry = happened("x")
    decay(episodes, now=NOW - timedelta(days=900))
    assert episodes.importance([entry.seq]) == {entry.seq: pytest.approx(0.7)}
