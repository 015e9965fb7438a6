"""``crewmem status`` on jobs, health, what waits, and a narrow terminal."""

import os
import re
from datetime import timedelta

import pytest
from conftest import NOW
from health import faults_runtime
from health.events import OLLAMA, happened, ran
from health.faults import FAULTS, sql
from homes import HARBOR, MIRA, copied

from crewmem import vectors
from crewmem.cli import status
from crewmem.cli.folding import LEAST, folded
from crewmem.cli.output import width
from crewmem.db import truth
from crewmem.files import quarantine
from crewmem.health import glance, remembered, room, upkeep
from crewmem.jobs.mark import Mark, spelled
from crewmem.memories import backlog_store, lifecycle, spaces
from crewmem.times import to_text

NOWHERE = {"CREWMEM_MODEL_DIR": "/nowhere"}

PLANTED = faults_runtime
"""Adds to the list of faults when it is imported."""

NAMED = {fault.plant.__name__: fault for fault in FAULTS}

STYLE = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def harbor(home):
    """A home with a crew, its lead and an agent."""
    return copied(home, *HARBOR)


def ended(home, job, ago, result="ok", reason="", failures=0):
    """Keep that *job* ended some time *ago*."""
    ran(home, job, to_text(NOW - ago), result, reason, failures)


def told(crewmem, *words, environ=None):
    """What is said in JSON."""
    around = NOWHERE | (environ or {})
    return crewmem("status", "--json", *words, environ=around).json["data"]


def test_the_last_run_of_each_job_is_shown_the_latest_first(crewmem, harbor):
    """When, and how it came out; of one that found nothing, when it looked."""
    ended(harbor, "nightly", timedelta(hours=6), "failed", "the disk is full", 1)
    ended(harbor, "sweep", timedelta(minutes=5))
    (harbor / "locks").mkdir(exist_ok=True)
    for name, seconds in (("job.sweep", 20), ("job.rollup", 90), ("sweep", 1)):
        mark = Mark(NOW - timedelta(seconds=seconds))
        (harbor / "locks" / name).write_bytes(spelled(mark))
    lines = crewmem("status", environ=NOWHERE).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("jobs"))
    assert [line[11:] for line in lines[at : at + 3]] == [
        "sweep     just now  nothing",
        "rollup   1 min ago  nothing",
        "nightly    6 h ago  failed: the disk is full",
    ]
    data = told(crewmem)
    assert [each["name"] for each in data["jobs"]] == ["sweep", "rollup", "nightly"]
    assert data["problems"] == ["the job nightly failed"]
    assert data["next"] == "crewmem timers run nightly"


def test_a_job_that_nobody_runs_is_a_problem(crewmem, harbor):
    """With the way to see what should run it."""
    ended(harbor, "sweep", timedelta(minutes=10))
    assert told(crewmem)["problems"] == []
    ended(harbor, "rollup", timedelta(days=3))
    data = told(crewmem)
    (problem,) = data["problems"]
    assert problem.startswith("overdue: ")
    assert "rollup" in problem
    assert data["next"] == "crewmem timers status"


def test_a_row_of_a_job_that_cannot_be_read_is_passed_over(crewmem, harbor):
    """The others are shown; doctor says what is wrong with it."""
    ended(harbor, "sweep", timedelta(minutes=1))
    ended(harbor, "nightly", timedelta(minutes=1))
    sql(harbor / "crewmem.db", "update jobs set last_end = 'x' where name = 'nightly'")
    assert [each["name"] for each in told(crewmem)["jobs"]] == ["sweep"]
    assert crewmem("doctor", "--only", "jobs", environ=NOWHERE).status == 1


@pytest.mark.parametrize(
    ("score", "says"),
    [
        (82.4, "82 of 100, green (2026-05-01)"),
        (75.0, "75 of 100, green (2026-05-01)"),
        (74.9, "74 of 100, yellow (2026-05-01)"),
        (49.9, "49 of 100, red (2026-05-01)"),
        (None, "n/a: nothing to judge by (2026-05-01)"),
    ],
)
def test_health_is_shown_as_it_was_last_measured(crewmem, harbor, score, says):
    """With its band and the day; a red one is a problem."""
    value = "null" if score is None else score
    sql(
        harbor / "crewmem.db",
        f"""
        insert into memory_health_snapshots
               (workspace_id, crew_id, snapshot_date, freshness, score)
        values ('default', '', '2026-05-01', {value}, {value})
        """,  # noqa: S608 - of ours
    )
    ran = crewmem("status", environ=NOWHERE)
    assert f"health     {says}\n" in ran.stdout
    data = told(crewmem)
    assert (data["health"], data["measured_on"]) == (score, "2026-05-01")
    assert bool(data["problems"]) == (data["band"] == "red")


def test_what_waits_for_a_person_is_shown_and_is_no_problem(crewmem, harbor):
    """Proposals, memories in quarantine, texts that were refused."""
    for name in (
        "text_that_was_refused",
        "proposal_that_nobody_decides",
        "memory_in_quarantine",
    ):
        NAMED[name].plant(harbor)
    ran = crewmem("status", environ=NOWHERE)
    waits = "waiting    1 proposal, 1 memory quarantined, 1 text refused\n"
    assert waits in ran.stdout
    data = told(crewmem)
    assert (data["problems"], data["refused"]) == ([], 1)
    assert data["next"] == "crewmem memory quarantine list"
    assert told(crewmem, "--as", "agent:mira")["refused"] == 0


@pytest.mark.usefixtures("harbor")
def test_who_is_switched_off_is_told(crewmem):
    """To operators all of them, to an agent that it is."""
    for slug in ("mira", "pilot"):
        crewmem("agent", "set", slug, "--memory", "off")
    ran = crewmem("status", environ=NOWHERE)
    assert (
        "workspace  default: 1 crew, 2 agents; memory off: mira, pilot\n" in ran.stdout
    )
    assert told(crewmem)["off"] == ["mira", "pilot"]
    assert told(crewmem, "--as", "agent:mira")["off"] == ["mira"]


@pytest.mark.usefixtures("harbor")
def test_memories_wait_for_vectors_as_episodes_do(crewmem, home):
    """What is remembered is counted until a sweep has come by."""
    assert told(crewmem, environ=OLLAMA)["memories_waiting"] == 0
    crewmem("remember", "The pier is closed", "--as", "agent:mira", environ=NOWHERE)
    assert told(crewmem, environ=OLLAMA)["memories_waiting"] == 1
    ran = crewmem("status", environ=OLLAMA)
    assert "backlog    1 memory to embed\n" in ran.stdout
    assert "next       crewmem episodes sweep  # embed what waits\n" in ran.stdout
    happened(home, "the crane broke")
    ran = crewmem("status", environ=OLLAMA)
    assert "backlog    1 episode and 1 memory to embed\n" in ran.stdout
    crewmem("agent", "set", "mira", "--memory", "off")
    assert told(crewmem, environ=OLLAMA)["memories_waiting"] == 0


def test_what_is_embedded_at_once_waits_for_nothing(crewmem, home):
    """A change is looked at all the same; without episodes words alone are no news."""
    pytest.importorskip("tokenizers")
    copied(home, *HARBOR)
    if not crewmem("embedder", "status", "--json").json["data"]["name"]:
        pytest.skip("nothing embeds in process here")
    crewmem("remember", "The pier is closed", "--as", "agent:mira")
    assert crewmem("status", "--json").json["data"]["memories_waiting"] == 0
    ran = crewmem("recall", "is the pier closed", "--as", "agent:mira")
    assert ("The pier is closed" in ran.stdout, ran.stderr) == (True, "")
    for text in ("The mast is high", "The mast is low"):
        words = ("remember", text, "--topic-key", "mast", "--as", "agent:mira")
        later = NOW + timedelta(minutes=len(text))
        assert crewmem(*words, environ=NOWHERE, now=later).status == 0
    later = NOW + timedelta(hours=1)
    data = crewmem("status", "--json", now=later).json["data"]
    assert data["memories_waiting"] == 1
    assert crewmem("episodes", "sweep", now=later).status == 0
    data = crewmem("status", "--json", now=later).json["data"]
    assert data["memories_waiting"] == 0
    (found,) = crewmem(
        "doctor", "--only", "memories.vectors", "--json", now=later
    ).json["data"]
    assert found["status"] == "pass"
    happened(home, "the crane broke")
    ran = crewmem("recall", "crane", "--as", "operator:ada", now=later)
    assert "no episode is embedded yet: crewmem episodes sweep" in ran.stderr


def test_timers_are_offered_once_something_happened(crewmem, harbor):
    """Not while a home is tried out, not to agents, not where jobs are run."""
    assert told(crewmem)["next"] == "crewmem memory search WORDS"
    happened(harbor, "the crane broke", agent_id="mira", crew_id="harbor")
    assert told(crewmem)["next"] == "crewmem timers install"
    agents = told(crewmem, "--as", "agent:mira")
    assert (agents["next"], agents["jobs"]) == ("crewmem memory search WORDS", [])
    ended(harbor, "sweep", timedelta(minutes=1))
    assert told(crewmem)["next"] == "crewmem memory search WORDS"


def test_the_sample_is_one_screen(crewmem):
    """Of 24 lines and 80 columns, whatever there is to say."""
    assert crewmem("init", "--sample").status == 0
    crewmem("memory", "reindex")
    ran = crewmem("status", environ={"COLUMNS": "80"} | OLLAMA, tty=True)
    lines = [STYLE.sub("", line) for line in ran.stdout.splitlines()]
    assert len(lines) <= 24 - 7  # and a line for each job
    assert max(map(len, lines[1:])) <= 80


def test_a_narrow_terminal_breaks_lines_between_words(crewmem, harbor):
    """What goes on stands below where it began; a path stays whole."""
    ran = crewmem("status", environ={"COLUMNS": "50"} | NOWHERE, tty=True)
    lines = [STYLE.sub("", line) for line in ran.stdout.splitlines()]
    assert all(len(line) <= 50 for line in lines if str(harbor) not in line)
    assert " " * 11 + "at <1% of its cap" in lines
    assert str(harbor) in ran.stdout
    assert "\n " not in crewmem("status", environ={"COLUMNS": "50"} | NOWHERE).stdout


@pytest.mark.parametrize("most", [LEAST, 57, 80])
def test_nothing_is_lost_in_folding(most):
    """Neither words nor styles, and no line is longer than it has to be."""
    line = [
        ("dim", "label      "),
        "some words ",
        ("bold", "and more of them"),
        " end" * 40,
    ]
    broken = [*folded([line], most, 11)]
    texts = [
        "".join(p if isinstance(p, str) else p[1] for p in each) for each in broken
    ]
    assert all(width(text.rstrip()) <= most for text in texts)
    whole = "label some words and more of them" + " end" * 40
    assert " ".join(" ".join(texts).split()) == whole
    every = [piece for each in broken for piece in each]
    bold = [piece[1] for piece in every if piece[:1] == ("bold",)]
    assert " ".join(" ".join(bold).split()) == "and more of them"


def test_what_is_written_down_twice_is_the_same():
    """For the sake of the start status does without the modules that own it."""
    assert glance.QUARANTINE == quarantine.FOLDER
    assert status.DATABASE == truth.NAME
    assert (remembered.MEMORIES, remembered.CHANGES) == (
        spaces.MEMORIES,
        spaces.CHANGES,
    )
    live = ", ".join(f"'{each}'" for each in lifecycle.LIVE)
    assert f"status in ({live})" == backlog_store.LIVE
    assert [upkeep.band(each) for each in (0, 49.9, 50, 74.9, 75, 100)] == [
        *("red", "red", "yellow", "yellow", "green", "green")
    ]


def test_a_database_of_another_version_tells_no_jobs(crewmem, harbor):
    """It is brought up to date by what writes; until then less is known."""
    sql(harbor / "crewmem.db", "pragma user_version = 8")
    data = told(crewmem)
    assert (data["jobs"], data["health"], data["off"]) == ([], None, [])
    assert (harbor / MIRA).is_dir()


def test_what_an_older_crewmem_kept_is_counted(crewmem, harbor):
    """After an upgrade the journal has not become empty: nobody has to write first."""
    happened(harbor, "the crane broke", agent_id="mira")
    before = told(crewmem)
    assert before["entries"] == 1
    sql(harbor / "crewmem.db", f"pragma user_version = {remembered.COUNTED}")
    assert told(crewmem) == before


def test_what_cannot_be_counted_is_said(crewmem, harbor):
    """A database of long ago is not told to be empty; doctor brings it up to date."""
    happened(harbor, "the crane broke", agent_id="mira")
    sql(harbor / "crewmem.db", f"pragma user_version = {remembered.COUNTED - 1}")
    found = told(crewmem)
    assert found["entries"] is found["memories"] is None
    assert "an older crewmem's: what is in it is not counted" in found["problems"][0]
    assert "doctor" in found["next"]
    ran = crewmem("status")
    assert "journal    not counted" in ran.stdout


@pytest.mark.parametrize("free", [1_000_000, 60_000_000])
def test_a_full_disk_is_a_problem(crewmem, home, monkeypatch, free):
    """Where doctor fails it status names it first, and what looks closer."""
    copied(home, *HARBOR)
    statvfs = os.statvfs

    def almost_full(path):
        told = [*statvfs(path)]
        told[1], told[4] = 1_000, free // 1_000
        return os.statvfs_result(told)

    monkeypatch.setattr(os, "statvfs", almost_full)
    is_full = crewmem("doctor", "--only", "home.space").status == 1
    data = crewmem("status", "--json").json["data"]
    problem = "1 MB are free where the home is"
    assert (is_full, problem in data["problems"][:1]) == ((free < 20_000_000,) * 2)
    if is_full:
        assert data["next"] == "crewmem doctor --only home.space"


def test_the_databases_are_called_as_they_are():
    """What counts the room that they take knows them all."""
    assert (truth.NAME, f"{truth.NAME}-wal", vectors.FILE) == room.DATABASES
