"""Journals that travel between homes."""

import io
import json
from datetime import timedelta

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.errors import DamagedError
from crewmem.journal.exchange import export_records, receive_records
from crewmem.journal.import_export import import_entries
from crewmem.journal.source import EpisodeSource
from crewmem.journal.store import Journal
from crewmem.review.store import ReviewStore
from crewmem.storage.sqlite import HOME_SCHEMA, open_database

pytestmark = pytest.mark.both_stores


@pytest.fixture
def make_home(tmp_path, clock):
    def make(name):
        home = tmp_path / name
        open_database(home / "crewmem.db", HOME_SCHEMA, create=True).close()
        context = Context(
            home=home,
            workspace="default",
            access=Access(Actor("operator", name), "default"),
            settings=load_settings(None).replace(timezone="UTC"),
            clock=clock,
        )
        return Journal(context, lambda: ReviewStore(context))

    return make


def travel(source, target):
    return receive_records(target, list(export_records(source.context)))


def whole(journal):
    reports = journal.verify()
    return len(reports), [report.broken for report in reports if report.broken]


def test_chains_of_two_homes_meet_in_both(make_home, clock):
    one, two = make_home("one"), make_home("two")
    first = one.append("peer.escalation", "crane one")
    two.append("peer.escalation", "crane two")
    one.set_priority(first, "pin", reason="x")

    assert (travel(one, two).entries, travel(two, one).entries) == (1, 1)
    one.append("a.b", "later")
    assert travel(one, two).entries == 1
    assert (travel(one, two).entries, travel(two, one).entries) == (0, 0)

    assert whole(one) == whole(two) == (2, [])
    assert two.get(first).priority == "pin"
    for journal in (one, two):
        assert len(EpisodeSource(journal.context).match('"crane"', 5)) == 2
    two.append("a.b", "goes on")
    assert whole(two) == (2, [])


def test_priority_that_two_homes_set_at_once_is_the_later_one_in_both(make_home, clock):
    one, two = make_home("one"), make_home("two")
    entry = one.append("peer.escalation", "crane one")
    travel(one, two)
    one.set_priority(entry, "permanent", reason="x")
    clock.advance(minutes=1)
    two.set_priority(entry, "high", reason="y")

    travel(one, two)
    travel(two, one)

    assert (one.get(entry).priority, two.get(entry).priority) == ("high", "high")
    changes = [each.after for each in one.describe(entry).priority_changes]
    assert changes == [each.after for each in two.describe(entry).priority_changes]
    assert changes == ["permanent", "high"]
    one.set_priority(entry, "normal", reason="z")
    travel(one, two)
    assert two.get(entry).priority == "normal"
    assert whole(one) == whole(two) == (1, [])


def test_compaction_and_purge_travel(make_home, clock):
    one, two = make_home("one"), make_home("two")
    old = [one.append("exec.done", f"run {number}") for number in range(3)]
    secret = one.append("peer.escalation", "wolverine")
    travel(one, two)
    clock.advance(days=60)
    one.compaction.apply(one.compaction.plan(timedelta(days=30)))
    one.purge(secret)

    assert travel(one, two).purged == 1
    one.purge(old[0])
    assert travel(one, two).purged == 1
    assert travel(one, two).purged == 0

    assert whole(two) == (1, [])
    assert [two.get(each).summary for each in (secret, old[0], old[1])] == ["", "", "run 1"]
    assert two.get(old[1]).archived_at
    late = make_home("late")
    travel(two, late)
    assert whole(late) == (1, [])


def test_compaction_of_more_than_had_travelled_travels(make_home, clock):
    one, two = make_home("one"), make_home("two")
    old = [one.append("exec.done", "run 1")]
    travel(one, two)
    old.append(one.append("exec.done", "run 2"))
    clock.advance(days=60)
    one.compaction.apply(one.compaction.plan(timedelta(days=30)))

    travel(one, two)

    assert whole(one) == whole(two) == (1, [])
    assert all(two.get(each).archived_at for each in old)
    one.append("exec.done", "run 3")
    assert travel(one, two).entries == 1


def test_priority_that_is_set_while_another_home_compacts_travels(make_home, clock):
    one, two, late = make_home("one"), make_home("two"), make_home("late")
    entry = one.append("exec.done", "run 1")
    travel(one, two)
    clock.advance(days=60)
    one.compaction.apply(one.compaction.plan(timedelta(days=30)))
    two.set_priority(entry, "high", reason="often asked")
    records = [*export_records(two.context), *export_records(one.context)]

    travel(one, two)
    travel(two, one)
    receive_records(late, records)

    for journal in (one, two, late):
        assert whole(journal) == (1, [])
        assert (journal.get(entry).priority, bool(journal.get(entry).archived_at)) == ("high", True)


def test_what_was_changed_on_the_way_is_refused(make_home):
    one, two = make_home("one"), make_home("two")
    one.append("a.b", "x")
    one.append("a.b", "y")
    records = list(export_records(one.context))
    records[0]["summary"] = "z"
    with pytest.raises(DamagedError, match="changed in transit"):
        receive_records(two, records)
    with pytest.raises(DamagedError, match="does not follow"):
        receive_records(two, list(export_records(one.context))[1:])
    assert two.last_seq() == 0


def test_entries_that_a_home_and_its_copy_appended_are_refused_together(make_home):
    one, copy, late = make_home("one"), make_home("copy"), make_home("late")
    one.append("a.b", "before")
    travel(one, copy)
    chain = one.chains.own_name()
    copy.context.db.execute("insert or replace into home_names values ('chain', ?)", (chain,))
    one.append("a.b", "of the home")
    copy.append("a.b", "of the copy")

    with pytest.raises(DamagedError, match="does not follow"):
        receive_records(late, [*export_records(one.context), *export_records(copy.context)])

    assert late.last_seq() == 0


def test_entry_that_a_bundle_brought_into_two_chains_is_held_once(make_home, clock):
    one, two, late = make_home("one"), make_home("two"), make_home("late")
    line = {"id": "D1:1", "entry_type": "exec.done", "summary": "wolverine", "ts": "2026-03-01"}
    for journal in (one, two):
        import_entries(journal, io.BytesIO(json.dumps(line).encode()))
        journal.append("a.b", "after")
    one.set_priority("D1:1", "high", reason="often asked")

    travel(one, two)
    travel(two, one)
    travel(one, late)
    travel(two, late)
    one.append("a.b", "goes on")
    for target in (two, late):
        travel(one, target)

    for journal in (one, two, late):
        assert whole(journal) == (2, [])
        assert journal.get("D1:1").summary == "wolverine"
        assert journal.get("D1:1").priority == "high"

    clock.advance(days=90)
    one.compaction.apply(one.compaction.plan(timedelta(days=30)))
    for target in (two, late):
        travel(one, target)
        assert whole(target) == (2, [])
    one.purge("D1:1")
    for target in (two, late):
        travel(one, target)
        assert (whole(target), target.get("D1:1").summary) == ((2, []), "")


def test_entry_of_two_chains_arrives_from_both_at_once(make_home):
    one, two, late = make_home("one"), make_home("two"), make_home("late")
    line = {"id": "D1:1", "entry_type": "exec.done", "summary": "wolverine", "ts": "2026-03-01"}
    for journal, priority in ((one, "normal"), (two, "permanent")):
        import_entries(journal, io.BytesIO(json.dumps({**line, "priority": priority}).encode()))
    one.set_priority("D1:1", "pin", reason="often asked")
    travel(one, two)
    assert (whole(two), two.get("D1:1").priority) == ((2, []), "permanent")
    records = [*export_records(one.context), *export_records(two.context)]

    receive_records(late, records)
    receive_records(late, records[::-1])

    assert whole(late) == (2, [])
    assert late.get("D1:1").priority == "pin"


def test_archived_entry_of_two_chains_arrives_from_both_at_once(make_home, clock):
    one, two, late = make_home("one"), make_home("two"), make_home("late")
    line = {"id": "D1:1", "entry_type": "exec.done", "summary": "wolverine", "ts": "2026-03-01"}
    for journal in (one, two):
        import_entries(journal, io.BytesIO(json.dumps(line).encode()))
        clock.advance(days=90)
        journal.compaction.apply(journal.compaction.plan(timedelta(days=30)))

    receive_records(late, [*export_records(one.context), *export_records(two.context)])

    assert whole(late) == (2, [])
    assert late.get("D1:1").archived_at
    for source, target in ((one, two), (two, one), (late, one), (late, two)):
        travel(source, target)
        assert whole(target) == (2, [])
