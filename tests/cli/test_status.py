"""``crewmem status``: one screen, and the next step."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from homes import HARBOR, MIRA, copied, stamps

import crewmem as package


@pytest.fixture
def harbor(home):
    """A home with a crew, its lead and an agent."""
    return copied(home, *HARBOR)


def mira(home):
    return home / MIRA


def test_a_screen_says_what_there_is(crewmem, harbor):
    """Where, whose, how much, how it is found, what is wrong, and what next."""
    crewmem("memory", "reindex")
    lines = crewmem("status").stdout.splitlines()
    assert lines == [
        f"memory     {harbor} (the home)",
        "workspace  default: 1 crew, 2 agents",
        lines[2],
        "index      4 fresh",
        "search     by words",
        "problems   none",
        "next       crewmem memory search WORDS  # find something",
    ]
    assert lines[2].startswith("files      3 (")
    assert lines[2].endswith("B) in 4 directories; the fullest at <1% of its cap")


def test_from_nothing_to_the_first_search_the_next_step_is_told(crewmem, home):
    """Each is the one that helps most."""
    steps = [
        ("init", ["init"]),
        ("crew add NAME", ["crew", "add", "harbor"]),
        ("agent add NAME --crew harbor", ["agent", "add", "mira", "--crew", "harbor"]),
        ("memory search WORDS", ["memory", "search", "WORDS"]),
    ]
    for step, words in steps:
        assert crewmem("status", "--json").json["data"]["next"] == f"crewmem {step}"
        assert crewmem(*words).status == 0
    named = crewmem("--home", home, "status", "--json").json["data"]
    assert named["next"] == f"crewmem --home {home} memory search WORDS"


def test_without_memory_it_says_where_a_home_would_be(crewmem, home, tmp_path):
    """And makes nothing."""
    ran = crewmem("status")
    assert ran.stdout.startswith(f"memory     none found; the home would be {home}\n")
    assert ran.status == 0
    assert not list(tmp_path.iterdir())


def test_nothing_is_written(crewmem, harbor, memory, tmp_path):
    """Not in the home, nor in a tree, whoever asks."""
    tree = memory(AGENT="x")
    before = stamps(tmp_path)
    for words in ([], ["-p", tree], ["--json"], ["-w", "default"]):
        assert crewmem("status", *words).status == 0
    assert stamps(tmp_path) == before
    assert harbor.is_dir()


def test_beside_an_index_of_another_program_nothing_is_left(crewmem, memory):
    """Not even by SQLite, which makes files to read a database in WAL mode."""
    tree = memory(AGENT="the key")
    with closing(apsw.Connection(str(tree / "index.sqlite"))) as db:
        db.execute("pragma journal_mode = wal").fetchall()
        db.execute("create table chunks (a)")
    before = stamps(tree)
    for words in (["status"], ["memory", "status"], ["memory", "search", "key"]):
        assert crewmem(*words, "-p", tree).status == 0
        assert stamps(tree) == before
    data = crewmem("status", "-p", tree, "--json").json["data"]
    assert data["indexes"]["unusable"] == 1


def test_what_is_over_its_cap_is_read_and_merged_next(crewmem, harbor):
    """The file is named."""
    (mira(harbor) / "AGENT.md").write_text("x" * 4_001)
    (mira(harbor) / "pins.md").write_text("x" * 7_000)
    data = crewmem("status", "--json").json["data"]
    assert (data["over_cap"], data["near_cap"]) == (1, 1)
    assert data["problems"] == ["1 file over the cap", "1 file near the cap"]
    assert data["next"] == f"crewmem memory read {mira(harbor)}/AGENT.md"


def test_an_index_that_stays_behind_is_brought_up_to_date_next(crewmem, memory):
    """Outside the home: there a search does not keep what it brings in."""
    tree = memory(AGENT="x")
    data = crewmem("status", "-p", tree, "--json").json["data"]
    assert (data["source"], data["path"]) == ("path", str(tree))
    assert data["workspace"] is None
    assert data["indexes"] == {"fresh": 0, "stale": 0, "missing": 1, "unusable": 0}
    assert data["next"] == f"crewmem memory reindex --path {tree}"
    assert crewmem("memory", "reindex", "-p", tree).status == 0
    data = crewmem("status", "-p", tree, "--json").json["data"]
    step = f"crewmem memory search WORDS --path {tree}"
    assert (data["problems"], data["next"]) == ([], step)


def test_an_index_that_cannot_be_used_is_built_anew_next(crewmem, harbor):
    """And counted."""
    crewmem("memory", "reindex")
    (mira(harbor) / "index.sqlite").write_text("no database at all, just a text")
    data = crewmem("status", "--json").json["data"]
    assert data["indexes"] == {"fresh": 3, "stale": 0, "missing": 0, "unusable": 1}
    assert data["problems"] == ["1 index cannot be used"]
    assert data["next"] == f"crewmem memory reindex --path {mira(harbor)}"
    assert crewmem("memory", "reindex", "--path", mira(harbor)).status == 0
    assert crewmem("status", "--json").json["data"]["problems"] == []


def test_a_fifo_for_an_index_is_not_waited_for(crewmem, harbor):
    """It is one that cannot be used."""
    os.mkfifo(mira(harbor) / "index.sqlite")
    data = crewmem("status", "--json").json["data"]
    assert data["indexes"]["unusable"] == 1


@pytest.mark.parametrize("text", ["no database at all, just a text", None])
def test_a_database_that_is_not_ours_is_for_doctor(crewmem, harbor, text):
    """It is the problem, and doctor is the next step."""
    if text:
        (harbor / "crewmem.db").write_text(text)
    else:
        with closing(apsw.Connection(str(harbor / "crewmem.db"))) as db:
            db.execute("pragma user_version = 99")
    data = crewmem("status", "--json").json["data"]
    assert len(data["problems"]) == 1
    assert data["next"] == "crewmem doctor"
    assert data["crews"] == 1


def test_a_container_shows_its_mount(crewmem, memory, tmp_path):
    """Or, without one, the agent's own directory."""
    environ = {"CREWMEM_HOME": "", "XDG_DATA_HOME": str(tmp_path / "none")}
    memory(AGENT="x", at=tmp_path / "person")
    own = crewmem("status", "--json", environ=environ).json["data"]
    assert (own["source"], own["files"]) == ("own", 1)
    memory(CREW="x", at=tmp_path / "crew" / "shared")
    memory(AGENT="x", at=tmp_path / "crew" / "agents" / "mira")
    mount = crewmem("status", "--json", environ=environ).json["data"]
    assert (mount["source"], mount["agents"], mount["files"]) == ("mount", 1, 2)


def test_a_workspace_that_is_named_has_to_be_there(crewmem, harbor):
    """The default one may be missing still."""
    assert crewmem("status", "-w", "other").status == 4
    environ = {"CREWMEM_WORKSPACE": "other"}
    assert crewmem("status", environ=environ).status == 4
    assert harbor.is_dir()


def test_an_agent_sees_what_is_its_own(crewmem, harbor):
    """Its files, its crew's, the workspace's; not those of others, nor of persons."""
    (mira(harbor) / "peers").mkdir()
    (mira(harbor) / "peers" / "ab.md").write_text("x" * 9_000)
    data = crewmem("status", "--as", "agent:mira", "--json").json["data"]
    assert (data["directories"], data["files"], data["over_cap"]) == (3, 2, 0)
    assert crewmem("status", "--json").json["data"]["over_cap"] == 1


def test_an_agent_is_not_told_of_changes_that_it_may_not_see(crewmem, harbor):
    """Notes about persons that changed make no index stale to it."""
    (mira(harbor) / "peers").mkdir()
    crewmem("memory", "reindex")
    (mira(harbor) / "peers" / "ab.md").write_text("likes tea")
    for actor, state, stale in (
        ("agent:mira", "fresh", 0),
        ("operator:ada", "stale", 1),
    ):
        ran = crewmem("memory", "status", "--as", actor, "--json")
        (found,) = (each for each in ran.json["data"] if each["owner"] == "harbor/mira")
        assert (found["state"], found["stale"]) == (state, stale)
        indexes = crewmem("status", "--as", actor, "--json").json["data"]["indexes"]
        assert indexes["stale"] == stale


def test_a_database_that_is_lost_beside_crews_is_said(crewmem, harbor):
    """Missing or empty: nobody is registered, and doctor knows what to do."""
    database = harbor / "crewmem.db"
    database.write_bytes(b"")
    (problem,) = crewmem("status", "--json").json["data"]["problems"]
    assert problem == f"{database} is empty: nobody is registered"
    database.unlink()
    data = crewmem("status", "--json").json["data"]
    assert data["problems"] == [f"there is no {database}: nobody is registered"]
    assert data["next"] == "crewmem doctor"


def test_no_command_is_suggested_that_would_be_refused(crewmem, home):
    """A crew that somebody made by hand may have a name that crewmem does not take."""
    crewmem("init")
    (home / "workspaces/default/crews/My Crew/shared/.memory").mkdir(parents=True)
    from crewmem.files.locate import in_home
    from crewmem.health.advice import _beginnings
    from crewmem.health.glance import Glance

    found = in_home(home, "default", None)
    glances = [Glance(place, None, "", (), 0, heals=True) for place in found]
    words, _ = next(_beginnings(glances))
    assert words == ["agent", "add", "NAME", "--crew", "CREW"]


def test_what_cannot_be_told_apart_from_a_problem_is_one(crewmem, harbor):
    """A directory whose name is not UTF-8 cannot be read, and is said."""
    (mira(harbor) / os.fsdecode(b"\xff")).mkdir()
    data = crewmem("status", "--json").json["data"]
    assert data["problems"] == [
        f"cannot be read: {mira(harbor)}: its name is not UTF-8"
    ]
    assert data["next"] == "crewmem doctor"


def test_it_starts_without_what_it_does_not_need(harbor):
    """No rich, no json, none of the checks: it is a command one types often."""
    code = (
        "import sys; from crewmem.cli.root import run; "
        "status = run(['status']); "
        "print(sorted(sys.modules)); sys.exit(status)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ
        | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
        | {"CREWMEM_HOME": str(harbor)},
    )
    modules = ran.stdout.splitlines()[-1]
    for heavy in ("rich", "json", "tomllib", "crewmem.health.checks", "difflib"):
        assert f"'{heavy}'" not in modules
    assert "'crewmem.health.overview'" in modules
