"""A command that is killed or fails at any point leaves the state before or after."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from running import copy_sample, run_crewmem

FULL = bool(os.environ.get("CREWMEM_TEST_FULL"))
FAULTY = Path(__file__).with_name("faulty.py")
NOW = "2026-05-01T09:30:00Z"

COMMANDS = {
    "memory write": "memory write --tier agent --agent pilot --mode replace 'new text'",
    "fact add": "fact add 'The pump in hall 7 is loud' --topic-key pump",
    "journal add": "journal add note.made 'the pump is loud'",
    "import": "import --from {bundle} --apply",
    "consolidate": "consolidate run",
    "compact": "journal compact --older-than 1d",
    "prune": "memory prune --older-than 0d --keep 3 --yes",
}
ONCE = {"fact add", "import", "consolidate", "compact", "prune"}
"""Commands of which a rerun after success changes nothing."""


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    place = tmp_path_factory.mktemp("faults")
    home = copy_sample(place, place / "bundled")
    os.environ["CREWMEM_EMBEDDER"] = "none"
    run_crewmem("--home", home, "remember", "A bundle has this pump")
    result = run_crewmem("--home", home, "export", "--out", place / "bundle")
    assert result.status == 0, result
    return place


def run_faulty(kind, at, home, line, timeout=60):
    words = ["--home", str(home), "--now", NOW, *shlex.split(line)]
    return subprocess.run(
        [sys.executable, str(FAULTY), kind, str(at), "--", *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "CREWMEM_EMBEDDER": "none", "CREWMEM_TIMEZONE": "UTC"},
    )


def read_state(home):
    """Return what is true in a home: files of memory, and rows without ids and times."""
    files = {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted((home / "workspaces").rglob("*.md"))
    }
    db = apsw.Connection(str(home / "crewmem.db"))
    facts = list(db.execute("select content, status from facts order by content, status"))
    entries = list(
        db.execute(  # a summary may name an id, which differs from run to run
            "select entry_type, iif(summary like '%f!_%' escape '!', '', summary)"
            " from journal_entries"
            " where entry_type not like 'memory.%' order by entry_type, summary"
        )
    )
    versions = db.execute("select count(*) from file_versions").fetchone()[0]
    assert list(db.execute("pragma integrity_check")) == [("ok",)]
    db.close()
    return files, facts, entries, versions


def check_home(home):
    assert run_crewmem("--home", home, "journal", "verify").status == 0
    left = [path for path in home.rglob("*") if path.name.endswith(".tmp")]
    if left:
        run_crewmem("--home", home, "doctor", "--fix", "--only", "files.temporary")
        assert [path for path in left if path.exists()] == []


@pytest.mark.parametrize("kind", ["kill", "fail"])
@pytest.mark.parametrize("name", COMMANDS)
def test_interrupted_command_can_be_run_again(kind, name, base, tmp_path):
    line = COMMANDS[name].format(bundle=base / "bundle")
    start = copy_sample(base, tmp_path / "start")
    done = shutil.copytree(start, tmp_path / "done", symlinks=True)
    undisturbed = run_faulty("count", 0, done, line)
    assert undisturbed.returncode == 0, undisturbed.stderr
    total = int(undisturbed.stderr.rpartition("count ")[2])
    before, after = read_state(start), read_state(done)
    points = range(1, total + 1) if FULL else sorted({total // 2 or 1, total})
    for at in points:
        home = shutil.copytree(start, tmp_path / "home", symlinks=True)
        result = run_faulty(kind, at, home, line)
        where = f"{name} {kind} at {at} of {total}: {result.returncode} {result.stderr[-600:]}"
        assert result.returncode in (0, 1, 3, 5, 6, 7, 8, 99), where
        assert "Traceback" not in result.stderr, where
        state = read_state(home)
        if name in ("memory write", "fact add", "journal add"):
            assert state[:3] in (before[:3], after[:3]), where
            if result.returncode == 0 and kind == "fail":
                assert state[:3] == after[:3], where
        if state[:3] == before[:3] or name in ONCE:
            again = run_faulty("count", 0, home, line)
            assert again.returncode == 0, f"{where}\nagain: {again.stderr[-600:]}"
            assert read_state(home)[:2] == after[:2], where
        check_home(home)
        shutil.rmtree(home)


@pytest.mark.parametrize("count", [100 if FULL else 12])
def test_appends_at_once_all_arrive(count, base, tmp_path):
    home = copy_sample(base, tmp_path / "home")
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "crewmem", "--home", str(home), "memory", "append"),
                *("--tier", "topic", "--key", "pumps", "--crew", "harbor", f"- pump {n:03}"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for n in range(count)
    ]
    errors = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * count, errors
    text = next((home / "workspaces").rglob("topics/pumps.md")).read_text()
    assert sorted(text.split("- ")[1:]) == sorted(f"pump {n:03}\n" for n in range(count))
    assert run_crewmem("--home", home, "journal", "verify").status == 0


def test_two_sweeps_at_once_do_the_work_once(base, tmp_path):
    home = copy_sample(base, tmp_path / "home")
    topic = next((home / "workspaces").rglob("topics"))
    (topic / "outside.md").write_text("# Outside\n\nwritten by hand\n")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "crewmem", "--home", str(home), "sweep"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    outputs = [process.communicate() for process in running]
    assert all(process.returncode in (0, 6) for process in running), outputs
    db = apsw.Connection(str(home / "crewmem.db"))
    rows = list(db.execute("select count(*) from file_versions where path like '%outside.md'"))
    assert rows == [(1,)]
    db.close()
    assert run_crewmem("--home", home, "journal", "verify").status == 0
