"""Adding to the journal, and reading what is there."""

from contextlib import closing

import pytest
from entries import NOW, draft, drafts
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch, transaction
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.journal import EntryAmbiguousError, EntryMissingError
from crewmem.errors.values import BadEntryError, PrefixTooShortError
from crewmem.journal.append_store import MANY
from crewmem.journal.store import Journal
from crewmem.journal.verify import verify
from crewmem.scope import Reach

ALL = Reach("default")


@settings(deadline=None, max_examples=60)
@given(batches=st.lists(st.lists(drafts(), max_size=4), max_size=4))
def test_what_is_added_is_read(batches):
    """An entry that is read is the one that adding it returned."""
    with closing(truth()) as db:
        journal = Journal(db)
        added = [
            entry
            for batch in batches
            for entry in journal.append("default", batch, now=NOW)
        ]
        assert list(journal.by_seq(each.seq for each in added).values()) == added
        assert [each.seq for each in added] == list(range(1, len(added) + 1))
        assert verify(journal, "default").ok


def words(journal, text):
    sql = "select rowid from journal_entries_fts where journal_entries_fts match ?"
    return [seq for (seq,) in fetch(journal.db, sql, (text,))]


@pytest.mark.parametrize("count", [1, MANY - 1, MANY, MANY + 1])
def test_words_are_found_at_once(journal, add, count):
    """Few entries and many are in the full text: summaries, and values of payloads."""
    add(draft("Before"))
    add(*(draft(f"Deploying {n}", payload={"key": "café"}) for n in range(count)))
    add(draft("After"))
    assert len(words(journal, "deploy")) == len(words(journal, "cafe")) == count
    assert words(journal, "key") == []
    assert words(journal, "after") == [count + 2]
    check = "insert into journal_entries_fts (journal_entries_fts, rank) values (?, 1)"
    journal.db.execute(check, ("integrity-check",))


def test_all_are_added_or_none(journal, add):
    """One draft that cannot be an entry takes back the others of its call."""
    with pytest.raises(BadEntryError):
        add(draft(), draft(payload={"a": float("nan")}))
    with pytest.raises(BadEntryError, match="UTF-8"):
        add(draft("\ud800"))
    with pytest.raises(InputTooLargeError, match="the payload is 1,048,585 bytes"):
        add(draft(payload={"a": "x" * (1 << 20) + "z"}))
    assert fetch(journal.db, "select count(*) from journal_entries") == [(0,)]


def test_an_entry_is_part_of_what_its_caller_changes(journal, add):
    """Within a transaction of the caller's it goes where that goes."""
    with pytest.raises(ZeroDivisionError), transaction(journal.db):
        add(draft())
        raise ZeroDivisionError
    assert not journal.has_entries("default")


def test_others_are_told_within_the_transaction(journal):
    """Who wants to know of entries knows them when they are there, or not at all."""
    told = []
    listening = Journal(journal.db, on_append=told.extend)
    added = listening.append("default", [draft("one"), draft("two")], now=NOW)
    assert told == added

    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Journal(journal.db, on_append=fail).append("default", [draft()], now=NOW)
    assert len(journal.by_seq(range(10))) == 2


def test_workspaces_have_chains_of_their_own(add):
    """Each begins with the empty hash, and a place is never given twice."""
    one, two, three = (add(draft(), workspace=name)[0] for name in ("a", "b", "a"))
    assert (one.prev_hash, two.prev_hash, three.prev_hash) == ("", "", one.entry_hash)
    assert [each.seq for each in (one, two, three)] == [1, 2, 3]


def test_an_id_is_found_by_its_beginning(journal, add):
    """Six characters of an id are enough, where they are of one only."""
    add(draft(id="j_abcdef1"), draft(id="j_abcdef2"), draft(id="other"), draft(id="o"))
    assert journal.find("j_abcdef1", ALL).seq == 1
    assert journal.find("other", ALL).seq == 3
    assert journal.find("o", ALL).seq == 4
    with pytest.raises(EntryAmbiguousError, match="j_abcdef1, j_abcdef2"):
        journal.find("j_abcd", ALL)
    with pytest.raises(PrefixTooShortError, match="too short"):
        journal.find("j_abc", ALL)
    with pytest.raises(EntryMissingError):
        journal.find("j_zzzzzz", ALL)
    for odd in ("\0", "%", "j_abcde_", "*" * 9):
        with pytest.raises((EntryMissingError, PrefixTooShortError)):
            journal.find(odd, ALL)


def test_an_id_that_begins_another_is_itself(journal, add):
    """An id is never ambiguous with one that goes on longer."""
    add(draft(id="conv-26/D1:1"), draft(id="conv-26/D1:10"))
    assert journal.find("conv-26/D1:1", ALL).seq == 1


def test_what_is_out_of_reach_is_not_there(journal, add):
    """An id outside of what somebody may see is missing, and never named."""
    add(
        draft(id="j_aaaaaa1", agent_id="winch", crew_id="harbor"),
        draft(id="j_aaaaaa2", agent_id="ledger", crew_id="harbor"),
        draft(id="j_aaaaaa3", agent_id="zoe", crew_id="lab"),
        draft(id="j_aaaaaa4"),
    )
    winch = Reach("default", "winch")
    assert journal.find("j_aaaaaa", winch).seq == 1
    with pytest.raises(EntryMissingError):
        journal.find("j_aaaaaa2", winch)
    with pytest.raises(EntryAmbiguousError) as caught:
        journal.find("j_aaaaaa", winch._replace(crews=frozenset({"harbor"})))
    assert caught.value.candidates == ["j_aaaaaa1", "j_aaaaaa2"]
    with pytest.raises(EntryMissingError):
        journal.find("j_aaaaaa1", Reach("other"))


def test_neighbours_are_of_the_session(journal, add):
    """Before and after are those of the session, by time and then by place."""
    add(
        draft("two", trace_id="s", days=1),
        draft("three", trace_id="s", days=1),
        draft("one", trace_id="s", days=2),
        draft("other session", trace_id="t", days=1),
        draft("no session", days=1),
    )
    add(draft(trace_id="s", days=1), workspace="other")
    assert journal.neighbours([1, 2, 3, 4, 5]) == {
        1: (3, 2),
        2: (1, None),
        3: (None, 1),
        4: (None, None),
        5: (None, None),
    }


def test_entries_are_read_by_id(journal, add):
    """Ids of another workspace, and ids that nothing has, are left out."""
    added = add(*(draft(id=f"id-{n}") for n in range(600)))
    add(draft(id="id-x"), workspace="other")
    found = journal.by_id("default", [*(each.id for each in added), "id-x", "nothing"])
    assert found == {each.id: each for each in added}


def appender(at_home, name, calls):
    def run():
        journal = at_home()
        for number in range(calls):
            drafts = [draft(f"{name} {number} {n}") for n in range(1 + number % 3)]
            journal.append("default", drafts, now=NOW)
        journal.db.close()

    return run


def test_any_interleaving_is_one_chain(at_home, beside):
    """Four processes that append at once leave one whole chain, and lose nothing."""
    calls = 15
    assert beside(*(appender(at_home, name, calls) for name in "abcd")) == [0] * 4
    journal = at_home()
    found = verify(journal, "default")
    assert (found.ok, found.entries) == (True, 4 * sum(1 + n % 3 for n in range(calls)))
    for name in "abcd":
        sql = "select summary from journal_entries where summary like ? order by seq"
        rows = [text.split() for (text,) in fetch(journal.db, sql, (f"{name} %",))]
        mine = [(int(number), int(n)) for _, number, n in rows]
        assert mine == sorted(mine)
    journal.db.close()


def test_ids_come_from_the_randomness_that_is_given(journal):
    """The same randomness makes the same ids."""
    [entry] = journal.append("default", [draft()], now=NOW, randomness=bytes)
    assert entry.id == "j_000000000000"
