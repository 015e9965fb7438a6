"""A write while the system fails, or the process ends, at any point of it.

In process every call into the system fails once; by strace the kernel refuses calls, of
SQLite as well, or kills. The suite takes a sample; ``CREWMEM_FAULTS=all`` takes all.
"""

import json
import os
import secrets
import shutil
import signal
import time
from hashlib import sha256
from itertools import count, product

import pytest
from strace import KILL, STRACE

from tests.disk.conftest import calls_of, failing
from tests.faults.conftest import BUG, REF
from tests.faults.tracing import ERRORS, FAULTS, PATTERNS, injected

ALL = bool(os.environ.get("CREWMEM_FAULTS"))

CALLS = frozenset(
    {
        *("open", "write", "fsync", "rename", "link", "unlink", "mkdir", "fchmod"),
        *("read", "fstat", "lstat", "flock", "dup", "scandir"),
    }
)
"""Calls that a write is made of; what else is asked changes nothing on the disk."""

INTERRUPTED = 130

DAILY = "agent:harbor/mira/daily/2026-05-01.md"


def outcome(scene):
    """Run a write; return done, refused, or in doubt."""
    status, _, said = scene.write("new", minutes=1)
    assert status != BUG, said
    return {0: "done"}.get(status) or (
        "in doubt" if "may not be" in said else "refused"
    )


def check(scene, old, result, *, may_leave=False):
    """Hold the promise, and go on: whole, done means done, nothing earlier is lost."""
    new = old + b"new\n"
    found = scene.content
    assert found in (old, new), "torn"
    if result == "done":
        assert found == new
        assert scene.versions()[-1][2] == sha256(new).hexdigest()
    elif result == "refused":
        assert found == old
        assert scene.versions()[-1][2] != sha256(new).hexdigest()
    assert may_leave or not scene.leftovers()
    hashes = {row[2] for row in scene.check_versions()}
    assert scene.write("after", minutes=2)[0] == 0
    assert scene.content == found + b"after\n"
    after = scene.check_versions()
    assert hashes | {sha256(old).hexdigest(), sha256(found).hexdigest()} <= {
        row[2] for row in after
    }


def calls(scene):
    """Return each call of a write, and which of its kind it is."""
    results = []
    made = calls_of(lambda: results.append(outcome(scene)), CALLS)
    assert results == ["done"]
    return [(call, made[: at + 1].count(call)) for at, call in enumerate(made)]


def test_a_write_is_done_or_not_done_whatever_fails(scene, before, descriptors):
    """Any call may fail: old or new, whole, recorded or not changed."""
    old = scene.content
    made = calls(scene)
    matrix = product(made, ERRORS) if ALL else zip(made, ERRORS * 99, strict=False)
    outcomes = set()
    for (call, nth), error in matrix:
        scene.fresh()
        opened = descriptors()
        with before(call, failing(error), nth):
            result = outcome(scene)
        outcomes.add(result)
        try:
            assert descriptors() == opened or call is os.close
            check(scene, old, result, may_leave=call is os.unlink)
        except BaseException as failed:
            failed.add_note(f"{error} from {call.__name__} {nth}: {result}")
            raise
    assert outcomes >= {"done", "refused"}


def test_a_write_may_be_interrupted_at_any_call(scene, interfere):
    """Before any call ^C may come: old or new, and what is new is a version."""
    old = scene.content
    step = 1 if ALL else 3
    for call, nth in calls(scene)[::step]:
        scene.fresh()
        seen = count(1)

        def interrupt(event, called, call=call, nth=nth, seen=seen):
            if event == "call" and called is call and next(seen) == nth:
                signal.raise_signal(signal.SIGINT)

        with interfere(interrupt):
            status, _, said = scene.write("new", minutes=1)
        assert status == INTERRUPTED, said
        is_new = scene.content != old
        newest = scene.versions()[-1][2]
        assert is_new == (newest == sha256(old + b"new\n").hexdigest()), (call, nth)
        check(scene, old, "in doubt")


def test_a_folder_that_is_swapped_during_a_write_leads_nowhere(scene, interfere):
    """A link planted at any moment: nothing is read or written behind it."""
    outside = scene.home.parent / "outside"
    daily = scene.memory / "daily"
    words = ("memory", "append-daily", "a line")
    ran = []
    made = calls_of(lambda: ran.append(scene.typed(*words)), CALLS)
    assert ran[0][0] == 0
    step = 1 if ALL else 4
    for at in range(0, len(made), step):
        scene.fresh()
        shutil.rmtree(outside, ignore_errors=True)
        outside.mkdir()
        (outside / "2026-05-01.md").write_bytes(b"outside\n")
        seen = count()

        def swap(event, call, at=at, seen=seen):
            module = getattr(call, "__module__", "")
            is_one = module in ("posix", "fcntl") and call.__name__ in CALLS
            if event == "call" and is_one and next(seen) == at:
                daily.rename(daily.with_name("moved"))
                daily.symlink_to(outside)

        with interfere(swap):
            status, out, said = scene.typed(*words)
        assert status != BUG, said
        assert "outside" not in out
        assert (outside / "2026-05-01.md").read_bytes() == b"outside\n"
        assert len(list(outside.iterdir())) == 1


def test_processes_that_append_at_once_lose_nothing(scene, beside):
    """Every line is there, whole and once, and every version has its parent."""
    many, each = (8, 100) if ALL else (4, 8)

    def append(who):
        for n in range(each):
            assert scene.typed("memory", "append-daily", f"line {who} {n}")[0] == 0

    jobs = [lambda who=who: append(who) for who in range(many)]
    assert beside(*jobs) == [0] * many
    lines = (scene.memory / "daily/2026-05-01.md").read_text().splitlines()
    wanted = {f"- 09:30 — line {who} {n}" for who in range(many) for n in range(each)}
    assert sorted(lines) == sorted(wanted)
    assert len(scene.check_versions(DAILY)) == many * each


# By the kernel.

SAMPLE = [
    ("write", "error=ENOSPC"),
    ("fsync", "error=EIO"),
    ("rename", "error=EROFS"),
    ("write", KILL),
    ("fsync", KILL),
]


def traced(scene, call, fault, nth):
    """Write with one fault; return what came of it, and whether there was one."""
    told = {"done": 0, "refused": 11, "in doubt": 10}
    status, was_injected = injected(
        scene.home.parent, lambda: told[outcome(scene)], call, fault, nth
    )
    if status is None:
        return "killed", True
    return {status: result for result, status in told.items()}[status], was_injected


@pytest.mark.skipif(not STRACE, reason="needs strace")
@pytest.mark.parametrize(
    ("call", "fault"), list(product(PATTERNS, FAULTS)) if ALL else SAMPLE
)
def test_the_kernel_may_refuse_or_kill_at_any_call(scene, call, fault):
    """Each occurrence of a call, SQLite's own included, may fail or be the last."""
    old = scene.content
    step = 1 if ALL or call != "write" else 5
    for nth in count(1, step):
        scene.fresh()
        result, was_injected = traced(scene, call, fault, nth)
        if not was_injected:
            break
        try:
            left = call == "unlink" or result == "killed"
            check(scene, old, result, may_leave=left)
        except BaseException as failed:
            failed.add_note(f"{fault} at {call} {nth}: {result}")
            raise
    assert result == "done"
    assert nth > 2, "nothing was injected"


# Killed at any moment.


JOBS = ("append", "replace", "append", "restore", "import", "append", "prune")


def words_of(scene, job, n):
    """Return what is typed for the *n*th job."""
    if job == "append":
        return ["memory", "append-daily", f"line {n:06}"]
    if job == "replace":
        words = ["memory", "write", "--tier", "agent", "--mode", "replace"]
        return [*words, f"{n:06}" * 300]
    if job == "prune":
        return ["memory", "prune", "--keep", "3", "--older-than", "0d"]
    if job == "import":
        source = scene.home.parent / "CLAUDE.md"
        source.write_text(f"{n:06}" * 300)
        words = ["import", "--from", str(source), "--crew", "harbor"]
        return [*words, "--agent", "mira", "--apply"]
    found = scene.versions()
    return ["memory", "restore", REF, found[-2:][0][0]]


def work(scene, told):
    """Write for ever, in all ways, and tell of each that is done."""
    for n in count(1):
        job = JOBS[n % len(JOBS)]
        acting = "agent:mira" if job in {"append", "replace"} else "operator:ada"
        words = words_of(scene, job, n)
        status, _, said = scene.typed(*words, acting=acting, minutes=n)
        line = {"did": job, "n": n, "sha": scene.versions()[-1][2]}
        if status:
            line["failed"] = said
        os.write(told, json.dumps(line).encode() + b"\n")


def test_a_process_may_be_killed_at_any_moment(scene):
    """What was said to be done is there, whole and once, and the next goes on."""
    lines = set()
    for _ in range(200 if ALL else 8):
        reading, told = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                work(scene, told)
            finally:
                os._exit(1)
        os.close(told)
        time.sleep(0)  # the child may run
        with os.fdopen(reading, "rb") as stream:
            said = [stream.readline() for _ in range(secrets.randbelow(9))]
            for _ in range(secrets.randbelow(300_000)):  # into the middle of a write
                pass
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            said += stream.readlines()
        done = [json.loads(line) for line in said]
        assert not [each for each in done if "failed" in each]
        verify(scene, done, lines)


def verify(scene, done, lines):
    """Compare what there is with what was told."""
    path = scene.memory / "daily/2026-05-01.md"
    there = path.read_text().splitlines() if path.exists() else []
    told = [f"line {each['n']:06}" for each in done if each["did"] == "append"]
    assert [line.count("line ") for line in there] == [1] * len(there)
    assert len(there) - len(lines) in (len(told), len(told) + 1)
    assert [line[-11:] for line in there[len(lines) :]][: len(told)] == told
    lines.update(enumerate(there))
    scene.check_versions(DAILY)
    own = scene.check_versions()
    recorded = {row[2] for row in own}
    if done:
        assert done[-1]["sha"] in recorded
    digits = scene.content.strip(b"\n")
    is_whole = digits == digits[:6] * 300  # of a replacement that was on its way
    is_first = scene.content.endswith(b"by shell\n")  # before the first of all
    assert is_whole or is_first or sha256(scene.content).hexdigest() in recorded
