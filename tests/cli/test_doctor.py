"""``crewmem doctor``: what it is asked, what it prints, and how it ends."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from conftest import NOW
from health.faults import sql
from homes import HARBOR, MIRA, copied, stamps

import crewmem as package
from crewmem.cli.app import App, World
from crewmem.cli.scene import scene
from crewmem.health.checks import CHECKS, space

ALL = f"{len(CHECKS)} checks"

NO_INDEX = "there is no index of 1 files: every search looks at them again"


@pytest.fixture
def tree(memory):
    """A directory that is named, outside of any home."""
    return memory(AGENT="# Agent\n\nThe key is in the vault.\n")


@pytest.fixture
def harbor(home):
    """A home with a crew, its lead and an agent."""
    return copied(home, *HARBOR)


def agent_of(home, slug="mira"):
    return home / MIRA.replace("mira", slug)


def test_without_a_home_the_way_to_one_is_told(crewmem, home, tmp_path):
    """It is a warning, and nothing is made."""
    ran = crewmem("doctor")
    assert ran.status == 0
    assert ran.stdout.startswith("warn  home.present")
    assert "\n      repair: crewmem init\n" in ran.stdout
    assert crewmem("doctor", "--strict").status == 1
    assert not list(tmp_path.iterdir())
    named = crewmem("doctor", "--home", home / "my crew")
    assert f"repair: crewmem --home '{home}/my crew' init\n" in named.stdout


def test_a_tree_that_is_named_is_checked_alone(crewmem, tree, tmp_path):
    """Its index is missing; of the home nothing is asked."""
    before = stamps(tmp_path)
    ran = crewmem("doctor", "--path", tree.parent)
    first, second, third, last = ran.stdout.splitlines()
    assert first == f"warn  index.fresh  {tree}: {NO_INDEX}"
    assert second == "      should be: an index that says what the files say"
    assert third == f"      repair: crewmem memory reindex --path {tree}"
    assert last.startswith(f"{ALL}: ")
    assert (ran.status, ran.stderr) == (0, "--fix repairs 1 of these.\n")
    assert stamps(tmp_path) == before


def test_a_tree_that_is_named_is_repaired(crewmem, tree):
    """The index is made, then behind, and brought up to date."""
    ran = crewmem("doctor", "--fix", "-p", tree)
    assert ran.stdout.startswith(f"fixed index.fresh  {tree}: there is no index")
    assert "\n      done: bring it up to date\n" in ran.stdout
    assert ran.stdout.endswith("; 1 fixed\n")
    assert crewmem("doctor", "--strict", "-p", tree).status == 0
    (tree / "more.md").write_text("more")
    ran = crewmem("doctor", "-p", tree, "--strict")
    assert ran.status == 1
    assert "1 files are newer than the index, or gone" in ran.stdout
    assert crewmem("doctor", "--fix", "-p", tree, "--strict").status == 0


def test_in_the_home_an_index_that_is_behind_is_as_it_should_be(crewmem, harbor):
    """The next search brings it up to date."""
    ran = crewmem("doctor", "-v", "--only", "index.fresh")
    assert "3 of 4 are behind the files" in ran.stdout
    assert ran.status == 0
    assert harbor.is_dir()


def test_with_v_every_check_is_told(crewmem, harbor):
    """Problems first, then what passed, then what there was not to check."""
    (agent_of(harbor) / "AGENT.md").write_text("x" * 5_000)
    lines = crewmem("doctor", "-v").stdout.splitlines()
    assert lines[0].startswith("fail  files.caps")
    assert lines[-1] == f"{ALL}: {len(CHECKS) - 1} pass, 1 fail"
    told = {line.split()[1] for line in lines if line.startswith(("fail", "pass"))}
    assert told == {check.NAME for check in CHECKS}


def test_many_of_a_kind_do_not_hide_the_rest(crewmem, tree):
    """Ten are told, the others counted; JSON and -v have them all."""
    (tree / "daily").mkdir()
    for number in range(25):
        (tree / "daily" / f"note-{number:02}.md").write_text("x")
    ran = crewmem("doctor", "-p", tree)
    assert ran.stdout.count("is no real day") == 10
    assert "      files.days: 15 more; -v shows them\n" in ran.stdout
    assert crewmem("doctor", "-p", tree, "-v").stdout.count("is no real day") == 25
    data = crewmem("doctor", "-p", tree, "--json").json["data"]
    assert sum(each["id"] == "files.days" for each in data) == 25


def test_a_finding_has_every_field_of_the_contract(crewmem, tree):
    """In JSON, where it is a listing."""
    ran = crewmem("doctor", "-p", tree, "--json", "--only", "index.fresh")
    assert set(ran.json) == {"schema", "data", "next", "warnings"}
    assert ran.json["data"] == [
        {
            "id": "index.fresh",
            "category": "index",
            "status": "warn",
            "observed": NO_INDEX,
            "expected": "an index that says what the files say",
            "repair": f"crewmem memory reindex --path {tree}",
            "fix": "bring it up to date",
            "where": str(tree),
            "fixed": False,
            "look": "",
        }
    ]


def test_a_home_that_cannot_be_written_is_told(crewmem, reachable, nobody):
    """By doctor, by its --fix, by status, and by what fails for it."""
    home = reachable / "home"
    call = partial(crewmem, "--home", home)
    assert call("init").status == 0
    for line in ("crew add bay", "agent add mira --crew bay"):
        assert call(*line.split()).status == 0
    for line in ("doctor --fix", "status", "remember words"):
        call(*line.split())  # what is used is imported by now
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    with nobody():
        told = call("doctor", "--only", "home.writable", "--json").json["data"][0]
        fixed, seen = call("doctor", "--fix"), call("status", "--json")
        failed = call("remember", "words", "--json")
    assert told["status"] == "warn"
    assert f"{home}, {home}/workspaces, " in told["observed"]
    assert "Nothing was repaired in the home: it cannot be written." in fixed.stderr
    problems = seen.json["data"]["problems"]
    assert "the home cannot be written: nothing is remembered" in problems
    assert seen.json["data"]["next"].endswith(" doctor --only home")
    assert failed.error["code"] == "not_writable"
    assert failed.error["hint"].endswith("doctor --only home")


def test_what_only_shows_more_is_no_repair(crewmem, tree):
    """A file over its cap is to be read and shortened: no command does that."""
    (tree / "AGENT.md").write_text("word\n" * 4_000)
    ran = crewmem("doctor", "-p", tree, "--only", "files.caps")
    assert "files.caps" in ran.stdout
    assert "20000 of 4000 bytes, 500%" in ran.stdout
    assert "      look: crewmem memory read " in ran.stdout
    assert "repair:" not in ran.stdout


@pytest.mark.usefixtures("harbor")
def test_jobs_that_are_late_are_one_warning(crewmem):
    """With one command for all of them, and without the path of the database."""
    assert crewmem("timers", "run", "--all-due").status == 0
    later = NOW + timedelta(days=9)
    found = crewmem("doctor", "--only", "jobs.due", "--json", now=later).json["data"]
    (told,) = [each for each in found if "overdue" in each["observed"]]
    assert told["repair"] == "crewmem timers run --all-due"
    assert told["where"] == ""
    for job in ("sweep", "housekeeping", "rollup", "consolidate", "nightly"):
        assert f"{job} (was due" in told["observed"]


def test_a_backup_is_put_back_with_what_belongs_to_it(crewmem, harbor):
    """The way it is spelled brings back what was dropped, and keeps what was there."""
    db = harbor / "crewmem.db"
    shutil.copy(db, harbor / "crewmem.db.before-0011")
    shutil.copy(db, harbor / "crewmem.db.before-0012")
    (harbor / "crewmem.db.before-0012-wal").write_bytes(b"of who was killed")
    shutil.copy(db, harbor / "crewmem.db.before-import-2026-05-01T093000")
    sql(db, "drop table memory_votes")
    (told,) = [
        each
        for each in crewmem("doctor", "--json").json["data"]
        if each["id"] == "database.tables"
    ]
    assert "crewmem.db.before-0012, or what is newer" in told["expected"]
    subprocess.run(told["repair"], shell=True, check=True)  # noqa: S602 - ours
    assert crewmem("doctor", "--only", "database.tables").status == 0
    assert (harbor / "crewmem.db.damaged").is_file()


def test_room_is_asked_for_by_how_much_there_is(harbor):
    """A small home needs little; a large one room for copies of it."""

    def told(free):
        world = World(environ={"CREWMEM_HOME": str(harbor)}, clock=lambda: NOW)
        found = scene(App(world, {}), None)
        (one,) = space.look(replace(found, host=replace(found.host, free_bytes=free)))
        return one.status

    assert (told(150_000_000), told(60_000_000), told(9_000_000)) == (
        *("pass", "warn", "fail"),
    )
    with (harbor / "vectors.sqlite").open("ab") as file:
        file.truncate(200_000_000)
    assert (told(500_000_000), told(300_000_000), told(150_000_000)) == (
        *("pass", "warn", "fail"),
    )


def test_stored_names_cannot_act_on_the_terminal(crewmem, tree):
    """They are spelled out."""
    (tree / "daily").mkdir()
    (tree / "daily" / "\x1b[2J.md").write_text("x")
    ran = crewmem("doctor", "-p", tree, tty=True)
    assert "\\x1b[2J" in ran.stdout
    assert "\x1b[2J" not in ran.stdout


def test_settings_that_cannot_be_read_stop_nothing(crewmem, harbor, tree):
    """They are one failure; the rest is checked with defaults."""
    (harbor / "config.toml").write_text("chunk_chars = 'many'\n")
    for words in ([], ["-p", tree]):
        ran = crewmem("doctor", *words)
        assert ran.status == 1
        assert "config.toml:1: chunk_chars should be a whole number" in ran.stdout
        assert "look: crewmem config path" in ran.stdout
        assert " 1 fail" in ran.stdout
    ran = crewmem("doctor", environ={"CREWMEM_SEARCH_LIMIT": "x"})
    assert "config.toml:1" in ran.stdout


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--dry-run"], 2, "--dry-run goes with --fix"),
        (["--only", "home.permission"], 4, "doctor has no check 'home.permission'"),
        (["-w", "none"], 4, "there is no workspace 'none'"),
        (["-w", "NONE"], 2, "workspace should be a slug"),
        (["-p", "/nowhere/at/all"], 4, "there is nothing at /nowhere/at/all"),
        (["--fix", "--as", "agent:mira"], 8, "only operators may"),
    ],
)
def test_what_cannot_be_asked_is_said(crewmem, harbor, words, status, says):
    """In the family that the manual page names."""
    ran = crewmem("doctor", *words)
    assert (ran.status, ran.stdout) == (status, "")
    assert says in ran.stderr
    assert harbor.is_dir()


@pytest.mark.parametrize("now", ["0001-01-01", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize(
    "words", ["doctor", "status", "memory search x", "memory list"]
)
def test_any_time_is_a_time(crewmem, harbor, now, words):
    """At both ends of the calendar nothing overflows, whatever the zone."""
    for zone in ("Asia/Tokyo", "America/New_York"):
        ran = crewmem(*words.split(), "--now", now, environ={"TZ": zone})
        assert ran.status in {0, 1}, ran.stderr
    assert harbor.is_dir()


def test_a_file_is_no_tree(crewmem, tree):
    """Nor is it made one."""
    ran = crewmem("doctor", "-p", tree / "AGENT.md")
    assert (ran.status, ran.stdout) == (4, "")


def test_an_agent_is_told_of_what_is_its_own(crewmem, harbor, tmp_path):
    """Not of other agents' files, nor of persons, nor of the registry."""
    for slug in ("mira", "pilot"):
        (agent_of(harbor, slug) / "daily" / "someday.md").write_text("x")
        (agent_of(harbor, slug) / "peers").mkdir()
        (agent_of(harbor, slug) / "peers" / "ab.md").write_text("x" * 2_000)
        (agent_of(harbor, slug) / "peers" / "cd.md").write_bytes(b"\xff")
    before = stamps(tmp_path)
    ran = crewmem("doctor", "--as", "agent:mira", "--json")
    assert stamps(tmp_path) == before
    problems = [each for each in ran.json["data"] if each["status"] in {"warn", "fail"}]
    assert [each["where"] for each in problems] == [
        str(agent_of(harbor) / "daily" / "someday.md")
    ]
    whole = crewmem("doctor", "--json").json["data"]
    wrong = [each for each in whole if each["status"] in {"warn", "fail"}]
    assert len(wrong) == 10, [(each["id"], each["observed"]) for each in wrong]


def test_an_agent_that_nobody_knows_is_refused(crewmem, harbor):
    """It is misspelled, and all being well would be no answer."""
    ran = crewmem("doctor", "--as", "agent:nobody")
    assert (ran.status, ran.stdout) == (4, "")
    assert harbor.is_dir()


def test_an_agent_of_a_registry_that_cannot_be_read_sees_its_own(crewmem, harbor):
    """And no crew's: nobody can tell which is its own."""
    (harbor / "crewmem.db").write_text("no database at all, just a text")
    ran = crewmem("doctor", "--as", "agent:mira", "-v")
    assert "2 files in 1 directories" not in ran.stdout
    assert "1 files in 2 directories" in ran.stdout  # its own, and the workspace's


def test_every_workspace_of_the_home_is_checked_unless_one_is_named(crewmem, harbor):
    """What is wrong in another one is not passed over."""
    crewmem("-w", "other", "crew", "add", "dock")
    where = harbor / "workspaces/other/crews/dock/shared/.memory/CREW.md"
    where.write_text("x" * 5_000)
    assert str(where) in crewmem("doctor").stdout
    assert crewmem("doctor", "-w", "default").status == 0
    assert crewmem("doctor", "-w", "other").status == 1


def test_a_container_is_checked_where_its_crew_is_mounted(crewmem, memory, tmp_path):
    """There is no home, and none is missed."""
    memory(CREW="x", at=tmp_path / "crew" / "shared")
    memory(AGENT="x" * 5_000, at=tmp_path / "crew" / "agents" / "mira")
    environ = {"CREWMEM_HOME": "", "XDG_DATA_HOME": str(tmp_path / "none")}
    ran = crewmem("doctor", environ=environ)
    assert ran.status == 1
    assert "agents/mira/.memory/AGENT.md: 5000 of 4000 bytes" in ran.stdout
    assert "home.present" not in ran.stdout


def test_an_index_that_is_kept_for_a_tree_that_goes_is_found(crewmem, harbor, tmp_path):
    """A search notes in its cache of which tree it is."""
    tree = tmp_path / "backup" / ".memory"
    tree.mkdir(parents=True)
    (tree / "AGENT.md").write_text("the key is in the vault")
    assert "vault" in crewmem("memory", "search", "-p", tree, "key").stdout
    assert crewmem("doctor", "--strict").status == 0
    shutil.rmtree(tree.parent)
    ran = crewmem("doctor", "--fix", "--strict")
    assert ran.status == 0
    assert f"an index of {tree}, which is gone" in ran.stdout
    assert list((harbor / "cache").iterdir()) == []


UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""Takes from root the right to read everything."""


def refused(*words):
    """Run the program as somebody whom permissions bind."""
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("needs setpriv")
    program = [sys.executable, "-m", "crewmem", *map(str, words)]
    return subprocess.run(
        [*(UNPRIVILEGED if os.geteuid() == 0 else ()), *program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])},
    )


@pytest.mark.parametrize(
    ("where", "finding"),
    [
        ("", "fail  files.listed  {home} cannot be read: permission denied"),
        (
            "workspaces/default/crews",
            "fail  files.listed  {home}/workspaces/default/crews cannot be read",
        ),
        ("crewmem.db", "fail  database.schema  {home}/crewmem.db cannot be read"),
        ("config.toml", "fail  config.settings  {home}/config.toml cannot be read"),
        (MIRA, f"fail  files.listed  {{home}}/{MIRA} cannot be read"),
        (f"{MIRA}/AGENT.md", f"fail  files.odd  {{home}}/{MIRA}/AGENT.md: it cannot"),
        (
            f"{MIRA}/index.sqlite",
            f"warn  index.usable  {{home}}/{MIRA}/index.sqlite cannot be read",
        ),
    ],
)
def test_what_may_not_be_read_is_told_and_the_rest_is_checked(
    crewmem, harbor, where, finding
):
    """Whatever it is; there is no traceback, and no check is left out."""
    crewmem("memory", "reindex")
    (harbor / "config.toml").touch()
    path = harbor / where
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        ran = refused("doctor", "--home", harbor)
    finally:
        path.chmod(mode)
    assert finding.format(home=harbor) in ran.stdout
    assert f"\n{ALL}: " in ran.stdout
    assert ran.returncode == finding.startswith("fail")
    assert ran.stderr == ""


READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || { echo none; exit 0; }
shift
exec "$@"
"""


def frozen(folder, *words, environ):
    """Run the program where *folder* is on a medium on which nobody can write."""
    namespace = ["unshare", "--mount"] + ["--map-root-user"] * bool(os.geteuid())
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    program = [sys.executable, "-m", "crewmem", *map(str, words)]
    ran = subprocess.run(
        [*namespace, "sh", "-c", READ_ONLY, "sh", folder, *program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
        | environ,
    )
    if ran.stdout == "none\n" or "unshare" in ran.stderr:
        pytest.skip("nothing can be mounted here")
    return ran


def test_on_a_medium_that_is_read_only_nothing_is_promised(memory, tmp_path):
    """A frozen tree is checked, nothing is offered, and nothing is touched."""
    tree = memory(AGENT="x" * 5_000, at=tmp_path / "frozen" / "agent")
    before = stamps(tmp_path)
    for words in (["doctor"], ["doctor", "--fix"], ["status"]):
        ran = frozen(
            tmp_path / "frozen", *words, "-p", tree, "--json", environ={"HOME": "/none"}
        )
        assert ran.stderr == ""
        assert '"fix": "bring' not in ran.stdout
        assert ran.returncode == (words != ["status"])
    assert stamps(tmp_path) == before


def test_a_home_that_is_read_only_is_checked_as_it_lies(harbor, tmp_path):
    """With what a writer left in the -wal, which is told."""
    path = harbor / "crewmem.db"
    import apsw

    db = apsw.Connection(str(path))
    db.execute("update crews set description = 'new'")
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", tmp_path / f"copy{end}")
    db.close()
    for end in ("", "-wal"):
        shutil.move(tmp_path / f"copy{end}", f"{path}{end}")
        Path(f"{path}{end}").chmod(0o600)
    before = stamps(harbor)
    ran = frozen(harbor, "doctor", environ={"CREWMEM_HOME": str(harbor)})
    assert stamps(harbor) == before
    assert "warn  database.leftovers" in ran.stdout
    assert "crewmem.db-wal holds" in ran.stdout
    assert ran.returncode == 0


def test_on_a_terminal_lines_are_broken_and_commands_are_not(crewmem, tree):
    """Who copies a command copies all of it."""
    (tree / "notes.txt").write_text("x")
    ran = crewmem("doctor", "-p", tree, tty=True, environ={"COLUMNS": "60"})
    lines = [re.sub("\x1b\\[[0-9;]*m", "", each) for each in ran.stdout.splitlines()]
    repairs = [line for line in lines if line.startswith("      repair: ")]
    assert f"      repair: mv {tree}/notes.txt {tree}/notes.md" in repairs
    assert all(len(each) <= 60 for each in lines if str(tree) not in each)
    assert "      or another place" in lines
