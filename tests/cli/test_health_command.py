"""``crewmem memory health``: what is shown, kept, and told to whom."""

import io
import json
import shutil
from contextlib import closing
from datetime import timedelta

import apsw
import click
import pytest
from conftest import NOW, Stream
from health import healthy
from health.events import OLLAMA, happened
from homes import HARBOR, copied, stamps

from crewmem.cli.app import App, World
from crewmem.cli.measuring import measure_all
from crewmem.cli.root import run
from crewmem.db.migrate import steps
from crewmem.health.snapshot_store import Snapshot, keep

WORDS = {"CREWMEM_EMBEDDER": "none"}


@pytest.fixture(name="health")
def _health(home, crewmem):
    """``health("--measure")``: run it on a home that is healthy."""
    healthy.healthy(home)

    def run(*words, environ=OLLAMA, **how):
        return crewmem("memory", "health", *words, environ=environ, **how)

    return run


def rows(home, sql="select * from memory_health_snapshots"):
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        return db.execute(sql).fetchall()


def files(home):
    """Return what is in the files of *home*, and when each was written."""
    return {path: each for path, each in stamps(home).items() if each[3] is not None}


def told(home):
    sql = """
        select coalesce(crew_id, ''), summary, actor_type, payload from journal_entries
         where entry_type = 'memory.health_measured' order by seq
    """
    return rows(home, sql)


# What is kept


def test_what_is_measured_is_not_kept_unless_asked(health, home):
    """The first look measures, says so, and writes nothing."""
    health()  # the databases are opened once, and tidied up
    before = files(home)
    ran = health()
    assert ran.status == 0
    assert "Nothing was kept so far" in ran.stderr
    assert "with --measure it is" in health("--explain").stderr
    assert files(home) == before
    assert rows(home) == []


def test_one_snapshot_is_kept_a_day(health, home):
    """Measured again on its day it takes the place of the first."""
    first = health("--measure", "--json").json["data"]
    assert (first["kept"], first["date"]) == (True, "2026-05-01")
    healthy.change(home, "delete from memory_relations")
    second = health("--measure", "--json").json["data"]
    assert second["score"] < first["score"]
    assert [row[-1] for row in rows(home)] == [second["score"]]
    health("--measure", now=NOW + timedelta(days=1))
    assert [row[2] for row in rows(home)] == ["2026-05-01", "2026-05-02"]


def test_the_day_of_a_snapshot_is_that_of_utc(health, home):
    """Whatever the zone of the system, or of the clock, is."""
    late = NOW.replace(hour=23, minute=30)
    health("--measure", now=late, environ={**OLLAMA, "TZ": "Asia/Tokyo"})
    health("--measure", "--now", "2026-05-03T01:00:00+05:00")
    assert [row[2] for row in rows(home)] == ["2026-05-01", "2026-05-02"]


def test_measuring_twice_writes_once(health, home):
    """What stands there already is left, and the journal is told once."""
    health("--measure")
    before = (home / "crewmem.db").read_bytes()
    for _ in range(2):
        health("--measure")
    assert (home / "crewmem.db").read_bytes() == before
    [(crew, summary, actor, payload)] = told(home)
    assert (crew, actor) == ("", "user")
    assert summary.startswith("The health of the memory of workspace default is 9")
    said = json.loads(payload)
    [row] = rows(home)
    assert said["score"] == row[-1]
    assert said["freshness"] == 100


def test_the_journal_is_told_when_it_moves(health, home):
    """Within a day a score that moves by less than a point is no news."""
    health("--measure")
    healthy.change(home, "update episodes set indexed_ms = indexed_ms - 3600000")
    health("--measure")
    assert len(told(home)) == 1
    healthy.change(home, "delete from memory_relations")
    health("--measure")
    assert len(told(home)) == 2


def test_the_newest_snapshot_is_shown(health, home):
    """Without a question it is what is shown, whatever has changed since."""
    kept = health("--measure", "--json").json["data"]
    healthy.change(home, "delete from memory_relations")
    shown = health("--json").json["data"]
    assert shown["score"] == kept["score"]
    assert [each["score"] for each in shown["metrics"]] == [
        each["score"] for each in kept["metrics"]
    ]
    assert [each["share"] for each in shown["metrics"]] == [
        each["share"] for each in kept["metrics"]
    ]
    assert health("--explain", "--json").json["data"]["score"] < kept["score"]


def test_a_snapshot_of_a_day_to_come_is_not_shown(health):
    """A clock that was wrong for once does not hide what comes after."""
    health("--measure", now=NOW + timedelta(days=3000))
    assert "Nothing was kept so far" in health().stderr
    kept = health("--measure", "--json").json["data"]
    assert health("--json").json["data"]["date"] == kept["date"] == "2026-05-01"


def test_a_snapshot_of_a_time_that_is_over_is_told(health):
    """One is kept every night: what is older may no longer be so."""
    health("--measure")
    assert health("--json", now=NOW + timedelta(days=1)).json["warnings"] == []
    ran = health("--json", now=NOW + timedelta(days=40))
    assert "of 2026-05-01, 40 days ago" in ran.json["warnings"][0]


def test_crews_and_workspaces_are_kept_apart(health, home):
    """A crew has a snapshot of its own, and so has every workspace."""
    health("--measure", "--crew", "harbor")
    assert "Nothing was kept so far" in health().stderr
    health("--measure")
    assert sorted(row[:2] for row in rows(home)) == [
        ("default", ""),
        ("default", "harbor"),
    ]


# What scripts ask


@pytest.mark.parametrize(("least", "status"), [("0", 0), ("75", 0), ("99.9", 1)])
def test_below_what_was_asked_the_status_is_1(health, least, status):
    """A score of as much is enough; the answer is printed all the same."""
    ran = health("--min", least, "--json")
    assert ran.status == status
    assert ran.json["data"]["score"] > 90


def test_no_score_is_below_whatever_was_asked(crewmem):
    """A gate that cannot be judged was not passed."""
    crewmem("init")
    ran = crewmem("memory", "health", "--min", "0", environ=WORDS)
    assert "n/a, there is nothing to judge by" in ran.stdout
    assert ran.status == 1
    assert "There is no score" in ran.stderr
    assert crewmem("memory", "health", environ=WORDS).status == 0


@pytest.mark.parametrize("typed", ["-1", "101", "nan", "inf", "x"])
def test_what_is_no_score_cannot_be_asked_for(health, typed):
    """That is a mistake of the command line."""
    assert health("--min", typed).status == 2


@pytest.mark.parametrize("typed", ["30", "soon", ""])
def test_what_is_no_time_cannot_be_asked_for(health, typed):
    """That is a mistake of the command line, too."""
    assert health("--history", typed).status == 2


# Explained


def test_every_input_is_told(health):
    """Numbers, and in words what they are of; n/a with its reason."""
    data = health("--explain", "--json").json["data"]
    metrics = {each["name"]: each for each in data["metrics"]}
    assert all(each["inputs"] for each in metrics.values())
    inputs = {
        one["name"]: one["value"] for e in metrics.values() for one in e["inputs"]
    }
    assert inputs["episodes"] == inputs["connected"] == inputs["vectors"] == 40
    assert inputs["hits"] == inputs["relevant_hits"] == 40
    data = health("--explain", "--json", environ=WORDS).json["data"]
    metrics = {each["name"]: each for each in data["metrics"]}
    assert metrics["coherence"]["score"] is None
    assert metrics["reachability"]["why"].startswith("relations are found with vectors")
    text = health("--explain", environ=WORDS).stdout
    assert "n/a" in text


def test_what_was_advised_brings_what_was_said(health, home, crewmem):
    """Who does what is told first has the score that was told."""
    healthy.write(home, 25)
    first = health("--explain", "--json", environ=WORDS).json["data"]
    action = next(each for each in first["actions"] if "reindex" in each["command"])
    assert action["points"] == pytest.approx(action["score"] - first["score"], abs=0.01)
    assert crewmem(*action["command"].split()[1:], environ=WORDS).status == 0
    after = health("--explain", "--json", environ=WORDS).json["data"]
    assert after["score"] == pytest.approx(action["score"], abs=1)
    assert not any("reindex" in each["command"] for each in after["actions"])


def test_commands_are_of_the_home_that_is_meant(health, home):
    """Who names a home and a workspace can type what is told as it is."""
    healthy.write(home, 25)
    words = ("--home", str(home), "-w", "default", "--crew", "harbor")
    actions = health("--explain", *words, environ=WORDS).stdout
    assert f"crewmem --home {home} -w default memory reindex" in actions


# Days


def kept(home, *scores):
    """Keep as many snapshots, the last of today."""
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db, db:
        for at, score in enumerate(reversed(scores)):
            if score is not None:
                row = (score, score, score, None, None, score)
                keep(db, Snapshot("default", "", healthy.day(at), *row))


def test_days_are_drawn(health, home):
    """A line for the score and each metric; a day without a snapshot is a gap."""
    kept(home, 10.0, 30.0, None, 60.0, 100.0)
    lines = health("--history", "30d", tty=True).stdout.splitlines()
    plain = [line.split() for line in lines]
    assert plain[1][0] == "score"
    assert "".join(each for each in lines[1] if each in "▁▂▃▄▅▆▇█·") == "▁▃·▅█"
    assert plain[1][-3:] == ["10", "→", "100"]
    assert "·····" in lines[5]
    assert f"{healthy.day(4)} to {healthy.day()}" in lines[-1]


def test_days_are_drawn_without_colour_and_in_little_room(health, home):
    """Heights tell what colours do, and many days are drawn in few columns."""
    kept(home, *(float(each % 100) for each in range(200)))
    for columns in (30, 40, 80, 200):
        environ = {**OLLAMA, "COLUMNS": str(columns), "NO_COLOR": "1"}
        text = health("--history", "52w", tty=True, environ=environ).stdout
        assert "\x1b" not in text
        assert max(map(len, text.splitlines()[1:-1])) <= columns


def test_what_cannot_be_printed_is_not_drawn_with(home):
    """Where there is nothing but ASCII, that draws."""
    healthy.healthy(home)
    kept(home, 10.0, 30.0, None, 100.0)
    raw = io.BytesIO()
    world = World(
        environ={**OLLAMA, "CREWMEM_HOME": str(home), "LOGNAME": "ada"},
        clock=lambda: NOW,
        stdout=io.TextIOWrapper(raw, encoding="ascii", write_through=True),
        stderr=Stream(),
    )
    assert run(["memory", "health"], world) == 0
    lines = raw.getvalue().decode().splitlines()
    assert lines[1].split()[:3] == ["freshness", "100", "#" * 20]


def test_in_a_pipe_and_as_json_days_are_rows(health, home):
    """A program reads the numbers."""
    kept(home, 10.0, None, 30.0)
    lines = health("--history", "30d").stdout.splitlines()
    assert lines[1].split()[:2] == ["DATE", "SCORE"]
    assert [line.split()[:2] for line in lines[2:]] == [
        [healthy.day(2), "10.0"],
        [healthy.day(), "30.0"],
    ]
    found = health("--history", "2d", "--json").json["data"]["history"]
    assert [each["score"] for each in found] == [10.0, 30.0]
    assert health("--history", "1d", "--json").json["data"]["history"][0] == {
        "workspace_id": "default",
        "crew_id": "",
        "snapshot_date": healthy.day(),
        "freshness": 30.0,
        "coverage": 30.0,
        "coherence": 30.0,
        "efficiency": None,
        "reachability": None,
        "score": 30.0,
    }


def test_a_history_of_nothing_says_so(health):
    """There may be none yet."""
    ran = health("--history", "30d")
    assert ran.status == 0
    assert "nothing was kept in that time" in ran.stdout
    assert health("--history", "30d", "--json").json["data"]["history"] == []


# Who may see what


def test_agents_see_their_crews(health, crewmem):
    """By default the crew that is their home; the workspace is for operators."""
    crewmem("crew", "add", "quay")
    found = health("--as", "agent:mira", "--json")
    assert found.json["data"]["crew"] == "harbor"
    assert health("--as", "agent:mira", "--crew", "harbor").status == 0
    refused = health("--as", "agent:mira", "--crew", "quay")
    assert (refused.status, refused.stdout) == (8, "")
    assert "agents and leads see the health of their own crews" in refused.stderr
    assert health("--as", "agent:stranger").status == 4


def test_its_lead_keeps_the_snapshot_of_a_crew(health, home):
    """An agent does not; what it sees is measured for it, and forgotten."""
    refused = health("--as", "agent:mira", "--measure")
    assert (refused.status, refused.stdout) == (8, "")
    assert health("--as", "agent:pilot", "--measure").status == 8
    assert rows(home) == []
    assert health("--as", "lead:pilot", "--measure").status == 0
    assert [row[1] for row in rows(home)] == ["harbor"]
    assert told(home)[0][2] == "agent"


def test_what_is_not_there_is_not_measured(health, home):
    """Of a workspace or a crew that nobody knows nothing is told, or kept."""
    assert health("--crew", "nowhere", "--measure").status == 4
    assert health("-w", "nowhere", "--measure").status == 4
    assert health("--crew", "No Name").status == 2
    assert rows(home) == []
    assert not (home / "workspaces" / "nowhere").exists()


def test_without_a_home_there_is_nothing_to_measure(crewmem, home):
    """It says how to make one, and makes none."""
    ran = crewmem("memory", "health", "--measure")
    assert (ran.status, ran.stdout) == (4, "")
    assert not home.exists()


# Homes that are older, or only to be read


def test_a_home_that_cannot_be_written_is_measured(health, home, reachable, nobody):
    """Nothing is left in it; to keep what was measured is refused."""
    there = shutil.copytree(home, reachable / "home")
    for each in [there, *there.rglob("*")]:
        each.chmod(0o555 if each.is_dir() else 0o444)
    environ = {**OLLAMA, "CREWMEM_HOME": str(there)}
    health("--explain", environ=environ)  # imports what is needed
    before = stamps(there)
    with nobody():
        ran = health("--explain", "--json", environ=environ)
        refused = health("--measure", environ=environ)
    assert ran.status == 0, ran.stderr
    assert ran.json["data"]["score"] > 90
    assert (refused.status, refused.stdout) == (8, "")
    assert "Traceback" not in refused.stderr
    assert stamps(there) == before
    for each in [there, *there.rglob("*")]:
        each.chmod(0o755 if each.is_dir() else 0o644)


def test_a_home_of_an_older_schema_is_measured(crewmem, home):
    """Reading brings it up to date, or a copy of it, and snapshots begin there."""
    home.mkdir()
    (home / "workspaces" / "default").mkdir(parents=True)
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        for _, sql in steps("crewmem")[:8]:
            db.execute(sql)
        db.execute(f"pragma application_id = {0x43524D54}")
        db.execute("pragma user_version = 8")
    ran = crewmem("memory", "health", "--json", environ=WORDS)
    assert ran.status == 0, ran.stderr
    assert ran.json["data"]["score"] is None
    assert crewmem("memory", "health", "--measure", environ=WORDS).status == 0
    assert [row[-1] for row in rows(home)] == [None]
    assert told(home) == []


# For jobs


@pytest.fixture(name="app")
def _app(home):
    """What jobs are handed, with another workspace beside that of the healthy home."""
    healthy.healthy(home)
    environ = {**OLLAMA, "CREWMEM_HOME": str(home), "LOGNAME": "ada"}
    world = World(environ=environ, clock=lambda: NOW, stdout=Stream(), stderr=Stream())
    with click.Context(click.Command("job")):
        yield App(world, {})


def test_every_crew_and_workspace_is_measured(app, home, crewmem):
    """A job keeps the snapshots of all that there are, and says what it kept."""
    crewmem("crew", "add", "quay")
    crewmem("workspace", "add", "annex")
    happened(home, *"abcdef", workspace="annex", crew_id="pier")
    done = measure_all(app, NOW)
    assert [(each.workspace, each.crew, each.kept) for each in done] == [
        ("annex", "pier", True),
        ("annex", None, True),
        ("default", "harbor", True),
        ("default", "quay", True),
        ("default", None, True),
    ]
    assert [row[:2] for row in rows(home)] == [
        (each.workspace, each.crew or "")
        for each in sorted(done, key=lambda each: (each.workspace, each.crew or ""))
    ]
    assert {row[2] for row in told(home)} == {"system"}
    before = rows(home, "select count(*) from journal_entries")
    measure_all(app, NOW)
    assert rows(home, "select count(*) from journal_entries") == before


def test_the_crews_of_a_run_are_measured(app):
    """Consolidation measures its crews, and their workspace."""
    done = measure_all(app, NOW, crews=["harbor"])
    assert [(each.workspace, each.crew) for each in done] == [
        ("default", "harbor"),
        ("default", None),
    ]


def test_what_cannot_be_measured_is_told_and_the_rest_is_done(app, home, crewmem):
    """A crew whose index is damaged has no snapshot, nor has its workspace."""
    crewmem("crew", "add", "quay")
    crewmem("memory", "reindex")
    (index,) = home.glob("**/mira/.memory/index.sqlite")
    index.unlink()
    index.mkdir()  # a sweep puts right what is damaged, but not this
    done = measure_all(app, NOW)
    assert [each.crew for each in done] == ["quay"]
    told = [each for each in app.out.warnings if each.startswith("health was not")]
    assert len(told) == 1  # of both the same
    assert all("mira/.memory/index.sqlite" in each for each in told)


def test_an_empty_home_is_measured_in_vain(home, crewmem):
    """Where there is nothing there are no snapshots of anything but nothing."""
    copied(home, *HARBOR)
    ran = crewmem("memory", "health", "--measure", "--crew", "harbor", environ=WORDS)
    assert ran.status == 0
    assert len(rows(home)) == 1


# Trees


def test_a_tree_is_judged_by_what_is_in_it(crewmem, memory, tmp_path):
    """Without a home, a database or an embedder there is coverage."""
    tree = memory({"daily/2026-04-30.md": "It rained."}, AGENT="# Mira\n\nThe key.\n")
    words = ("memory", "health", "--path", tree, "--explain")
    before = stamps(tmp_path)
    ran = crewmem(*words)
    assert ran.stdout.startswith("this tree, 2026-05-01: 0 red, by 1 of 5 metrics\n")
    assert f"crewmem memory reindex --path {tree}" in ran.stdout
    data = crewmem(*words, "--json").json["data"]
    assert (data["workspace"], data["crew"], data["score"]) == (None, None, 0)
    assert stamps(tmp_path) == before
    crewmem("memory", "reindex", "--path", tree)
    assert crewmem(*words, "--json").json["data"]["score"] == 100
    assert crewmem(*words, "--measure").status == 2
    assert crewmem("memory", "health", "-p", tree, "--history", "7d").status == 2
    assert crewmem("memory", "health", "-p", tmp_path / "nowhere").status == 4


@pytest.mark.parametrize("content", [b"no database" * 500, b""])
def test_another_programs_index_covers_nothing(crewmem, memory, content):
    """In a tree it is warned of, and the tree is judged all the same."""
    tree = memory(AGENT="# Mira\n\nThe key.\n")
    (tree / "index.sqlite").write_bytes(content)
    ran = crewmem("memory", "health", "--path", tree, "--json")
    assert (ran.status, ran.json["data"]["score"]) == (0, 0)
    assert [f"{tree}/index.sqlite" in each for each in ran.json["warnings"]] == [True]


def test_the_crew_of_a_container_is_found(crewmem, memory, tmp_path):
    """Where there is no home, memory is looked for where the others look."""
    memory({"CREW.md": "# Harbor\n\nThe key."}, at=tmp_path / "crew" / "shared")
    ran = crewmem("memory", "health", environ={"CREWMEM_HOME": ""})
    assert ran.status == 0, ran.stderr
    assert ran.stdout.startswith("this tree")
    assert ran.stderr == ""
    words = ("memory", "health", "--crew", "harbor")
    assert crewmem(*words, environ={"CREWMEM_HOME": ""}).stdout == ran.stdout


def test_days_and_what_would_help_are_told_together(health):
    """Who asks for both gets both: the days that were kept, and what is now."""
    health("--measure")
    said = health("--history", "30d", "--explain").stdout
    assert "2026-05-01 to 2026-05-01" in said or "2026-05-01  " in said
    assert "episodes are embedded" in said
    assert "would raise it" in said
    assert "episodes are embedded" not in health("--history", "30d").stdout


def test_no_command_is_advised_that_would_change_nothing(health, home):
    """An old store without relations is what it is: nobody is to make things up."""
    healthy.change(home, "delete from memory_relations")
    healthy.change(home, "update episodes set indexed_ms = indexed_ms - 8640000000")
    ran = health("--explain")
    assert "journal add" not in ran.stdout
    assert " ID" not in ran.stdout
    for each in health("--explain", "--json").json["data"]["actions"]:
        assert each["command"].split()[1] in {"episodes", "memory", "doctor"}


def test_a_memory_that_repeats_another_is_named(health, home, crewmem):
    """Who is told what to supersede may do it; then it is told no more."""
    words = ("remember", "--as", "agent:mira", "--json")
    texts = ("The key is in the safe", "The deploy key lies in the safe of the quay")
    first, second = (
        crewmem(*words, each).json["data"]["memory"]["id"] for each in texts
    )
    healthy.embed_memories(home, [first, second])
    for _ in range(3):
        healthy.recall(home, [first, second], [0.9, 0.8])

    def told():
        found = health("--explain", "--json").json["data"]["actions"]
        return [each for each in found if "supersede" in each["command"]]

    [action] = told()
    wanted = f"memories supersede {second} --by {first}"
    assert action["command"].endswith(wanted)
    assert action["metrics"] == ["efficiency"]
    assert "3 answers had both" in action["why"]
    assert "efficiency moves" not in health("--explain").stdout.lower()
    crewmem("crew", "set", "harbor", "--lead", "mira")
    for actor in ("agent:mira", "lead:mira"):
        asked = health("--explain", "--as", actor)
        assert asked.status == 0, asked.stderr
        assert second not in asked.stdout
    ran = crewmem(*action["command"].split()[1:])
    assert ran.status == 0, ran.stderr
    assert told() == []


def test_what_no_command_raises_is_named(health, home):
    """Of what is low and only moves with what people do, that is said."""
    seqs = [seq for (seq,) in rows(home, "select seq from episodes")]
    healthy.embed(home, {seq: healthy.lone(seq) for seq in seqs})
    healthy.change(home, "update episodes set indexed_ms = indexed_ms - 8640000000")
    told = health("--explain").stdout
    line = "Freshness and coherence move with what is written: no command does that."
    assert line in told.splitlines()
    assert "no command does that" not in health("--measure").stdout


def test_status_and_health_tell_one_number(health, crewmem, home):
    """Scores are cut, wherever they are told: 35.99 is 35."""
    health("--measure")
    healthy.change(home, "update memory_health_snapshots set score = 35.99")
    told = health().stdout.splitlines()[0]
    assert ": 35 red" in told
    said = crewmem("status", environ=OLLAMA).stdout
    assert "35 of 100, red" in said
    assert "36" not in said.partition("health")[2].partition("\n")[0]
