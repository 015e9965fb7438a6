"""A network that is cut, servers and mirrors that are lost, and texts that a server cannot hold."""

import os
import shutil
import signal
import subprocess
import sys
import time

import psycopg
import pytest

from crewmem.context import content_path
from crewmem.errors import ConflictError, CrewmemError, ServiceError, UsageError
from crewmem.home import create_home
from crewmem.hosts import connection, joining, store
from crewmem.hosts.timeouts import TimeoutConnection
from tests.conftest import open_home
from tests.hosts.conftest import run, start

CREW_FILE = "crew:harbor/CREW.md"


def refresh(home):
    return home.context.db.shared.bring_up_to_date()


def differences(home):
    return home.context.db.shared.find_differences()


def texts(home):
    return sorted(fact.content for fact in home.facts.list(limit=100).facts)


CUTS = [
    (b"advisory_xact_lock", False),
    (b"advisory_xact_lock", True),
    (b"insert into changes", False),
    (b"insert into change_rows", False),
    (b"update store", False),
    (b"commit", False),
    (b"commit", True),
]


@pytest.mark.parametrize(("at", "is_sent"), CUTS)
def test_cut_network_leaves_all_or_nothing(make_mirror, clock, proxy, query, at, is_sent):
    one, two = make_mirror("one"), make_mirror("two")
    cut_off = open_home(one.context.home, clock, store=proxy.address)
    proxy.cut(at, is_sent=is_sent)
    with pytest.raises(ServiceError):
        cut_off.facts.add("The network was cut while this was written.")
    assert texts(cut_off) == []
    proxy.restore()
    refresh(cut_off)
    stored = len(query("select 1 from facts"))
    assert stored == (at == b"commit" and is_sent)
    cut_off.facts.add("Writing goes on.")
    refresh(two)
    assert len(texts(two)) == len(texts(cut_off)) == stored + 1
    assert differences(cut_off) == differences(two) == []
    cut_off.close()


STALLS = [CUTS[1], CUTS[2], *CUTS[-2:]]


@pytest.mark.parametrize(("at", "is_sent"), STALLS)
def test_server_that_says_nothing_more_ends_a_write(
    make_mirror, clock, proxy, query, monkeypatch, at, is_sent
):
    monkeypatch.setattr(TimeoutConnection, "max_silence", 0.5)
    monkeypatch.setattr(store, "DISK_SECONDS", 0.5)
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 2)
    one = make_mirror("one")
    cut_off = open_home(one.context.home, clock, store=proxy.address)
    proxy.stall(at, is_sent=is_sent)
    with pytest.raises(ServiceError):
        cut_off.facts.add("The network stalled while this was written.")
    assert texts(cut_off) == []
    proxy.restore()
    refresh(cut_off)
    stored = len(query("select 1 from facts"))
    assert stored == (at == b"commit" and is_sent)
    assert len(texts(cut_off)) == stored
    assert differences(cut_off) == []
    cut_off.close()


def test_statement_that_takes_long_is_waited_for(make_mirror):
    server = make_mirror("one").context.db.shared.server.connect()
    with pytest.raises(psycopg.OperationalError, match="no answer for 0 s"):  # noqa: SIM117
        with server.allow_silence(0.3):
            server.execute("select pg_sleep(5)")
    server = make_mirror("two").context.db.shared.server.connect()
    with server.allow_silence(5):
        assert server.execute("select pg_sleep(1), 1").fetchone()[1] == 1


@pytest.mark.parametrize("signal_sent", [signal.SIGTERM, signal.SIGINT])
def test_write_to_a_silent_server_can_be_interrupted(make_mirror, proxy, signal_sent):
    one = make_mirror("one")
    proxy.stall(b"advisory_xact_lock", is_sent=False)
    with start(one.context.home, proxy.address, "fact", "add", "The crane was greased.") as command:
        while not proxy.is_stalled:
            time.sleep(0.05)
        command.send_signal(signal_sent)
        _, errors = command.communicate(timeout=5)
    assert command.returncode == 128 + signal_sent
    assert "Traceback" not in errors


NOTE = ("journal", "add", "keeper.decision", "the harbour was closed")


@pytest.mark.parametrize("is_sent", [False, True])
def test_note_whose_answer_was_lost_is_stored_once(make_mirror, proxy, is_sent):
    one, two = make_mirror("one"), make_mirror("two")
    home = one.context.home
    proxy.cut(b"commit", is_sent=is_sent)
    assert run(home, proxy.address, *NOTE).status == 0
    proxy.restore()
    for _ in range(2):
        assert run(home, proxy.address, "status").status == 0
    refresh(two)
    found = "select count(*) from journal_entries where summary = 'the harbour was closed'"
    assert two.context.db.value(found) == 1
    assert one.context.db.value("select count(*) from outbox") == 0
    assert differences(two) == []


def test_cut_network_is_one_error(make_mirror, proxy):
    home = make_mirror("one").context.home
    proxy.cut(b"insert into changes", is_sent=False)
    done = run(home, proxy.address, "fact", "add", "The crane was greased.")
    assert done.status == 7
    assert [line.partition(":")[0] for line in done.err.splitlines()] == ["crewmem", "hint"]


def test_read_only_server_says_that_it_takes_no_writes(make_mirror, address, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    [(name,)] = query("select current_database()")
    query(f"alter database {name} set default_transaction_read_only = on")
    home = one.context.home
    done = run(home, address, "fact", "add", "The crane was greased.")
    assert done.status == 7
    assert "the shared store does not accept writes" in done.err
    assert "deploy key" in run(home, address, "search", "deploy key").out
    assert "queued" in run(home, address, *NOTE).err
    reset = f"alter database {name} reset default_transaction_read_only"
    query(f"begin read write; {reset}; commit")
    assert run(home, address, "status").status == 0
    assert query("select count(*) from journal_entries where summary like '%harbour%'") == [(1,)]


def test_mirror_that_cannot_be_written_says_that_it_is_old(make_mirror, address):
    one, two = make_mirror("one"), make_mirror("two")
    one.facts.add("The deploy key is in the vault.")
    refresh(two)
    one.facts.add("The crane was greased.")
    path = two.context.home
    two.close()
    if os.geteuid():
        path.chmod(0o500)
    else:
        os.chown(path / "crewmem.db", 1, -1)  # the superuser leaves the homes of others alone
    done = run(path, address, "fact", "list")
    path.chmod(0o700)
    assert "deploy key" in done.out
    assert "crane" not in done.out
    assert "cannot be written: this answer comes from the mirror" in done.err


def test_server_drops_a_host_that_is_gone(make_mirror):
    one = make_mirror("one")
    refresh(one)
    for name, most in (("idle", 10), ("interval", 5), ("count", 3)):
        found = one.context.db.shared.server.query(
            "select reset_val from pg_settings where name = %s", (f"tcp_keepalives_{name}",)
        )
        assert 0 < int(found[0][0]) <= most


def test_server_that_lost_the_store_gets_it_back_from_a_mirror(make_mirror, query):
    one = make_mirror("one")
    one.facts.add("The deploy key is in the vault.")
    query("drop schema crewmem cascade")
    one.context.db.shared.refresh()
    [warning] = one.context.warnings
    assert warning.code == "store-not-found"
    assert warning.hint.endswith("sync --push-all")
    with pytest.raises(CrewmemError):
        one.facts.add("Nowhere to put this.")
    joining.push_all_to_store(one.context)
    one.facts.add("Writing goes on.")
    two = make_mirror("two")
    assert texts(two) == texts(one) == ["The deploy key is in the vault.", "Writing goes on."]
    assert all(report.broken is None for report in two.journal.verify())
    with pytest.raises(ConflictError, match=r"is a mirror of h_.* already"):
        joining.push_all_to_store(two.context)


KILLED_PUSH = """
import os, sys
from crewmem import open
from crewmem.home import create_home
from crewmem.hosts import joining, store
home = open(sys.argv[1], actor="operator:kim", settings={"store": sys.argv[2], "embedder": "none"})
commit = joining.Database.execute
def execute(self, sql, *params):
    if sql == "commit" and self.value("select 1 from shared_store"):
        os._exit(9)
    return commit(self, sql, *params)
joining.Database.execute = execute
joining.push_all_to_store(home.context)
"""


def test_move_that_was_killed_between_its_two_commits_is_repeated(
    tmp_path, clock, address, make_mirror, query
):
    create_home(tmp_path / "full", clock=clock)
    home = open_home(tmp_path / "full", clock)
    home.facts.add("The deploy key is in the vault.")
    home.close()
    words = [sys.executable, "-c", KILLED_PUSH, str(tmp_path / "full"), address]
    assert subprocess.run(words, check=False).returncode == 9
    assert query("select count(*) from facts") == [(1,)]
    home = open_home(tmp_path / "full", clock, store=address)
    joining.push_all_to_store(home.context)
    two = make_mirror("two")
    assert texts(two) == texts(home) == ["The deploy key is in the vault."]
    with pytest.raises(ConflictError):
        joining.push_all_to_store(home.context)
    home.close()


def test_mirror_from_an_old_backup_catches_up(make_mirror, tmp_path):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    path = one.context.home
    one.close()
    shutil.copytree(path, tmp_path / "backup")
    one = make_mirror("one")
    one.facts.add("This came after the backup.")
    one.memory.write("Not on Friday.", file=CREW_FILE)
    one.close()
    shutil.rmtree(path)
    shutil.move(tmp_path / "backup", path)
    one = make_mirror("one")
    refresh(one)
    assert texts(one) == ["This came after the backup."]
    assert "Friday" in one.memory.read(CREW_FILE).text
    one.memory.write("Nor on Saturday.", file=CREW_FILE)
    refresh(two)
    assert "Saturday" in two.memory.read(CREW_FILE).text
    assert differences(one) == differences(two) == []


def test_file_whose_content_is_missing_stays_as_it_is(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file=CREW_FILE)
    refresh(two)
    db, home = two.context.db, two.context.home
    digest = db.value("select stored_sha256 from file_versions")
    (home / content_path(digest)).unlink()
    path = two.context.crew_memory("harbor") / "CREW.md"
    path.write_text("Changed by hand.\n")
    db.execute("delete from file_bases")
    db.execute("update shared_store set is_behind = 1")
    refresh(two)
    assert path.read_text() == "Changed by hand.\n"
    assert "content-missing" in {warning.code for warning in two.context.warnings}


def test_merge_waits_in_the_workspace_of_its_file(make_mirror):
    one, two = make_mirror("one"), make_mirror("two")
    one.registry.add_workspace("other")
    for home in (one, two):
        refresh(home)
    elsewhere = one.as_actor(one.context.access.actor)
    elsewhere.context.workspace = "other"
    elsewhere.memory.write("Deploys are on Thursday.", file="workspace:RULES.md")
    refresh(two)
    path = two.context.home / "workspaces" / "other" / ".memory" / "RULES.md"
    path.write_text("Changed by hand.\n")
    elsewhere.memory.write("Not on Friday.", file="workspace:RULES.md")
    refresh(two)
    found = two.context.db.all("select workspace_id, kind from review_items")
    assert found == [("other", "merge")]


STRANGE = ["\ud7ff\ue000 \U0001f980 \u2028 \x7f", "\\u0000 and \\ and \" and '", "a\r\nb\tc"]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_text_is_the_same_everywhere(make_mirror, text):
    one, two = make_mirror("one"), make_mirror("two")
    payload = {"text": text, "big": 2**63 - 1, "small": -(2**63), "real": 1e-320, "nul": "a\0b"}
    entry_id = one.journal.append("keeper.decision", f"strange {text}", payload=payload)
    refresh(two)
    entry, found = one.journal.get(entry_id), two.journal.get(entry_id)
    assert (found.summary, found.payload) == (entry.summary, entry.payload)
    assert differences(one) == differences(two) == []


def test_text_that_the_server_cannot_hold_is_refused_whole(make_mirror):
    one = make_mirror("one")
    with pytest.raises(UsageError) as error:
        one.review_items.add("fact", "a title", payload={}, key="a\0b")
    assert error.value.code == "store-data"
    assert one.context.db.value("select count(*) from review_items") == 0
    one.facts.add("Writing goes on.")
    assert differences(one) == []


def test_agent_that_cannot_move_without_the_server_keeps_its_files(make_mirror, proxy):
    one = make_mirror("one")
    for crew in ("harbor", "yard"):
        one.registry.add_crew(crew)
    one.registry.add_agent("winch", crew="harbor")
    one.memory.write("I oil the crane.", file="agent:harbor/winch/AGENT.md")
    proxy.cut(b"insert into changes", is_sent=False)
    move = ("agent", "set", "winch", "--crew", "yard")

    assert run(one.context.home, proxy.address, *move).status == 7

    assert one.memory.read("agent:harbor/winch/AGENT.md").text.strip() == "I oil the crane."
    assert one.memory.log("agent:harbor/winch/AGENT.md")
    proxy.restore()
    assert run(one.context.home, proxy.address, *move).status == 0
    moved = run(one.context.home, proxy.address, "memory", "read", "agent:yard/winch/AGENT.md")
    assert "I oil the crane." in moved.out
