"""What changes many memories, while the system fails or the process ends.

Whatever happens to a rollup, to the upkeep of knowledge, to a condensing and to what
persons decide and erase, run again it comes to what an undisturbed run comes to: each
memory, vote, edge and event once. The suite takes a sample; ``CREWMEM_FAULTS=all``
takes all.
"""

import json
import re
import tempfile
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest
from strace import KILL, STRACE

from crewmem.db.connect import Mode, connect, fetch
from tests.faults.conftest import BUG, NOW, Scene
from tests.faults.disturbing import (
    ALL,
    FAULTS,
    again,
    disturbed,
    every_fault,
    killed_at_random,
    undisturbed,
)
from tests.faults.tracing import PATTERNS

ADA, MIRA, TOR, PILOT = "operator:ada", "agent:mira", "agent:tor", "lead:pilot"

ERASED = "The walrus sleeps on pier nine"

JOBS = {
    "rollup": (ADA, "memories rollup --catch-up"),
    "told": (ADA, "memories rollup --catch-up --llm-command {model}"),
    "maintain": (ADA, "knowledge maintain"),
    "condense": (ADA, "memories condense"),
    "undo": (ADA, "memories condense --undo {summary}"),
    "approve": (PILOT, "proposals approve {proposal}"),
    "promote": (ADA, "knowledge promote {promoted} --to workspace"),
    "reject": (TOR, "knowledge reject --original {wrong} --reason {reason}"),
    "signals": (ADA, "knowledge signals --record"),
    "digest": (MIRA, "scratch digest --session s"),
    "topic": (MIRA, "remember {newer} --topic-key db"),
    "purge": (ADA, "memories purge {erased} --yes"),
}
"""Who does a job, and what is typed; what is in braces has a name in the home."""

ENDS = {"approve": {0, 9}}
"""What says, besides 0, that a job is done already: it is decided."""

NAMES = {
    "model": "wc -w",
    "wrong": "deploy on a friday evening",
    "reason": "nobody is there to see it fail",
    "newer": "The database is PG 17",
}

ID = re.compile(r"\b[mjps]_[0-9a-z]{12}\b")
"""An id: that of a thing that is made anew is another each time."""

ROWS = """
    select id, kind || ' of ' || agent_id || crew_id || ': ' || title || ', '
               || substr(content_hash, 1, 6)
      from memories
    union all select id, 'proposal: ' || title from proposals
"""
"""What a thing is called instead: by all that it says."""

TABLES = {
    "memories": """
        select workspace_id, scope, agent_id, crew_id, kind, subtype, title, content,
               tags, entities, labels, metadata, importance, confidence, base_quality,
               sensitivity, status, pin, state, topic_key, superseded_by, content_hash,
               occurred_at, expires_at, verified_at, stale_at, source_session, origin,
               created_by, created_at, updated_at, id
          from memories
    """,
    "revisions": """
        select m.id, revision, r.title, r.content, replaced_at, replaced_by, reason
          from memory_revisions r join memories m on m.seq = r.memory
    """,
    "votes": """
        select m.id, actor, day, is_up, reason, at
          from memory_votes v join memories m on m.seq = v.memory
    """,
    "edges": """
        select a.id, b.id, relation, weight, e.created_at, e.created_by
          from memory_edges e
          join memories a on a.seq = e.src
          join memories b on b.seq = e.dst
    """,
    "scratch": "select actor, session, content, expires_at, digested_into from scratch",
    "proposals": """
        select id, kind, scope, crew_id, title, body, evidence, status, created_by,
               decided_by, decided_at, reason, outcome
          from proposals
    """,
    "events": """
        select crew_id, agent_id, ts, entry_type, actor_type, actor_id, summary,
               payload, refs
          from journal_entries
    """,
}


class Memories(Scene):
    """A home in which every job has something of everything to do."""

    def run(self, job):
        """Do *job*; return its status."""
        who, words = JOBS[job]
        names = names_of(self.template.parent / "names.json")
        status, _, said = self.typed(
            *(each.format(**names) for each in words.split()), acting=who
        )
        assert status != BUG, said
        return status

    def ends(self, job):
        """Return what a job may end with that was done before."""
        return ENDS.get(job, {0})

    def state(self):
        """Return all that jobs make, whatever ids it got and in whatever order."""
        status, out, _ = self.typed("journal", "verify", acting=ADA)
        assert (status, out[:5]) == (0, "Whole")
        db = connect(self.home / "crewmem.db", Mode.WRITE)
        try:
            for words in ("memories_fts", "journal_entries_fts"):
                check = f"insert into {words} ({words}, rank)"
                db.execute(f"{check} values ('integrity-check', 1)")
            called = dict(fetch(db, ROWS))
            return {
                name: sorted(
                    ID.sub(lambda found: called.get(found[0], "…"), repr(row))
                    for row in fetch(db, sql)
                )
                for name, sql in TABLES.items()
            } | {"erased": not self.tells(ERASED)}
        finally:
            db.close()

    def tells(self, text):
        """Tell whether *text* is in any byte of the home."""
        files = (path for path in self.home.rglob("*") if path.is_file())
        return any(text.encode() in path.read_bytes() for path in files)


@cache
def names_of(path):
    """Return what is in braces; it is read before anything fails."""
    return json.loads(path.read_text())


def days_ago(day):
    """Return how many minutes before now it was nine on *day*."""
    then = datetime.fromisoformat(f"{day}T09:00:00Z")
    return int((then - NOW).total_seconds() // 60)


SHARE = "knowledge", "share", "--scope", "crew", "--crew", "harbor"

REJECT = "knowledge", "reject", "--original"

SURE = "remember", "--importance", "4", "--confidence", "0.8"

QUAY = "the quay is wet in winter and dry in summer and nobody knows why at all"
"""What is held twice, and of which one is to go."""

PAST = (
    ("2026-01-01", ADA, *SHARE, "The old crane squeaks in spring"),
    ("2026-02-25", ADA, "knowledge", "maintain"),
    ("2026-03-01", ADA, *SHARE, "The slipway is closed on Sundays"),
    ("2026-03-11", MIRA, "remember", "--kind", "error", "The export failed at night"),
    (
        "2026-03-12",
        TOR,
        "remember",
        "--kind",
        "context",
        "The tide board is read by hand",
    ),
    ("2026-03-30", MIRA, "remember", "--kind", "meeting", "The crew met at the pier"),
    (
        "2026-04-14",
        TOR,
        "remember",
        "--kind",
        "feedback",
        "The lead liked the new ramp",
    ),
    ("2026-04-15", MIRA, "remember", "--kind", "decision", "PG 16 it is for staging"),
    ("2026-04-15", MIRA, "remember", "The database is PG 16", "--topic-key", "db"),
    (
        "2026-04-20",
        MIRA,
        "remember",
        "--kind",
        "context",
        ERASED,
        "--topic-key",
        "walrus",
    ),
    ("2026-04-21", MIRA, "remember", f"{ERASED}, or ten", "--topic-key", "walrus"),
    ("2026-04-22", ADA, "memories", "rollup", "--daily", "2026-04-20"),
    *(
        ("2026-04-27", TOR, "remember", "--kind", "error", text)
        for text in (
            "The nightly export failed on runner one",
            "The nightly export failed on runner two",
            "The nightly export failed on runner one again",
            "The gauge at the north gate shows eleven",
            "The gauge at the north gate shows twelve",
            "The gauge at the north gate shows eleven again",
        )
    ),
    ("2026-04-28", ADA, "memories", "condense", "-l", "3"),
    *(
        ("2026-04-28", who, "remember", text, "--entities", "Kontor", *more)
        for who in (MIRA, TOR)
        for text, more in (
            ("Ropes are kept on pier four in winter", ("--confidence", "0.7")),
            (f"Kontor called {who[6:]} about an invoice", ()),
        )
    ),
    ("2026-04-28", MIRA, *SURE, "--kind", "lesson", "Read the tide table before noon"),
    ("2026-04-28", ADA, *SHARE, "Cranes stop above nine knots of wind"),
    ("2026-04-28", TOR, *SURE, "Cranes stop above nine knots of wind"),
    *(("2026-04-28", ADA, *SHARE, "--kind", kind, QUAY) for kind in ("fact", "lesson")),
    ("2026-04-29", MIRA, *SHARE, "Buoy seven reports fathoms"),
    ("2026-04-29", MIRA, *REJECT, NAMES["wrong"], "--reason", "it failed"),
    *(
        ("2026-05-01", MIRA, "scratch", "add", "--session", "s", text)
        for text in ("the key is below the mat", "the mat is at the door")
    ),
)
"""What was done, on which day and by whom."""


@pytest.fixture(scope="module", name="template")
def _template(in_memory):
    """A home of four months; what is embedded is left to other tests."""
    with tempfile.TemporaryDirectory(dir=in_memory) as made:
        scene = Memories(Path(made, "template"), Path(made))

        def typed(*words, acting=ADA, minutes=0):
            status, out, said = scene.typed(
                *words, "--json", acting=acting, minutes=minutes
            )
            assert status == 0, said
            return json.loads(out)["data"]

        for words in (
            "init",
            "config set embedder none",
            "crew add harbor --lead pilot",
            *(f"agent add {each} --crew harbor" for each in ("pilot", "mira", "tor")),
        ):
            typed(*words.split(), minutes=days_ago("2026-01-01"))
        for day, who, *words in PAST:
            done = typed(*words, acting=who, minutes=days_ago(day))
            if words[:2] == ["memories", "condense"]:
                summary = done[0]["memory"]["id"]
        held = {
            each["memory"]["title"]: each["memory"]["id"]
            for each in typed("memories", "list", "-l", "200")
        }
        names = NAMES | {
            "summary": summary,
            "proposal": typed("proposals", "list")[0]["id"],
            "promoted": held["PG 16 it is for staging"],
            "erased": held[f"{ERASED}, or ten"],
        }
        Path(made, "names.json").write_text(json.dumps(names))
        yield scene.home


@pytest.fixture(name="scene")
def _scene(template, monkeypatch):
    """A copy of it, where a model's answers are kept by two."""
    monkeypatch.setattr("crewmem.memories.rollup.BATCH", 2)
    with tempfile.TemporaryDirectory(dir=template.parent) as made:
        scene = Memories(Path(made, "home"), template)
        scene.fresh()
        yield scene


@pytest.mark.parametrize("job", JOBS)
def test_a_job_may_be_killed_at_any_moment(scene, job):
    """Run again it comes to the same, however often it was killed; so it does twice."""
    before = scene.state()
    expected = undisturbed(scene, job)
    assert expected != before
    assert expected["erased"] == (job == "purge")
    again(scene, job, expected, "run twice")
    killed_at_random(scene, job, expected, 60 if ALL else 1)


SAMPLE = (
    ("rollup", "write", KILL, 30),
    ("maintain", "write", "error=ENOSPC", 5),
    ("purge", "fsync", KILL, 3),
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
    faults = [KILL] if job == "told" else FAULTS  # without a model it is told by titles
    every_fault(scene, job, call, expected, faults)


TOGETHER = (
    ("rollup", "rollup", "maintain", "maintain"),
    ("condense", "condense", "maintain", "signals", "reject", "reject"),
    ("topic", "topic", "digest", "digest", "rollup"),
)


@pytest.mark.parametrize("jobs", TOGETHER, ids="+".join)
def test_jobs_at_once_lose_nothing(scene, beside, jobs):
    """Beside who writes, votes and forgets: every text is there, and made once."""
    before = texts(scene)
    new = [f"meanwhile {number}" for number in range(4)]

    def typed(*words):
        status, out, said = scene.typed(*words, "--json", acting=TOR)
        assert status == 0, said
        return json.loads(out)["data"]

    def write():
        for text in new:
            made = typed("remember", text)["memory"]["id"]
            typed("vote", made, "--up")
            typed("forget", made)

    def run(job):
        assert scene.run(job) == 0

    actions = [lambda job=job: run(job) for job in jobs]
    assert beside(*actions, write) == [0] * (len(jobs) + 1)
    after = scene.state()
    assert texts(scene) >= before | {*new}
    made = [each for each in after["events"] if "'memory.created'" in each]
    assert len(made) == len(after["memories"])
    assert len({*made}) == len(made)


def texts(scene):
    """Return all that memories say, or said before."""
    db = connect(scene.home / "crewmem.db", Mode.WRITE)
    try:
        sql = "select content from memories union select content from memory_revisions"
        return {text for (text,) in fetch(db, sql)}
    finally:
        db.close()
