"""What was asked, kept for a while."""

from contextlib import closing
from datetime import timedelta

import pytest
from entries import NOW

from crewmem.db.connect import fetch, transaction
from crewmem.db.truth import open_to_write
from crewmem.errors.registry import HomeMissingError
from crewmem.journal.entry import Draft
from crewmem.journal.recalled_store import cited
from crewmem.journal.recalls_store import KEPT, Recall, note


def asked(query="deploy key", at=NOW, **more):
    return Recall("default", at, "operator:ada", "recall", query, "hybrid", 5, **more)


@pytest.fixture(name="db")
def _db(home):
    home.mkdir()
    with closing(open_to_write(home)) as db:
        yield db


def kept(db):
    return fetch(db, "select query, ids, cosines, latency_ms from recalls order by id")


def test_what_was_asked_is_kept(db):
    """A row has the question, and the answer in its order."""
    assert note(lambda: db, asked(ids=["b", "a"], cosines=[0.5, None], latency_ms=3.5))
    assert kept(db) == [("deploy key", '["b", "a"]', "[0.5, null]", 3.5)]


def test_rows_are_kept_thirty_days(db):
    """What is older goes when the next row comes."""
    note(lambda: db, asked("old", NOW - KEPT - timedelta(milliseconds=1)))
    note(lambda: db, asked("just in time", NOW - KEPT))
    note(lambda: db, asked())
    assert [row[0] for row in kept(db)] == ["just in time", "deploy key"]


def test_any_question_can_be_kept(db):
    """A page of text is cut, and what is no UTF-8 is no trouble."""
    assert note(lambda: db, asked("\ud800" + "x" * 10_000))
    [(query, *_)] = kept(db)
    assert query.startswith("?x")
    assert len(query) == 4_000


def test_a_busy_database_drops_the_row(db, home):
    """Nobody waits for a row of a log."""
    with closing(open_to_write(home)) as other:
        with transaction(db):
            assert not note(lambda: other, asked())
        assert note(lambda: other, asked())
    assert len(kept(db)) == 1


def test_nobody_waits_for_the_disk(db):
    """A row may be lost in a power cut; what else is written is durable as before."""
    asked_for = []

    def traced(_, sql, *__):
        asked_for.append(sql)
        return True

    db.exec_trace = traced
    assert note(lambda: db, asked())
    db.exec_trace = None
    assert asked_for[:2] == ["pragma synchronous = normal", "begin immediate"]
    assert asked_for[-2:] == ["commit", "pragma synchronous = full"]
    assert db.pragma("synchronous") == 2


def test_a_home_that_cannot_be_written_drops_the_row(tmp_path, db):
    """Asking never fails for want of a place to note it."""

    def missing():
        raise HomeMissingError(tmp_path)

    assert not note(missing, asked())
    db.execute("pragma query_only = on")
    assert not note(lambda: db, asked())
    assert kept(db) == []


def test_what_entries_refer_to_is_found_in_one_reading(journal):
    """Exactly, of other workspaces nothing, and for many at the cost of one."""
    drafts = [
        Draft("agent.step", "done", refs={"source_entry_ids": [f"j_{at:012}", 'a"é']})
        for at in range(200)
    ]
    journal.append("default", drafts, now=NOW)
    journal.append("other", [Draft("a.b", "c", refs={"of": "x"})], now=NOW)
    asked = ["x", 'a"é', "j_", "source_entry_ids", "j_000000000007"]
    assert cited(journal.db, "default", asked) == {'a"é', "j_000000000007"}

    def steps(refs):
        taken = []
        journal.db.set_progress_handler(lambda: bool(taken.append(1)), 100)
        cited(journal.db, "default", refs)
        journal.db.set_progress_handler(None)
        return len(taken)

    assert steps([f"m_{at}" for at in range(500)]) < 5 * steps(["m_1"])
