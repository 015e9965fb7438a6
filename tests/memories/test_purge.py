"""What is erased is nowhere, whatever was made of it and whoever was killed."""

import os
import signal
from contextlib import closing

import pytest
from homes import HARBOR, copied

from crewmem.db.connect import Mode, connect

WORDS = {"CREWMEM_EMBEDDER": "none", "CREWMEM_BUSY_TIMEOUT": "0"}

ERASED = "The walrus sleeps on pier nine"


@pytest.fixture(name="run")
def _run(crewmem, home):
    """``run("remember", "words")``: what came of it, as JSON, in a home with a crew."""
    copied(home, *HARBOR)

    def call(*words, status=0):
        ran = crewmem(*words, "--json", environ=WORDS)
        assert ran.status == status, ran.stderr
        return ran.json["data"] if status == 0 else ran.error

    return call


@pytest.fixture(name="erased")
def _erased(run):
    """The id of what is to be erased; a day and a group are told with it."""
    for text in ("The heron sleeps on pier nine", "The heron sleeps on pier nine now"):
        run("remember", text, "--agent", "mira", "--kind", "error")
    made = run("remember", ERASED, "--agent", "mira", "--kind", "error")
    run("memories", "rollup", "--daily", "2026-05-01")
    run("remember", "The crane squeaks", "--agent", "mira", "--kind", "error")
    run("memories", "rollup", "--daily", "2026-05-01")
    run("memories", "condense")
    return made["memory"]["id"]


def tells(home, text):
    """Return the files of *home* that hold *text*."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if text.encode() in path.read_bytes()]


def test_summaries_are_told_without_what_is_erased(run, home, erased):
    """Neither they nor what they said before repeats it; what else they said stays."""
    listed = [each["memory"] for each in run("memories", "list", "--kind", "summary")]
    assert all("walrus" in each["content"] for each in listed)
    assert {each["subtype"] for each in listed} == {"daily", "cluster"}
    run("memories", "purge", erased, "--yes")
    assert tells(home, "walrus") == []
    for each in listed:
        told = run("get", each["id"])["memory"]
        assert "heron" in told["content"]
        assert erased not in told["metadata"].get("sources", [])
    again = run("memories", "rollup", "--daily", "2026-05-01")["rolled"]
    assert [each["action"] for each in again] == ["updated"]
    assert run("memories", "rollup", "--daily", "2026-05-01")["rolled"][0][
        "action"
    ] == ("unchanged")


def test_the_journal_keeps_no_reason(run, home, erased):
    """Why it was put away may say what it said; that it was stays, and the chain."""
    run("forget", erased, "--reason", "no walrus was seen")
    run("memories", "restore", erased)
    run("memories", "pin", erased, "--reason", "the walrus matters")
    run("memories", "purge", erased, "--yes")
    assert tells(home, "walrus") == []
    told = run("journal", "list", "--type", "memory.*")
    mine = [each for each in told if erased in each["summary"]]
    assert [each["entry_type"] for each in mine if each["payload"]] == ["memory.purged"]
    assert {"memory.forgotten", "memory.pinned"} < {each["entry_type"] for each in mine}
    assert run("journal", "verify")["ok"]


def test_who_forgets_is_told_what_tells_of_it_still(run, crewmem, erased):
    """A group does not change by itself, as a day does."""
    (group,) = (
        each["memory"]["id"]
        for each in run("memories", "list", "--kind", "summary")
        if each["memory"]["subtype"] == "cluster"
    )
    said = crewmem("forget", erased, "--json", environ=WORDS).json["warnings"]
    assert said == [f"{group} tells of it as well: crewmem forget {group}"]
    run("forget", group)
    assert crewmem("forget", erased, "--json", environ=WORDS).json["warnings"] == []


def test_a_summary_of_nothing_else_goes(run, home):
    """Where nothing is left that it could tell, it is erased as well."""
    made = run("remember", ERASED, "--agent", "mira")["memory"]["id"]
    run("memories", "rollup", "--daily", "2026-05-01")
    run("memories", "purge", made, "--yes")
    assert run("memories", "list", "--status", "all") == []
    assert tells(home, "walrus") == []


def test_older_databases_tell_nothing_of_it(run, home, erased, tmp_path):
    """One that lies beside the home's is a copy of what it said."""
    other = tmp_path / "other.jsonl"
    other.write_text(f'{{"id": "{erased}", "content": "{ERASED}", "agent": "mira"}}\n')
    run("import", "--from", other, "--apply", "--replace", "--yes")
    assert len(tells(home, "walrus")) > 1
    run("memories", "purge", erased, "--yes")
    assert tells(home, "walrus") == []


def test_a_purge_that_was_killed_is_finished_by_another(
    run, crewmem, home, erased, beside, monkeypatch
):
    """Gone from the table it may lie in the file; the same command takes it out."""

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("crewmem.memories.purge.scrub", die)
    words = ("memories", "purge", erased, "--yes")
    assert beside(lambda: crewmem(*words, environ=WORDS)) == [-signal.SIGKILL]
    monkeypatch.undo()
    assert tells(home, "walrus") != []
    assert run("get", erased, status=4)["code"] == "memory_missing"
    who = ("--as", "lead:pilot")
    assert run(*words, *who, status=4)["code"] == "memory_missing"
    assert run(*words) == {"id": erased}
    assert tells(home, "walrus") == []


def test_who_reads_all_the_while_is_waited_for(run, home, erased):
    """It is not said to be erased while the file has it; done again it is."""
    with closing(connect(home / "crewmem.db", Mode.READ)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from memories").fetchall()
        words = ("memories", "purge", erased, "--yes")
        assert run(*words, status=6)["code"] == "database_busy"
    assert run(*words) == {"id": erased}
    assert tells(home, "walrus") == []
