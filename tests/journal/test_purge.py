"""Erasing payloads of entries."""

import json
from contextlib import closing
from datetime import timedelta

import pytest
from entries import NOW, draft, drafts
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch
from crewmem.errors.journal import ChainKeyMissingError
from crewmem.journal import purge_store
from crewmem.journal.compact import Guards, compact, plan
from crewmem.journal.importing import import_entries
from crewmem.journal.purge import purge
from crewmem.journal.store import Journal
from crewmem.journal.verify import verify
from crewmem.scope import Reach

ALL = Reach("default")


def archive(journal):
    """Archive what is older than a month."""
    guards = Guards(lambda *_: False, lambda _: set())
    planned = plan(journal, "default", NOW - timedelta(days=30), guards)
    compact(journal, "default", planned, guards, now=NOW)


def everything(journal):
    """Return all that the tables of the journal hold, as text."""
    tables = ("journal_entries", "journal_entries_archived", "journal_checkpoints")
    rows = [
        fetch(journal.db, f"select * from {table}")  # noqa: S608 - of ours
        for table in tables
    ]
    found = [journal.find(row[0], ALL) for row in fetch(journal.db, IDS)]
    return f"{rows} {found}"


IDS = """
    select id from journal_entries union select id from journal_entries_archived
"""


@pytest.mark.parametrize("days", [1, 60])
def test_what_is_purged_is_nowhere_and_the_chain_is_whole(journal, keyed, days):
    """In the journal as in the archive, with a key and without."""
    for each in (journal, keyed):
        each.append(
            "default",
            [
                draft("One", id="one", days=days, payload={"a": "quokka", "n": 1}),
                draft("Two", id="two", days=days, payload={"a": "numbat"}),
            ],
            now=NOW,
        )
        archive(each)
        assert purge(each, "default", ["one", "none"], now=NOW) == 1
        assert "quokka" not in everything(each)
        assert "numbat" in everything(each)
        assert each.find("one", ALL).summary == "One"
        assert dict(each.find("one", ALL).payload) == {}
        assert verify(each, "default").ok
        assert purge(each, "default", ["one"], now=NOW) == 0
        sql = (
            "select count(*) from journal_entries_fts where journal_entries_fts match ?"
        )
        assert fetch(each.db, sql, ("quokka",)) == [(0,)]


def test_a_key_is_needed_where_there_was_one(keyed):
    """Who cannot sign for it does not empty what was signed."""
    keyed.append("default", [draft(id="one", payload={"a": 1})], now=NOW)
    with pytest.raises(ChainKeyMissingError):
        purge(Journal(keyed.db), "default", ["one"], now=NOW)
    assert keyed.find("one", ALL).payload == {"a": 1}


def test_what_was_purged_is_not_brought_back(journal, tmp_path):
    """Nor can it be archived, imported and listed any other way than empty."""
    line = {"id": "one", "entry_type": "a.b", "summary": "One", "payload": {"a": "x"}}
    line["ts"] = "2026-01-01T00:00:00Z"
    path = tmp_path / "entries.jsonl"
    path.write_text(json.dumps(line))
    for known in (0, 1):
        with path.open("rb") as stream:
            done = import_entries(journal, "default", stream, now=NOW)
        assert (done.added, done.known, done.conflicts) == (1 - known, known, 0)
        purge(journal, "default", ["one"], now=NOW)
    archive(journal)
    assert dict(journal.find("one", ALL).payload) == {}
    assert verify(journal, "default").ok


def test_entries_are_found_by_what_their_payload_names(journal, add):
    """At the top of it, as a whole, archived or not."""
    add(
        draft(id="live", payload={"path": "a.md"}),
        draft(id="old", days=60, payload={"n": "x" * 900, "path": "a.md"}),
        draft(id="other", payload={"path": "b.md"}),
        draft(id="deeper", payload={"in": {"path": "a.md"}}),
        draft(id="part", payload={"path": ["a.md"]}),
    )
    found = purge_store.naming(journal.db, "default", "path", ["a.md", "c.md"])
    assert found == ["live", "old"]
    archive(journal)
    found = purge_store.naming(journal.db, "default", "path", ["a.md"])
    assert found == ["live", "old"]


@settings(deadline=None, max_examples=25)
@given(st.lists(drafts(), min_size=1, max_size=6), st.data())
def test_a_chain_is_whole_whatever_is_purged(given_drafts, data):
    """And the other entries are as they were."""
    with closing(truth()) as db:
        journal = Journal(db)
        added = journal.append("default", given_drafts, now=NOW)
        archive(journal)
        ids = [each.id for each in added]
        chosen = data.draw(st.lists(st.sampled_from(ids), unique=True))
        purge(journal, "default", chosen, now=NOW)
        assert verify(journal, "default").ok
        for each in added:
            found = journal.find(each.id, ALL)._replace(archived_at=None)
            expected = each._replace(payload={}) if each.id in chosen else each
            assert found == expected
