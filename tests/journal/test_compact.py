"""Archiving what is old."""

import json
import os
import signal
from contextlib import closing
from datetime import timedelta

import pytest
from entries import NOW, draft, drafts
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch
from crewmem.errors.journal import ChainKeyMissingError, EntryChangedError
from crewmem.journal import compact as compacting
from crewmem.journal.archive import SHORT, shortened
from crewmem.journal.chain import encoded
from crewmem.journal.compact import Guards, compact, plan
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.journal.verify import verify
from crewmem.scope import Reach

ALL = Reach("default")
NOBODY = Guards(lambda *_: False, lambda _: set())
BEFORE = NOW - timedelta(days=30)


def run(journal, guards=NOBODY, before=BEFORE, **options):
    planned = plan(journal, "default", before, guards)
    return compact(journal, "default", planned, guards, now=NOW, **options)


def left(journal):
    """Return the ids that are in the journal still, without those of summaries."""
    sql = """
        select id from journal_entries where entry_type <> 'system.compaction'
         order by seq
    """
    return [found for (found,) in fetch(journal.db, sql)]


def content(journal):
    """Return all that compaction makes, but for the order of rows in the files."""
    tables = ("journal_entries", "journal_entries_archived", "journal_chains")
    return [
        fetch(journal.db, f"select * from {table} order by 1")  # noqa: S608 - of ours
        for table in tables
    ] + fetch(
        journal.db,
        "select group_concat(removed) from"
        " (select removed from journal_checkpoints order by id)",
    )


@settings(deadline=None, max_examples=40)
@given(given_drafts=st.lists(drafts(), max_size=8))
def test_archived_entries_are_whole(given_drafts):
    """What is archived is found as it was, field by field."""
    with closing(truth()) as db:
        journal = Journal(db)
        added = journal.append("default", given_drafts, now=NOW)
        done = run(journal)
        found = [journal.find(each.id, ALL) for each in added]
        assert [each._replace(archived_at=None) for each in found] == added
        gone = [each for each in found if each.archived_at]
        assert len(gone) == done.entries
        assert all(each.ts < BEFORE for each in gone)
        assert verify(journal, "default").ok
        assert run(journal).entries == 0


KEPT = {
    "a warning": {"severity": "warn"},
    "an error": {"severity": "error"},
    "pinned": {"priority": "pin"},
    "permanent": {"priority": "permanent"},
    "a summary": {"kind": "summary.generated"},
    "a consolidation": {"kind": "memory.consolidated"},
    "a regression": {"kind": "eval.regression_detected"},
    "an approval": {"kind": "approval.granted"},
    "a checkpoint": {"kind": "checkpoint.created"},
    "a fork": {"kind": "fork.created"},
    "a compaction": {"kind": "system.compaction"},
    "young": {"days": 29},
    "in the future": {"days": -400},
    "at the very moment": {"days": 30},
}


@pytest.mark.parametrize("why", KEPT)
def test_what_matters_stays(journal, add, why):
    """Warnings, pins, summaries, approvals and what is young are never touched."""
    fields = {"days": 60, **KEPT[why]}
    add(draft(why, fields.pop("kind", "note.taken"), id="kept", **fields))
    assert run(journal).entries == 0
    assert journal.find("kept", ALL).archived_at is None


@pytest.mark.parametrize("priority", ["normal", "high"])
@pytest.mark.parametrize("severity", ["info", "notice"])
def test_what_does_not_matter_goes(journal, add, priority, severity):
    """High weighs in recall, and is no pin."""
    add(draft(days=60, priority=priority, severity=severity))
    assert run(journal).entries == 1


def test_others_say_what_they_need(journal, add):
    """What recall selects stays, and what another room leans on."""
    add(
        draft("tagged", id="one", days=60, refs={"episodic": True}),
        draft("evidence", id="two", days=60),
        draft("neither", id="three", days=60),
    )
    guards = Guards(lambda *fields: fields[3].get("episodic") is True, {2}.intersection)
    done = run(journal, guards)
    assert (done.entries, done.kept) == (1, 2)
    assert left(journal) == ["one", "two"]


def test_one_entry_counts_a_crew_a_day_and_a_type(journal, add):
    """What is left says how many there were, of whom, and of what severity."""
    add(
        draft(days=60, crew_id="harbor", agent_id="winch", payload={"a": 1}),
        draft(days=60, crew_id="harbor", agent_id="ledger", severity="notice"),
        draft(days=60, crew_id="lab"),
        draft("Other", "b.c", days=60, crew_id="harbor"),
        draft(days=61, crew_id="harbor"),
        draft(days=61),
    )
    done = run(journal)
    assert (done.entries, done.added) == (6, 5)
    counted = list(journal.by_seq(range(99)).values())
    assert {entry.entry_type for entry in counted} == {"system.compaction"}
    [one] = [entry for entry in counted if entry.payload["count"] == 2]
    assert (one.crew_id, one.agent_id, one.severity) == ("harbor", None, "info")
    assert one.summary == "2 entries of note.taken on 2026-03-02, archived"
    assert one.payload == {
        "day": "2026-03-02",
        "count": 2,
        "kinds": {"note.taken": 2},
        "severities": {"info": 1, "notice": 1},
        "agents": {"ledger": 1, "winch": 1},
        "bytes": 45,
        "first_ts": "2026-03-02T09:30:00.000Z",
        "last_ts": "2026-03-02T09:30:00.000Z",
    }


def test_a_day_of_very_many_is_put_away_in_parts(journal, add, monkeypatch):
    """So that nobody waits for all of them; and the plan says so."""
    monkeypatch.setattr(compacting, "MOST", 3)
    monkeypatch.setattr(compacting, "BATCH", 3)
    add(*(draft(id=f"id-{n}", days=60) for n in range(8)))
    planned = plan(journal, "default", BEFORE, NOBODY)
    assert [group.entries for group in planned.groups] == [3, 3, 2]
    told = []
    done = run(journal, tell=lambda *at: told.append(at))
    assert (done.entries, done.added) == (8, 3)
    assert told == [(3, 8), (6, 8), (8, 8)]
    assert verify(journal, "default").ok


def test_the_plan_is_what_is_done(journal, add):
    """What is planned is archived; what was pinned meanwhile is looked at again."""
    add(*(draft(days=60 + n) for n in range(3)))
    planned = plan(journal, "default", BEFORE, NOBODY)
    assert (planned.entries, len(planned.groups)) == (3, 3)
    from crewmem.journal.pin import pin

    [entry] = journal.by_seq([2]).values()
    pin(journal, entry, "pin", reason="so", by="operator:ada", now=NOW)
    done = compact(journal, "default", planned, NOBODY, now=NOW)
    assert (done.entries, done.added) == (2, 2)
    assert verify(journal, "default").ok


def test_other_workspaces_are_left_alone(journal, add):
    """Nothing crosses a workspace."""
    add(draft(days=60), workspace="other")
    assert run(journal).entries == 0


def test_an_entry_that_was_changed_stops_it(journal, add, monkeypatch):
    """What is not what was written is not put away; what went before is done."""
    monkeypatch.setattr(compacting, "BATCH", 1)
    add(*(draft(id=f"id-{n}", days=60 - n) for n in range(4)))
    journal.db.execute("update journal_entries set summary = 'other' where seq = 3")
    with pytest.raises(EntryChangedError, match="'id-2' at 3"):
        run(journal)
    assert left(journal) == ["id-2", "id-3"]


def test_an_entry_that_is_no_longer_json_stops_it(journal, add):
    """A payload that cannot be read is named, and nothing is put away."""
    add(*(draft(id=f"id-{n}", days=60 - n) for n in range(3)))
    journal.db.execute("update journal_entries set payload = '{' where seq = 2")
    with pytest.raises(EntryChangedError, match="'id-1' at 2"):
        run(journal)
    assert left(journal) == ["id-0", "id-1", "id-2"]


def test_a_priority_that_nobody_wrote_down_stops_it(journal, add):
    """An entry that was permanent and is not by the ledger is not put away."""
    add(draft(days=60, priority="permanent"))
    journal.db.execute("update journal_entries set priority = 'normal'")
    with pytest.raises(EntryChangedError):
        run(journal)


def test_a_key_is_needed_where_there_was_one(keyed, add):
    """What was signed with a key is not put away by who cannot check it."""
    add(draft(days=60), to=keyed)
    with pytest.raises(ChainKeyMissingError):
        run(Journal(keyed.db))
    assert run(keyed).entries == 1
    assert verify(keyed, "default").ok


def test_words_of_the_archive_are_gone_from_the_full_text(journal, add):
    """The full text is of what is in the journal."""
    add(draft("Unusual words", days=60))
    run(journal)
    sql = "select count(*) from journal_entries_fts where journal_entries_fts match ?"
    assert fetch(journal.db, sql, ("unusual",)) == [(0,)]
    assert fetch(journal.db, sql, ("archived",)) == [(1,)]
    check = "insert into journal_entries_fts (journal_entries_fts, rank) values (?, 1)"
    journal.db.execute(check, ("integrity-check",))


def test_late_entries_are_counted_apart(journal, add):
    """Old entries that come after a compaction get one of their own."""
    add(draft(days=60))
    run(journal)
    add(draft(days=60), draft(days=60))
    done = run(journal)
    assert (done.entries, done.added) == (2, 1)
    assert verify(journal, "default").ok


def test_what_another_journal_left_in_their_place_is_left_once(journal, add):
    """Where it was imported with what it stands for, nothing is added to it."""
    olds = [draft(f"Old {n}", id=f"id-{n}", days=60) for n in range(3)]
    add(*olds)
    run(journal)
    [left_there] = journal.by_seq(range(99)).values()
    with closing(truth()) as db:
        other = Journal(db)
        fields = {name: getattr(left_there, name) for name in Draft._fields}
        other.append("default", [*olds, Draft(**fields)], now=NOW)
        done = run(other)
        assert (done.entries, done.added) == (3, 0)
        assert [each.id for each in other.by_seq(range(99)).values()] == [left_there.id]
        assert verify(other, "default").ok


def test_what_stands_for_others_is_never_in_the_way_of_anything(journal, add):
    """Where an entry of another kind has its id already, it gets another one."""
    olds = [draft(f"Old {n}", id=f"id-{n}", days=60) for n in range(3)]
    add(*olds)
    run(journal)
    [taken] = [each.id for each in journal.by_seq(range(99)).values()]
    with closing(truth()) as db:
        other = Journal(db)
        other.append("default", [*olds, draft("Mine", id=taken)], now=NOW)
        done = run(other)
        assert (done.entries, done.added) == (3, 1)
        assert other.find(taken, ALL).summary == "Mine"
        assert verify(other, "default").ok
        assert run(other).entries == 0


@pytest.mark.parametrize("moment", ["within", "after"])
@pytest.mark.parametrize("batch", [0, 2])
def test_killed_and_run_again_it_is_the_same(
    at_home, beside, journal, monkeypatch, batch, moment
):
    """Killed in whichever batch and run again, all is as if nothing had happened."""
    monkeypatch.setattr(compacting, "BATCH", 4)
    olds = [draft(f"Old {n}", id=f"id-{n}", days=60 + n // 3) for n in range(20)]
    journal.append("default", olds, now=NOW)
    run(journal)
    home = at_home()
    home.append("default", olds, now=NOW)
    home.db.close()

    def die():
        calls = 0

        def now_die(*_):
            nonlocal calls
            calls += 1
            if calls == batch + 1:
                os.kill(os.getpid(), signal.SIGKILL)

        mine = at_home(on_append=now_die if moment == "within" else None)
        run(mine, tell=now_die if moment == "after" else None)

    assert beside(die) == [-signal.SIGKILL]
    home = at_home()
    assert verify(home, "default").ok
    run(home)
    assert content(home) == content(journal)
    home.db.close()


@given(
    payload=st.dictionaries(
        st.text(max_size=30),
        st.text(max_size=300) | st.lists(st.integers(), max_size=60),
        max_size=9,
    )
)
def test_a_payload_in_short_is_json(payload):
    """In the archive a payload has at most 400 characters, and still is an object."""
    text = encoded(payload) if payload else "{}"
    short = shortened(text)
    assert len(short) <= SHORT
    assert json.loads(short).keys() <= payload.keys()
    assert len(text) > SHORT or short == text
