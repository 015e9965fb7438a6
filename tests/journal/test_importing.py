"""Taking in many entries."""

import io
import json
import os
import signal

import pytest
from entries import NOW, draft, drafts
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch
from crewmem.journal import importing
from crewmem.journal.compact import Guards, compact, plan
from crewmem.journal.importing import Policy, Trouble, import_entries
from crewmem.journal.pin import pin
from crewmem.journal.store import Journal
from crewmem.journal.verify import verify


def line(n, /, **fields):
    return {"id": f"id-{n}", "ts": "2026-01-01T00:00:00Z", "entry_type": "a.b",
            "summary": f"Entry {n}", **fields}  # fmt: skip


def stream(*records):
    texts = (
        each if isinstance(each, bytes) else json.dumps(each).encode()
        for each in records
    )
    return io.BytesIO(b"\n".join(texts))


@pytest.fixture
def take(journal):
    """``take(record, …)``: import records, or bytes as they are, into `journal`."""

    def call(*records, workspace="default", **policy):
        given = Policy(**policy)
        return import_entries(
            journal, workspace, stream(*records), now=NOW, policy=given
        )

    return call


def rows(journal):
    sql = "select * from journal_entries order by seq"
    return fetch(journal.db, sql)


@settings(deadline=None, max_examples=30)
@given(given_drafts=st.lists(drafts(ts=st.just(NOW), expires_at=st.none()), max_size=5))
def test_twice_is_once(given_drafts):
    """Importing a file again changes nothing, whatever is in it, ids or none."""
    from contextlib import closing

    records = [
        {
            **each._asdict(),
            "ts": "2026-05-01T09:30:00Z",
            "id": None if n % 2 else f"id-{n}",
        }
        for n, each in enumerate(given_drafts)
    ]
    with closing(truth()) as db:
        journal = Journal(db)
        first = import_entries(journal, "default", stream(*records), now=NOW)
        before = rows(journal)
        again = import_entries(journal, "default", stream(*records), now=NOW)
        assert (first.added, first.known) == (len(records), 0)
        assert (again.added, again.known) == (0, len(records))
        assert (again.bad, again.conflicts) == (0, 0)
        assert rows(journal) == before
        assert verify(journal, "default").ok


def test_entries_keep_what_they_say(journal, take):
    """Ids, times and fields are as the file has them; times become UTC."""
    take(line(1, agent_id="winch", ts="2026-03-29T04:00:00+02:00", severity="warn",
              payload={"b": 1, "a": [2]}))  # fmt: skip
    [entry] = journal.by_seq([1]).values()
    assert (entry.id, entry.agent_id, entry.severity) == ("id-1", "winch", "warn")
    assert (entry.ts.hour, list(entry.payload)) == (2, ["b", "a"])


def test_bad_lines_cost_themselves(journal, take):
    """They are told by their number, and the good ones around them are kept."""
    done = take(line(1), b"{", line(2, severity="fatal"), b"", line(3), b"[]")
    assert (done.lines, done.added, done.bad) == (5, 2, 3)
    assert [each.line for each in done.troubles] == [2, 3, 6]
    assert len(rows(journal)) == 2


def test_an_id_with_other_content_is_a_conflict(journal, take):
    """What is there stays as it was, and the line is told."""
    take(line(1), line(2))
    done = take(line(1, summary="Changed"), line(2), line(3), line(3, summary="Other"))
    assert (done.added, done.known, done.conflicts) == (1, 1, 2)
    assert done.troubles == (
        Trouble(1, "another entry has the id 'id-1'", "id-1"),
        Trouble(4, "another entry has the id 'id-3'", "id-3"),
    )
    assert [each.summary for each in journal.by_seq(range(9)).values()] == [
        "Entry 1",
        "Entry 2",
        "Entry 3",
    ]


def test_the_same_is_what_means_the_same(take):
    """The order of keys and the spelling of a time are no other content."""
    take(line(1, payload={"a": 1, "b": "é"}))
    again = line(1, payload={"b": "é", "a": 1}, ts="2026-01-01T01:00:00+01:00")
    assert take(again).known == 1
    assert take({**again, "ts": None}).known == 1
    assert take({**again, "payload": {"a": 1}}).conflicts == 1


def test_strict_stops(journal, take):
    """The first line that is not taken in ends it, and its batch is not added."""
    done = take(line(1), b"{", line(2), strict=True)
    assert (done.stopped_at, done.added, done.bad) == (2, 0, 1)
    assert rows(journal) == []
    take(line(1))
    changed = line(1, summary="Changed")
    assert take(line(2), changed, strict=True).stopped_at == 2
    done = take(line(2), changed, b"{", strict=True)
    assert (done.stopped_at, done.conflicts, done.bad) == (2, 1, 0)


def test_a_dry_run_says_what_would_be(journal, take, monkeypatch):
    """Nothing is written, and the figures are those of the run."""
    monkeypatch.setattr(importing, "BATCH", 2)
    take(line(1))
    records = [line(1), line(2), b"{", line(3), line(2), line(3, summary="Other")]
    planned = take(*records, dry_run=True)
    assert len(rows(journal)) == 1
    assert take(*records) == planned
    assert (planned.added, planned.known, planned.conflicts, planned.bad) == (
        2,
        2,
        1,
        1,
    )
    nowhere = import_entries(
        None, "default", stream(*records), now=NOW, policy=Policy(dry_run=True)
    )
    assert nowhere.added == 3


def test_lines_without_an_id_get_one_of_their_own(journal, take):
    """Lines that are alike are entries apart, and still are there only once."""
    record = {"entry_type": "a.b", "summary": "Ping"}
    assert take(record, record, record).added == 3
    assert len({each.id for each in journal.by_seq(range(9)).values()}) == 3
    assert take(record, record, record, record).added == 1


def test_fields_that_are_not_kept_are_told(take):
    """Nothing of a line is left out in silence."""
    done = take(line(1, colour="red", workspace_id="other"), line(2, shape="round"))
    assert (done.extra, done.foreign, done.added) == (("colour", "shape"), 1, 2)


def test_a_line_of_many_fields_tells_a_hundred(take):
    """However many fields a line has that no entry has, an answer stays readable."""
    done = take(line(1, **{f"{number:04}{'x' * 200}": 1 for number in range(5000)}))
    assert (done.added, len(done.extra), max(map(len, done.extra))) == (1, 100, 80)
    assert done.extra[-1].startswith("0099x")


def test_what_is_archived_is_known(journal, take):
    """An entry that compaction took out does not come back, and can conflict."""
    take(line(1), line(2))
    keep = Guards(lambda *_: False, lambda _: set())
    compact(journal, "default", plan(journal, "default", NOW, keep), keep, now=NOW)
    done = take(line(1), line(2, summary="Other"))
    assert (done.added, done.known, done.conflicts) == (0, 1, 1)


def test_a_pinned_entry_is_the_same(journal, take):
    """A priority that was changed since is no other content."""
    take(line(1))
    [entry] = journal.by_seq([1]).values()
    pin(journal, entry, "pin", reason="it matters", by="operator:ada", now=NOW)
    assert take(line(1)).known == 1
    assert take(line(1, priority="pin")).conflicts == 1


def test_no_more_than_a_hundred_lines_are_told(take):
    """A file of another kind is counted, not repeated."""
    done = take(*[b"{"] * 150)
    assert (done.bad, len(done.troubles)) == (150, 100)


def test_lines_are_told_in_their_order(take):
    """Whatever is wrong with each: a conflict is found after a line that is none."""
    done = take(line(1), line(1, summary="Other"), b"{", line(1, summary="Third"))
    assert [each.line for each in done.troubles] == [2, 3, 4]


def test_a_killed_import_leaves_whole_batches(at_home, beside, monkeypatch):
    """Killed at any batch and run again, it comes to what it would have come to."""
    monkeypatch.setattr(importing, "BATCH", 10)
    records = [line(n) for n in range(45)]

    def killed_in(batch, moment):
        def run():
            def die(entries):
                if moment == "within" and entries[0].seq == batch * 10 + 1:
                    os.kill(os.getpid(), signal.SIGKILL)

            def tell(_):
                nonlocal done
                done += 1
                if moment == "after" and done == batch + 1:
                    os.kill(os.getpid(), signal.SIGKILL)

            done = 0
            journal = at_home(on_append=die)
            import_entries(journal, "default", stream(*records), now=NOW, tell=tell)

        return run

    for batch, moment, left in ((0, "within", 0), (1, "after", 20), (3, "within", 30)):
        assert beside(killed_in(batch, moment)) == [-signal.SIGKILL]
        journal = at_home()
        assert len(rows(journal)) == left
        assert verify(journal, "default").ok
        journal.db.close()
    journal = at_home()
    done = import_entries(journal, "default", stream(*records), now=NOW)
    assert (done.added, done.known) == (15, 30)
    assert [row[1] for row in rows(journal)] == [each["id"] for each in records]
    assert verify(journal, "default").ok
    journal.db.close()


def test_a_draft_is_what_a_line_is(journal, take):
    """What was added by hand and is imported again is known."""
    [entry] = journal.append("default", [draft(payload={"a": 1})], now=NOW)
    record = {**entry._asdict(), "ts": "2026-05-01T09:30:00.000Z"}
    assert take(record).known == 1


def test_an_interruption_leaves_whole_batches(journal, monkeypatch):
    """Who has enough of it keeps what was done, and nothing half done."""
    monkeypatch.setattr(importing, "BATCH", 3)
    records = [line(n) for n in range(8)]

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_entries(journal, "default", stream(*records), now=NOW, tell=interrupt)
    assert len(rows(journal)) == 3
    listening = Journal(journal.db, on_append=interrupt)
    with pytest.raises(KeyboardInterrupt):
        import_entries(listening, "default", stream(*records), now=NOW)
    assert len(rows(journal)) == 3
    assert verify(journal, "default").ok


def test_imports_and_writers_make_one_chain(at_home, beside, monkeypatch):
    """Two imports of one file beside a writer: each entry once, in one chain."""
    monkeypatch.setattr(importing, "BATCH", 7)
    records = [line(n) for n in range(60)]

    def importer():
        journal = at_home()
        import_entries(journal, "default", stream(*records), now=NOW)
        journal.db.close()

    def writer():
        journal = at_home()
        for number in range(20):
            journal.append("default", [draft(f"Written {number}")], now=NOW)
        journal.db.close()

    assert beside(importer, importer, writer) == [0, 0, 0]
    journal = at_home()
    found = verify(journal, "default")
    assert (found.ok, found.entries) == (True, 80)
    journal.db.close()


@pytest.mark.parametrize(
    "text",
    [
        b'"summary": "\\ud800"',
        b'"summary": "x", "payload": {"a": "\\udfff"}',
        b'"summary": "x", "payload": {"\\ud800": 1}',
        b'"summary": "x", "refs": {"\\ud800": 1}',
        b'"summary": "x", "agent_id": "\\ud800"',
        b'"summary": "x\\u0000y"',
        b'"summary": "x", "id": ""',
        b'"summary": "x", "id": "' + b"i" * 201 + b'"',
        b'"summary": "' + b"x" * 70_000 + b'"',
        b'"summary": "x", "payload": {"a": "' + b"x" * (1 << 20) + b'"}',
        b'"summary": "x", "payload": ' + b'{"a":' * 65 + b"1" + b"}" * 65,
        b'"summary": "x", "refs": ' + b'{"a":' * 65 + b"1" + b"}" * 65,
        b'"summary": "x", "ts": "0001-01-01T00:00:00+23:00"',
        b'"summary": "x", "ts": ""',
    ],
    ids=range(14),
)
def test_hostile_lines_are_bad(journal, take, text):
    """What SQLite, or the next reader of JSON, could not have is left out."""
    done = take(line(1), b'{"entry_type": "a.b", ' + text + b"}", line(2))
    assert (done.added, done.bad, done.troubles[0].line) == (2, 1, 2)
    assert verify(journal, "default").ok


def test_a_nul_in_a_payload_is_kept(journal, take):
    """In JSON it is spelled, so it can be stored, and is found again."""
    take(line(1, payload={"a": "x\0y"}))
    assert journal.by_seq([1])[1].payload == {"a": "x\0y"}
    assert verify(journal, "default").ok
