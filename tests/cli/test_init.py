"""``crewmem init``: a home, from nothing, twice, and after it was cut short."""

import os
import shlex
import signal
import stat
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import crewmem.sample

SAMPLE = Path(crewmem.sample.__file__).parent / "home" / "workspaces" / "default"


def tree(home):
    """Return the files of *home* that are not the database's, with what they say."""
    return {
        path.relative_to(home).as_posix(): path.read_bytes() if path.is_file() else None
        for path in home.rglob("*")
        if not path.name.startswith("crewmem.db")
    }


def stamps(home):
    return {path: path.lstat().st_mtime_ns for path in [home, *home.rglob("*")]}


def test_a_home_is_made_private(crewmem, home):
    """A database and a first workspace are there, for their owner alone."""
    ran = crewmem("init")
    assert (ran.status, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"Made a home at {home}",
        "Next: crewmem crew add NAME --lead AGENT",
    ]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*")}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert (home / "workspaces/default/.memory").is_dir()
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        assert db.pragma("journal_mode") == "wal"
    [workspace] = crewmem("workspace", "list", "--json").json["data"]
    assert (workspace["name"], workspace["registered"]) == ("default", True)


def test_a_home_is_made_once(crewmem, home):
    """The second time nothing is changed, and that is said."""
    first = crewmem("init", "--json").json["data"]
    before, database = stamps(home / "workspaces"), (home / "crewmem.db").read_bytes()
    second = crewmem("init", "--json").json["data"]
    assert (first["made"], second["made"]) == (True, False)
    assert "nothing was changed" in crewmem("init").stdout
    assert stamps(home / "workspaces") == before
    assert (home / "crewmem.db").read_bytes() == database


def test_what_is_missing_of_a_home_is_made_again(crewmem, home):
    """A home without its first workspace's directory is mended."""
    crewmem("init")
    (home / "workspaces/default/.memory").rmdir()
    assert crewmem("init").status == 0
    assert (home / "workspaces/default/.memory").is_dir()


def test_a_home_that_is_there_keeps_its_permissions(crewmem, home):
    """A directory that somebody made is used as it is."""
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    (home / "config.toml").write_text("search_limit = 3\n")
    assert crewmem("init").status == 0
    assert stat.S_IMODE(home.stat().st_mode) == 0o755
    assert (home / "config.toml").read_text() == "search_limit = 3\n"


def test_another_workspace_can_be_the_first(crewmem, home):
    """It is the one that is worked in."""
    ran = crewmem("-w", "lab", "init", "--sample")
    assert ran.stdout.splitlines()[-1].startswith("Next: crewmem -w lab memory search")
    assert [path.name for path in (home / "workspaces").iterdir()] == ["lab"]
    assert crewmem("-w", "lab", "crew", "show", "harbor").status == 0
    assert crewmem("crew", "list").status == 4


def test_the_sample_is_copied_and_registered(crewmem, home):
    """Every file of it is there, where its owner has it, and everybody is known."""
    ran = crewmem("init", "--sample", "--json")
    assert ran.json["data"]["sample"] == {
        "crew": "harbor",
        "lead": "pilot",
        "agents": ["pilot", "winch", "ledger"],
        "memories": 12,
        "files": len(list(SAMPLE.rglob("*.md"))),
        "entries": 78,
        "kept": [],
    }
    for source in SAMPLE.rglob("*.md"):
        parts = source.relative_to(SAMPLE).parts
        hidden = [".memory" if part == "memory" else part for part in parts]
        copy = (home / "workspaces/default").joinpath(*hidden)
        assert copy.read_bytes() == source.read_bytes()
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    agents = crewmem("agent", "list", "--json").json["data"]
    assert [(each["slug"], each["role"], each["registered"]) for each in agents] == [
        ("ledger", "agent", True),
        ("pilot", "lead", True),
        ("winch", "agent", True),
    ]


def test_the_next_step_finds_something(crewmem, tmp_path):
    """What is told to be typed next, typed, answers the question."""
    home = str(tmp_path / "a home")
    ran = crewmem("--home", home, "init", "--sample")
    step = ran.stdout.splitlines()[-1]
    assert (
        step == f"Next: crewmem --home '{home}' memory search where is the deploy key"
    )
    found = crewmem(*shlex.split(step)[2:])
    assert "kv/harbor/deploy" in found.stdout


def test_the_sample_comes_once(crewmem, home):
    """Into a home that has it, or another crew of its name, it is not copied."""
    crewmem("init", "--sample")
    before = tree(home)
    ran = crewmem("init", "--sample", "--json")
    assert (ran.status, ran.stdout, ran.error["code"]) == (9, "", "exists")
    assert tree(home) == before


def test_the_sample_joins_what_is_there(crewmem, home):
    """A home in use can have it; a file of the workspace is kept, and that is said."""
    crewmem("crew", "add", "ours")
    own = home / "workspaces/default/.memory/conventions.md"
    own.write_text("Ours.")
    ran = crewmem("init", "--sample")
    assert ran.status == 0
    assert ran.stderr == f"warning: {own} was there and is not the sample's\n"
    assert own.read_text() == "Ours."
    crews = crewmem("crew", "list", "--json").json["data"]
    assert [each["name"] for each in crews] == ["harbor", "ours"]


@pytest.mark.parametrize(
    "make",
    [
        ["crew", "add", "harbor"],
        ["agent", "add", "winch", "--crew", "ours"],
        None,
    ],
    ids=["crew", "agent", "file"],
)
def test_the_sample_does_not_mix_with_others(crewmem, home, make):
    """Where its crew, an agent or a file of it is somebody else's nothing is copied."""
    crewmem("crew", "add", "ours")
    if make:
        crewmem(*make)
    else:
        own = home / "workspaces/default/crews/harbor/agents/pilot/.memory/AGENT.md"
        own.parent.mkdir(parents=True)
        own.write_text("Another pilot.")
    before = tree(home)
    assert crewmem("init", "--sample").status == 9
    assert tree(home) == before


def test_agents_make_no_home(crewmem, home):
    """That is for a person to do."""
    assert crewmem("--as", "agent:mira", "init").status == 8
    assert not home.exists()


def test_what_is_no_home_is_named(crewmem, tmp_path):
    """A file where the home should be, or above it, is left alone."""
    file = tmp_path / "file"
    file.write_text("Mine.")
    for home in (file, file / "home"):
        ran = crewmem("--home", home, "init", "--json")
        assert ran.status == 4
        assert ran.error["message"] == f"{home} is not a directory"
    assert file.read_text() == "Mine."


STEPS = {"mkdir", "link", "unlink", "fsync", "execute"}
"""Calls between which a process may be killed: into the disk, and into SQLite."""


def killed_at(nth, call):
    """Run *call* in a process that is killed before the *nth* of its steps.

    Returns:
        Whether there were so many.
    """
    child = os.fork()
    if not child:
        seen = 0

        def watch(_frame, event, called):
            nonlocal seen
            if event == "c_call" and called.__name__ in STEPS:
                seen += 1
                if seen == nth:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(watch)
        call()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("line", "stride"),
    [(["crew", "add", "bay", "--lead", "ada"], 5), (["init", "--sample"], 149)],
    ids=["crew add", "init --sample"],
)
def test_who_is_killed_runs_it_again(crewmem, home, tmp_path, line, stride):
    """Wherever it was cut short, the second run ends as if there had been one."""

    def told(where):
        there = ["--home", str(where), "--json"]
        answers = [crewmem(kind, "list", *there).json for kind in ("crew", "agent")]
        return str(answers).replace(str(where), ""), tree(where)

    assert crewmem(*line).status == 0
    wanted = told(home)
    nth = 1
    while True:
        where = tmp_path / f"home-{nth}"
        again = ["--home", str(where), *line]
        if not killed_at(nth, lambda again=again: crewmem(*again)):
            break
        assert crewmem(*again).status in {0, 9}
        answers, files = told(where)
        files = {
            name: text for name, text in files.items() if not name.endswith(".tmp")
        }
        assert (answers, files) == wanted, nth
        nth += stride
    assert nth > 3 * stride


def test_the_sample_has_versions_from_the_start(crewmem, home):
    """Each file one, by whom made it; the first sweep has nothing to record."""
    assert crewmem("init", "--sample").status == 0
    for file in ("crew:harbor/CREW.md", "workspace:people.md"):
        (version,) = crewmem("memory", "log", file, "--json").json["data"]
        assert (version["written_by"], version["operation"]) == ("operator:ada", "add")
    by_words = {"CREWMEM_EMBEDDER": "none"}  # what is embedded takes no version
    swept = crewmem("episodes", "sweep", "--json", environ=by_words)
    assert swept.json["data"]["versions"] == 0
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        told = "select count(*) from memory_versions"
        assert db.execute(told).fetchall() == [(71,)]
