"""The hash chain: what verify accepts, and what it finds."""

import multiprocessing

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.errors import SettingsError
from crewmem.journal.verify import verify_chains
from crewmem.journal.writing import JournalWriter
from crewmem.storage.sqlite import rehearsal

pytestmark = pytest.mark.both_stores


def broken(journal):
    (report,) = verify_chains(journal.context)
    return report.broken


def fill(journal, count=5):
    return [journal.append("memory.updated", f"change {number}") for number in range(count)]


def test_untouched_chain_is_whole(journal):
    fill(journal)
    (report,) = verify_chains(journal.context)
    assert (report.entries, report.keyed, report.broken) == (5, 0, None)


@pytest.mark.one_store
@pytest.mark.parametrize(
    "change",
    [
        "summary = 'x'",
        "payload = '{\"a\": 1}'",
        "ts = '2020-01-01T00:00:00.000Z'",
        "origin = 'external'",
        "priority = 'pin'",
        "crew_id = 'x'",
        "prev_hash = ''",
        "salt = '', summary = '', search_text = ''",
    ],
)
def test_changed_row_is_named(journal, change):
    ids = fill(journal)
    journal.context.db.execute(f"update journal_entries set {change} where seq = 3")
    found = broken(journal)
    assert (found.kind, found.entry_id, found.seq) == ("changed row", ids[2], 3)


@pytest.mark.one_store
@pytest.mark.parametrize("seq", [1, 3, 5])
def test_missing_row_is_found(journal, seq):
    fill(journal)
    journal.context.db.execute("delete from journal_entries where seq = ?", (seq,))
    assert broken(journal).kind == "missing row"


@pytest.mark.one_store
@pytest.mark.parametrize(("old", "new"), [(2, 9), (4, 0), (5, 0)])
def test_moved_row_is_named(journal, old, new):
    ids = fill(journal)
    journal.context.db.execute("update journal_entries set seq = ? where seq = ?", (new, old))
    found = broken(journal)
    assert (found.kind, found.entry_id) == ("reordered row", ids[old - 1])


@pytest.mark.one_store
def test_changed_end_and_changed_priority_history_are_found(journal):
    ids = fill(journal)
    journal.set_priority(ids[0], "pin", reason="keep")
    assert broken(journal) is None
    journal.context.db.execute("update journal_entry_priorities set reason = 'other'")
    assert broken(journal).entry_id == ids[0]
    journal.context.db.execute("update journal_entry_priorities set reason = 'keep'")
    journal.context.db.execute("update journal_chains set entries = 4")
    assert "end was changed" in broken(journal).message


def test_first_entry_that_is_rehearsed_names_no_chain(journal, open_journal):
    with rehearsal(journal.context.db):
        journal.append("note.added", "the crane was greased")
    for each in (journal, open_journal()):
        each.append("note.added", "the crane was painted")
    assert [report.entries for report in verify_chains(journal.context)] == [2]


def test_keyed_chain_needs_its_key(open_journal):
    fill(open_journal())
    keyed = open_journal(key="secret")
    fill(keyed)
    (report,) = verify_chains(keyed.context)
    assert (report.entries, report.keyed, report.broken) == (10, 5, None)
    with pytest.raises(SettingsError, match="CREWMEM_CHAIN_KEY"):
        open_journal().append("memory.updated", "x")
    with pytest.raises(SettingsError):
        verify_chains(open_journal().context)
    (report,) = verify_chains(open_journal(key="other").context)
    assert report.broken.kind == "changed row"


def test_nothing_is_appended_to_a_keyed_chain_with_another_key(open_journal):
    keyed = open_journal(key="secret")
    fill(keyed)
    keyed.set_priority(keyed.append("memory.updated", "last"), "pin", reason="asked")
    with pytest.raises(SettingsError, match="another key"):
        open_journal(key="other").append("memory.updated", "x")
    keyed.append("memory.updated", "the key is the same")
    (report,) = verify_chains(keyed.context)
    assert report.broken is None


def test_changed_head_of_a_keyed_chain_stops_no_writer(open_journal):
    keyed = open_journal(key="secret")
    fill(keyed)
    keyed.context.db.execute("update journal_chains set entries = 3")
    keyed.append("memory.updated", "x")
    (report,) = verify_chains(keyed.context)
    assert report.broken is not None


def append_many(home, number):
    context = Context(
        home=home,
        workspace="default",
        access=Access(Actor("agent", f"a{number}"), "default", home_crew="harbor"),
        settings=load_settings(None),
    )
    journal = JournalWriter(context)
    for index in range(10):
        journal.append("memory.updated", f"{number} {index}")


def test_ten_processes_append_to_one_chain(journal, tmp_path):
    journal.append("memory.updated", "first")
    spawn = multiprocessing.get_context("fork")
    processes = [spawn.Process(target=append_many, args=(tmp_path, n)) for n in range(10)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    (report,) = verify_chains(journal.context)

    assert [process.exitcode for process in processes] == [0] * 10
    assert (report.entries, report.broken) == (101, None)


def test_each_workspace_has_its_own_chain(journal, open_journal):
    fill(journal)
    other = open_journal()
    other.context.workspace = "second"
    other.context.access = Access(Actor("operator", "kim"), "second")
    fill(other, 3)
    assert [report.entries for report in verify_chains(other.context)] == [3]
    assert [report.entries for report in verify_chains(journal.context)] == [5]
