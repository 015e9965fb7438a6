"""Priorities, and who changed them."""

import apsw
import pytest
from entries import NOW, draft

from crewmem.db.connect import fetch
from crewmem.errors.journal import EntryArchivedError
from crewmem.journal.compact import Guards, compact, plan
from crewmem.journal.pin import pin
from crewmem.scope import Reach


def change(journal, entry, priority, **more):
    return pin(
        journal, entry, priority, reason="so", by="operator:ada", now=NOW, **more
    )


def test_every_change_is_kept(journal, add):
    """The ledger has each change, numbered, with its reason, author and time."""
    [entry] = add(draft())
    first = change(journal, entry, "pin")
    second = change(journal, entry, "normal")
    assert (first.from_priority, first.entry.priority, first.change) == (
        "normal",
        "pin",
        1,
    )
    assert (second.from_priority, second.entry.priority, second.change) == (
        "pin",
        "normal",
        2,
    )
    sql = """
        select change, from_priority, to_priority, reason, set_by, set_at
          from journal_entry_priorities order by change
    """
    stamp = "2026-05-01T09:30:00.000Z"
    assert fetch(journal.db, sql) == [
        (1, "normal", "pin", "so", "operator:ada", stamp),
        (2, "pin", "normal", "so", "operator:ada", stamp),
    ]
    assert journal.by_seq([1])[1].priority == "normal"


def test_what_it_has_already_is_no_change(journal, add):
    """Nothing is written where nothing changes."""
    [entry] = add(draft(priority="high"))
    done = change(journal, entry, "high")
    assert (done.changed, done.change) == (False, 0)
    assert fetch(journal.db, "select * from journal_entry_priorities") == []


def test_a_change_is_never_rewritten(journal, add):
    """The ledger refuses it."""
    [entry] = add(draft())
    change(journal, entry, "pin")
    with pytest.raises(apsw.ConstraintError, match="never rewritten"):
        journal.db.execute("update journal_entry_priorities set reason = 'other'")


def test_others_are_told_in_the_transaction(journal, add):
    """Who weighs entries knows of the change when it is made, or not at all."""
    [entry] = add(draft())
    told = []
    after = change(journal, entry, "pin", also=told.append).entry
    assert told == [after]
    with pytest.raises(ZeroDivisionError):
        change(journal, entry, "high", also=lambda _: 1 // 0)
    assert journal.by_seq([1])[1].priority == "pin"


def test_an_archived_entry_stays_as_it_was(journal, add):
    """What was put away whole is not changed."""
    [entry] = add(draft(days=60))
    keep = Guards(lambda *_: False, lambda _: set())
    compact(journal, "default", plan(journal, "default", NOW, keep), keep, now=NOW)
    archived = journal.find(entry.id, Reach("default"))
    with pytest.raises(EntryArchivedError):
        change(journal, archived, "pin")
