"""The episodes of a scope by their words, and what stands around them."""

from datetime import timedelta

import pytest
from episodes.conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem import times
from crewmem.episodes.store import Episodes
from crewmem.episodes.words_store import ACTORS_MOST, Words
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.scope import Reach

ALL = Reach("default")
PAST, FUTURE = NOW - timedelta(hours=1), NOW + timedelta(hours=1)


def words_of(db, reach=ALL):
    return Words(db, Episodes(db).owners(reach), times.to_text(NOW))


@pytest.fixture
def words(db):
    """``words(reach)``: those of `db`, as it is when that is called."""
    return lambda reach=ALL: words_of(db, reach)


def test_counts_are_of_the_scope_or_of_all(happened, words):
    """Episodes and matches are counted in scope; entries and stems everywhere."""
    happened("the crane broke", agent_id="mira")
    happened("the crane stands", agent_id="otto")
    happened("a crane", kind="note.taken", agent_id="mira")
    mira = words(Reach("default", "mira"))
    assert mira.count() == 1
    assert mira.totals() == (3, 8)
    assert mira.holding(["crane", "broke", "ship"]) == {"crane": 3, "broke": 1}
    assert (mira.matching('"crane"'), words().matching('"crane"')) == (1, 2)


def test_nothing_is_counted_in_nothing(words):
    """An empty journal has no entries and no stems."""
    assert (words().totals(), words().count(), words().best('"x"', 5)) == (
        (0, 0),
        0,
        [],
    )


def test_what_is_erased_is_not_counted(db, happened, words):
    """The number of episodes follows what is added and erased."""
    entries = [happened(f"crane {n}") for n in range(3)]
    db.execute("delete from journal_entries where seq = ?", (entries[1].seq,))
    assert words().count() == 2


@pytest.mark.parametrize("others", [0, 30, 500])
def test_the_best_are_found_among_whatever_many(happened, words, others):
    """What matches in scope is found, best first, however much matches elsewhere."""
    for n in range(others):
        happened(f"crane crane {n}", agent_id="otto")
    mine = [happened(f"crane {'and more ' * n}", agent_id="mira").seq for n in range(6)]
    mira = words(Reach("default", "mira"))
    assert mira.best('"crane"', 10) == mine
    assert mira.best('"crane"', 3) == mine[:3]
    assert mira.best('"ship"', 3) == []


def test_what_is_over_is_not_among_the_best(happened, words):
    """What has expired takes no place of what has not."""
    for n in range(50):
        happened(f"crane {n}", expires_at=PAST)
    live = [happened(f"crane of {n}", expires_at=at).seq for n, at in ENDS]
    for n in range(50):
        happened(f"crane on {n}", expires_at=PAST)
    assert words().best('"crane"', 2) == live
    assert words().among(range(200)) == {*live}


ENDS = [(0, None), (1, FUTURE)]


def test_an_end_is_over_when_it_has_come(happened, words):
    """An entry is over at the very time at which it expires."""
    happened("crane", expires_at=NOW)
    kept = happened("crane", expires_at=NOW + timedelta(milliseconds=1))
    assert words().among([1, 2]) == {kept.seq}


def test_texts_are_what_is_matched(happened, words):
    """A text has summary and values, who said it where and when, and if it asks."""
    asks = happened(
        "Is it broken? \n",
        payload={"question": "which crane"},
        actor_id="ada",
        trace_id="s1",
    )
    told = happened("It is.")
    at = times.to_text(NOW)
    assert words().texts([asks.seq, told.seq, 99]) == [
        (asks.seq, "Is it broken? \n\nwhich crane", "ada", "s1", at, 1),
        (told.seq, "It is.\n", "", "", at, 0),
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["s1", "s2", None]),
            st.integers(0, 4),
            st.sampled_from(["mira", "otto"]),
            st.sampled_from(["peer.escalation", "note.taken"]),
            st.sampled_from([None, PAST, FUTURE]),
        ),
        max_size=14,
    ),
    st.sampled_from([None, "mira"]),
    st.integers(1, 3),
)
def test_neighbours_are_the_nearest_in_scope(rows, agent, count):
    """On each side stand the nearest by time, then place, of those in scope."""
    db = truth()
    episodes = Episodes(db)
    journal = Journal(db, on_append=lambda new: episodes.take(new, NOW))
    entries = []
    for session, minute, whose, kind, end in rows:
        draft = Draft(
            kind,
            "crane",
            agent_id=whose,
            trace_id=session,
            ts=NOW - timedelta(minutes=minute),
            expires_at=end,
        )
        entries += journal.append("default", [draft], now=NOW)
    words = words_of(db, Reach("default", agent))
    scope = {
        each.seq
        for each in entries
        if each.entry_type == "peer.escalation"
        and agent in {None, each.agent_id}
        and each.expires_at != PAST
    }
    found = words.beside([each.seq for each in entries], count)
    for each in entries:
        beside = sorted(
            (other.ts, other.seq)
            for other in entries
            if other.trace_id
            and other.trace_id == each.trace_id
            and other.seq in scope
            and other.seq != each.seq
        )
        before = [seq for ts, seq in beside if (ts, seq) < (each.ts, each.seq)]
        after = [seq for ts, seq in beside if (ts, seq) > (each.ts, each.seq)]
        assert found[each.seq] == (before[::-1][:count], after[:count])
    db.close()


def test_actors_are_of_the_workspace(happened, words):
    """Who did something is known by name, each once."""
    for name in ("otto", "ada", "otto", None):
        happened("x", actor_id=name)
    happened("x", actor_id="eve", workspace="other")
    assert words().actors("default") == ["ada", "otto"]


def test_of_many_actors_some_are_known(journal, words):
    """A machine that is another actor each time does not slow down every question."""
    drafts = [Draft("a.b", "x", actor_id=f"id-{n}") for n in range(ACTORS_MOST + 5)]
    journal.append("default", drafts, now=NOW)
    assert len(words().actors("default")) == ACTORS_MOST


def test_rows_are_looked_up_by_their_places(db, happened, words):
    """Whose each of a hundred is, one look tells, however many owners there are."""
    seqs = [happened(f"crane {n}", agent_id=f"a{n % 5}").seq for n in range(10)]
    asked = []

    def traced(_, sql, values):
        asked.append((sql, values))
        return True

    mine = words()
    db.exec_trace = traced
    assert mine.among(seqs) == set(seqs)
    mine.beside(seqs, 3)
    mine.matching('"crane"')
    db.exec_trace = None
    plans = [
        " ".join(str(step) for step in db.execute(f"explain query plan {sql}", values))
        for sql, values in asked
        if "episodes" in sql
    ]
    assert len(plans) == 3
    assert not [plan for plan in plans if "episodes_by_owner" in plan]
