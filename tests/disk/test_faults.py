"""What happens when the system fails, or the process ends, at any point of a change.

Three ways to fail: every call of a job fails once, with each error, in process
(`every_fault`); the kernel refuses real calls or kills, by strace's injection
(`every_injection`); real file systems are full or read-only. The suite takes a
sample of the second; ``CREWMEM_FAULTS=all pytest tests/disk/test_faults.py`` takes all.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path

import pytest
from strace import KILL, STRACE, injected

import crewmem
from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.disk import NotDurableError
from tests.disk.conftest import calls_of, failing

OLD, NEW = b"old\n" * 1_000, b"new\n" * 2_000
NAME = "daily/AGENT.md"
ADOPTED = ".AGENT.md.0123456789abcdef.tmp"
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EINTR", "EMFILE")


@dataclass(frozen=True, slots=True)
class Job:
    """A change, and what the file holds before and after."""

    name: str
    before: bytes | None
    after: bytes | None

    def prepare(self, folder):
        shutil.rmtree(folder / "daily", ignore_errors=True)
        (folder / "daily").mkdir()
        if self.name == "adopt":
            (folder / "daily" / ADOPTED).write_bytes(NEW)
        if self.before is not None:
            (folder / NAME).write_bytes(self.before)
            (folder / NAME).chmod(0o640)
            if os.geteuid() == 0:
                os.chown(folder / NAME, 1001, 1002)

    def run(self, root):
        match self.name:
            case "write" | "write new":
                disk.write(root, NAME, NEW)
            case "write pieces":
                disk.write_pieces(root, NAME, [NEW[:100], b"", NEW[100:]])
            case "create":
                disk.create(root, NAME, NEW)
            case "remove":
                disk.remove(root, NAME)
            case "adopt":
                disk.adopt(root, ADOPTED, NAME)


WRITE = Job("write", OLD, NEW)
CREATE = Job("create", None, NEW)
JOBS = (
    WRITE,
    CREATE,
    Job("write new", None, NEW),
    Job("write pieces", OLD, NEW),
    Job("adopt", OLD, NEW),
    Job("remove", OLD, None),
)


def names(path):
    """The names in a directory, in order."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries)


@pytest.fixture
def folder(in_memory):
    """A root that is fast to change a thousand times."""
    with tempfile.TemporaryDirectory(dir=in_memory) as made:
        path = Path(made, "root")
        path.mkdir()
        yield path


def content(folder):
    try:
        return (folder / NAME).read_bytes()
    except FileNotFoundError:
        return None


def leftovers(folder):
    return [name for name in names(folder / "daily") if disk.is_temporary(name)]


def check(job, folder, result, *, may_leave):
    """Hold the promise: whole, and old unless said otherwise; done means done."""
    found = content(folder)
    assert found in (job.before, job.after), "torn"
    if result == "done":
        assert found == job.after, "said to be done"
    elif result == "refused":
        assert found == job.before, "said to have failed"
    assert not leftovers(folder) or may_leave or job.name == "adopt"


def outcome(job, root):
    """Run the job; what is not a failure that we can explain goes through."""
    try:
        job.run(root)
    except NotDurableError:
        return "in doubt"
    except CrewmemError:
        return "refused"
    return "done"


# Every call, in process.


def calls(run):
    """Return the calls into the system that *run* makes, in order."""
    return [
        call
        for call in calls_of(run)
        if call not in (os.fspath, os.geteuid, os.urandom)
    ]


def nth_of_its_kind(made):
    """Each call, and which of its kind it is, counted from 1."""
    return [(call, made[: at + 1].count(call)) for at, call in enumerate(made)]


def every_fault(job, root, folder):
    """Yield each call of *job*, which of its kind it is, and each error for it."""
    job.prepare(folder)
    yield from product(nth_of_its_kind(calls(lambda: job.run(root))), ERRORS)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_change_is_made_or_not_made_whatever_fails(
    job, root, folder, before, descriptors
):
    """Any call may fail in any way: old or new, whole, never wrongly called done."""
    outcomes = set()
    for (call, nth), error in every_fault(job, root, folder):
        job.prepare(folder)
        open_before = descriptors()
        with before(call, failing(error), nth):
            result = outcome(job, root)
        outcomes.add(result)
        try:
            check(job, folder, result, may_leave=call is os.unlink)
            assert descriptors() == open_before or call is os.close
        except AssertionError as failed:
            failed.add_note(f"{error} from {call.__name__} {nth}: {result}")
            raise
    assert outcomes == {"done", "refused", "in doubt"}


@pytest.mark.parametrize("moment", ["call", "return"])
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_change_may_be_interrupted_at_any_call(job, root, folder, interfere, moment):
    """Before or after any call ^C may come: old or new, whole, nothing left behind."""
    job.prepare(folder)
    for call, nth in nth_of_its_kind(calls(lambda: job.run(root))):
        job.prepare(folder)
        seen = count(1)

        def interrupt(event, called, call=call, nth=nth, seen=seen):
            if event == moment and called is call and next(seen) == nth:
                signal.raise_signal(signal.SIGINT)

        with interfere(interrupt), pytest.raises(KeyboardInterrupt):
            job.run(root)
        assert content(folder) in (job.before, job.after)
        assert not leftovers(folder) or job.name == "adopt", (call, nth)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_change_may_be_interrupted_at_any_line(job, root, folder):
    """Wherever in our own code ^C comes: old or new, whole, nothing left behind."""
    for nth in count(1):
        job.prepare(folder)
        lines = count(1)

        def interrupt(frame, event, _value, nth=nth, lines=lines):
            if "/crewmem/disk/" not in frame.f_code.co_filename:
                return None
            if event == "line" and next(lines) == nth:
                raise KeyboardInterrupt
            return interrupt

        sys.settrace(interrupt)
        try:
            job.run(root)
        except KeyboardInterrupt:
            pass
        else:
            break
        finally:
            sys.settrace(None)
        assert content(folder) in (job.before, job.after)
        assert not leftovers(folder) or job.name == "adopt", nth
    assert nth > 20


def hold(root):
    with disk.lock(root, f"{NAME}.lock", timeout=0):
        pass


OTHERS = {
    "read": lambda root: disk.read(root, NAME, limit=10_000),
    "make_dirs": lambda root: disk.make_dirs(root, "daily/a/b"),
    "make_root": lambda root: disk.make_root(f"{root.path}/daily/a/b").close(),
    "lock": hold,
}


@pytest.mark.parametrize("other", OTHERS)
def test_whatever_fails_is_explained_and_nothing_stays_open(
    other, root, folder, before, descriptors
):
    """No answer of the system goes through as it is, and no descriptor is lost."""
    job = Job(other, OLD, OLD)
    job.prepare(folder)
    made = calls(lambda: OTHERS[other](root))
    for (call, nth), error in product(nth_of_its_kind(made), ("EIO", "EACCES")):
        job.prepare(folder)
        open_before = descriptors()
        with before(call, failing(error), nth), suppress(CrewmemError):
            OTHERS[other](root)
        assert descriptors() == open_before or call is os.close, (call, nth, error)
        assert content(folder) == OLD
        if call is not os.close:
            hold(root)


# Every call, by the kernel.

SYSCALLS = ("openat", "write", "fsync", "rename", "unlink", "fchmod", "fchown", "close")
"""Calls of a write; where there are two forms (renameat) the pattern covers both."""

PATTERNS = {"rename": "/^rename", "unlink": "/^unlink", "link": "/^link"}

STATUSES = {0: "done", 10: "in doubt", 11: "refused"}
"""Exit statuses of the child that does one job; others are bugs."""


def every_injection():
    """Return each (call, fault) of the matrix, to be had at its every occurrence."""
    errors = tuple(f"error={error}" for error in ERRORS)
    return list(product((*SYSCALLS, "link"), (*errors, KILL)))


SAMPLE = [
    ("openat", "error=EMFILE"),
    ("write", "error=ENOSPC"),
    ("write", "error=EINTR"),
    ("fsync", "error=EIO"),
    ("rename", "error=EROFS"),
    ("unlink", "error=EIO"),
    ("fchmod", "error=EPERM"),
    ("close", "error=EDQUOT"),
    ("write", KILL),
    ("fsync", KILL),
    ("rename", KILL),
    ("close", KILL),
]

INJECTIONS = every_injection() if os.environ.get("CREWMEM_FAULTS") else SAMPLE


def inject(job, root, *faults):
    """Run *job* with faults (call, fault, when); return its result, and the log."""
    folder = Path(root.path)
    job.prepare(folder)
    log = folder.parent / "strace.log"
    codes = {said: code for code, said in STATUSES.items()}
    patterns = [(PATTERNS.get(call, call), fault, when) for call, fault, when in faults]
    status = injected(log, lambda: codes[outcome(job, root)], *patterns)
    return "killed" if status is None else STATUSES[status], log.read_text()


@pytest.mark.skipif(not STRACE, reason="needs strace")
@pytest.mark.parametrize(("call", "fault"), INJECTIONS)
def test_the_kernel_may_refuse_or_kill_at_any_call(root, folder, call, fault):
    """Each occurrence of a call may fail or be the last: old or new, and whole."""
    job = CREATE if call in ("link", "unlink") else WRITE
    for nth in count(1):
        result, log = inject(job, root, (call, fault, nth))
        check(job, folder, result, may_leave=call == "unlink" or result == "killed")
        if result != "killed" and "(INJECTED)" not in log:
            break
    assert result == "done"
    assert nth > 1 or (call == "fchown" and os.geteuid()), "nothing was injected"


@pytest.mark.skipif(not STRACE, reason="needs strace")
def test_a_temporary_file_that_cannot_be_removed_can_be_found(root, folder):
    """If even the cleaning up fails, what is left is hidden and known as ours."""
    job = WRITE
    faults = (("fsync", "error=EIO", "1"), ("unlink", "error=EIO", "1+"))
    result, _ = inject(job, root, *faults)
    check(job, folder, result, may_leave=True)
    assert (result, len(leftovers(folder))) == ("refused", 1)


# Killed at any moment.


def overwrite(folder, told):
    """Write numbered contents for ever, and tell of each that is done."""
    with disk.open_root(folder) as root:
        number = 0
        while True:
            number += 1
            disk.write(root, NAME, b"%06d\n" % number * 1_000)
            os.write(told, b".")


def test_a_writer_may_be_killed_at_any_moment(folder):
    """The file is whole, what was said to be done is there, at most one is left."""
    (folder / "daily").mkdir()
    for _ in range(20):
        reading, told = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                overwrite(folder, told)
            finally:
                os._exit(1)
        os.close(told)
        done = sum(len(os.read(reading, 1)) for _ in range(1 + secrets.randbelow(5)))
        for _ in range(secrets.randbelow(30_000)):  # into the middle of a write
            pass
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with os.fdopen(reading, "rb") as rest:
            done += len(rest.read())
        lines = content(folder).splitlines()
        assert len(lines) == 1_000
        assert len(set(lines)) == 1
        assert int(lines[0]) in (done, done + 1)
        assert len(leftovers(folder)) <= 1
        for name in leftovers(folder):
            (folder / "daily" / name).unlink()


# Real file systems.


def on_mount(prepare, program, folder):
    """Run a Python program in *folder* after *prepare*, in a namespace of its own."""
    namespace = ["unshare", "--mount"] + ["--map-root-user"] * bool(os.geteuid())
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    program = f'print("mounted")\n{program}'
    lines = f"{prepare} && exec {sys.executable} -c '{program}'"
    ran = subprocess.run(
        [*namespace, "sh", "-c", lines],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(crewmem.__file__).parents[1])},
    )
    if "mounted" not in ran.stdout:
        pytest.skip(f"nothing can be mounted here: {ran.stderr.strip()}")
    assert not ran.stderr
    return ran.stdout.split("\n")[1:-1]


def test_a_full_disk_changes_nothing(folder):
    """On a disk that has no room the old file stays, and nothing is left behind."""
    program = """
import os
from crewmem import disk
from crewmem.errors.disk import (DiskError)
with disk.open_root("full") as root:
    disk.write(root, "AGENT.md", b"old")
    for make in (disk.write, disk.create):
        try:
            make(root, "new.md" if make is disk.create else "AGENT.md", bytes(200_000))
        except DiskError as error:
            print(error)
    print(os.listdir(root), disk.read(root, "AGENT.md", limit=9))
"""
    (folder / "full").mkdir()
    assert on_mount("mount -t tmpfs -o size=64k none full", program, folder) == [
        "cannot write full/AGENT.md: no space left on device",
        "cannot write full/new.md: no space left on device",
        "[" + repr("AGENT.md") + "] " + repr(b"old"),
    ]


def test_a_read_only_mount_is_read_and_never_written(folder):
    """Also root is told that a frozen tree cannot be written, and can read it."""
    program = """
from crewmem import disk
from crewmem.errors.disk import (NotWritableError)
from crewmem.errors.registry import (ExistsError)
with disk.open_root(".") as root:
    for job in (
        lambda: disk.write(root, "AGENT.md", b""),
        lambda: disk.create(root, "new.md", b""),
        lambda: disk.remove(root, "AGENT.md"),
        lambda: disk.make_dirs(root, "daily"),
        lambda: disk.lock(root, "lock", timeout=0),
    ):
        try:
            job()
        except NotWritableError as error:
            print(error.reason)
    try:
        disk.create(root, "AGENT.md", b"")
    except ExistsError:
        print("there already")
    print(disk.is_writable("."), disk.is_read_only("."))
    print(disk.read(root, "AGENT.md", limit=9))
"""
    (folder / "AGENT.md").write_bytes(b"text")
    prepare = 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD"'
    assert on_mount(prepare, program, folder) == [
        *["read-only file system"] * 5,
        "there already",
        "False True",
        repr(b"text"),
    ]
