"""Journals that travel between homes."""

from datetime import timedelta

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.errors import DamagedError
from crewmem.journal.exchange import export_records, receive_records
from crewmem.journal.store import Journal
from crewmem.storage.sqlite import HOME_SCHEMA, open_database

pytestmark = pytest.mark.both_stores


@pytest.fixture
def make_home(tmp_path, clock):
    def make(name):
        home = tmp_path / name
        open_database(home / "crewmem.db", HOME_SCHEMA, create=True).close()
        return Journal(
            Context(
                home=home,
                workspace="default",
                access=Access(Actor("operator", name), "default"),
                settings=load_settings(None).replace(timezone="UTC"),
                clock=clock,
            )
        )

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
    assert len(two.match('"crane"', 5)) == len(one.match('"crane"', 5)) == 2
    two.append("a.b", "goes on")
    assert whole(two) == (2, [])


def test_compaction_and_purge_travel(make_home, clock):
    one, two = make_home("one"), make_home("two")
    old = [one.append("exec.done", f"run {number}") for number in range(3)]
    secret = one.append("peer.escalation", "wolverine")
    travel(one, two)
    clock.advance(days=60)
    one.compact(one.plan_compaction(timedelta(days=30)))
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


def test_what_was_changed_on_the_way_is_refused(make_home):
    one, two = make_home("one"), make_home("two")
    one.append("a.b", "x")
    one.append("a.b", "y")
    records = list(export_records(one.context))
    records[0]["summary"] = "z"
    with pytest.raises(DamagedError, match="changed on its way"):
        receive_records(two, records)
    with pytest.raises(DamagedError, match="does not follow"):
        receive_records(two, list(export_records(one.context))[1:])
    assert two.last_seq() == 0
