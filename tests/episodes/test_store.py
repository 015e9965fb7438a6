"""Which entries are episodes, and how they weigh, in a real database."""

from datetime import timedelta

import pytest
from episodes.conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import connect_memory, fetch
from crewmem.episodes.importance import DAY_MS, FLOORS, days_between, importance
from crewmem.episodes.store import IMPORTANCE, Episodes
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.scope import Reach

ALL = Reach("default")
NOW_MS = int(NOW.timestamp() * 1000)


def test_what_is_selected_is_taken_as_it_is_appended(happened, episodes):
    """An entry that is worth recalling is an episode at once, and no other is."""
    kept = happened("the crane broke")
    happened("somebody said hello", "peer.conversation")
    assert episodes.seqs(episodes.owners(ALL)) == [kept.seq]


def test_owners_are_within_reach(happened, episodes):
    """An agent's reach holds its own, with its crew's that crew's, no other's."""
    mine = happened("mine", agent_id="winch", crew_id="dock")
    crews = happened("ours", agent_id="pilot", crew_id="dock")
    happened("theirs", agent_id="scout", crew_id="hill")
    happened("elsewhere", agent_id="winch", crew_id="dock", workspace="other")

    def seen(reach, **narrow):
        return episodes.seqs(episodes.owners(reach, **narrow))

    assert seen(Reach("default", "winch")) == [mine.seq]
    both = [mine.seq, crews.seq]
    assert seen(Reach("default", "winch", frozenset({"dock"}))) == both
    assert len(seen(ALL)) == 3
    assert seen(ALL, crew="dock") == both
    assert seen(ALL, agent="pilot") == [crews.seq]
    assert seen(Reach("default", "winch"), agent="pilot") == []
    assert len(seen(Reach("other"))) == 1


def test_what_was_not_selected_can_be_added(happened, episodes):
    """An entry that was added later is an episode, once."""
    entry = happened("quiet", "run.completed")
    with episodes.transaction():
        assert episodes.add([entry], NOW) == 1
        assert episodes.add([entry], NOW) == 0
    assert episodes.count(episodes.owners(ALL)) == 1


def test_old_entries_are_not_made_young(happened, episodes):
    """What comes in long after it happened weighs as what happened then."""
    old, new = happened("old", days=90), happened("new")
    found = episodes.weights([old.seq, new.seq])
    assert found[old.seq].indexed_ms == NOW_MS - 90 * DAY_MS
    assert found[old.seq].importance == pytest.approx(0.35)
    assert found[new.seq].importance == pytest.approx(0.70)


@pytest.mark.parametrize("priority", FLOORS)
def test_a_priority_lifts_at_once(db, happened, episodes, priority):
    """A priority that is set later moves the floor, as `importance` has it."""
    entry = happened("once", days=170)
    db.execute("update journal_entries set priority = ?", (priority,))
    found = episodes.weights([entry.seq])[entry.seq]
    assert (found.least, found.importance) == (FLOORS[priority], FLOORS[priority])
    db.execute("update journal_entries set priority = 'normal'")
    assert episodes.weights([entry.seq])[entry.seq].least == 0
    episodes.decay(NOW_MS)
    assert episodes.weights([entry.seq])[entry.seq].importance < 0.1


@settings(max_examples=50, deadline=None)
@given(
    st.floats(0, 1),
    st.sampled_from([0.0, *FLOORS.values()]),
    st.integers(-DAY_MS, 400 * DAY_MS),
    st.integers(0, 1_000),
)
def test_sqlite_weighs_as_python_does(base, least, age_ms, references):
    """The statement that decays all rows has the formula of `importance`."""
    db = connect_memory()
    values = {
        "now": NOW_MS,
        "base": base,
        "least": least,
        "indexed_ms": NOW_MS - age_ms,
        "references": references,
    }
    sql = IMPORTANCE
    for name in ("base", "least", "indexed_ms"):
        sql = sql.replace(name, f":{name}")
    sql = sql.replace("reference_count", ":references")
    ((found,),) = db.execute(f"select {sql}", values).fetchall()
    days = days_between(NOW_MS - age_ms, NOW_MS)
    assert found == pytest.approx(importance(base, least, days, references))
    db.close()


def test_decay_twice_is_decay_once(db, happened, episodes):
    """Computing importance again at the same time changes nothing."""
    for days in range(0, 200, 20):
        happened(f"after {days} days", days=days)
    later = NOW_MS + 40 * DAY_MS
    assert episodes.decay(later) == 10
    once = fetch(db, "select * from episodes order by seq")
    assert episodes.decay(later) == 10
    assert fetch(db, "select * from episodes order by seq") == once


def test_what_was_delivered_counts(happened, episodes):
    """A mark adds one to the count and keeps the latest time."""
    entry = happened("asked for")
    episodes.mark([entry.seq], "2026-05-01T10:00:00.000Z")
    episodes.mark([entry.seq], "2026-05-01T09:00:00.000Z")
    found = episodes.weights([entry.seq])[entry.seq]
    assert (found.references, found.last_referenced_at) == (
        2,
        "2026-05-01T10:00:00.000Z",
    )


def test_an_episode_goes_with_its_entry(db, happened, episodes):
    """An entry that is erased takes its episode along."""
    happened("erased")
    db.execute("delete from journal_entries")
    assert episodes.seqs(episodes.owners(ALL)) == []


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=20),
    st.integers(0, 20),
    st.integers(1, 5),
)
def test_pages_go_through_all_once(owners, start, size):
    """What comes after a place, page by page, is every episode behind it, in order."""
    db = truth()
    episodes = Episodes(db)
    journal = Journal(db, on_append=lambda new: episodes.take(new, NOW))
    drafts = [
        Draft(entry_type="peer.escalation", summary="s", crew_id=crew, agent_id=agent)
        for crew, agent in owners
    ]
    journal.append("default", drafts, now=NOW + timedelta(days=1))
    mine = episodes.owners(ALL)
    every, found, at = episodes.seqs(mine), [], start
    while page := episodes.after(at, mine, size):
        found += page
        at = page[-1]
    assert found == [seq for seq in every if seq > start]
    db.close()
