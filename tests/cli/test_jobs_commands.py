"""Jobs: run alone, late, twice, at once, in parts, and killed."""

import fcntl
import io
import json
import os
import shutil
import signal
import sys
import tarfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from conftest import NOW

from crewmem.cli.app import World
from crewmem.cli.jobs import parts
from crewmem.cli.jobs.parts import Part, in_parts
from crewmem.cli.jobs.work import WORK
from crewmem.cli.root import run
from crewmem.db import truth
from crewmem.db.connect import Mode, connect, fetch
from crewmem.errors.database import DatabaseBusyError
from crewmem.jobs.job import NAMES
from crewmem.memories import audit_store

WORDS = {"CREWMEM_EMBEDDER": "none"}


@pytest.fixture(name="jobs")
def _jobs(crewmem):
    """``jobs("run", "sweep")``: a verb of timers, in a home with a crew of two."""
    for line in ("init", "crew add harbor", "agent add mira --crew harbor"):
        assert crewmem(*line.split()).status == 0
    assert crewmem("agent", "add", "tor", "--crew", "harbor").status == 0

    def call(*words, **how):
        environ = WORDS | how.pop("environ", {})
        return crewmem("timers", *words, environ=environ, **how)

    return call


def rows(home, sql="select * from jobs order by name"):
    with closing(connect(home / "crewmem.db", Mode.READ)) as db:
        return fetch(db, sql)


def entries(home):
    sql = "select workspace_id, severity, actor_type, actor_id, summary, payload"
    found = rows(home, f"{sql} from journal_entries where entry_type = 'job.completed'")
    return [(*each[:5], json.loads(each[5])) for each in found]


def seen(home):
    """Return every byte in the home, and when it was last changed."""
    return {
        path: (path.stat().st_mtime_ns, path.is_file() and path.read_bytes())
        for path in home.rglob("*")
    }


def noted(home, text="The deploy key is in the vault of the harbour office.\n"):
    path = home / "workspaces/default/crews/harbor/agents/mira/.memory/AGENT.md"
    path.write_text(f"# Mira\n\n{text}")


def test_every_job_has_its_work():
    """There is work for each job that timers know, and no other."""
    assert tuple(WORK) == NAMES


def test_a_run_that_did_something_is_kept(jobs, home):
    """It leaves a line, a row and an entry, which tell the same."""
    noted(home)
    ran = jobs("run", "sweep")
    assert ran.status == 0
    assert ran.stdout.startswith("sweep: ")
    assert ran.stdout.count("\n") == 1
    ((name, first, start, end, result, reason, counts, failures, due),) = rows(home)
    assert (name, result, reason, failures) == ("sweep", "ok", "", 0)
    assert first == start == end == "2026-05-01T09:30:00.000Z"
    assert due == "2026-05-01T09:30:30.000Z"
    assert json.loads(counts)["files"] >= 1
    ((workspace, severity, kind, actor, summary, payload),) = entries(home)
    assert (workspace, severity, kind, actor) == ("default", "info", "system", "timers")
    assert summary == ran.stdout.strip()
    assert payload == {"job": "sweep", "result": "ok", "counts": json.loads(counts)}


def test_an_idle_sweep_writes_nothing_but_a_line(jobs, home):
    """A sweep that finds nothing leaves a line in its lock file, and nothing else."""
    jobs("run", "sweep")
    before = seen(home)
    later = NOW + timedelta(minutes=5)
    ran = jobs("run", "sweep", now=later)
    assert ran.stdout == "sweep: nothing to do\n"
    assert jobs("run", "sweep", "--quiet", now=later).stdout == ""
    after = seen(home)
    lock = home / "locks/job.sweep"
    assert {path for path in after if after[path] != before.get(path)} == {lock}
    assert lock.read_text().split() == ["2026-05-01T09:35:00.000Z", "nothing", "0"]
    assert len(rows(home)) == 1


def test_a_job_is_run_by_one_at_a_time(jobs, home):
    """Who comes while it is running ends at once, with 0, and says so."""
    jobs("run", "housekeeping")
    before = seen(home)
    with (home / "locks/job.housekeeping").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = jobs("run", "housekeeping", "--json", now=NOW + timedelta(hours=1))
        assert ran.status == 0
        assert ran.json["data"][0]["result"] == "running"
        said = jobs("run", "housekeeping")
        assert "Another housekeeping is running" in said.stderr
    assert seen(home) == before


def test_jobs_at_once_do_their_work_once(jobs, home, beside):
    """Of three that begin together all end well, and what is due is done once."""
    noted(home)

    def run():
        assert jobs("run", "sweep").status == 0

    assert beside(run, run, run) == [0, 0, 0]
    assert len(entries(home)) == 1


def test_all_that_is_due_is_done_once(jobs, home, beside):
    """Of two that run all that is due at once, each job is run by one."""

    def run():
        assert jobs("run", "--all-due").status == 0

    assert beside(run, run) == [0, 0]
    triggered = "entry_type = 'system.consolidation_triggered'"
    sql = f"select count(*) from journal_entries where {triggered}"  # noqa: S608 - of the test
    assert rows(home, sql) == [(1,)]


def test_a_verb_and_its_job_do_not_meet(jobs, home):
    """While a person sweeps, the job leaves it to him."""
    with (home / "locks/sweep").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        noted(home)
        ran = jobs("run", "sweep")
    assert ran.status == 0
    assert rows(home) == []


@pytest.mark.parametrize("job", [name for name in NAMES if name != "backup"])
def test_a_second_run_finds_nothing(jobs, home, crewmem, job):
    """Whatever the job, run again it has nothing to do, and keeps nothing."""
    noted(home)
    for word in ("crane", "winch", "quay"):
        words = ["remember", f"The {word} is closed on Mondays", "--agent", "mira"]
        assert crewmem(*words, now=NOW - timedelta(days=3)).status == 0
    first = jobs("run", job)
    assert first.status == 0, first.stderr
    kept, told = rows(home), len(entries(home))
    again = jobs("run", job, now=NOW + timedelta(seconds=1))
    assert again.stdout == f"{job}: nothing to do\n"
    assert (rows(home), len(entries(home))) == (kept, told)


def test_rollup_sums_up_what_is_over(jobs, crewmem, home):
    """The job does what its verb does, in every workspace there is."""
    crewmem("workspace", "add", "lab")
    for workspace in ("default", "lab"):
        words = ["remember", "The crane is closed", "-w", workspace]
        assert crewmem(*words, now=NOW - timedelta(days=3)).status == 0
    ran = jobs("run", "rollup", "--json")
    assert ran.json["data"][0]["counts"]["summaries"] >= 2
    kinds = "select distinct workspace_id from memories where kind = 'summary'"
    assert rows(home, f"{kinds} order by 1") == [("default",), ("lab",)]


def test_one_workspace_can_be_looked_after_alone(jobs, crewmem, home):
    """With --workspace the others are left as they are, and it has a row of its own."""
    crewmem("workspace", "add", "lab")
    for workspace in ("default", "lab"):
        words = ["remember", "The crane is closed", "-w", workspace]
        crewmem(*words, now=NOW - timedelta(days=3))
    assert jobs("run", "rollup", "-w", "lab").status == 0
    kinds = "select distinct workspace_id from memories where kind = 'summary'"
    assert rows(home, kinds) == [("lab",)]
    assert rows(home, "select name from jobs") == [("rollup@lab",)]
    assert [each[0] for each in entries(home)] == ["lab"]
    assert jobs("run", "rollup", "-w", "nowhere").status == 4
    assert crewmem("workspace", "show", "nowhere").status == 4


def test_housekeeping_drops_what_is_over(jobs, crewmem, home):
    """Notes past their end go, and edges that lead nowhere, as they are found."""
    crewmem("scratch", "add", "--session", "s", "--ttl", "1h", "words")
    crewmem("scratch", "add", "--session", "s", "--ttl", "9h", "more")
    with closing(connect(home / "crewmem.db", Mode.WRITE)) as db:
        db.execute("pragma foreign_keys = off")
        db.execute("insert into memory_edges values (7, 8, 'similar', 1, '', '')")
        db.execute("insert into memory_relations values (7, 8, 'similar', 1, '')")
    ran = jobs("run", "housekeeping", now=NOW + timedelta(hours=2))
    assert ran.stdout == "housekeeping: 1 note dropped, 2 edges dropped\n"
    assert rows(home, "select content from scratch") == [("more",)]


def test_nightly_prunes_recalls(jobs, home):
    """What was asked more than 30 days ago is forgotten."""
    jobs("run", "sweep")
    with closing(connect(home / "crewmem.db", Mode.WRITE)) as db:
        for at in ("2026-03-01T00:00:00.000Z", "2026-04-30T00:00:00.000Z"):
            rest = "'a', 'v', 'q', 'm', 1, '[]', '[]', '[]', '[]', 0"
            db.execute(f"insert into recalls values (null, 'default', '{at}', {rest})")  # noqa: S608 - of the test
    ran = jobs("run", "nightly", "--json")
    assert ran.json["data"][0]["counts"]["recalls"] == 1
    assert rows(home, "select count(*) from recalls") == [(1,)]


@pytest.fixture(name="broken")
def _broken(home, jobs):
    """``broken()``: take from the home what one part of the nightly job needs."""

    def take():
        with closing(connect(home / "crewmem.db", Mode.WRITE)) as db:
            db.execute("alter table recalls rename to gone")
            db.execute("drop table if exists memory_health_snapshots")

    jobs("run", "nightly")
    return take


def test_a_part_that_fails_holds_up_no_other(jobs, home, broken, crewmem):
    """The rest is done; the row, the entry, the warnings and the status tell of it."""
    for word in ("crane", "winch"):
        crewmem("remember", f"The {word} is closed", "--agent", "mira")
    broken()
    ran = jobs("run", "nightly", "--json", now=NOW + timedelta(days=90))
    assert ran.status in {0, 70}, ran.stderr
    kept = {each[0]: each for each in rows(home)}["nightly"]
    assert kept[4] == "partial"
    assert "recalls: " in kept[5]
    assert kept[7] == 1
    severity, payload = [(each[1], each[5]) for each in entries(home)][-1]
    assert severity == "warn"
    assert payload["result"] == "partial"
    assert any(each.startswith("recalls: ") for each in payload["failed"])
    again = jobs("run", "nightly", "--strict", now=NOW + timedelta(days=91))
    assert again.status in {1, 70}
    assert entries(home)[-1][1] == "info"
    assert {each[0]: each for each in rows(home)}["nightly"][7] == 2


def test_a_job_that_fails_says_why(jobs, home):
    """Where nothing succeeds the status is that of the reason, and it is kept."""
    jobs("run", "housekeeping")
    ran = jobs("run", "backup", "--json")
    assert ran.status == 4
    assert ran.error["code"] == "backup_dir_missing"
    assert ran.stdout == ""
    (kept,) = [each for each in rows(home) if each[0] == "backup"]
    assert kept[4] == "failed"


def test_a_success_ends_failures(jobs, home, tmp_path):
    """A job that failed is failing until a run does not; then it is as any other."""
    place = tmp_path / "file"
    place.write_text("in the way")
    environ = {"CREWMEM_BACKUP_DIR": str(place)}
    for number in (1, 2):
        later = NOW + timedelta(minutes=number)
        assert jobs("run", "backup", environ=environ, now=later).status == 4
    status = jobs("status", "--json", environ=environ, now=NOW + timedelta(minutes=9))
    (state,) = [each for each in status.json["data"] if each["job"] == "backup"]
    assert "backup" in jobs("status", "--bad", environ=environ).stdout
    assert (state["state"], state["failures"]) == ("failing", 2)
    assert jobs("status", "--strict", environ=environ).status == 1
    place.unlink()
    assert jobs("run", "backup", environ=environ).status == 0
    (kept,) = [each for each in rows(home) if each[0] == "backup"]
    assert (kept[4], kept[5], kept[7]) == ("ok", "", 0)


def test_a_row_that_cannot_be_read_is_written_over(jobs, home):
    """Who asks how jobs are is told; the next run of the job takes its place."""
    noted(home)
    jobs("run", "sweep")
    with closing(connect(home / "crewmem.db", Mode.WRITE)) as db:
        db.execute("update jobs set counts = '{'")
    assert jobs("status").status == 5
    assert jobs("run", "--all-due", "--dry-run").status == 0
    noted(home, "Other words.\n")
    assert jobs("run", "sweep", now=NOW + timedelta(minutes=1)).status == 0
    assert jobs("status").status == 0


def test_a_home_is_needed(crewmem, tmp_path):
    """Without a home there is nothing to run, and none is made."""
    for words in (["run", "sweep"], ["run", "--all-due"], ["status"], ["install"]):
        ran = crewmem("--home", tmp_path / "none", "timers", *words)
        assert ran.status == 4, ran.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["run"], 2),
        (["run", "sweep", "--all-due"], 2),
        (["run", "dance"], 4),
        (["run", "--dance"], 2),
    ],
)
def test_what_is_asked_wrongly_is_told(jobs, words, status):
    """A job that there is none of, or none at all, is a mistake."""
    assert jobs(*words).status == status


def test_a_plan_runs_nothing(jobs, home):
    """With --dry-run it is said what would be run."""
    before = seen(home)
    ran = jobs("run", "--all-due", "--dry-run")
    assert ran.stdout.splitlines()[0] == "sweep: would be run"
    assert jobs("run", "rollup", "--dry-run").stdout == "rollup: would be run\n"
    assert seen(home) == before


def test_a_home_that_cannot_be_written(crewmem, reachable, nobody):
    """Who may only read is told how jobs are, and runs none; nothing is changed."""
    home = reachable / "home"
    lines = ("run nightly", "run --all-due", "show", "status")
    assert crewmem("--home", home, "init").status == 0
    for line in lines:  # what is used is imported by now
        ran = crewmem("--home", home, "timers", *line.split(), environ=WORDS)
        assert ran.status == 0, ran.stderr
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = seen(home)
    found = {}
    with nobody():
        for line in ("status", "show", "run sweep", "run --all-due", "run nightly"):
            words = ["--home", home, "timers", *line.split()]
            ran = crewmem(*words, environ=WORDS, now=NOW + timedelta(days=1))
            found[line] = ran.status
    assert found.pop("status") == found.pop("show") == 0
    assert found == {"run sweep": 8, "run --all-due": 5, "run nightly": 8}
    assert seen(home) == before


def test_a_locked_database_is_waited_for(jobs, home):
    """While another process keeps it, a job ends with 6, and the next one does it."""
    environ = {"CREWMEM_BUSY_TIMEOUT": "0.05"}
    with closing(connect(home / "crewmem.db", Mode.WRITE)) as db:
        db.execute("begin immediate")
        for job in ("rollup", "nightly", "condense"):
            ran = jobs("run", job, environ=environ)
            assert ran.status == 6, ran.stderr
            assert ran.stderr.count("is locked by another process") == 1
        db.execute("rollback")
    assert jobs("run", "nightly").status == 0


def test_a_locked_database_is_waited_for_once(jobs, home):
    """All that is due stops there with 6, leaves a trace, and is tried again later."""
    environ = {"CREWMEM_BUSY_TIMEOUT": "0.05"}
    marked = home / "locks/job.sweep"
    with closing(connect(home / "crewmem.db", Mode.WRITE)) as db:
        db.execute("begin immediate")
        noted(home)
        for times in (1, 2):
            later = NOW + timedelta(hours=times)
            ran = jobs("run", "--all-due", "--json", environ=environ, now=later)
            assert ran.status == 6
            assert ran.stderr.count("is locked by another process") == 1, ran.stderr
            made = {each.name for each in (home / "locks").glob("job.*")}
            assert made == {marked.name}  # the others were not begun
            told = [f"2026-05-01T{9 + times:02}:30:00.000Z", "busy", str(times)]
            assert marked.read_text().split() == told
        (sweep, *_) = jobs("status", "--json", now=later).json["data"]
        assert (sweep["state"], sweep["result"]) == ("failing", "busy")
        assert "2 times in a row: crewmem.db is locked" in sweep["reason"]
        db.execute("rollback")
    again = NOW + timedelta(hours=6)
    assert jobs("run", "--all-due", now=again).status == 0
    (sweep, *_) = jobs("status", "--json", now=again).json["data"]
    assert (sweep["state"], sweep["result"]) == ("ok", "ok")
    assert rows(home, "select failures from jobs where name = 'sweep'") == [(0,)]


def test_parts_that_follow_a_locked_database_are_not_tried():
    """The first that meets it ends the job; another file's lock ends no job."""
    assert parts.DATABASE == truth.NAME

    def done(path):
        def fail():
            raise DatabaseBusyError(Path(path))

        tried = [Part("one", fail), Part("two", lambda: {"pruned": 1})]
        return in_parts(tried)

    locked = done("/home/crewmem.db")
    assert (locked.result, locked.parts, locked.is_locked_out) == ("failed", 1, True)
    other = done("/home/vectors.sqlite")
    assert (other.result, other.parts, other.is_locked_out) == ("partial", 2, False)


def test_a_copied_home_tells_what_was_so_in_the_first(jobs, crewmem, home, tmp_path):
    """A copy says when jobs were run, not when it was made; the future is no past."""
    jobs("run", "sweep")
    later = NOW + timedelta(hours=1)
    jobs("run", "sweep", now=later)
    copy = tmp_path / "copy"
    shutil.copytree(home, copy, copy_function=shutil.copy)  # with times of its own
    words = ("--home", str(copy), "timers", "status", "--json")

    def sweep(now):
        return crewmem(*words, now=now).json["data"][0]

    assert sweep(NOW + timedelta(days=5))["last_run"] == "2026-05-01T10:30:00.000Z"
    assert sweep(NOW + timedelta(days=5))["state"] == "overdue"
    assert sweep(NOW + timedelta(minutes=1))["last_run"] == "2026-05-01T09:30:00.000Z"


def test_a_contradiction_is_told_until_a_person_settles_it(jobs, crewmem, home):
    """The job counts it, doctor and status name it, until it is settled."""
    noted(home, "- Staging runs Postgres 15 on db-2\n")
    daily = home / "workspaces/default/crews/harbor/agents/mira/.memory/daily"
    daily.mkdir(exist_ok=True)
    for day in (20, 24, 28, 30):
        text = "- Staging runs Postgres 16 on db-2\n"
        (daily / f"2026-04-{day}.md").write_text(text)
    assert "1 contradiction to settle" in jobs("run", "consolidate").stdout
    words = ("doctor", "--only", "consolidation", "--json")
    (told,) = crewmem(*words).json["data"]
    assert told["status"] == "warn"
    assert told["observed"].startswith("1 contradiction waits for a person, the first")
    assert told["look"] == "crewmem --workspace default proposals list"
    assert "waiting    1 proposal (1 contradiction)\n" in crewmem("status").stdout
    (proposal,) = crewmem("proposals", "list", "--json").json["data"]
    assert proposal["title"].startswith(audit_store.CONTRADICTION)
    assert crewmem("proposals", "approve", proposal["id"]).status == 0
    assert crewmem(*words).json["data"][0]["status"] == "pass"
    assert crewmem("status", "--json").json["data"]["contradictions"] == 0


def test_a_clock_that_was_wrong_makes_nothing_due_for_long(jobs, crewmem):
    """After a run of next year each job is due once more, and then in its time."""
    later = NOW + timedelta(days=400)
    assert jobs("run", "--all-due", now=later).status == 0
    assert "rollup" in jobs("run", "--all-due").stdout
    again = NOW + timedelta(seconds=40)
    ran = jobs("run", "--all-due", now=again)
    assert ran.stdout.split(":")[0] == "sweep"
    assert ran.stdout.count("\n") == 1
    shown = jobs("status", "--json", now=again).json["data"]
    assert [each["state"] for each in shown] == ["ok"] * len(shown)
    assert all(each["last_run"] < "2026-06" for each in shown)
    status = crewmem("status", "--json", now=again).json["data"]
    assert all(each["at"] < "2026-06" for each in status["jobs"])


def test_each_job_begins_at_its_own_time(home, tmp_path):
    """Of all that is due, each tells when it began itself; --now is one for all."""
    ticks = iter(range(10_000))
    out = io.StringIO()

    def clock():
        return NOW + timedelta(seconds=next(ticks))

    def began(*words):
        out.seek(0)
        out.truncate()
        environ = {**WORDS, "CREWMEM_HOME": str(home), "HOME": str(tmp_path)}
        world = World(environ=environ, stdout=out, stderr=io.StringIO(), clock=clock)
        assert run([*words], world) == 0
        return out.getvalue()

    began("init")
    told = json.loads(began("timers", "run", "--all-due", "--json"))["data"]
    assert len({each["started"] for each in told}) == len(told) > 1
    fixed = json.loads(
        began("--now", "2026-07-01", "timers", "run", "--all-due", "--json")
    )["data"]
    assert len({each["started"] for each in fixed}) == 1 < len(fixed)


def test_a_signed_journal_is_not_added_to_without_its_key(jobs, crewmem, home):
    """Timers that do not know the key end with 3, and leave the chain as it was."""
    noted(home)
    key = {"CREWMEM_CHAIN_KEY": "of the test"}
    crewmem("workspace", "add", "lab")
    crewmem("journal", "add", "note.taken", "words", environ=key)
    before = rows(home, "select * from journal_chains")
    for job in NAMES:
        if job in {"eval", "tune"}:  # there is no suite: they do nothing
            continue
        ran = jobs("run", job)
        assert ran.status == 3, ran.stderr
        assert "CREWMEM_CHAIN_KEY" in ran.stderr
    assert rows(home, "select * from journal_chains") == before
    assert jobs("run", "housekeeping", "-w", "lab").status == 0
    assert jobs("run", "sweep", environ=key).status == 0
    assert crewmem("journal", "verify", environ=key).status == 0
    assert len(entries(home)) == 1


def test_reasons_are_text(jobs, home, tmp_path):
    """Whatever a file is called, why a job failed can be kept and told."""
    odd = os.fsencode(tmp_path) + b"/a\xff\x1b[31m"
    Path(os.fsdecode(odd)).write_text("in the way")
    environ = {"CREWMEM_BACKUP_DIR": str(tmp_path / "link")}
    (tmp_path / "link").symlink_to(os.fsdecode(odd))
    ran = jobs("run", "backup", environ=environ)
    assert ran.status not in {0, 70}, ran.stderr
    assert "\x1b" not in ran.stderr
    assert "\x1b" not in jobs("status", environ=environ).stdout
    assert len(entries(home)) == 1


# All that is due


def test_all_due_runs_what_is_due_in_order(jobs):
    """First everything, in the order of the jobs; then nothing; then what is due."""
    ran = jobs("run", "--all-due", "--json")
    first = [each["job"] for each in ran.json["data"]]
    assert first == [name for name in NAMES if name != "backup"]
    assert jobs("run", "--all-due", "--json").json["data"] == []
    later = jobs("run", "--all-due", "--json", now=NOW + timedelta(seconds=31))
    assert [each["job"] for each in later.json["data"]] == ["sweep"]
    ran = jobs("run", "rollup", "--if-due")
    assert (ran.stdout, ran.status) == ("", 0)
    assert "not due" in ran.stderr


@pytest.mark.parametrize("day", ["2026-03-28", "2026-10-24"])
def test_a_day_has_its_jobs_whatever_clocks_do(jobs, day):
    """Asked every two hours for three days, a daily job is run once on each."""
    environ = {"CREWMEM_TIMEZONE": "Europe/Berlin", "CREWMEM_TIMERS_SWEEP": "off"}
    environ |= {f"CREWMEM_TIMERS_{name}": "off" for name in ("CONSOLIDATE", "NIGHTLY")}
    start = datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=UTC)
    jobs("run", "--all-due", environ=environ, now=start - timedelta(hours=3))
    ran, days = [], set()
    for hour in range(1, 3 * 24, 2):
        now = start + timedelta(hours=hour)
        found = jobs("run", "--all-due", "--json", environ=environ, now=now)
        ran += [each["job"] for each in found.json["data"]]
        begun = now - timedelta(minutes=10)  # it is due ten minutes into a day
        days.add(begun.astimezone(ZoneInfo("Europe/Berlin")).date())
    assert ran.count("rollup") == len(days)
    assert ran.count("condense") == 12


def test_one_that_fails_holds_up_no_other_job(jobs, tmp_path):
    """Of all that is due the rest is run; it is a warning, and tried again later."""
    place = tmp_path / "file"
    place.write_text("in the way")
    environ = {"CREWMEM_BACKUP_DIR": str(place)}
    ran = jobs("run", "--all-due", "--json", environ=environ)
    assert ran.status == 0, ran.stderr
    results = {each["job"]: each["result"] for each in ran.json["data"]}
    assert results["backup"] == "failed"
    assert results["housekeeping"] == "nothing"
    assert any("in the way" in each or "file" in each for each in ran.json["warnings"])
    soon = jobs("run", "--all-due", "--json", environ=environ)
    assert soon.json["data"] == []
    again = jobs(
        "run", "backup", "--if-due", environ=environ, now=NOW + timedelta(hours=1)
    )
    assert again.status == 4
    place.unlink()
    later = NOW + timedelta(hours=3)
    done = jobs("run", "backup", "--if-due", environ=environ, now=later)
    assert done.stdout == "backup: 1 backup written\n"


def test_status_of_a_home_that_was_left_alone(jobs):
    """Jobs that were not run for days are overdue, and say since."""
    first = jobs("run", "--all-due")
    assert first.status == 0, first.stderr
    ran = jobs("status", "--json", now=NOW + timedelta(days=3))
    states = {each["job"]: each["state"] for each in ran.json["data"]}
    assert {*states.values()} == {"overdue"}
    assert jobs("status", "--strict", now=NOW + timedelta(days=3)).status == 1
    assert jobs("status", "--strict").status == 0


# Backups


@pytest.fixture(name="backed")
def _backed(jobs, tmp_path, home):
    """``backed(days)``: run the backup so many days later; its files are returned."""
    folder = tmp_path / "backups"
    environ = {"CREWMEM_BACKUP_DIR": str(folder), "CREWMEM_BACKUP_KEEP": "3"}

    def run(days):
        ran = jobs("run", "backup", environ=environ, now=NOW + timedelta(days=days))
        assert ran.status == 0, ran.stderr
        return sorted(path.name for path in (folder / "default").iterdir())

    noted(home)
    return run


def test_backups_are_whole_and_the_newest_stay(backed, tmp_path):
    """A bundle a day, as many as are wanted; what else lies there is left alone."""
    (name,) = backed(0)
    assert name.endswith("-default-2026-05-01.tar.gz")
    folder = tmp_path / "backups/default"
    path = folder / name
    with tarfile.open(path) as bundle:
        assert any(each.endswith("mira/AGENT.md") for each in bundle.getnames())
    assert path.stat().st_mode & 0o077 == 0
    (folder / "mine.tar.gz").write_text("mine")
    for days in (7, 14, 21, 28):
        found = backed(days)
    days = [each[-17:-7] for each in found if each != "mine.tar.gz"]
    assert days == ["2026-05-15", "2026-05-22", "2026-05-29"]
    assert "mine.tar.gz" in found


def test_a_backup_of_today_is_not_written_again(backed, tmp_path, home):
    """One that is there is good: nothing takes its place."""
    (name,) = backed(0)
    path = tmp_path / "backups/default" / name
    before = path.read_bytes(), path.stat().st_ino
    noted(home, "Other words.\n")
    assert backed(0) == [name]
    assert (path.read_bytes(), path.stat().st_ino) == before


def test_a_backup_that_was_killed_leaves_no_half(backed, tmp_path):
    """What a killed run has left is tidied up, and is none of the backups."""
    (name,) = backed(0)
    folder = tmp_path / "backups/default"
    left = folder / f".{name}.0123456789abcdef.tmp"
    left.write_bytes(b"half")
    assert backed(7) == [name, name.replace("05-01", "05-08")]


# Killed


CALLS = {"execute", "executemany", "fsync", "rename", "replace", "unlink", "fetchall"}
"""Calls between which a process is killed: of SQLite and of the disk."""


def counting(action, fatal, told):
    """Run *action*, and kill the process at its call number *fatal*; tell how many."""
    calls = 0

    def watch(_frame, event, called):
        nonlocal calls
        if event == "c_call" and getattr(called, "__name__", "") in CALLS:
            calls += 1
            if calls == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)
    try:
        action()
    finally:
        sys.setprofile(None)
    told.write_text(str(calls))


STATE = {
    "memories": "scope, agent_id, kind, title, content, status, pin, importance",
    "memory_edges": "relation, weight",
    "memory_votes": "actor, day, is_up",
    "scratch": "session, content, digested_into is null",
    "recalls": "at, verb, query",
    "journal_entries": "entry_type, agent_id, summary",
    "journal_entries_archived": "id, entry_type, summary",
    "memory_versions": "path, operation, sha256",
    "episodes": "seq, base, importance_score",
    "memory_health_snapshots": "*",
}
"""What is compared of a home: all but what is drawn at random, and which jobs ran."""

TOLD = ("job.completed", "memory.versions_pruned")
"""Entries that tell what one run did: of one that was killed nobody tells."""


def state(home):
    found = {}
    for table, columns in STATE.items():
        order = columns if columns != "*" else 1
        sql = f"select {columns} from {table} order by {order}"  # noqa: S608 - as above
        if table == "journal_entries":
            sql = sql.replace("order", f"where entry_type not in {TOLD} order")
        found[table] = [
            tuple(
                "m_" if isinstance(each, str) and " m_" in each else each
                for each in row
            )
            for row in rows(home, sql)
        ]
    files = home.glob("workspaces/**/*.md")
    found["files"] = {str(path.relative_to(home)): path.read_bytes() for path in files}
    return found


@pytest.fixture(name="living", scope="module")
def _living(tmp_path_factory):
    """A home in which every job has something to do; it is copied."""
    home = tmp_path_factory.mktemp("living") / "home"
    environ = WORDS | {"HOME": str(home.parent), "CREWMEM_HOME": str(home)}

    def call(*words, ago=0):
        world = World(
            environ=environ,
            clock=lambda: NOW - timedelta(days=ago),
            mount="/nowhere",
            stdin=io.StringIO(),
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
        assert run(words, world) == 0, world.stderr.getvalue()

    call("init")
    call("crew", "add", "harbor")
    for agent in ("mira", "tor"):
        call("agent", "add", agent, "--crew", "harbor")
    noted(home)
    for days, word in enumerate(("crane", "winch", "quay"), 3):
        for agent in ("mira", "tor"):
            words = ["remember", f"The {word} is closed", "--agent", agent]
            call(*words, "--kind", "context", ago=days)
        words = ["journal", "add", "note.taken", f"Saw the {word}", "--agent", "mira"]
        call(*words, ago=40 + days)
        call("scratch", "add", "--session", "s", "--ttl", "1h", word, ago=days)
        words = ["memory", "write", "--tier", "agent", "--agent", "mira", "--mode"]
        call(*words, "append", f"- The {word} closes at nine.", ago=60 - days)
    return home


@pytest.fixture(name="lived")
def _lived(living, home):
    shutil.copytree(living, home)
    return home


@pytest.mark.parametrize("job", ["sweep", "housekeeping", "rollup", "nightly"])
def test_a_job_that_was_killed_is_run_again(crewmem, lived, killed_at, job):
    """Killed anywhere and run again, it comes to what it would have come to at once."""
    killed_at(job, lived, lambda: crewmem("timers", "run", job, environ=WORDS))


@pytest.fixture(name="killed_at")
def _killed_at(beside, tmp_path):
    def run(job, home, action):
        template, told = tmp_path / "template", tmp_path / "told"
        home.rename(template)
        shutil.copytree(template, home)
        assert beside(lambda: counting(action, 0, told)) == [0]
        calls, wanted = int(told.read_text()), state(home)
        for part in (1, 4, 6, 7):
            shutil.rmtree(home)
            shutil.copytree(template, home)
            fatal = max(1, calls * part // 8)
            assert beside(lambda fatal=fatal: counting(action, fatal, told)) == [-9]
            assert action().status == 0
            assert state(home) == wanted, (job, fatal, calls)

    return run


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"])
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_any_clock_will_do(jobs, crewmem, home, now, zone):
    """At both ends of the calendar jobs look back as far as it goes."""
    noted(home)
    environ = WORDS | {"TZ": zone}
    for line in (
        "memory append-daily the|quay|is|wet --as agent:mira",
        "journal add peer.escalation the|quay|is|wet --crew harbor",
        "consolidate run",
        "journal compact",
        "memory prune",
        "episodes sweep",
    ):
        words = [each.replace("|", " ") for each in line.split()]
        ran = crewmem(*words, "--now", now, environ=environ)
        assert ran.status == 0, ran.stderr
    for job in NAMES:
        if job != "backup":
            ran = jobs("run", job, "--strict", "--now", now, environ={"TZ": zone})
            assert ran.status == 0, ran.stderr
    assert jobs("run", "--all-due", "--strict", "--now", now).status == 0
    assert not [*(home / "incidents").glob("*")]
