"""Homes on one store: what one writes the others have."""

import json
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest

from crewmem.embeddings.sync import StoreEmbedder
from crewmem.errors import ConflictError, DamagedError, ServiceError
from crewmem.home import create_home
from crewmem.hosts.changes import Row, apply_rows, load_tables, read_local, sum_digests
from crewmem.hosts.joining import join_store, push_all_to_store
from crewmem.operators.profile import Turn
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import rehearsal, transaction
from tests.conftest import open_home
from tests.hosts.conftest import run, start

CREW_FILE = "crew:harbor/CREW.md"

WRITER = """
import sys
import time
from pathlib import Path
from crewmem import open
path, name, count, address = sys.argv[1:5]
home = open(path, actor="operator:kim", settings={"store": address, "embedder": "none"})
for number in range(int(count)):
    home.facts.add(f"{name} wrote its fact number {number} into the store.")
home.close()
"""


def refresh(home):
    home.context.db.shared.bring_up_to_date()


def hashes(home):
    db = home.context.db
    return {name: sum_digests(read_local(db, table)) for name, table in load_tables(db).items()}


def is_whole(home):
    reports = home.journal.verify()
    return bool(reports) and all(report.broken is None for report in reports)


def test_fact_of_one_home_is_found_on_the_other(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.facts.add("The deploy key is in the vault.")
    two.context.db.shared.refresh()
    assert two.context.warnings == []
    assert [hit.title for hit in two.search("deploy key").hits]
    two.facts.add("The release train leaves on Thursday.")
    refresh(one)
    assert hashes(one) == hashes(two)
    assert is_whole(one)
    assert is_whole(two)


def test_new_home_gets_what_is_there(make_mirror):
    one = make_mirror("one")
    one.registry.add_crew("harbor", lead="winch")
    one.registry.add_agent("winch", crew="harbor")
    one.facts.add("The deploy key is in the vault.")
    one.journal.append("keeper.decision", "the harbour was closed", severity="error")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    two = make_mirror("two")
    assert hashes(one) == hashes(two)
    assert two.memory.read(CREW_FILE).text.strip() == "Deploys are on Thursday."
    episodes = "select seq, vector_key from episodes"
    assert two.context.db.all(episodes) == one.context.db.all(episodes) != []
    assert (two.context.agent_memory("harbor", "winch")).is_dir()


def test_agent_that_moves_to_another_crew_takes_its_files_along_on_every_host(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    for crew in ("harbor", "yard"):
        one.registry.add_crew(crew)
    one.registry.add_agent("winch", crew="harbor")
    refresh(two)
    for home in (one, two):
        home.memory.write("I oil the crane.", file="agent:harbor/winch/AGENT.md", origin="external")

    one.registry.set_agent("winch", crew="yard")
    refresh(two)

    for home in (one, two):
        home.memory.index.reload_directories()
        assert home.memory.read("agent:yard/winch/AGENT.md").text.strip() == "I oil the crane."
        (version,) = home.memory.log("agent:yard/winch/AGENT.md")
        assert version.origin == "external"
    assert hashes(one) == hashes(two)


def test_home_with_data_is_refused_and_pushed(tmp_path, clock, address, make_mirror):
    create_home(tmp_path / "full", clock=clock)
    home = open_home(tmp_path / "full", clock)
    home.registry.add_crew("harbor", lead="winch")
    home.facts.add("The deploy key is in the vault.")
    home.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    home.close()
    home = open_home(tmp_path / "full", clock, store=address)
    before = hashes(home)
    with pytest.raises(ConflictError) as error:
        join_store(home.context)
    assert "sync --push-all" in error.value.hint
    assert hashes(home) == before
    push_all_to_store(home.context)
    two = make_mirror("two")
    assert hashes(home) == before == hashes(two)
    home.memory.write("Not on Friday.", file=CREW_FILE)
    refresh(two)
    assert "Friday" in two.memory.read(CREW_FILE).text
    home.close()


def test_concurrent_writers_lose_nothing(make_mirror, address):
    homes = [make_mirror(name) for name in ("one", "two", "three")]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, home.context.home, f"{n}", "5", address])
        for n, home in enumerate([*homes, homes[0]])
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    for home in homes:
        refresh(home)
        assert len(home.facts.list(limit=100).facts) == 20
        assert is_whole(home)
    assert hashes(homes[0]) == hashes(homes[1]) == hashes(homes[2])


STEPS = (
    "Server.lock:after", "PostgresStore._commit:before", "PostgresStore._send:before",
    "PostgresStore._send:after", "PostgresStore._commit:after", "Recorder.close:before",
)  # fmt: skip

KILLED = """
import os, sys
from crewmem import open
from crewmem.hosts import store
path, address, kind, name, moment = sys.argv[1:6]
home = open(path, actor="operator:kim", settings={"store": address, "embedder": "none"})
inner = getattr(getattr(store, kind), name)
def die(self, *args):
    if moment == "after":
        inner(self, *args)
    os.kill(os.getpid(), 9)
setattr(getattr(store, kind), name, die)
home.facts.add("This fact was written by a process that was killed.")
"""


@pytest.mark.parametrize("step", STEPS)
def test_kill_at_each_step_leaves_all_or_nothing(step, make_mirror, address):
    one, two = make_mirror("one"), make_mirror("two")
    place = step.replace(".", ":").split(":")
    command = [sys.executable, "-c", KILLED, one.context.home, address, *place]
    assert subprocess.run(command, check=False).returncode == -9
    refresh(one)
    refresh(two)
    found = len(one.facts.list().facts)
    is_sent = STEPS.index(step) > STEPS.index("PostgresStore._send:before")
    assert found == is_sent
    assert hashes(one) == hashes(two)
    two.facts.add("Writing goes on.")
    refresh(one)
    assert hashes(one) == hashes(two)
    assert is_whole(one)
    assert is_whole(two)


def test_two_hosts_write_one_file_and_one_goes_to_review(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    refresh(two)
    one.memory.write("The train has two tracks.", file=CREW_FILE)
    # two has not seen it: its write begins from the older text.
    with pytest.raises(ConflictError) as error:
        two.memory.write("The crane is out of order.", file=CREW_FILE)
    item = two.review_items.get(error.value.details["review"])
    assert "crane" in item.payload["ours"]
    theirs = two.memory.read(CREW_FILE).text
    assert "two tracks" in theirs
    assert "crane" not in theirs
    two.review.approve(item.id)
    refresh(one)
    for home in (one, two):
        text = home.memory.read(CREW_FILE).text
        assert text.split("\n")[:3] == [
            "Deploys are on Thursday.",
            "The train has two tracks.",
            "The crane is out of order.",
        ]
    assert hashes(one) == hashes(two)
    assert is_whole(one)


def test_file_edited_by_hand_is_not_lost(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    refresh(two)
    path = two.context.crew_memory("harbor") / "CREW.md"
    path.write_text("Deploys are on Friday.\n")
    one.memory.write("The train has two tracks.", file=CREW_FILE)
    refresh(two)
    [item] = two.review_items.list_items(kind="merge")
    assert "Friday" in item.payload["ours"]
    assert "two tracks" in path.read_text()
    path.write_text("By hand, and nobody else wrote.\n")
    two.memory.record_outside_changes()
    refresh(one)
    assert "By hand" in one.memory.read(CREW_FILE).text
    assert hashes(one) == hashes(two)


def test_purge_reaches_the_mirrors(make_mirror, query):
    one, two = make_mirror("one"), make_mirror("two")
    secret = "The spare key lies below the third anchor."
    for home in (one, two):
        assert not home.recall(f"Remember this: {secret}", use="push").hits
    fact = one.facts.add(secret)
    one.facts.edit(fact.id, f"{secret} It is rusty.", reason="seen")
    refresh(two)
    assert two.facts.list().facts[0].content.startswith(secret)
    assert two.recall("where is the spare key? Below the third anchor?").hits
    one.purging.purge_fact(fact.id)
    refresh(two)
    assert hashes(one) == hashes(two)
    for home in (one, two):
        assert is_whole(home)
        for file in home.context.home.rglob("*"):
            if file.is_file():
                assert b"third anchor" not in file.read_bytes(), file
    tables = ["facts", "fact_revisions", "journal_entries", "change_rows", "changes"]
    for table in tables:
        assert query(f"select 1 from {table} t where t::text like '%third anchor%'") == []


def test_profile_that_is_erased_on_one_host_leaves_every_host(make_mirror, query):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbour")
    turns = [Turn(1, "user", "", "I am the release manager of the third anchor.")]
    one.registry.add_agent("winch", crew="harbour")
    file = one.operators.observe("ann", turns, crew="harbour").file
    refresh(two)
    assert "third anchor" in two.memory.read(file).text

    two.operators.forget("ann")
    refresh(one)
    for home in (one, two):
        home.memory.record_outside_changes()
        assert home.operators.show("ann") == []
    assert one.operators.observe("ann", turns, crew="harbour").written
    refresh(two)
    assert two.operators.observe("ann", turns, crew="harbour", agent="winch").written
    assert [profile.agent for profile in two.operators.show("ann")] == ["", "winch"]

    one.operators.opt_out("ann")
    refresh(two)
    two.jobs.run("housekeeping")
    for home in (one, two):
        assert home.operators.observe("ann", turns, crew="harbour").reason
        for path in home.context.home.rglob("*"):
            assert not path.is_file() or b"third anchor" not in path.read_bytes(), path
    for table in ("operator_fields", "file_versions", "change_rows", "changes", "journal_entries"):
        assert query(f"select 1 from {table} t where t::text like '%third anchor%'") == []
    assert query("select 1 from file_contents") == []


def test_quotes_of_a_forgotten_session_leave_every_host(make_mirror, query, tmp_path):
    one, two = make_mirror("one"), make_mirror("two")
    for name in ("a", "b"):
        turn = {"role": "user", "content": "Never sail the brigantine at night.", "session": name}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(turn) + "\n")
    one.sessions.logs.sync(root=tmp_path)
    [fact] = one.facts.list().facts
    session = fact.spans[0]["session"]
    spans = [{**fact.spans[0], "quote": "said at the third anchor"}, *fact.spans[1:]]
    one.facts.table.update(fact, {"source_spans": spans}, reason="")
    refresh(two)

    plan = one.sessions.forgetting.plan(session)
    one.sessions.forgetting.apply(plan)

    refresh(two)
    assert plan.kept_facts == [fact.id]
    for home in (one, two):
        assert len(home.facts.get(fact.id).spans) == 1
        for path in home.context.home.rglob("*"):
            assert not path.is_file() or b"third anchor" not in path.read_bytes(), path
    for table in ("facts", "fact_revisions", "change_rows", "changes", "journal_entries"):
        assert query(f"select 1 from {table} t where t::text like '%third anchor%'") == []


def test_profile_that_cannot_be_erased_on_a_host_keeps_no_other_file_waiting(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbour")
    turns = [Turn(1, "user", "", "I am the release manager of the third anchor.")]
    file = one.operators.observe("ann", turns, crew="harbour").file
    refresh(two)
    path = Path(two.memory.read(file).path)
    lock_file = path.parent.parent / ".lock"
    lock_file.unlink()
    lock_file.symlink_to("nowhere")  # locks are opened without links

    one.operators.forget("ann")
    one.memory.write("Open at nine.", file="workspace:NOTES.md")
    refresh(two)
    assert two.memory.read("workspace:NOTES.md").text == "Open at nine.\n"
    (warning,) = (w for w in two.context.warnings if w.code == "file-not-updated")
    assert "was erased on another host, but not here" in warning.message

    lock_file.unlink()
    refresh(two)
    assert not path.exists()


def test_purged_entry_leaves_the_candidates_of_every_host(make_mirror, query):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbour")
    entry = one.journal.add("peer.escalation", "The third anchor is loose", crew="harbour").id
    one.consolidation.run()
    refresh(two)
    assert query("select 1 from consolidation_candidates where text like '%third anchor%'")

    two.journal.purge(entry)

    refresh(one)
    assert hashes(one) == hashes(two)
    for table in ("consolidation_candidates", "journal_entries", "change_rows", "changes"):
        assert query(f"select 1 from {table} t where t::text like '%third anchor%'") == []


@pytest.mark.parametrize("sweeps_before", [True, False])
def test_names_in_a_purged_text_leave_the_mirrors(make_mirror, sweeps_before):
    one, two = make_mirror("one"), make_mirror("two")
    fact = one.facts.add("The harbour of Zephyrine has three cranes.")
    two.facts.add("The harbour of Ternoy has four cranes.")
    refresh(one)
    refresh(two)
    for home in (one, two):
        home.mentions.refresh()
    one.purging.purge_fact(fact.id)
    refresh(two)
    if sweeps_before:
        two.mentions.refresh()
    for home in (one, two):
        assert home.find_mentions("Ternoy")["facts"]
        for file in home.context.home.rglob("*"):
            assert not file.is_file() or b"ephyrine" not in file.read_bytes(), file


def test_rows_that_take_each_others_topics_are_applied(make_mirror):
    home = make_mirror("one")
    db, tables = home.context.db, load_tables(home.context.db)
    ids = [home.facts.add(f"Fact {n}", topic_key=f"topic/{n}").id for n in (1, 2)]
    table, rows = tables["facts"], []
    for fact_id, topic in zip(ids, ("topic/2", "topic/1"), strict=True):
        names = ", ".join(table.columns)
        values = db.one(f"select {names} from facts where id = ?", (fact_id,))
        fields = {**dict(zip(table.columns, values, strict=True)), "topic_key": topic}
        key = table.encode({"id": fact_id})
        rows.append(Row("facts", "default", False, key, table.encode(fields), "", ""))
    with transaction(db, local=True):
        apply_rows(db, tables, rows)
    assert [home.facts.get(fact_id).topic_key for fact_id in ids] == ["topic/2", "topic/1"]
    assert len(home.search("Fact").hits) == 2


def test_server_away_search_works_and_writes_fail(make_mirror, address):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    path, clock = one.context.home, one.context.clock
    away = open_home(path, clock, store="postgresql:///nothing?host=/nonexistent")
    assert away.search("deploy key").hits
    [warning] = away.context.warnings
    assert warning.code == "store-unreachable"
    assert "answered from the mirror as of" in warning.message
    with pytest.raises(ServiceError):
        away.facts.add("This cannot be stored.")
    assert len(away.facts.list().facts) == 1
    away.close()


def test_server_from_an_old_backup_is_detected(make_mirror, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    query("delete from change_rows")
    query("delete from changes")
    query("update store set position = 0, hash = ''")
    one.context.db.shared.refresh()
    [warning] = one.context.warnings
    assert warning.code == "store-diverged"
    with pytest.raises(DamagedError):
        one.facts.add("This cannot be stored.")
    assert one.search("deploy key").hits


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("update store set schema = 99", "it is too old"),
        ("update store set schema = 0", "it is too new"),
        ("alter table changes rename erases to blanks", "another version of crewmem created"),
    ],
)
def test_store_of_another_version_is_left_alone(make_mirror, query, change, message):
    one, two = make_mirror("one"), make_mirror("two")
    one.facts.add("The deploy key is in the vault.")
    query(change)
    two.context.db.shared.refresh()
    [warning] = two.context.warnings
    assert warning.code == "store-schema"
    assert message in warning.message
    with pytest.raises(DamagedError, match=message):
        two.facts.add("The crane was greased.")
    assert two.facts.list().facts == []
    assert query("select count(*) from facts") == [(1,)]


def test_change_that_was_altered_on_the_server_is_refused(make_mirror, query):
    one, two = make_mirror("one"), make_mirror("two")
    one.facts.add("The deploy key is in the vault.")
    query("update change_rows set row = replace(row::text, 'vault', 'drawer')::json")
    with pytest.raises(DamagedError):
        refresh(two)
    assert two.facts.list().facts == []


def test_role_reads_only_its_workspace(make_mirror, query, tmp_path, clock, address):
    one = make_mirror("one")
    one.registry.add_workspace("private")
    other = one.as_actor(one.context.access.actor)
    other.context.workspace = "private"
    other.facts.add("Nobody else may read this.")
    one.facts.add("The deploy key is in the vault.")
    query("create role reader login")
    query("grant usage on schema crewmem to reader")
    query("grant select, insert, update, delete on all tables in schema crewmem to reader")
    query("insert into workspace_roles values ('default', 'reader')")
    create_home(tmp_path / "two", clock=clock)
    two = open_home(tmp_path / "two", clock, store=address.replace("postgres:@", "reader:@"))
    join_store(two.context)
    assert len(two.facts.list().facts) == 1
    assert two.context.db.value("select count(*) from facts") == 1
    other.facts.add("Nor this.")
    two.facts.add("The reader writes.")
    refresh(one)
    assert len(one.facts.list().facts) == 2
    assert is_whole(two)
    assert is_whole(one)
    two.close()


def test_note_is_queued_while_the_server_is_away_and_delivered_once(make_mirror, address):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.registry.add_agent("winch", crew="harbor")
    path = one.context.home
    away = "postgresql:///nothing?host=/nonexistent"
    noted = run(path, away, "--as", "agent:winch", "note", "the tide was high")
    assert noted.status == 0, noted.err
    assert "queued" in noted.err
    piped = run(path, away, "--as", "agent:winch", "note", "-", stdin=b"the quay was wet")
    assert "queued" in piped.err
    assert run(path, away, "fact", "add", "This is refused.").status == 7
    assert run(path, away, "fact", "add", "This one waits.", "--queue").status == 0
    assert run(path, away, "search", "tide").status == 0
    for _ in range(2):
        assert run(path, address, "status").status == 0
    refresh(two)
    assert [fact.content for fact in two.facts.list().facts] == ["This one waits."]
    assert one.context.db.value("select count(*) from outbox") == 0
    notes = list(one.context.agent_memory("harbor", "winch").rglob("*.md"))
    text = "".join(note.read_text() for note in notes)
    assert text.count("the tide was high") == text.count("the quay was wet") == 1
    refresh(one)
    assert hashes(one) == hashes(two)
    assert is_whole(two)


def test_queued_command_does_not_replace_what_another_host_changed_since(make_mirror, address):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    fact = one.facts.add("The tide turns at nine.").fact
    one.memory.write("Old.", file="crew:harbor/CREW.md", mode="replace")
    path = one.context.home
    away = "postgresql:///nothing?host=/nonexistent"
    write = ("memory", "write", "--tier", "crew", "--crew", "harbor")
    for words in (
        ("fact", "edit", fact.id, "The tide turns at ten.", "--reason", "late"),
        (*write, "--mode", "replace", "Mine."),
        (*write, "One line more."),
    ):
        assert run(path, away, "--queue", *words).status == 0
    refresh(two)
    two.context.clock = lambda: datetime.now(UTC) + timedelta(minutes=1)
    two.facts.edit(fact.id, "The tide turns at eleven.")
    two.memory.write("Theirs.", file="crew:harbor/CREW.md", mode="replace")

    assert run(path, address, "status").status == 0

    refresh(one)
    assert one.facts.show(fact.id).fact.content == "The tide turns at eleven."
    assert one.memory.read("crew:harbor/CREW.md").text.split("\n")[0] == "Theirs."
    items = {each.title[23:33]: each.id for each in one.review_items.list_items(kind="outbox")}
    assert sorted(items) == ["fact edit ", "memory wri"]
    assert "after this was queued" in run(path, address, "review", "show", items["fact edit "]).out
    later = (datetime.now(UTC) + timedelta(minutes=2)).isoformat()
    for item in items.values():
        assert run(path, address, "--now", later, "review", "approve", item).status == 0
    assert run(path, address, "status").status == 0
    refresh(one)
    assert one.facts.show(fact.id).fact.content == "The tide turns at ten."
    assert one.memory.read("crew:harbor/CREW.md").text == "Mine."


def test_status_says_whether_the_store_is_away_and_what_waits(make_mirror, address):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    path = one.context.home
    store = run(path, address, "--json", "status").answer["data"]["store"]
    assert (store["position"], store["problem"], store["queued"]) == (1, "", 0)
    away = "postgresql:///nothing?host=/nonexistent"
    run(path, away, "fact", "add", "This one waits.", "--queue")
    assert "unreachable; change 1 as of just now; 1 command waits" in run(path, away, "status").out


def test_queued_command_that_waits_for_a_file_does_not_hold_the_store(make_mirror, address):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.registry.add_agent("winch", crew="harbor")
    path = one.context.home
    away = "postgresql:///nothing?host=/nonexistent"
    assert run(path, away, "--as", "agent:winch", "note", "the tide was high").status == 0
    with lock(one.context.agent_memory("harbor", "winch") / ".lock"):
        delivery = start(path, address, "status")
        while not one.context.lock_path("outbox").exists():
            assert delivery.poll() is None
        assert two.facts.add("Others write meanwhile.").action == "created"
    delivery.communicate()
    assert delivery.returncode == 0
    assert one.context.db.value("select count(*) from outbox") == 0


def test_job_of_a_workspace_runs_on_one_host(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    with one.context.db.shared.lease("default/nightly") as is_held:
        assert is_held
        with two.context.db.shared.lease("default/nightly") as is_held_too:
            assert not is_held_too
    with two.context.db.shared.lease("default/nightly") as is_held:
        assert is_held


def run_nightly(home):
    return home.jobs.run("nightly")


def test_nightly_job_does_local_work_on_each_host_and_shared_work_on_one(make_mirror, clock):
    one, two = make_mirror("one"), make_mirror("two")
    for number in range(3):
        one.journal.append("crane.greased", f"the crane was greased, time {number}")
    two.context.clock = lambda: clock() + timedelta(days=60)
    snapshots = "select count(*) from memory_health_snapshots"
    with one.context.db.shared.lease("default/nightly"):
        run = run_nightly(two)
        assert run.error == ""
        assert "entries_archived" not in run.counts
        assert two.context.db.value(snapshots) > 0
    assert run_nightly(two).counts["entries_archived"] >= 3
    assert one.context.db.value(snapshots) == 0


def test_nightly_job_does_local_work_while_the_server_is_away(make_mirror, clock):
    path = make_mirror("one").context.home
    away = open_home(path, clock, store="postgresql:///nothing?host=/nonexistent")
    snapshots = "select count(*) from memory_health_snapshots"
    assert "lease: the shared store cannot be reached" in run_nightly(away).error
    assert away.context.db.all("select job, result from jobs") == [("nightly", "failed")]
    assert away.context.db.value(snapshots) > 0
    away.close()


def test_dry_run_holds_no_lock_of_the_store(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    with rehearsal(one.context.db):
        one.facts.add("The crane was greased.")
        two.facts.add("The deploy key is in the vault.")
    one.facts.add("The crane was painted.")
    refresh(two)
    assert len(two.facts.list().facts) == 2


def test_copied_home_becomes_a_host_of_its_own(make_mirror, tmp_path, clock, address, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    copy = make_mirror("copy")
    copy.facts.add("The crane was greased.")
    refresh(one)
    hosts = [home.context.db.shared.load_state().host for home in (one, copy)]
    assert hosts[0] != hosts[1]
    with one.context.db.shared.lease("night"), copy.context.db.shared.lease("night") as is_held:
        assert not is_held
    copy.facts.add("The crane was painted.")
    refresh(one)
    assert [home.context.db.shared.load_state().host for home in (one, copy)] == hosts
    assert hashes(one) == hashes(copy)
    assert {host for (host,) in query("select host from mirrors")} == set(hosts)


STORE_CHECKS = [
    f"store.{name}" for name in ("version", "clock", "lag", "agreement", "leases", "outbox")
]


def test_doctor_checks_the_store(make_mirror, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    found = {each.id: each.status for each in one.doctor(only=STORE_CHECKS).findings}
    assert found.pop("store.clock") == "warn"  # the test's clock stands still
    assert set(found.values()) == {"pass"}
    assert len(found) == 5
    query("update facts set title = 'changed behind its back'")
    found = {each.id: each.status for each in one.doctor(only=STORE_CHECKS).findings}
    assert found["store.agreement"] == "fail"


def test_mirror_that_differs_gets_all_rows_of_its_store_anew(make_mirror, address):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.registry.add_agent("winch", crew="harbor")
    one.facts.add("The deploy key is in the vault.")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    one.memory.write("I am the lead.", file="agent:harbor/winch/AGENT.md")
    before = hashes(one)
    host = one.context.db.shared.load_state().host
    one.context.db.execute("delete from facts")
    one.context.db.execute("update file_versions set bytes = 7 where path like 'crew:%'")
    [finding] = one.doctor(only=["store.agreement"]).findings
    assert finding.status == "fail"
    assert finding.fix.endswith("init --store")
    assert run(one.context.home, address, "init", "--store").status == 0
    assert hashes(one) == before
    assert len(one.memory.log("agent:harbor/winch/AGENT.md")) == 1
    assert one.context.db.shared.load_state().host == host
    two.facts.add("The crane was greased.")
    refresh(one)
    assert is_whole(one)


def test_mirror_that_is_ahead_is_not_overwritten(make_mirror, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    query("delete from change_rows")
    query("delete from changes")
    query("delete from facts")
    query("update store set position = 0, hash = ''")
    with pytest.raises(DamagedError) as error:
        join_store(one.context)
    assert error.value.code == "store-diverged"
    assert one.context.db.value("select count(*) from facts") == 1


def test_doctor_finds_a_mirror_whose_setting_is_missing(make_mirror, clock):
    mirror = make_mirror("one")
    assert mirror.doctor(only=["config.settings"]).findings[0].status == "pass"
    alone = open_home(mirror.context.home, clock, "operator:kim")
    [found] = alone.doctor(only=["config.settings"]).findings
    assert (found.status, found.fix) == ("warn", "")
    assert "the setting store is missing" in found.observed
    alone.close()


def test_damaged_mirror_is_repaired_and_filled_from_the_store(make_mirror, address):
    mirror = make_mirror("one")
    path = mirror.context.home
    mirror.registry.add_crew("harbor")
    mirror.registry.add_agent("ada", crew="harbor")
    mirror.facts.add("It is high tide")
    mirror.memory.write("Coffee.", file="agent:harbor/ada/AGENT.md")
    mirror.close()
    db = apsw.Connection(str(path / "crewmem.db"))
    db.execute("pragma wal_checkpoint(truncate)")
    [(page,)] = db.execute("select rootpage from sqlite_schema where name = 'facts'")
    db.close()
    content = bytearray((path / "crewmem.db").read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    (path / "crewmem.db").write_bytes(content)

    done = run(path, address, "doctor", "--fix", "--only", "database.integrity")
    assert "init --store; kept crewmem.db.damaged" in done.out
    assert run(path, address, "init", "--store").status == 0
    assert "It is high tide" in run(path, address, "fact", "list").out
    assert "v_" in run(path, address, "memory", "log", "agent:harbor/ada/AGENT.md").out
    assert run(path, address, "doctor", "--only", "store.agreement").status == 0


def test_doctor_forgets_leases_and_mirrors_that_are_gone(make_mirror, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    query("insert into leases values ('default/consolidate', 'h_gone', now() - interval '1 hour')")
    query("insert into mirrors values ('h_gone', 0, now() - interval '3 days')")
    for id_ in ("store.leases", "store.lag"):
        [found] = one.doctor(only=[id_]).findings
        assert found.status == "warn"
        assert found.fix.endswith(f"doctor --fix --only {id_}")
        one.doctor(only=[id_], fix=True, dry_run=True)
        assert one.doctor(only=[id_]).findings[0].status == "warn"
        one.doctor(only=[id_], fix=True)
        assert one.doctor(only=[id_]).findings[0].status == "pass"
    assert query("select host from mirrors") == [(one.context.db.shared.load_state().host,)]


def test_doctor_reports_a_server_that_is_away_once(make_mirror, clock):
    path = make_mirror("one").context.home
    away = open_home(path, clock, store="postgresql:///nothing?host=/nonexistent")
    found = {each.id: each for each in away.doctor(only=STORE_CHECKS).findings}
    away.close()
    assert found["store.version"].status == "fail"
    assert found["store.version"].fix == ""
    assert found.pop("store.outbox").status == "pass"
    del found["store.version"]
    assert {each.status for each in found.values()} == {"skip"}


def test_status_of_a_home_that_has_not_joined_says_how(make_mirror, clock, address, tmp_path):
    create_home(tmp_path / "new", clock=clock)
    done = run(tmp_path / "new", address, "status")
    assert done.status == 0
    assert "Store:     not joined" in done.out
    assert "init --store" in done.out


def test_home_with_data_that_has_not_joined_is_told_to_push_it(clock, address, tmp_path):
    create_home(tmp_path / "full", clock=clock)
    with open_home(tmp_path / "full", clock) as home:
        home.facts.add("The deploy key is in the vault.")
    for words in (("status",), ("fact", "list")):
        done = run(tmp_path / "full", address, *words)
        assert "sync --push-all" in done.out + done.err
        assert "init --store" not in done.out + done.err
    assert ", 1 fact" in run(tmp_path / "full", address, "sync", "--push-all").out


def test_server_that_is_away_is_asked_once_by_a_command(make_mirror, clock, proxy, monkeypatch):
    path = make_mirror("one").context.home
    monkeypatch.setattr("crewmem.hosts.connection.UNREACHABLE_SECONDS", 30)
    proxy.is_down = True
    home = open_home(path, clock, store=proxy.address)
    assert home.context.db.shared.problem == "store-unreachable"
    proxy.restore()
    with pytest.raises(ServiceError):
        home.facts.add("It is not asked again yet.")
    home.close()


class Embedder:
    """Makes vectors of three numbers, and counts the texts."""

    name = model = "counting"
    dim = 3

    def __init__(self):
        self.texts = []

    def split(self, text):
        return [text[:60], text[60:]]

    def embed(self, texts, *, as_question=False):
        self.texts += texts
        rows = np.array([[len(text), text.count("e"), 1] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def embed(home, store, source):
    embedder = Embedder()
    system = home.as_system()
    StoreEmbedder(system.context, system.vectors, embedder, store, source(system)).embed_all()
    return embedder.texts


def test_text_is_embedded_once_for_all_hosts(make_mirror, query):
    one, two = make_mirror("one"), make_mirror("two")
    one.facts.add("The deploy key is in the vault. " * 3)
    assert len(embed(one, "facts", lambda home: home.fact_source)) == 2
    refresh(two)
    assert embed(two, "facts", lambda home: home.fact_source) == []
    [key] = one.vectors.keys(("default", "facts"))
    mine, theirs = (home.vectors.get(("default", "facts"), [key])[key] for home in (one, two))
    assert mine.tolist() == theirs.tolist()
    two.facts.add("The release train leaves on Thursday.")
    assert len(embed(two, "facts", lambda home: home.fact_source)) == 1
    query("update embeddings set vectors = '\\x00'")
    refresh(one)
    assert embed(one, "facts", lambda home: home.fact_source) == [
        "The release train leaves on Thursday."
    ]


def test_service_of_unknown_dimension_embeds_what_it_cannot_compare(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.facts.add("The deploy key is in the vault.")
    embed(one, "facts", lambda home: home.fact_source)
    refresh(two)
    embedder, system = Embedder(), two.as_system()
    embedder.dim = 0  # as that of a service with a model of its own, until it is asked
    StoreEmbedder(system.context, system.vectors, embedder, "facts", system.fact_source).embed_all()
    assert embedder.texts == ["The deploy key is in the vault."]


def test_embeddings_of_purged_texts_leave_the_store(make_mirror, query):
    one, two = make_mirror("one"), make_mirror("two")
    fact = one.facts.add("The deploy key is in the vault.").fact
    refresh(two)
    cache = two.context.db.shared.open_embeddings(("default", "facts"), Embedder(), [7])
    embed(one, "facts", lambda home: home.fact_source)
    assert query("select count(*) from embeddings") == [(1,)]
    one.purging.purge_fact(fact.id)
    assert query("select count(*) from embeddings") == [(0,)]
    cache.save([7], np.eye(3, dtype=np.float32)[:1])
    assert query("select count(*) from embeddings") == [(0,)]


def test_embeddings_of_files_of_an_agent_stay_on_its_host(make_mirror, query):
    one = make_mirror("one")
    one.registry.add_crew("harbor", lead="winch")
    one.registry.add_agent("winch", crew="harbor")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    one.memory.write("The canary was red.", file="agent:harbor/winch/AGENT.md")
    assert len(embed(one, "memory", lambda home: home.memory_index.source)) == 2
    assert query("select count(*) from embeddings") == [(1,)]


def test_lease_is_renewed_while_it_is_held(make_mirror, query, monkeypatch):
    one, two = make_mirror("one"), make_mirror("two")
    monkeypatch.setattr("crewmem.hosts.connection.RENEW_SECONDS", 0.01)
    with one.context.db.shared.lease("night") as is_held:
        assert is_held
        [(first,)] = query("select until from leases")
        deadline = time.monotonic() + 20
        while query("select until from leases") <= [(first,)] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert query("select until from leases") > [(first,)]
        with two.context.db.shared.lease("night") as is_held_elsewhere:
            assert not is_held_elsewhere
    with two.context.db.shared.lease("night") as is_held:
        assert is_held
