"""Jobs while the system fails, or the process ends, at any point of them.

Whatever happens to an import, a sweep, a compaction or a decay, run again it comes to
what an undisturbed run comes to. The suite takes a sample; ``CREWMEM_FAULTS=all`` takes
all.
"""

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from letters import Letters
from strace import KILL, STRACE

from crewmem.backends.embed import Choice
from crewmem.db.connect import Mode, connect, fetch
from crewmem.journal import compact, importing, restore
from tests.faults.conftest import BUG, Scene
from tests.faults.disturbing import (
    ALL,
    disturbed,
    every_fault,
    killed_at_random,
    undisturbed,
)
from tests.faults.tracing import PATTERNS

OPERATOR = "operator:ada"

ENTRIES = 60

WORDS = "crane", "winch", "rope", "anchor", "tide", "crate", "ledger", "buoy", "sail"


def line(number):
    """Return an entry of the last months; every sixth is worth recalling."""
    kinds = ("peer.escalation", "run.completed", "note.taken")
    kind = kinds[0] if number % 6 == 0 else kinds[1 + number % 2]
    words = " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7))
    entry = {
        "entry_type": kind,
        "summary": f"{words} {number}",
        "ts": f"2026-0{1 + number % 4}-{1 + number % 3:02}T10:00:00Z",
        "crew_id": "harbor" if number % 2 else None,
        "payload": {"n": number, "text": "x" * 300},
    }
    return json.dumps(entry)


TABLES = (
    "journal_entries",
    "journal_entries_archived",
    "journal_chains",
    "journal_bulk",
    "episodes",
    "owners",
    "memory_relations",
    "journal_entry_priorities",
    "proposals",
)


class Jobs(Scene):
    """A home with entries, and a file of more of them."""

    def words(self, job):
        """Return what is typed for *job*."""
        return {
            "import": ["journal", "import", str(self.home.parent / "more.jsonl")],
            "sweep": ["episodes", "sweep", "--all"],
            "compact": ["journal", "compact", "--older-than", "30d"],
            "decay": ["decay", "--apply"],
            "bundle": [
                *("import", "--apply", "--from", str(self.template.parent / "bundle"))
            ],
        }[job]

    def run(self, job):
        """Do *job*; return its status."""
        status, _, said = self.typed(*self.words(job), acting=OPERATOR)
        assert status != BUG, said
        return status

    def ends(self, _):
        """Return that a job that is run again is done."""
        return {0}

    def state(self):
        """Return all that jobs make, but for the order of pages and of batches."""
        status, out, _ = self.typed("journal", "verify", acting=OPERATOR)
        assert (status, out[:5]) == (0, "Whole")
        listing = ("episodes", "list", "--vectors", "-F", "jsonl", "-l", "1000")
        _, vectors, _ = self.typed(*listing, acting=OPERATOR)
        db = connect(self.home / "crewmem.db", Mode.WRITE)
        try:
            check = "insert into journal_entries_fts (journal_entries_fts, rank)"
            db.execute(f"{check} values ('integrity-check', 1)")
            found = {
                table: sorted(map(repr, fetch(db, f"select * from {table}")))  # noqa: S608 - of ours
                for table in TABLES
            }
            sql = "select reason, removed from journal_checkpoints"
            gone = [
                (why, each) for why, some in fetch(db, sql) for each in json.loads(some)
            ]
        finally:
            db.close()
        return found | {"vectors": vectors, "gone": sorted(gone)}


@pytest.fixture(scope="module")
def template(in_memory):
    """A home with entries that are old enough to be archived."""
    with tempfile.TemporaryDirectory(dir=in_memory) as made:
        scene = Jobs(Path(made, "template"), Path(made))
        first, more = Path(made, "first.jsonl"), Path(made, "more.jsonl")
        first.write_text("\n".join(map(line, range(ENTRIES))))
        more.write_text("\n".join(map(line, range(ENTRIES, 2 * ENTRIES))))
        assert scene.typed("init", acting=OPERATOR)[0] == 0
        words = ("journal", "import", str(first))
        assert scene.typed(*words, acting=OPERATOR)[0] == 0
        bundled(Jobs(Path(made, "other"), Path(made)), more, Path(made, "bundle"))
        yield scene.home


def bundled(other, entries, bundle):
    """Export a home of which more is known than what its entries say."""

    def typed(*words, acting=OPERATOR):
        status, out, said = other.typed(*words, "--json", acting=acting)
        assert status == 0, said
        return json.loads(out)["data"]

    typed("init")
    typed("journal", "import", str(entries))
    listed = typed("journal", "list", "--type", "peer.escalation", "-l", "9")
    one, two, *_, last = (each["id"] for each in listed)
    typed("episodes", "relations", "add", one, two)
    typed("journal", "pin", last, "--reason", "it matters")
    typed("episodes", "recall", "crane winch", "--no-gate", "--mark")
    typed("crew", "add", "harbor", "--lead", "tor")
    typed("agent", "add", "mira", "--crew", "harbor")
    share = (
        "knowledge",
        "share",
        "cranes break",
        "--scope",
        "crew",
        "--crew",
        "harbor",
    )
    typed(*share, acting="agent:mira")
    typed("journal", "compact")
    only = ("--only", "journal", "--only", "memories")
    typed("export", *only, "--out", str(bundle))


@pytest.fixture
def scene(template, monkeypatch):
    """A copy of it, where batches are small and an embedder counts letters."""
    monkeypatch.setattr(importing, "BATCH", 16)
    monkeypatch.setattr(compact, "BATCH", 16)
    monkeypatch.setattr(restore, "BATCH", 3)
    monkeypatch.setattr("crewmem.episodes.sweep.USUAL", 4)
    embedder = Letters()
    embedder.close = lambda: None
    chosen = lambda *_: Choice(embedder, "it is here")  # noqa: E731 - a stand-in
    monkeypatch.setattr("crewmem.backends.embed.choose", chosen)
    with tempfile.TemporaryDirectory(dir=template.parent) as made:
        scene = Jobs(Path(made, "home"), template)
        more = template.parent / "more.jsonl"
        (Path(made) / "more.jsonl").write_bytes(more.read_bytes())
        scene.fresh()
        yield scene


JOBS = ("import", "sweep", "compact", "decay", "bundle")


@pytest.mark.parametrize("job", JOBS)
def test_a_job_may_be_killed_at_any_moment(scene, job):
    """Run again it comes to the same, however often it was killed."""
    expected = undisturbed(scene, job)
    killed_at_random(scene, job, expected, 60 if ALL else 4)


SAMPLE = (
    ("import", "write", KILL, 9),
    ("sweep", "fsync", KILL, 2),
    ("sweep", "write", "error=ENOSPC", 12),
    ("compact", "write", KILL, 20),
    ("compact", "fsync", "error=EIO", 3),
    ("decay", "write", "error=EROFS", 2),
    ("bundle", "fsync", KILL, 6),
)


@pytest.mark.skipif(not STRACE, reason="needs strace")
@pytest.mark.parametrize(("job", "call", "fault", "nth"), SAMPLE)
def test_the_kernel_may_refuse_or_kill_in_a_job(scene, job, call, fault, nth):
    """SQLite's own calls included: it fails in words, and run again it is the same."""
    expected = undisturbed(scene, job)
    assert disturbed(scene, job, call, fault, nth, expected), "nothing was injected"


@pytest.mark.skipif(not (ALL and STRACE), reason="takes long")
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("call", PATTERNS)
def test_every_call_of_a_job_may_fail(scene, job, call):
    """Whichever occurrence of it, on a disk that is broken or full, and killed."""
    expected = undisturbed(scene, job)
    every_fault(scene, job, call, expected)


TOGETHER = (
    ("compact", "import"),
    ("compact", "compact"),
    ("sweep", "sweep", "import"),
    ("import", "import", "decay", "sweep", "compact"),
)


@pytest.mark.parametrize("jobs", TOGETHER, ids="+".join)
def test_jobs_at_once_lose_nothing(scene, beside, jobs):
    """No error reaches anybody, and every entry is there, once; added ones as well."""

    def add():
        for number in range(5):
            words = ("journal", "add", "peer.escalation", f"meanwhile {number}")
            assert scene.typed(*words, acting=OPERATOR)[0] == 0

    def run(job):
        assert scene.run(job) == 0

    actions = [lambda job=job: run(job) for job in jobs]
    assert beside(*actions, add) == [0] * (len(jobs) + 1)
    for job in ("import", "compact", "sweep"):
        run(job)
    state = scene.state()
    told = Counter(json.loads(each)["summary"] for each in summaries(scene))
    assert told == dict.fromkeys(told, 1)
    assert len(told) == 2 * ENTRIES + 5
    listed = [json.loads(each) for each in state["vectors"].splitlines()]
    assert all(each["vector"] for each in listed)
    assert len(listed) == 2 * ENTRIES // 6 + 5


def summaries(scene):
    """Yield what was added to the journal, archived or not, a line each."""
    words = ("journal", "list", "--include-archive", "-F", "jsonl", "-l", "1000")
    _, out, _ = scene.typed(*words, "--exclude-type", "system.*", acting=OPERATOR)
    return out.splitlines()
