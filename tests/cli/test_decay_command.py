"""``crewmem decay``."""

from contextlib import closing
from datetime import timedelta

import apsw
import pytest
from conftest import NOW

WORDS = {"CREWMEM_EMBEDDER": "none"}


@pytest.fixture
def happened(crewmem):
    """``happened("the crane broke", "--ts", "100d")``: add an entry, return its id."""

    def add(summary, *more):
        words = ["journal", "add", "peer.escalation", summary, *more, "--json"]
        return crewmem(*words, environ=WORDS).json["data"]["id"]

    return add


def weights(home):
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        return db.execute(
            "select importance_score from episodes order by seq"
        ).fetchall()


def test_what_fades_is_told(crewmem, happened, home):
    """The faintest come first, as they are now; nothing is written."""
    new, old = happened("new"), happened("old", "--ts", "100d")
    before = weights(home)
    ran = crewmem("decay", "--json")
    assert [each["ref"] for each in ran.json["data"]] == [old, new]
    assert ran.json["data"][0] == {
        "ref": old,
        "store": "journal",
        "summary": "old",
        "age_days": 100.0,
        "references": 0,
        "retention": 0.4444,
        "importance": 0.3111,
        "importance_ahead": 0.1944,
        "color": "yellow",
    }
    assert weights(home) == before
    lines = crewmem("decay", "--limit", "1").stdout.splitlines()
    assert lines[0].split() == [
        *("ID", "AGE", "ACCESSES", "RETENTION", "STATE", "NOW"),
        *("IN", "30", "D", "SUMMARY"),
    ]
    assert [line.split()[0] for line in lines[1:]] == [old]


def test_applied_twice_is_applied_once(crewmem, happened, home):
    """Importance is computed from its base: again changes nothing."""
    happened("new")
    later = NOW + timedelta(days=90)
    ran = crewmem("decay", "--apply", now=later)
    assert ran.stdout == "The importance of 1 episode was computed anew.\n"
    once = weights(home)
    assert once == [(pytest.approx(0.35),)]
    assert crewmem("decay", "--apply", "--json", now=later).json["data"] == {
        "episodes": 1,
        "memories": 0,
        "running": False,
    }
    assert weights(home) == once


def test_all_workspaces_fade_or_one(crewmem, happened, home):
    """The one that was named, else all."""
    happened("x")
    happened("y", "-w", "other")
    later = NOW + timedelta(days=90)
    ran = crewmem("-w", "other", "decay", "--apply", "--json", now=later)
    assert ran.json["data"] == {"episodes": 1, "memories": 0, "running": False}
    assert weights(home) == [(0.7,), (pytest.approx(0.35),)]
    assert crewmem("-w", "nope", "decay", "--apply").status == 4
    ran = crewmem("decay", "--apply", "--json", now=later)
    assert ran.json["data"] == {"episodes": 2, "memories": 0, "running": False}


def test_without_a_database_nothing_fades(crewmem, home):
    """A home without a database has no episodes, and gets none; no home is missing."""
    assert crewmem("decay", "--apply").status == 4
    assert crewmem("decay").status == 4
    assert not home.exists()
    home.mkdir()
    ran = crewmem("decay", "--apply")
    assert ran.stdout == "The importance of 0 episodes was computed anew.\n"
    assert not (home / "crewmem.db").exists()


def test_agents_see_their_own_and_apply_nothing(crewmem, happened):
    """An agent is told of its own episodes; only an operator lets all fade."""
    crewmem("crew", "add", "harbor")
    crewmem("agent", "add", "otto", "--crew", "harbor")
    mine = happened("x", "--agent", "otto")
    happened("y")
    ran = crewmem("decay", "--as", "agent:otto", "--json")
    assert [each["ref"] for each in ran.json["data"]] == [mine]
    assert crewmem("decay", "--apply", "--as", "agent:otto").status == 8


@pytest.mark.parametrize("more", [["--limit", "5"], ["--agent", "otto"]])
def test_applying_is_for_all(crewmem, happened, more):
    """A part of the episodes cannot be named for it."""
    happened("x")
    assert crewmem("decay", "--apply", *more).status == 2


def test_nothing_to_tell(crewmem):
    """Without episodes it is said that there is nothing."""
    crewmem("init")
    ran = crewmem("decay")
    assert (ran.stdout, ran.stderr) == ("", "There is nothing that could fade.\n")


def test_a_second_one_ends_at_once(crewmem, home, happened):
    """While one runs another ends with 0, says so, and does nothing."""
    from crewmem import disk

    happened("the crane broke")
    with disk.open_root(home) as root:
        disk.make_dirs(root, "locks")
        with disk.lock(root, "locks/decay", timeout=0):
            ran = crewmem("decay", "--apply", "--json", environ=WORDS)
            plain = crewmem("decay", "--apply", environ=WORDS)
    assert (ran.status, ran.json["data"]["running"]) == (0, True)
    assert (plain.status, plain.stdout) == (0, "")
    assert ran.json["warnings"] == [plain.stderr.strip()]
