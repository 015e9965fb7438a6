"""Is the chain whole?"""

from contextlib import closing

import pytest
from entries import NOW, draft, drafts
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch
from crewmem.errors.journal import ChainKeyMissingError
from crewmem.journal import chain, chain_store
from crewmem.journal.chain import Head
from crewmem.journal.compact import Guards, compact, plan
from crewmem.journal.pin import pin
from crewmem.journal.store import Journal
from crewmem.journal.stored import NAMES
from crewmem.journal.verify import Kind, verify

NOBODY = Guards(lambda *_: False, lambda _: set())

TEXT = [name for name in NAMES if name != "seq"]


def tamper(journal, sql, *values):
    journal.db.execute("drop trigger if exists journal_entries_updated")
    journal.db.execute("pragma foreign_keys = off")
    journal.db.execute(sql, values)


def broken(journal, workspace="default"):
    """Return (kind, place) of the first break."""
    found = verify(journal, workspace).broken
    return (found.kind, found.seq) if found else None


def aged(journal, count=6, **fields):
    """Add *count* old entries, archive them, and add a new one."""
    old = [draft(f"Old {n}", id=f"old-{n}", days=60, **fields) for n in range(count)]
    journal.append("default", old, now=NOW)
    planned = plan(journal, "default", NOW, NOBODY)
    compact(journal, "default", planned, NOBODY, now=NOW)
    journal.append("default", [draft("New")], now=NOW)


def test_an_empty_journal_is_whole(journal):
    """Where nothing was written nothing is wrong."""
    found = verify(journal, "default")
    assert (found.ok, found.entries, found.keyed) == (True, 0, False)


@settings(deadline=None, max_examples=150)
@given(
    given_drafts=st.lists(drafts(), min_size=1, max_size=4),
    at=st.integers(0, 3),
    column=st.sampled_from(TEXT),
    place=st.integers(0, 400),
    by=st.integers(1, 25),
    keyed=st.booleans(),
)
def test_one_changed_character_breaks_the_chain(
    given_drafts, at, column, place, by, keyed
):
    """Whatever field of whatever entry it is in, the change is found."""
    with closing(truth()) as db:
        journal = Journal(db, chain_key=b"key" if keyed else None)
        entries = journal.append("default", given_drafts, now=NOW)
        seq = entries[at % len(entries)].seq
        sql = f"select {column} from journal_entries where seq = ?"  # noqa: S608 - of ours
        [(text,)] = fetch(db, sql, (seq,))
        where = place % max(len(text or ""), 1)
        old = text or "a"
        changed = chr((ord(old[where]) + by) % 0xD800)
        db.execute("pragma ignore_check_constraints = on")
        sql = f"update journal_entries set {column} = ? where seq = ?"  # noqa: S608 - of ours
        tamper(journal, sql, old[:where] + changed + old[where + 1 :], seq)
        assert not verify(journal, "default").ok


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("severity", "error"),
        ("priority", "permanent"),
        ("actor_type", "agent"),
        ("summary", "Another"),
        ("payload", '{"a":2}'),
        ("payload_text", "other"),
        ("payload_sha", "0"),
        ("refs", '{"episodic":true}'),
        ("agent_id", "ledger"),
        ("agent_id", ""),
        ("mission_id", ""),
        ("expires_at", "2026-05-01T00:00:00.000Z"),
        ("ts", "2026-05-01T09:30:00.001Z"),
        ("entry_hash", "0" * 64),
        ("seq", 9),
    ],
)
def test_a_changed_row_is_named(journal, add, column, value):
    """The first break is the row that was changed, and it is said that it was."""
    add(*(draft(f"Entry {n}", payload={"a": 1}, agent_id="winch") for n in range(5)))
    sql = f"update journal_entries set {column} = ? where seq = 3"  # noqa: S608 - of ours
    tamper(journal, sql, value)
    kind, _ = broken(journal)
    assert kind == (Kind.REORDERED if column == "seq" else Kind.CHANGED)


def test_a_missing_row_is_named(journal, add):
    """Where a row is gone the break is at the one behind it."""
    add(*(draft() for _ in range(5)))
    tamper(journal, "delete from journal_entries where seq in (2, 3)")
    assert broken(journal) == (Kind.MISSING, 4)


def test_a_cut_beginning_and_a_cut_end_are_named(journal, add):
    """Neither end of the chain can be taken off unseen."""
    add(*(draft() for _ in range(5)))
    tamper(journal, "delete from journal_entries where seq = 1")
    assert broken(journal) == (Kind.CUT, 2)
    add(draft(), draft(), workspace="other")
    tamper(journal, "delete from journal_entries where seq = 7")
    assert broken(journal, "other") == (Kind.CUT, 6)
    tamper(journal, "delete from journal_entries where seq = 6")
    assert broken(journal, "other") == (Kind.CUT, None)
    tamper(journal, "delete from journal_chains")
    assert broken(journal, "other") is None


def test_rows_that_changed_places_are_named(journal, add):
    """Rows that were swapped are told from rows that were changed."""
    add(*(draft(f"Entry {n}") for n in range(5)))
    tamper(
        journal,
        "update journal_entries set seq = case seq when 2 then -3 else -2 end"
        " where seq in (2, 3)",
    )
    tamper(journal, "update journal_entries set seq = -seq where seq < 0")
    assert broken(journal) == (Kind.REORDERED, 2)


def test_a_row_written_anew_is_named(journal, add):
    """Who computes a plain hash again is found at the next row."""
    first, second, third = add(draft("One"), draft("Two"), draft("Three"))
    with closing(truth()) as db:
        forged = Journal(db)
        forged.append("default", [draft("One", id=first.id)], now=NOW)
        forged.append("default", [draft("False", id=second.id)], now=NOW)
        [(digest,)] = fetch(db, "select entry_hash from journal_entries where seq = 2")
    sql = "update journal_entries set summary = 'False', entry_hash = ? where seq = 2"
    tamper(journal, sql, digest)
    assert broken(journal) == (Kind.CHANGED, third.seq)


def test_a_head_that_was_changed_is_found(journal, add):
    """What says where the chain ends is signed as well."""
    add(draft(), draft())
    tamper(journal, "delete from journal_entries where seq = 2")
    tamper(journal, "update journal_chains set entries = 1, last_seq = 1")
    assert broken(journal) == (Kind.CHANGED, None)


def test_a_priority_is_changed_by_the_ledger_only(journal, add):
    """Changes that were written down are right; any other is a changed row."""
    [entry] = add(draft())
    for priority in ("pin", "permanent", "normal", "high"):
        [entry] = journal.by_seq([1]).values()
        pin(journal, entry, priority, reason="so", by="operator:ada", now=NOW)
        assert verify(journal, "default").ok
    tamper(journal, "update journal_entries set priority = 'permanent'")
    assert broken(journal) == (Kind.CHANGED, 1)
    tamper(journal, "update journal_entries set priority = 'high'")
    assert verify(journal, "default").ok
    tamper(journal, "drop trigger priorities_are_history")
    tamper(
        journal,
        "update journal_entry_priorities set reason = 'not so' where change = 2",
    )
    assert broken(journal) == (Kind.CHANGED, 1)
    tamper(journal, "delete from journal_entry_priorities where change > 1")
    assert broken(journal) == (Kind.CHANGED, 1)


def test_a_key_is_needed_where_there_was_one(keyed, add):
    """What was signed with a key cannot be checked without it."""
    add(draft(), to=keyed)
    assert verify(keyed, "default").keyed
    with pytest.raises(ChainKeyMissingError):
        verify(Journal(keyed.db), "default")
    assert broken(Journal(keyed.db, chain_key=b"other")) == (Kind.CHANGED, 1)


def test_a_key_may_come_later(journal, add):
    """A chain that goes on with a key is whole, and says how much was before it."""
    add(draft(), draft())
    signing = Journal(journal.db, chain_key=b"key")
    assert broken(signing) == (Kind.UNKEYED, 2)
    add(draft(), to=signing)
    found = verify(signing, "default")
    assert (found.ok, found.plain, found.entries) == (True, 2, 3)
    add(draft())
    assert broken(signing) == (Kind.UNKEYED, 4)


def test_a_forged_chain_has_no_key(keyed, add):
    """Who can write the database and has no key cannot end a chain."""
    add(draft("One"), draft("Two"), to=keyed)
    tamper(keyed, "delete from journal_entries where seq = 2")
    [(digest,)] = fetch(keyed.db, "select entry_hash from journal_entries")
    chain_store.set_head(keyed.db, "default", Head(1, 1, digest), None)
    assert broken(keyed) == (Kind.UNKEYED, 1)


def test_archived_entries_keep_their_place(journal, keyed):
    """Compaction leaves a chain that is whole, with a key and without."""
    for each in (journal, keyed):
        aged(each)
        found = verify(each, "default")
        assert (found.ok, found.entries, found.archived) == (True, 8, 6)


IN_ARCHIVE = "update journal_entries_archived set {} where seq = 3"


@pytest.mark.parametrize(
    ("sql", "kind", "seq"),
    [
        (IN_ARCHIVE.format("original = x'00'"), Kind.ARCHIVE, 3),
        (IN_ARCHIVE.format("summary = 'x'"), Kind.ARCHIVE, 3),
        (IN_ARCHIVE.format("payload = 'x'"), Kind.ARCHIVE, 3),
        (IN_ARCHIVE.format("content_sha = ''"), Kind.ARCHIVE, 3),
        (IN_ARCHIVE.format("severity = 'warn'"), Kind.ARCHIVE, 3),
        ("delete from journal_entries_archived where seq = 3", Kind.MISSING, 4),
        ("delete from journal_checkpoints", Kind.ARCHIVE, 1),
        ("update journal_checkpoints set removed = '[]'", Kind.CHECKPOINT, None),
        ("update journal_checkpoints set reason = 'purge'", Kind.CHECKPOINT, None),
    ],
)
def test_the_archive_is_a_part_of_it(journal, sql, kind, seq):
    """What was archived is as it was, and was taken out by who may."""
    aged(journal)
    tamper(journal, sql)
    assert broken(journal) == (kind, seq)


def test_a_purged_payload_leaves_the_chain_whole(journal, keyed):
    """What a purge emptied, and signed for, is no break; what anybody else did, is."""
    for each in (journal, keyed):
        [entry] = each.append("default", [draft(payload={"a": "secret"})], now=NOW)
        [(payload,)] = fetch(each.db, "select payload from journal_entries")
        tamper(
            each,
            "update journal_entries set payload = '{}', payload_text = '',"
            " payload_sha = ?",
            chain.digest(payload),
        )
        assert broken(each) == (Kind.CHANGED, 1)
        removed = [(1, entry.entry_hash)]
        stamp = "2026-05-01T09:30:00.000Z"
        chain_store.add_checkpoint(
            each.db, "default", removed, reason="purge", created_at=stamp, key=None
        )
        assert broken(each) == (None if each is journal else (Kind.CHANGED, 1))
        chain_store.add_checkpoint(
            each.db, "default", removed, reason="purge", created_at=stamp, key=each.key
        )
        assert verify(each, "default").ok
