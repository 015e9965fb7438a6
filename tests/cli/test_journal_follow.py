"""``crewmem journal list --follow`` and ``events``: entries as they come."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from homes import HARBOR, copied


@pytest.fixture(autouse=True)
def _harbor(home):
    copied(home, *HARBOR)


@pytest.fixture(name="following")
def _following(home):
    """``with following("events") as process:`` in a process of its own."""

    @contextmanager
    def start(*words):
        argv = [sys.executable, "-m", "crewmem", *words]
        environ = {**os.environ, "CREWMEM_HOME": str(home), "LOGNAME": "ada"}
        with subprocess.Popen(
            argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    return start


def interrupted(process):
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert "interrupted" in process.stderr.read()


@pytest.mark.parametrize("words", [["journal", "list", "--follow"], ["events"]])
def test_entries_are_printed_as_they_come(crewmem, following, words):
    """Oldest first, one object a line, until somebody interrupts it."""
    crewmem("journal", "add", "note.taken", "One")
    crewmem("journal", "add", "note.taken", "Two", "--ts", "2026-04-30T10:00:00Z")
    crewmem("journal", "add", "other.type", "Three")
    told = ["--since", "2026-01-01", "--type", "note.*", "--limit", "1", "-F", "jsonl"]
    with following(*words, *told) as process:
        seen = [json.loads(process.stdout.readline())["summary"] for _ in range(2)]
        crewmem("journal", "add", "other.type", "Four")
        crewmem("journal", "add", "note.taken", "Five")
        seen.append(json.loads(process.stdout.readline())["summary"])
        assert seen == ["One", "Two", "Five"]
        interrupted(process)


def test_what_is_archived_is_followed_too(crewmem, following):
    """What was archived long ago when it is asked for, at once in any case."""
    crewmem("journal", "add", "note.taken", "Long ago", "--ts", "2025-01-01")
    crewmem("journal", "compact")
    crewmem("journal", "add", "note.taken", "Now")
    told = ["--since", "2020-01-01", "--type", "note.*", "-F", "jsonl"]
    with following("events", "--include-archive", *told) as process:
        assert json.loads(process.stdout.readline())["archived_at"]
        interrupted(process)
    with following("events", *told) as process:
        assert json.loads(process.stdout.readline())["summary"] == "Now"
        os.kill(process.pid, signal.SIGSTOP)
        crewmem("journal", "add", "note.taken", "Late", "--ts", "2025-02-01")
        crewmem("journal", "compact")
        crewmem("journal", "add", "note.taken", "Later")
        os.kill(process.pid, signal.SIGCONT)
        assert json.loads(process.stdout.readline())["summary"] == "Late"
        interrupted(process)


def test_who_stops_reading_ends_it(crewmem, following):
    """A closed pipe is no failure."""
    crewmem("journal", "add", "note.taken", "One")
    with following("events", "--since", "2026-01-01") as process:
        assert "note.taken  One" in process.stdout.readline()
        process.stdout.close()
        crewmem("journal", "add", "note.taken", "Two")
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_who_stops_reading_ends_it_at_once(crewmem, following):
    """Nobody has to add something for it."""
    crewmem("journal", "add", "note.taken", "One")
    with following("journal", "list", "--follow", "--since", "2026-01-01") as process:
        assert "One" in process.stdout.readline()
        process.stdout.close()
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_a_database_that_is_replaced_ends_it(crewmem, following, home, tmp_path):
    """Nothing is added to what a backup has taken the place of: nobody waits for it."""
    crewmem("journal", "add", "note.taken", "One")
    shutil.copytree(home, tmp_path / "backup")
    with following("events", "--since", "2026-01-01") as process:
        assert "One" in process.stdout.readline()
        for path in (tmp_path / "backup").glob("crewmem.db*"):
            path.replace(home / path.name)
        assert process.wait(20) == 9
        assert "is no longer the database that was followed" in process.stderr.read()
    assert crewmem("journal", "add", "note.taken", "Two").status == 0


def test_an_agent_follows_what_it_may_see(crewmem, following):
    """Scope is on what comes as well."""
    words = ["--as", "agent:mira", "events", "--since", "2026-01-01", "-F", "jsonl"]
    for slug in ("pilot", "mira"):
        crewmem("--as", f"agent:{slug}", "journal", "add", "note.taken", f"Of {slug}")
    with following(*words) as process:
        assert json.loads(process.stdout.readline())["agent_id"] == "mira"
        interrupted(process)


def test_one_document_has_no_end_to_follow(crewmem):
    """With --json, and with a cursor, following is a mistake that is said."""
    for words in (["--json"], ["--after", "x"]):
        assert crewmem("journal", "list", "--follow", *words).status == 2
    assert crewmem("events", "--json").status == 2
    assert crewmem("-w", "lab", "events").status == 4
