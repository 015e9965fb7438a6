"""Odd surroundings: encodings, closed streams, time zones, names and files that no one expects."""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from running import read_tree, run_crewmem

import crewmem
from crewmem.errors import ConflictError
from crewmem.home import create_home
from crewmem.storage import filesystem

PYTHON = str(Path(sys.executable).parent / "python")
NOT_UTF8 = b"\xfc\xff"


@pytest.fixture
def home(sample, monkeypatch):
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    monkeypatch.setenv("CREWMEM_HOME", str(sample))
    return sample


def test_interrupt_ends_a_long_statement(home):
    rows = "with recursive rows(n) as (select 1 union all select n + 1 from rows limit 10000000)"
    with crewmem.open(home) as opened:
        db = opened.context.db
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            db.execute(f"create temp table numbers as {rows} select n from rows")

        assert db.all("select name from sqlite_temp_master") == []
        assert opened.facts.list().facts


def run_process(*words, cwd=None, close=(), **environ):
    """Run crewmem as a process, with some of its streams closed."""
    closing = " ".join(f"{number}>&-" if number else "<&-" for number in close)
    return subprocess.run(
        ["bash", "-c", f'exec {PYTHON} -m crewmem "$@" {closing}', "crewmem", *words],
        cwd=cwd,
        env={**os.environ, **environ},
        capture_output=True,
        check=False,
    )


def test_argument_in_another_locale_is_read_as_utf8(home):
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run_process("remember", "Größe über alles 中文", **environ)
    assert done.returncode == 0, done.stderr
    assert "Größe über alles 中文" in run_crewmem("fact", "list").out


@pytest.mark.parametrize(
    "words",
    [
        ("remember", NOT_UTF8),
        ("search", NOT_UTF8),
        ("fact", "show", NOT_UTF8),
        ("--home", NOT_UTF8, "init"),
    ],
)
def test_argument_that_is_not_utf8_is_a_usage_error(words, home):
    given = [os.fsdecode(word) if isinstance(word, bytes) else word for word in words]
    result = run_crewmem(*given, "--json")
    assert result.status == 2
    assert result.error["code"] == "not-utf8"


def test_commands_work_in_a_directory_that_is_not_utf8(home, tmp_path, monkeypatch):
    place = tmp_path / os.fsdecode(b"d\xff")
    place.mkdir()
    (place / ".git").mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("USER", os.fsdecode(NOT_UTF8))
    for line in ("status", "search deploy", "remember hello there"):
        result = run_crewmem(*line.split())
        assert result.status == 0, (line, result.err)


def test_directory_that_was_removed_is_named_and_needed_by_few(home, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    assert "vault" in run_crewmem("--as", "agent:pilot", "recall", "where is the deploy key").out
    for line in ("search --path . key", "report", "export --out b.tar.gz"):
        done = run_crewmem(*line.split())
        assert (done.status, "this directory was removed" in done.err) == (4, True), done.err


@pytest.mark.parametrize("close", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_do_no_harm(close, home):
    done = run_process("remember", f"closed {close}", close=close)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert f"closed {close}" in run_crewmem("fact", "list").out


@pytest.fixture
def odd_tree(home):
    """A directory of topics with everything that is not a memory file."""
    topics = next((home / "workspaces").rglob("topics"))
    for name in (b"bad\xff.md", b"new\nline.md", b"esc\x1b.md", b"n" * 250 + b".md"):
        (topics / os.fsdecode(name)).write_text("# Odd\n\nthe windlass of quay nine\n")
    (topics / os.fsdecode(b"dir\xfe")).mkdir()
    (topics / "utf16.md").write_bytes("the windlass in another encoding".encode("utf-16"))
    (topics / "zero.md").write_bytes(b"\0" * 5000 + b" windlass")
    (topics / "latin.md").write_bytes(b"windlass \xe9\xe8")
    (topics / "loop").symlink_to(".")
    (topics / "password.md").symlink_to("/etc/passwd")
    os.mkfifo(topics / "fifo.md")
    listener = socket.socket(socket.AF_UNIX)
    before = Path.cwd()
    os.chdir(topics)
    listener.bind("socket.md")
    os.chdir(before)
    listener.close()
    (topics / "directory.md").mkdir()
    with (topics / "sparse.md").open("wb") as file:
        file.truncate(1 << 30)
    return topics


@pytest.mark.parametrize(
    "line",
    [
        "memory search windlass quay",
        "search windlass quay",
        "recall windlass quay",
        "memory list",
        "memory status",
        "sweep",
        "timers run nightly",
        "doctor --only files.odd",
    ],
)
def test_odd_files_are_left_out_and_named(line, odd_tree):
    result = run_crewmem(*line.split(), "--json")
    assert result.status in (0, 1), result.err
    if "windlass" in line:
        assert "quay nine" in result.out
        assert "files-skipped" in [each["code"] for each in result.answer["warnings"]]
    if line.startswith("doctor"):
        for name in (
            "bad\\\\xff.md",
            "esc\\\\x1b.md",
            "fifo.md",
            "socket.md",
            "password.md",
            "sparse.md",
        ):
            assert name in result.out, name


def test_odd_file_does_not_stop_export_or_import(odd_tree, tmp_path):
    done = run_crewmem("export", "--out", tmp_path / "bundle.tar.gz", "--json")
    assert done.status == 0, done.err
    left_out = [each for each in done.answer["warnings"] if each["code"] == "file-left-out"]
    assert any("sparse.md" in each["message"] for each in left_out)
    with tarfile.open(tmp_path / "bundle.tar.gz") as bundle:
        assert any(name.endswith("topics/deploys.md") for name in bundle.getnames())
    plan = run_crewmem("import", "--from", odd_tree, "--crew", "harbor", "--json")
    assert plan.status == 0, plan.err
    assert "sparse.md" in plan.out


def test_bad_time_zone_of_the_system_is_an_error_with_a_way_out(tmp_path):
    run_crewmem("--home", tmp_path / "home", "init")
    words = [sys.executable, "-m", "crewmem", "--home", str(tmp_path / "home")]
    surroundings = os.environ | {"TZ": "XYZ-25:99"}
    done = subprocess.run([*words, "note", "x"], env=surroundings, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    hint = done.stderr.splitlines()[-1].removeprefix("hint: crewmem ").split()
    assert run_crewmem(*hint).status == 0
    done = subprocess.run([*words, "status"], env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_sync_into_a_directory_that_is_not_mounted_is_refused(tmp_path):
    run_crewmem("--home", tmp_path / "home", "init")
    done = run_crewmem("--home", tmp_path / "home", "sync", tmp_path / "stick" / "crew")
    assert done.status == 4
    assert not (tmp_path / "stick").exists()


def test_export_to_where_nothing_can_be_made_names_the_cause(tmp_path):
    run_crewmem("--home", tmp_path / "home", "init")
    done = run_crewmem("--home", tmp_path / "home", "export", "--out", "/proc/bundle")
    assert done.status == 8
    assert "its file system does not allow it" in done.err


def test_folder_of_odd_names_alone_does_not_stop_a_search(home):
    topics = home / "workspaces/default/crews/harbor/shared/.memory/topics"
    (topics / "odd").mkdir()
    (topics / "odd" / "esc\x1b.md").write_text("windlass")
    assert run_crewmem("search", "deploy key", "--json").status == 0
    assert "esc\\\\x1b.md" in run_crewmem("memory", "list", "--json").out


def test_odd_file_is_listed_without_size_and_age(odd_tree):
    (line,) = (line for line in run_crewmem("memory", "list").out.splitlines() if "fifo.md" in line)
    assert line.split()[2:] == ["-", "-", "skipped"]


@pytest.fixture
def full_disk(monkeypatch):
    """Every disk counts as full."""
    monkeypatch.setattr(filesystem, "MIN_FREE_BYTES", 1 << 62)


@pytest.mark.parametrize(
    "line", ["search deploy key", "status", "fact list", "journal list", "memory list"]
)
def test_home_on_a_full_disk_is_read_and_says_so(line, home, full_disk):
    before = read_tree(home)
    result = run_crewmem(*line.split(), "--json")
    assert result.status == 0, result.err
    assert result.answer["data"]
    assert "disk-full" in [each["code"] for each in result.answer["warnings"]]
    assert read_tree(home) == before


@pytest.mark.parametrize("line", ["remember x", "note --agent winch x", "decay --apply", "sweep"])
def test_write_on_a_full_disk_names_the_cause(line, home, full_disk):
    result = run_crewmem(*line.split(), "--json")
    assert (result.status, result.error["code"]) == (5, "disk-full"), result.err


def test_file_that_finds_no_room_names_the_cause(tmp_path):
    error = filesystem.convert_os_error(
        OSError(errno.ENOSPC, "No space left"), tmp_path / "a.md", "write"
    )
    assert error.code == "disk-full"
    assert error.message == f"{tmp_path / 'a.md'} cannot be written: the disk is full"


def test_search_without_room_for_the_index_finds_changed_files(home):
    with crewmem.open(home) as opened:
        index = opened.memory.index
        db = index.load().db
        db.execute(f"pragma max_page_count = {db.value('pragma page_count')}")
        topics = home / "workspaces/default/crews/harbor/shared/.memory/topics"
        (topics / "long.md").write_text("The windlass is oiled. " * 600)
        index.refresh()

        refs = [hit.ref for hit in opened.search("windlass oiled", stores=["memory"])]
        assert any("long.md" in ref for ref in refs)
        assert "disk-full" in [each.code for each in opened.context.warnings]


@pytest.mark.parametrize("part", ["agents/pilot", "agents/pilot/.memory"])
def test_search_says_that_a_link_in_place_of_a_directory_is_not_read(part, home, tmp_path):
    crew = home / "workspaces/default/crews/harbor"
    (crew / part).rename(tmp_path / "moved")
    (crew / part).symlink_to(tmp_path / "moved")

    def list_warnings(actor):
        result = run_crewmem("--as", actor, "search", "deploy", "key", "--json")
        return [each["message"] for each in result.answer["warnings"]]

    (warning,) = (each for each in list_warnings("agent:pilot") if "is not read" in each)
    assert warning.startswith("agent:harbor/pilot/ is not read: cannot open")
    assert not [each for each in list_warnings("agent:winch") if "pilot" in each]


@pytest.mark.parametrize("before", [None, "The crane is old."])
def test_write_that_cannot_be_recorded_leaves_the_file_as_it_was(before, home):
    with crewmem.open(home) as opened:
        if before is not None:
            opened.memory.write(before, file="crew:harbor/topics/crane.md", mode="replace")
        db = opened.context.db
        db.execute("create table parents (id integer primary key)")
        db.execute(
            "create table children (id references parents deferrable initially deferred);"
            "create trigger fail_commit after insert on file_versions"
            " begin insert into children values (1); end"
        )
        topics = home / "workspaces/default/crews/harbor/shared/.memory/topics"
        names = sorted(os.listdir(topics))

        with pytest.raises(ConflictError):
            opened.memory.write("It is blue.", file="crew:harbor/topics/crane.md")

        assert sorted(os.listdir(topics)) == names
        if before is not None:
            assert (topics / "crane.md").read_text() == before


def test_write_is_undone_although_the_second_name_of_the_old_file_is_gone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("old")
    os.utime(page, (0, 0))  # so the second name looks like a file that a killed writer left
    with contextlib.suppress(KeyboardInterrupt), filesystem.undo_writes_on_error() as write:
        write(tmp_path, {"page.md": b"new"}, {"page.md": b"old"})
        assert page.read_text() == "new"
        assert filesystem.remove_leftovers(tmp_path, now=time.time()) == 1
        raise KeyboardInterrupt
    assert page.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.md"]


def test_write_is_complete_although_its_directory_is_moved_away_at_the_end(tmp_path):
    directory = tmp_path / "topics"
    directory.mkdir()
    (directory / "page.md").write_text("old")
    with filesystem.undo_writes_on_error() as write:
        write(tmp_path, {"topics/page.md": b"new"}, {"topics/page.md": b"old"})
        directory.rename(tmp_path / "moved")
    assert (tmp_path / "moved/page.md").read_text() == "new"


def test_index_that_could_not_be_made_leaves_no_empty_file(tmp_path):
    script = """
import resource, signal, sys
from pathlib import Path
from crewmem.errors import DamagedError
from crewmem.storage.sqlite import SESSIONS_SCHEMA, open_derived
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    open_derived(Path(sys.argv[1], "sessions.sqlite"), SESSIONS_SCHEMA)
except DamagedError as error:
    print(error.code)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in ("disk-full", "disk-failed")
    assert list(tmp_path.iterdir()) == []


def test_pipe_in_place_of_an_index_is_replaced_by_one(home):
    index = home / "workspaces" / "default" / "index.sqlite"
    index.unlink()
    os.mkfifo(index)
    result = run_crewmem("search", "deploy", "key", "--json")
    assert result.answer["data"]["hits"]
    assert index.is_file()


def test_init_goes_on_where_one_was_killed(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "crewmem.db.new").write_bytes(b"")
    assert run_crewmem("--home", home, "status").status == 4
    assert run_crewmem("--home", home, "init").status == 0
    assert run_crewmem("--home", home, "status").status == 0
    assert not (home / "crewmem.db.new").exists()


@pytest.mark.parametrize(
    "moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)]
)
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_clock_at_the_end_of_the_calendar_stops_nothing(tmp_path, moment, zone):
    create_home(tmp_path / "home")
    settings = {"timezone": zone, "embedder": "none"}
    with crewmem.open(tmp_path / "home", settings=settings, clock=lambda: moment) as home:
        home.registry.add_crew("harbor")
        home.registry.add_agent("winch", crew="harbor")
        home.memory_index.reload_directories()
        home.memory.note("The tide turns.", agent="winch")
        home.facts.add("Deploys happen on Tuesdays")
        assert home.search("deploys").hits
        assert home.jobs.run("nightly").error == ""
        assert home.journal.verify()[0].broken is None


@pytest.mark.parametrize("seconds", [9_300_000_000, 2**62, -(2**40)])
def test_file_of_any_time_stops_no_command(seconds, home):
    file = home / "workspaces/default/crews/harbor/shared/.memory/topics/deploys.md"
    for line in (
        "search deploy key",
        "recall deploy key",
        "memory reindex",
        "sweep",
        "consolidate run",
        "memory write --file crew:harbor/topics/deploys.md again",
    ):
        os.utime(file, (seconds, seconds))
        result = run_crewmem(*line.split())
        assert result.status == 0, (line, result.err)
