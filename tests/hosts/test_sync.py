"""Homes that sync through directories, git and ssh converge."""

import itertools
import json
import os
import shutil
import subprocess
import zlib
from datetime import timedelta
from hashlib import sha256

import pytest

from crewmem.access import Actor
from crewmem.errors import ConflictError, DamagedError, ServiceError
from crewmem.home import create_home
from crewmem.journal.entry import Row
from crewmem.journal.exchange import LOCAL_COLUMNS
from crewmem.journal.reading import EntryFilter
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.exporter import Exporter
from crewmem.transfer.importer import Importer
from crewmem.transfer.sync import Sync
from crewmem.transfer.transports import run_command
from tests.conftest import open_home

CREW_FILE = "crew:harbor/CREW.md"


@pytest.fixture
def make(tmp_path, clock):
    opened = []

    def make(name):
        create_home(tmp_path / name, clock=clock)
        opened.append(open_home(tmp_path / name, clock))
        return opened[-1]

    yield make
    for home in opened:
        home.close()


SSH = """#!/bin/sh
for last; do :; done
exec sh -c "$last"
"""


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """A program `ssh` that runs commands on this host."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(SSH)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def sync(home, place):
    return Sync(home).run(str(place))


def texts(home):
    return sorted(fact.content for fact in home.facts.list(limit=100).facts)


def sync_later(home, place):
    """Sync a minute after the last time."""
    moment = home.context.now + timedelta(minutes=1)
    home.context.clock = lambda: moment
    return sync(home, place)


def is_settled(homes, place):
    """Return whether homes that synced have nothing more to say to each other."""
    reports = [sync_later(home, place) for home in (*homes, *homes)]
    return not any(any(each.sent.values()) or any(each.received.values()) for each in reports)


def is_whole(home):
    return all(report.broken is None for report in home.journal.verify())


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 1, 0)])
def test_three_homes_converge_through_a_bare_repository(make, tmp_path, order):
    place = tmp_path / "place.git"
    subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    homes = [make(name) for name in ("one", "two", "three")]
    for number, home in enumerate(homes):
        home.registry.add_crew("harbor", lead="winch")
        home.facts.add(f"Home {number} says its own thing about the harbour.")
    homes[0].memory.write("Deploys are on Thursday.", file=CREW_FILE)
    for index in [*order, 0, 1, 2, 0, 1, 2]:
        sync(homes[index], place)
    last = [sync(home, place) for home in homes]
    assert [report.sent for report in last] == [{}, {}, {}]
    assert len(texts(homes[0])) == 3
    assert texts(homes[0]) == texts(homes[1]) == texts(homes[2])
    for home in homes:
        assert home.memory.read(CREW_FILE).text.strip() == "Deploys are on Thursday."
        assert len(home.journal.verify()) == 3
        assert is_whole(home)


def test_merge_of_a_text_that_the_file_contains_says_so(make, tmp_path):
    one, two = make("one"), make("two")
    place = tmp_path / "place"
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.\n", file=CREW_FILE)
    sync(one, place)
    sync(two, place)
    for line in ("The crane is out of order.\n", "So is the lift.\n"):
        one.memory.write(line, file=CREW_FILE, mode="append")
    two.memory.write("The crane is out of order.\n", file=CREW_FILE, mode="append")
    for home in (one, two):
        sync(home, place)
    [item] = two.review_items.list_items(kind="merge")
    assert two.review.show(item.id).change == ["the file already contains the text"]


@pytest.mark.parametrize("origins", [("external", None), (None, "external")])
def test_changed_file_of_two_homes_goes_to_review_once(make, tmp_path, origins):
    one, two = make("one"), make("two")
    place = tmp_path / "place"
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    sync(one, place)
    sync(two, place)
    one.memory.write("The train has two tracks.", file=CREW_FILE, origin=origins[0])
    two.memory.write("The crane is out of order.", file=CREW_FILE, origin=origins[1])
    for home in (one, two, one, two):
        sync(home, place)
    assert one.memory.read(CREW_FILE, raw=True).text == two.memory.read(CREW_FILE, raw=True).text
    items = [item for home in (one, two) for item in home.review_items.list_items(kind="merge")]
    assert len(items) == 1
    loser = next(home for home in (one, two) if home.review_items.list_items(kind="merge"))
    assert loser.memory.read(CREW_FILE).origin == loser.memory.log(CREW_FILE)[0].origin
    loser.review.approve(items[0].id)
    for home in (one, two, one, two):
        sync(home, place)
    for home in (one, two):
        found = home.memory.read(CREW_FILE)
        assert "two tracks" in found.text
        assert "crane" in found.text
        assert found.origin == "external"
        assert "outside" not in {version.operation for version in home.memory.log(CREW_FILE)}


@pytest.mark.parametrize("obstacle", ["link", "directory", "lock"])
def test_file_that_cannot_be_checked_out_keeps_no_other_waiting(make, tmp_path, obstacle):
    one, two = make("one"), make("two")
    place, path = tmp_path / "place", two.context.home / "workspaces/default/crews/harbor/shared"
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    one.memory.write("Open at nine.", file="workspace:NOTES.md")
    (path / ".memory").mkdir(parents=True)
    if obstacle == "link":
        (path / ".memory" / "CREW.md").symlink_to("/etc/passwd")
    elif obstacle == "directory":
        (path / ".memory" / "CREW.md").mkdir()
    else:
        (path / ".memory" / ".lock").symlink_to("nowhere")  # locks are opened without links

    sync(one, place)
    sync(two, place)

    assert "file-not-updated" in [notice.code for notice in two.context.warnings]
    assert two.memory.read("workspace:NOTES.md").text == "Open at nine.\n"
    assert sync(two, place).received == {}


def test_last_vote_of_an_operator_counts_in_every_home(make, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    one, two = make("one"), make("two")
    fact = one.facts.add("The crane lifts 40 tons").id
    for home, up in ((one, False), (two, False), (two, True)):
        sync_later(one, place)
        sync_later(two, place)
        moment = max(one.context.now, two.context.now) + timedelta(days=1)
        home.context.clock = lambda moment=moment: moment
        home.facts.vote(fact, up=up)

    for home in (two, one, two):
        sync_later(home, place)
    assert is_settled((one, two), place)
    assert [(home.facts.get(fact).up, home.facts.get(fact).down) for home in (one, two)] == [
        (1, 0),
        (1, 0),
    ]


def test_votes_and_edits_merge_and_a_purge_travels(make, tmp_path):
    one, two, late = make("one"), make("two"), make("late")
    place = tmp_path / "place"
    fact = one.facts.add("The spare key of Zephyrine lies below the third anchor.")
    kept = one.facts.add("The release train leaves on Thursday.")
    for home in (one, two):
        sync(home, place)
    two.facts.vote(kept.id, up=True)
    two.facts.vote(fact.id, up=True)
    two.facts.edit(fact.id, "The key of Zephyrine lies below the third anchor, in red.")
    two.mentions.refresh()
    one.purging.purge_fact(fact.id)
    assert "sync-not-erased" in {each.code for each in one.context.warnings}
    for home, _ in itertools.product((one, two, late), range(2)):
        sync_later(home, place)
    sync_later(one, place)
    sync_later(two, place)
    assert is_settled((one, two, late), place)
    for home in (one, two, late):
        assert texts(home) == ["The release train leaves on Thursday."]
        assert is_whole(home)
        for file in home.context.home.glob("crewmem.db*"):
            assert b"third anchor" not in file.read_bytes(), (home.context.home, file)
        for file in home.context.home.rglob("index.sqlite*"):
            assert b"ephyrine" not in file.read_bytes(), file
    assert one.facts.get(kept.id).up == 1


def test_homes_that_hold_the_entries_of_one_bundle_sync(make, tmp_path):
    one, two, late = make("one"), make("two"), make("late")
    one.journal.append("peer.escalation", "the third valve leaks")
    one.facts.add("Valves are blue")
    Exporter(one).write(tmp_path / "bundle")
    for home in (two, late):
        Importer(home, ImportOptions()).run(tmp_path / "bundle", apply=True)

    for home, _ in itertools.product((one, two, late), range(2)):
        sync_later(home, tmp_path / "place")
    for home in (one, two):
        sync_later(home, tmp_path / "place")

    assert is_settled((one, two, late), tmp_path / "place")
    for home in (one, two, late):
        assert is_whole(home)
        found = home.journal.list(EntryFilter(types=("peer.escalation",))).entries
        assert [each.summary for each in found] == ["the third valve leaks"]


def test_purged_versions_are_erased_in_every_home_and_do_not_come_back(make, tmp_path):
    one, two, late = make("one"), make("two"), make("late")
    homes = one, two, late
    one.registry.add_crew("harbor")
    one.memory.write("The walnut is in the vault.", file=CREW_FILE)
    one.memory.write("Nothing is here.", file=CREW_FILE, mode="replace")
    for home in (one, two):
        sync(home, tmp_path / "place")
    (old,) = one.purging.purge_versions(CREW_FILE).versions
    exported = two.context.home.parent / "bundle"
    Exporter(two).write(exported)
    for home in homes:
        sync(home, tmp_path / "place")
    for home in [two, one, *homes]:
        sync(home, tmp_path / "other place")
    Importer(one, ImportOptions()).run(exported, apply=True)
    for home in homes:
        assert old.id not in [each.id for each in home.memory.log(CREW_FILE)]
        stored = [each for each in (home.context.home / "versions").rglob("*") if each.is_file()]
        assert all(b"walnut" not in zlib.decompress(each.read_bytes()) for each in stored)
        assert b"walnut" not in home.memory_index.path.read_bytes()
        assert is_whole(home)


def test_home_that_wrote_after_it_was_restored_goes_on_as_a_new_one(make, tmp_path):
    one, two, new = make("one"), make("two"), make("new")
    place = tmp_path / "place"
    one.facts.add("The crane is new")
    for home in (one, two):
        sync(home, place)
    one.close()
    shutil.copytree(tmp_path / "one", tmp_path / "backup")
    one.facts.add("The crane is green")
    sync(one, place)
    one.close()
    shutil.rmtree(tmp_path / "one")
    shutil.move(tmp_path / "backup", tmp_path / "one")
    one.facts.add("The crane is old")

    with pytest.raises(DamagedError, match="was restored from an old copy") as refused:
        sync(one, place)
    assert refused.value.hint.endswith("export --out rescued")

    Exporter(one).write(tmp_path / "rescued")
    sync(new, place)
    Importer(new, ImportOptions()).run(tmp_path / "rescued", apply=True)
    for home in (new, two):
        sync(home, place)
        assert texts(home) == ["The crane is green", "The crane is new", "The crane is old"]
        assert is_whole(home)


def test_restored_text_arrives_where_its_old_version_was_pruned(make, tmp_path):
    one, two = make("one"), make("two")
    one.registry.add_crew("harbor")
    for text in ("The lamp is blue.", "It is red.", "It is green.", "It is grey.", "It is old."):
        one.memory.write(text, file=CREW_FILE, mode="replace")
    for home in (one, two):
        sync_later(home, tmp_path / "place")
    plan = two.memory.plan_prune(keep=3, before=two.context.now + timedelta(days=1))
    assert two.memory.prune(plan).versions == 2

    one.memory.restore(CREW_FILE, one.memory.log(CREW_FILE)[-1].id)
    for home in (one, two):
        sync_later(home, tmp_path / "place")

    assert two.memory.read(CREW_FILE).text.strip() == "The lamp is blue."
    assert not two.memory.record_outside_changes()


def test_merge_of_purged_versions_keeps_no_text(make, tmp_path):
    homes = one, two = make("one"), make("two")
    one.registry.add_crew("harbor")
    one.memory.write("It is green.", file=CREW_FILE)
    for home in homes:
        sync(home, tmp_path / "place")
    one.memory.write("The walnut is in the vault.", file=CREW_FILE)
    later = two.context.now + timedelta(minutes=1)
    two.context.clock = lambda: later
    two.memory.write("It is red.", file=CREW_FILE)
    waiting = [each for home in [one, two, one] for each in sync(home, tmp_path / "place").waiting]
    assert len(waiting) == 1

    one.purging.purge_versions(CREW_FILE)
    for home in [two, one]:
        sync(home, tmp_path / "place")

    for home in homes:
        stored = "".join(home.context.db.column("select payload from review_items"))
        assert "walnut" not in stored
        assert not home.review.list_items().items


def test_versions_of_an_agent_that_moved_in_one_home_are_received_in_both(make, tmp_path, clock):
    homes = one, two = make("one"), make("two")
    for crew in ("harbor", "yard"):
        one.registry.add_crew(crew)
    one.registry.add_agent("winch", crew="harbor")
    one.memory.write("I oil the crane.", file="agent:harbor/winch/AGENT.md")
    for home in homes:
        sync(home, tmp_path / "place")
    two.memory.write("It is green.", file="agent:harbor/winch/AGENT.md")
    one.registry.set_agent("winch", crew="yard")
    for home in [two, one, two, one]:
        home.memory.index.reload_directories()
        sync(home, tmp_path / "place")
    for home, crew in ((one, "yard"), (two, "harbor")):
        file = f"agent:{crew}/winch/AGENT.md"
        assert "It is green." in home.memory.read(file).text
        assert [each.number for each in home.memory.log(file)] == [2, 1]
    assert [sync(home, tmp_path / "place").sent for home in homes] == [{}, {}]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_text_that_lost_against_a_later_edit_is_a_revision_in_every_home(
    make, tmp_path, clock, order
):
    homes = [make(name) for name in ("one", "two", "three")]
    for seconds, home in enumerate(homes):
        home.context.clock = lambda seconds=seconds: clock() + timedelta(seconds=seconds)
    fact = homes[0].facts.add("The deploy window is Tuesday.").fact
    for home in homes:
        sync(home, tmp_path / "place")
    homes[0].facts.edit(fact.id, "The deploy window is Wednesday.", reason="moved")
    homes[1].facts.edit(fact.id, "The deploy window is Thursday.", reason="moved")
    homes[0].as_actor(Actor.parse("operator:ann")).facts.vote(fact.id, up=True)
    for index in [*order, *order, *order]:
        sync(homes[index], tmp_path / "place")
    found = [home.facts.show(fact.id) for home in homes]
    assert {each.fact.content for each in found} == {"The deploy window is Thursday."}
    for each in found:
        assert {"The deploy window is Wednesday.", "The deploy window is Tuesday."} == {
            revision.content for revision in each.revisions
        }
        assert [vote.actor for vote in each.votes] == ["operator:ann"]
    assert [sync(home, tmp_path / "place").sent for home in homes] == [{}, {}, {}]


def test_change_by_a_home_whose_clock_is_behind_holds_over_the_text_that_it_knew(
    make, tmp_path, clock
):
    homes = [make(name) for name in ("one", "two")]
    edited = homes[0].facts.add("The deploy window is Tuesday.").fact
    forgotten = homes[0].facts.add("The deploy key is green.").fact
    for home in homes:
        sync(home, tmp_path / "place")
    homes[1].context.clock = lambda: clock() - timedelta(hours=1)
    homes[1].facts.edit(edited.id, "The deploy window is Thursday.", reason="moved")
    homes[1].facts.forget(forgotten.id)
    for home in [*homes, *homes]:
        sync(home, tmp_path / "place")
    assert [texts(home) for home in homes] == [["The deploy window is Thursday."]] * 2


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_later_vote_or_pin_does_not_undo_an_edit_of_another_home(make, tmp_path, clock, order):
    homes = [make(name) for name in ("one", "two", "three")]
    fact = homes[0].facts.add("The deploy window is Tuesday.", importance=4).fact
    for home in homes:
        sync(home, tmp_path / "place")
    for minutes, home in enumerate(homes, start=1):
        home.context.clock = lambda minutes=minutes: clock() + timedelta(minutes=minutes)
    homes[0].facts.edit(fact.id, "The deploy window is Wednesday.", reason="moved")
    homes[1].facts.vote(fact.id, up=True)
    homes[2].facts.pin(fact.id, "pin", reason="asked often")

    for index in [*order, *order, *order]:
        sync(homes[index], tmp_path / "place")

    found = [home.facts.show(fact.id) for home in homes]
    assert {each.fact.content for each in found} == {"The deploy window is Wednesday."}
    assert {(each.fact.pin, each.fact.up, each.fact.importance) for each in found} == {
        ("pin", 1, 4)
    }
    for each in found:
        assert [text.content for text in each.revisions] == ["The deploy window is Tuesday."]
    assert [sync(home, tmp_path / "place").sent for home in homes] == [{}, {}, {}]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_later_vote_or_pin_does_not_restore_what_another_home_forgot(make, tmp_path, clock, order):
    homes = [make(name) for name in ("one", "two", "three")]
    fact = homes[0].facts.add("The deploy window is Tuesday.").fact
    for home in homes:
        sync(home, tmp_path / "place")
    for minutes, home in enumerate(homes, start=1):
        home.context.clock = lambda minutes=minutes: clock() + timedelta(minutes=minutes)
    homes[0].facts.forget(fact.id, reason="no longer")
    homes[1].facts.vote(fact.id, up=True)
    homes[2].facts.pin(fact.id, "pin", reason="asked often")

    def sync_all():
        for index in [*order, *order, *order]:
            sync(homes[index], tmp_path / "place")
        found = [home.facts.show(fact.id).fact for home in homes]
        return {(each.status, each.content[21:], each.pin) for each in found}

    assert sync_all() == {("archived", "Tuesday.", "pin")}

    for minutes, home in enumerate(homes[:2], start=10):
        home.context.clock = lambda minutes=minutes: clock() + timedelta(minutes=minutes)
    homes[0].facts.restore(fact.id)
    homes[0].facts.forget(fact.id)
    homes[1].facts.edit(fact.id, "The deploy window is Wednesday.", reason="moved")
    homes[1].facts.restore(fact.id)
    assert sync_all() == {("active", "Wednesday.", "pin")}
    assert [sync(home, tmp_path / "place").sent for home in homes] == [{}, {}, {}]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_later_aging_does_not_undo_what_a_person_decided_elsewhere(make, tmp_path, clock, order):
    homes = [make(name) for name in ("one", "two", "three")]
    fact = homes[0].facts.add("The crane was greased.", kind="context", agent="ada").fact
    for home in homes:
        sync(home, tmp_path / "place")

    def sync_all():
        for index in [*order, *order, *order]:
            sync(homes[index], tmp_path / "place")
        return {home.facts.show(fact.id).fact.status for home in homes}

    def wait(home, **span):
        home.context.clock = lambda: clock() + timedelta(**span)

    wait(homes[0], days=9)
    wait(homes[1], days=10)
    wait(homes[2], days=11)
    homes[0].facts.forget(fact.id)
    homes[1].facts.rollups.write()
    homes[2].facts.vote(fact.id, up=True)
    assert homes[1].facts.show(fact.id).fact.status == "warm"
    assert sync_all() == {"archived"}

    for home, days in zip(homes, (39, 40, 41), strict=True):
        wait(home, days=days)
    homes[0].facts.restore(fact.id)
    assert sync_all() == {"active"}
    for home, days in zip(homes, (69, 70, 71), strict=True):  # it ages from its restore on
        wait(home, days=days)
    homes[1].facts.rollups.write()
    assert homes[1].facts.show(fact.id).fact.status == "archived"
    homes[2].facts.pin(fact.id, "pin", reason="asked often")
    assert sync_all() == {"archived"}
    assert [sync(home, tmp_path / "place").sent for home in homes] == [{}, {}, {}]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_later_text_on_a_topic_holds_whatever_was_voted_since(make, tmp_path, clock, order):
    homes = [make("one"), make("two")]
    for minutes, home in enumerate(homes, start=1):
        home.context.clock = lambda minutes=minutes: clock() + timedelta(minutes=minutes)
    earlier = homes[0].facts.add("Trains run on Tuesday.", topic_key="train")
    homes[1].facts.add("Trains run on Thursday.", topic_key="train")
    homes[0].context.clock = lambda: clock() + timedelta(hours=1)
    homes[0].facts.vote(earlier.id, up=True)

    for index in [*order, *order, *order]:
        sync(homes[index], tmp_path / "place")

    assert [texts(home) for home in homes] == [["Trains run on Thursday."]] * 2


def test_changed_batch_costs_only_itself_and_its_home_adds_its_records_again(make, tmp_path):
    one, two, three = make("one"), make("two"), make("three")
    place = tmp_path / "place"
    one.facts.add("The deploy key is in the vault.")
    sync(one, place)
    [batch] = place.glob("sources/*/*.jsonl")
    batch.write_bytes(batch.read_bytes().replace(b"vault", b"drawer"))
    two.facts.add("It is high tide.")
    sync(two, place)
    sync(three, place)
    assert (texts(two), texts(three)) == (["It is high tide."], ["It is high tide."])
    assert "does not match its hash" in two.context.warnings[0].message
    sync(one, place)
    sync(two, place)
    assert sorted(texts(two)) == ["It is high tide.", "The deploy key is in the vault."]


def test_foreign_directory_is_refused(make, tmp_path):
    two = make("two")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(ConflictError):
        sync(two, tmp_path / "other")


VERSION = {
    "id": "v_1", "path": "crew:harbor/CREW.md", "tier": "crew", "number": 9, "bytes": 1,
    "file_sha256": "a", "stored_sha256": "b", "parent": "", "origin": "agent", "operation": "write",
    "written_at": "2026-05-01T00:00:00Z", "written_by": "operator:kim",
}  # fmt: skip

ENTRY = {
    **dict.fromkeys(set(Row._fields) - set(LOCAL_COLUMNS), "x"),
    "record": "entry", "workspace_id": "default",
}  # fmt: skip

BROKEN = {
    "number as a time": {"type": "journal", "data": {**ENTRY, "ts": 5}},
    "cut off": b'{"type": "fact", "da',
    "no object": b"[1]",
    "no data": b'{"type": "fact"}',
    "unknown type": b'{"type": "tide", "data": {}}',
    "fact without id": b'{"type": "fact", "data": {"content": "The crane was greased."}}',
    "half an entry": b'{"type": "journal", "data": {"record": "entry"}}',
    "path that leaves": {"type": "version", "data": {**VERSION, "path": "crew:harbor/../../x"}},
    "unknown origin": {"type": "version", "data": {**VERSION, "origin": "self"}},
    "time that is none": {"type": "version", "data": {**VERSION, "written_at": "yesterday"}},
    "number as text": {"type": "version", "data": {**VERSION, "number": "9"}},
    "other content": {"type": "content", "data": {"sha256": "b" * 64, "content": "eJwDAAAAAAE="}},
}


def write_batch(place, source, data):
    path = place / "sources" / source / f"000001-{sha256(data).hexdigest()}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_batch_that_cannot_be_read_is_refused_whole(make, tmp_path, line):
    one, two = make("one"), make("two")
    place = tmp_path / "place"
    sync(one, place)
    line = line if isinstance(line, bytes) else json.dumps(line).encode()
    good = json.dumps({"type": "fact", "data": {"id": "f_1", "content": "It is high tide."}})
    bad = write_batch(place, "h_strange", good.encode() + b"\n" + line + b"\n")
    one.facts.add("The deploy key is in the vault.")
    sync(one, place)
    sync(two, place)
    [warning] = [each for each in two.context.warnings if each.code == "bad-batch"]
    assert (str(bad) in warning.message, "remove the file" in warning.hint) == (True, True)
    assert texts(two) == ["The deploy key is in the vault."]


def test_place_that_was_lost_gets_everything_again(make, tmp_path):
    one, two = make("one"), make("two")
    place = tmp_path / "place"
    one.facts.add("The deploy key is in the vault.")
    for home in (one, two):
        sync(home, place)
    shutil.rmtree(place)
    two.facts.add("The crane was greased.")
    for home in (two, one, two):
        sync(home, place)
    late = make("late")
    sync(late, place)
    assert texts(one) == texts(two) == texts(late)
    assert len(texts(late)) == 2
    assert is_whole(late)


def test_lost_batch_is_written_again_and_read(make, tmp_path):
    one, two = make("one"), make("two")
    place = tmp_path / "place"
    one.facts.add("The deploy key is in the vault.")
    sync(one, place)
    [batch] = place.glob("sources/*/*.jsonl")
    sync(two, place)
    batch.unlink()
    one.facts.add("The crane was greased.")
    sync(one, place)
    assert batch.name not in {path.name for path in batch.parent.iterdir()}
    sync(two, place)
    assert texts(two) == ["The crane was greased.", "The deploy key is in the vault."]


def test_clone_in_the_home_is_private_and_what_it_pushes_is_not(make, tmp_path):
    bare = tmp_path / "place.git"
    homes = [make(name) for name in ("one", "two")]
    old = os.umask(0o022)
    try:
        subprocess.run(["git", "init", "-q", "--bare", bare], check=True)
        for number, home in enumerate([*homes, *homes]):
            home.facts.add(f"Pump {number} is loud", kind="lesson")
            sync(home, bare)
    finally:
        os.umask(old)
    clones = [path for name in ("one", "two") for path in (tmp_path / name / "sync").rglob("*")]
    assert [path for path in clones if path.lstat().st_mode & 0o077] == []
    assert all(path.stat().st_mode & 0o044 for path in (bare / "objects").rglob("*"))


def test_git_sync_that_was_interrupted_goes_on(make, tmp_path):
    bare, tree = tmp_path / "place.git", tmp_path / "tree"
    subprocess.run(["git", "init", "-q", "--bare", bare], check=True)
    subprocess.run(["git", "clone", "-q", bare, tree], check=True, capture_output=True)
    one, two = make("one"), make("two")
    one.facts.add("The deploy key is in the vault.")
    sync(one, tree)
    two.facts.add("The crane was greased.")
    sync(two, bare)
    name = tree / "sources" / "h_other" / f"000001-{sha256(b'').hexdigest()}.jsonl"
    name.parent.mkdir()
    name.write_bytes(b"")
    subprocess.run(["git", "-C", tree, "add", "sources"], check=True)
    sync(one, tree)
    sync(two, bare)
    assert texts(one) == texts(two) == ["The crane was greased.", "The deploy key is in the vault."]


CUT = """#!/bin/sh
for last; do :; done
case "$last" in
*"-xf -"*) head -c 1500 | sh -c "$last"; exit 255 ;;
esac
exec sh -c "$last"
"""


def test_ssh_that_was_cut_leaves_no_half_batch(make, tmp_path, ssh):
    one, two = make("one"), make("two")
    one.facts.add("The deploy key is in the vault.")
    place = f"ssh://harbour{tmp_path}/remote"
    ssh.write_text(CUT)
    with pytest.raises(ServiceError):
        sync(one, place)
    assert list((tmp_path / "remote").rglob("*.jsonl")) == []
    ssh.write_text(SSH)
    for home in (one, two):
        sync(home, place)
    assert texts(two) == ["The deploy key is in the vault."]


def test_ssh_directory_of_something_else_is_refused(make, tmp_path, ssh):
    (tmp_path / "remote").mkdir()
    (tmp_path / "remote" / "--checkpoint-action=exec=sh").write_text("mine")
    with pytest.raises(ConflictError):
        sync(make("one"), f"ssh://harbour{tmp_path}/remote")
    assert [path.name for path in (tmp_path / "remote").iterdir()] == [
        "--checkpoint-action=exec=sh"
    ]


def test_homes_sync_over_ssh(make, tmp_path, ssh):
    one, two = make("one"), make("two")
    one.facts.add("The deploy key is in the vault.")
    place = f"ssh://harbour{tmp_path}/remote"
    for home in (one, two, one):
        sync(home, place)
    assert texts(one) == texts(two) == ["The deploy key is in the vault."]


def test_crew_of_two_homes_is_added_once_with_its_settings(make, tmp_path):
    place = tmp_path / "place"
    one, two, three = make("one"), make("two"), make("three")
    one.registry.add_crew("yard", description="ours", sharing="members")
    two.registry.add_crew("yard", description="theirs", sharing="members")
    for home in (one, two, three):
        Sync(home).run(str(place))

    (crew,) = [each for each in three.registry.list_crews() if each.name == "yard"]
    assert crew.sharing == "members"


def test_program_that_fails_silently_is_told_with_its_status():
    with pytest.raises(ServiceError, match="sh failed: it ended with status 7"):
        run_command(["sh", "-c", "exit 7"])
