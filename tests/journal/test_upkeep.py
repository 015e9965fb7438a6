"""Compaction and purge."""

import json
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from crewmem.embeddings.store import Vectors
from crewmem.errors import DamagedError, RefusedError
from crewmem.journal import compaction
from crewmem.journal.archive import add_to_archive, load_rows
from crewmem.journal.reading import EntryFilter
from crewmem.journal.source import EpisodeSource
from crewmem.journal.verify import verify_chains
from crewmem.prompt.recall_log import log_recall
from crewmem.storage.sqlite import transaction

pytestmark = pytest.mark.both_stores

OLD = timedelta(days=30)


@pytest.fixture
def old(journal, clock):
    """Entries of two days and crews, all older than 30 days now; ids by what they are."""
    ids = {}
    for day in range(2):
        for number in range(3):
            crew = "harbor" if number else None
            ids[day, number] = journal.append(
                "exec.done", f"run {day}.{number}", payload={"n": number, "x": "y" * 600}, crew=crew
            )
        clock.advance(days=1)
    ids["warn"] = journal.append("exec.done", "warning", severity="warn")
    ids["pin"] = journal.append("exec.done", "pinned")
    journal.set_priority(ids["pin"], "pin", reason="x")
    ids["tagged"] = journal.append("exec.done", "tagged", refs={"episodic": True})
    ids["never"] = journal.append(
        "container.metrics", "tagged, never selected", refs={"episodic": True}
    )
    ids["selected"] = journal.append("exec.done", "selected")
    journal.select_episode(ids["selected"])
    ids["evidence"] = journal.append("exec.done", "evidence")
    ids["rule"] = journal.append("memory.consolidated", "rule")
    journal.add_relation(ids["rule"], ids["evidence"], "supports")
    ids["fact"] = journal.append("exec.done", "evidence of a fact")
    for name in ("approval.given", "checkpoint.made", "fork.made", "summary.generated"):
        ids[name] = journal.append(name, name)
    clock.advance(days=60)
    ids["new"] = journal.append("exec.done", "new")
    return ids


def compact(journal, old):
    plan = journal.compaction.plan(OLD, lambda ids: {old["fact"]} & set(ids))
    return journal.compaction.apply(plan)


def test_archived_entry_is_looked_up_by_its_id(journal):
    context = journal.context
    (row,) = load_rows(context, [journal.append("exec.done", "run")]).values()
    rows = [row._replace(id=f"j_{number:012}") for number in range(2000)]
    with transaction(context.db):
        add_to_archive(context.db, rows, row.ts)
    steps = []
    context.db.connection.set_progress_handler(lambda: steps.append(1), 1000)

    assert [*load_rows(context, ["j_000000000007"])] == ["j_000000000007"]
    assert len(steps) < 5  # walking all takes many times that


def test_compaction_archives_whole_entries_and_keeps_the_chain(journal, old):
    before = {entry.id: entry for entry in journal.list(limit=100).entries}
    done = compact(journal, old)

    assert [(g.crew, g.day, g.entry_type, g.entries) for g in done.groups] == [
        ("", "2026-05-01", "exec.done", 1),
        ("harbor", "2026-05-01", "exec.done", 2),
        ("", "2026-05-02", "exec.done", 1),
        ("harbor", "2026-05-02", "exec.done", 2),
        ("", "2026-05-03", "container.metrics", 1),
    ]
    gone = {old[day, number] for day in range(2) for number in range(3)} | {old["never"]}
    assert done.archived == len(gone) == 7
    left = {entry.id: entry for entry in journal.list(limit=100).entries}
    assert set(before) - set(left) == gone
    for entry_id in gone:
        whole = journal.get(entry_id)
        assert whole.archived_at
        assert (whole.summary, whole.payload, whole.entry_hash) == (
            before[entry_id].summary,
            before[entry_id].payload,
            before[entry_id].entry_hash,
        )
    sums = journal.list(EntryFilter(types=["system.compaction"])).entries
    assert {each.payload["count"] for each in sums} == {1, 2}
    (report,) = verify_chains(journal.context)
    assert (report.archived, report.broken) == (7, None)
    short = journal.context.db.all("select payload from journal_entries_archived")
    assert all(
        len(payload) <= 400 and isinstance(json.loads(payload), dict) for (payload,) in short
    )


def test_compaction_again_changes_nothing(journal, old, clock):
    compact(journal, old)
    count = journal.last_seq()
    assert compact(journal, old).archived == 0
    clock.advance(days=90)
    compact(journal, old)
    assert journal.last_seq() == count + 1  # of the entry that was new


def test_interrupted_compaction_is_finished_by_the_next(journal, old, monkeypatch):
    monkeypatch.setattr(compaction, "BATCH", 2)
    plan = journal.compaction.plan(OLD, lambda ids: {old["fact"]} & set(ids))

    def stop(done, total):
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.compaction.apply(plan, stop)
    assert verify_chains(journal.context)[0].broken is None
    compact(journal, old)
    assert journal.context.db.value("select count(*) from journal_entries_archived") == 7
    assert verify_chains(journal.context)[0].broken is None


@pytest.mark.one_store
def test_changed_row_stops_compaction(journal, old):
    journal.context.db.execute("update journal_entries set summary = 'x' where seq = 2")
    with pytest.raises(DamagedError, match="row 2"):
        compact(journal, old)
    assert journal.context.db.value("select count(*) from journal_entries_archived") == 0


@pytest.mark.one_store
def test_changes_of_the_archive_are_found(journal, old):
    compact(journal, old)
    db = journal.context.db
    db.execute("delete from journal_entries_archived where id = ?", (old[0, 1],))
    assert verify_chains(journal.context)[0].broken.kind == "missing row"
    db.execute("update journal_entries_archived set content_sha = ''")
    with pytest.raises(DamagedError, match="archived entry"):
        verify_chains(journal.context)


def test_archived_entries_are_listed_with_the_archive(journal, old):
    count = len(journal.list(limit=1000).entries)
    compact(journal, old)
    found, cursor = [], None
    while True:
        page = journal.list(limit=5, after=cursor, include_archive=True)
        found += page.entries
        cursor = page.next
        if cursor is None:
            break
    assert len(found) == len({entry.id for entry in found}) == count + 5
    assert [entry.ts for entry in found] == sorted((entry.ts for entry in found), reverse=True)


def test_archived_entries_are_counted_with_the_archive(journal, old):
    before = {by: journal.count_by(by) for by in ("type", "agent", "day")}
    compact(journal, old)
    written = journal.count_by("type")["system.compaction"]
    assert journal.count_by("type")["exec.done"] < before["type"]["exec.done"]
    for by, counts in before.items():
        found = journal.count_by(by, include_archive=True)
        assert sum(found.values()) == sum(counts.values()) + written
    assert (
        journal.count_by("type", include_archive=True)["exec.done"] == before["type"]["exec.done"]
    )


def test_relation_is_told_of_an_archived_entry(journal, old):
    compact(journal, old)
    one, other = old[0, 0], old[1, 1]
    assert journal.get(one).archived_at
    assert journal.add_relation(one, other, "supports")
    for entry in (one, other):
        (relation,) = journal.describe(entry).relations
        assert relation[:3] == (one, other, "supports")


def bytes_of_home(tmp_path):
    return b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def test_purge_leaves_no_byte_of_the_text_and_a_whole_chain(journal, old, tmp_path):
    archived = old[0, 1]
    compact(journal, old)
    live = journal.append(
        "peer.escalation", "the wolverine incident", payload={"who": "wolverine again"}
    )
    assert b"wolverine" in bytes_of_home(tmp_path)

    key = journal.context.db.value("select vector_key from episodes where vector_key <> 0")
    vectors, collection = Vectors(journal.context), (journal.context.workspace, "journal")
    vectors.put(collection, "m", [key], np.ones((1, 4), "f4"))
    hit = SimpleNamespace(ref=live, relevance=0.9, cosine=None)
    log_recall(journal.context, "a wolverine?", use="search", mode="sparse", k=1, hits=[hit])
    journal.purge(live)
    journal.purge(archived)

    assert b"olverin" not in bytes_of_home(tmp_path)
    assert vectors.keys(collection) == set()
    for entry_id in (live, archived):
        entry = journal.get(entry_id)
        assert (entry.summary, entry.payload, entry.is_purged) == ("", {}, True)
    (report,) = verify_chains(journal.context)
    assert (report.purged, report.broken) == (2, None)
    assert EpisodeSource(journal.context).match('"wolverine"', 5) == []
    assert journal.list(EntryFilter(types=["journal.purged"])).entries[0].actor_id == "kim"
    journal.purge(live)
    assert len(journal.list(EntryFilter(types=["journal.purged"])).entries) == 2


def test_purge_of_an_archived_entry_leaves_no_word_in_the_full_text(journal, old, clock, tmp_path):
    secret = journal.append("exec.done", "the narwhalword was here")
    for number in range(40):  # more than one segment of the full text
        journal.append("exec.done", f"the dolphin {number} was here", severity="warn")
    clock.advance(days=40)
    compact(journal, old)
    journal.purge(secret)
    assert b"arwhalword" not in bytes_of_home(tmp_path)


@pytest.mark.one_store
def test_text_put_back_after_a_purge_is_found(journal):
    entry_id = journal.append("a.b", "x")
    journal.purge(entry_id)
    journal.context.db.execute("update journal_entries set summary = 'y' where id = ?", (entry_id,))
    assert verify_chains(journal.context)[0].broken.entry_id == entry_id


def test_only_operators_purge(open_journal):
    ada = open_journal("agent:ada")
    with pytest.raises(RefusedError):
        ada.purge(ada.append("a.b", "x"))


def test_entries_are_found_by_what_they_refer_to(journal, old):
    one = journal.append("fact.created", "x", refs={"fact_id": "f_1"})
    journal.append("fact.created", "y", refs={"fact_id": "f_2"})
    assert journal.find_entries_with("fact_id", "f_1") == [one]


def test_plan_of_a_compaction_names_no_chain(journal):
    before = journal.context.db.all("select * from home_names")
    assert journal.compaction.plan(timedelta(days=30)).entries == 0
    assert journal.context.db.all("select * from home_names") == before
