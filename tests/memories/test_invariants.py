"""The invariants of memories that no other file here has laws of, by their numbers.

I1 and I5: test_held_fast, and tests/test_isolation; I2: here and test_remember; I8:
test_held_fast; I3 and I12: here and there; I7: test_importing, and here by its number.
"""

import json
import shutil
from contextlib import closing, suppress
from datetime import UTC
from io import BytesIO, StringIO

import apsw
import numpy as np
import pytest
from claims import ALL, HARBOR, MIRA, NOW, TOR, Bench
from homes import HARBOR as HOME
from homes import copied
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memories.test_embedding import SPACE, World

from crewmem.backends.llm.extractive import Extractive
from crewmem.cli.app import World as Process
from crewmem.cli.root import run
from crewmem.errors.memories import TopicTakenError
from crewmem.knowledge.maintain import Upkeep
from crewmem.memories import accesses_store, text_store
from crewmem.memories.carried_store import Wanted
from crewmem.memories.condense import condense
from crewmem.memories.exporting import lines
from crewmem.memories.fading_store import every
from crewmem.memories.find import Policy, find
from crewmem.memories.importing import import_memories
from crewmem.memories.memory import PINS
from crewmem.memories.rollup import Roller
from crewmem.memories.store import Filter, Memories
from crewmem.memories.summarise import Summariser
from crewmem.prompt.budget import Budget
from crewmem.prompt.recalled import of_memory
from crewmem.prompt.render import recalled
from crewmem.threats.scan import scan

TEXTS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80
)

WORDS = st.lists(st.sampled_from(["pier", "quay", "crane", "tide"]), min_size=1)

SUMMARISER = Summariser(Extractive(), Extractive(), scan)

OWNERS = st.sampled_from([MIRA, TOR, HARBOR, ALL])


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2))
def test_what_is_stored_is_what_came_in_but_for_secrets(text, title, tags):
    """I2: byte for byte, unless it is quarantined with its secrets taken out."""
    bench = Bench()
    title = " ".join("".join(filter(str.isprintable, title)).split())
    tags = [each for each in tags if each.strip() and each.isprintable()]
    if not text.strip():
        return
    done = bench.remember(text, title=title, tags=tags)
    (row,) = bench.db.execute("select content from memories").fetchall()
    assert row[0].encode() == text.encode() or done.action == "quarantined"


def _rolled_up(desk, bench):
    zone, means = UTC, {"scan": scan, "tokenize": bench.tokenize}
    return Roller(desk, summariser=SUMMARISER, zone=zone, **means).run()


def _maintained(desk, bench):
    likeness, means = bench.likeness(), {"scan": scan, "tokenize": bench.tokenize}
    more = {"likeness": likeness, "promote": True, "dry_run": False}
    crews = {"mira": ["harbor"], "tor": ["harbor", "quay"]}
    return Upkeep(desk, crews_of=crews.__getitem__, **more, **means).run()


def _condensed(desk, bench):
    every = desk.memories.page(Filter(desk.view, desk.now), limit=200).memories
    means = {"scan": scan, "tokenize": bench.tokenize, "dry_run": False}
    return condense(desk, every, summariser=SUMMARISER, **means)


def _settled(_, bench):
    return accesses_store.settle(bench.db)


JOBS = {
    "rollup": _rolled_up,
    "maintain": _maintained,
    "condense": _condensed,
    "settle": _settled,
}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["pier", "quay", "crane"]), min_size=1),
            OWNERS,
            st.sampled_from(["fact", "lesson", "context", "error"]),
            st.integers(0, 40),
        ),
        max_size=10,
    ),
    st.lists(st.tuples(st.sampled_from(sorted(JOBS)), st.integers(0, 60)), max_size=8),
)
def test_no_job_loses_a_text(said, runs):
    """I3: whatever jobs run, on whatever days, all that was said is there."""
    bench = Bench()
    for words, owner, kind, days in said:
        fields = {"kind": kind, "importance": 5, "confidence": 0.9}
        bench.remember(" ".join(words), owner, days=days, **fields)
    before = {text for (text,) in bench.db.execute("select content from memories")}
    for name, days in runs:
        desk = bench.desk(days=days)._replace(is_system=True)
        JOBS[name](desk, bench)
    after = {text for (text,) in bench.db.execute("select content from memories")}
    assert after >= before


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            OWNERS,
            st.sampled_from(["internal", "restricted"]),
            st.sampled_from(PINS),
            st.integers(1, 5),
        ),
        max_size=9,
    ),
    st.sampled_from(["operator:ada", "agent:mira", "agent:tor", "lead:pilot"]),
)
def test_nothing_restricted_is_laid_or_listed_unless_asked(said, who):
    """I12: by whatever way memories are read for a prompt, a session or a listing."""
    bench = Bench()
    memories = bench.desk().memories
    for number, (owner, sensitivity, pin, importance) in enumerate(said):
        fields = {"sensitivity": sensitivity, "importance": importance}
        made = bench.remember(f"lantern {number}", owner, **fields).memory
        memories.change(made.seq, {"pin": pin})
    wanted = Filter(bench.desk(who, restricted=False).view, NOW)
    found = find(memories, wanted, "lantern", Policy(50), bench.tokenize)
    shown = [
        *(memories.by_id("default", hit.ref) for hit in found.hits),
        *memories.page(wanted, limit=200).memories,
        *memories.weightiest(wanted, 50),
        *memories.by_seq([one.seq for one in every(bench.db, wanted)]).values(),
    ]
    assert "restricted" not in {each.sensitivity for each in shown}


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(WORDS, OWNERS), min_size=1, max_size=10),
    WORDS,
    st.sampled_from(["operator:ada", "agent:mira", "agent:tor"]),
    st.booleans(),
)
def test_indexes_from_nothing_answer_the_same(said, asked, who, restated):
    """I6: full text and vectors are derived: made anew, every answer is the same."""
    world = World()
    for number, (words, owner) in enumerate(said):
        world.bench.remember(" ".join(words), owner, title=f"t{number}")
    if restated:
        world.bench.remember("pier of old", MIRA, topic_key="k")
        world.bench.remember("quay of now", MIRA, topic_key="k")
    world.sweep()
    question = " ".join(asked)
    first = world.found(question, who=who), _by_words(world, question, who)
    sql = "insert into memories_fts (memories_fts) values ('delete-all')"
    world.bench.db.execute(sql)
    text_store.TEXT.rebuild(world.bench.db)
    for kept in world.vectors.spaces():
        world.vectors.drop(kept.space)
    world.sweep()
    assert (world.found(question, who=who), _by_words(world, question, who)) == first


def _by_words(world, text, who):
    bench = world.bench
    wanted = Filter(bench.desk(who, restricted=False).view, NOW)
    return find(Memories(bench.db), wanted, text, Policy(50), bench.tokenize)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(TEXTS, OWNERS, st.booleans()), max_size=6))
def test_what_goes_out_and_comes_in_goes_out_the_same(said):
    """I7: the lines of an export, of the import of it, and of the export of that."""
    bench = Bench()
    for text, owner, is_restated in said:
        if text.strip():
            key = f"k{owner}" if is_restated else None
            with suppress(TopicTakenError):  # said before, without the topic
                bench.remember(text, owner, topic_key=key)
    wanted = Wanted(bench.desk().view)
    first = "\n".join(lines(bench.db, wanted))
    other = Bench()
    if first:
        import_memories(other.desk(), BytesIO(first.encode()))
    assert "\n".join(lines(other.db, Wanted(other.desk().view))) == first


BROKEN = {
    "zero": np.float32(0),
    "nan": np.float32("nan"),
    "infinite": np.float32("inf"),
}


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=8),
    st.sampled_from(sorted(BROKEN)),
    st.sampled_from("abc"),
)
def test_no_vector_is_zero_or_not_a_number(letters, how, bad):
    """I9: whatever an embedder returns, what is kept can be compared; nobody fails."""
    world = World()
    for number, letter in enumerate(letters):
        world.bench.remember(f"{letter} claim {number}", title=letter)
    embed = world.embedder.embed

    def broken(texts):
        rows = embed(texts)
        rows[[text.startswith(bad) for text in texts]] = BROKEN[how]
        return rows

    world.embedder.embed = broken
    done, lost = world.sweep(limit=64)
    assert (done, lost) == (len(letters) - letters.count(bad), letters.count(bad))
    world.embedder.embed = embed
    keys = world.vectors.keys(SPACE).tolist()
    rows = np.vstack([*world.vectors.vectors_of(SPACE, keys).values()] or [[[1.0]]])
    assert np.isfinite(rows).all()
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert len(keys) == done
    assert len(world.found("claim").hits) == len(letters)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(TEXTS.filter(str.strip), max_size=6),
    st.builds(Budget, st.integers(1, 1_500), st.sampled_from("tcb")),
)
def test_no_memory_exceeds_the_budget(texts, budget):
    """I10: all of the block is within it, in its unit, and is valid UTF-8."""
    bench = Bench()
    for text in texts:
        bench.remember(f"lantern {text}")
    wanted = Filter(bench.desk(restricted=False).view, NOW)
    found = find(Memories(bench.db), wanted, "lantern", Policy(50), bench.tokenize)
    hints = [
        of_memory(hit, now=NOW, agent="mira", program="crewmem") for hit in found.hits
    ]
    laid = recalled(hints, budget, scan=scan)
    assert budget.spent(laid.text) <= budget.amount
    assert laid.text.encode().decode() == laid.text


DATABASES = {
    "as it is": lambda _: None,
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "nonsense": lambda path: path.write_bytes(b"no database" * 500),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:9_000]),
    "torn": lambda path: path.write_bytes(
        path.read_bytes()[:8_192] + b"\xff" * 40_000 + path.read_bytes()[48_192:]
    ),
    "without memories": lambda path: _run_sql(path, "drop table memories"),
    "of tomorrow": lambda path: _run_sql(path, "pragma user_version = 999"),
}


def _run_sql(path, sql):
    with closing(apsw.Connection(str(path))) as db:
        db.execute(sql)


@pytest.fixture(name="harbor", scope="module")
def _harbor(tmp_path_factory):
    """A home where mira holds something."""
    home = copied(tmp_path_factory.mktemp("hooks") / "home", *HOME)
    out = StringIO()
    words = ["remember", "The deploy key is in the vault", "--agent", "mira"]
    environ = {"CREWMEM_HOME": str(home), "CREWMEM_EMBEDDER": "none"}
    process = Process(environ=environ, stdout=out, stderr=out, clock=lambda: NOW)
    assert run(words, process) == 0, out.getvalue()
    return home


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.sampled_from(sorted(DATABASES)),
    st.sampled_from(["default", "elsewhere", "no workspace!"]),
    st.booleans(),
    st.sampled_from(["claude", "codex"]),
)
def test_a_hook_ends_with_0_whatever_is_broken(
    harbor, tmp_path, broken, workspace, is_locked, program
):
    """I11: no database, a damaged, locked or foreign one, no such workspace."""
    home = tmp_path / "home"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(harbor, home)
    DATABASES[broken](home / "crewmem.db")
    said = {"hook_event_name": "UserPromptSubmit", "prompt": "where is the deploy key?"}
    out, err = StringIO(), StringIO()
    words = ["--home", str(home), "-w", workspace, "recall", "--hook", program]
    process = Process(
        environ={"CREWMEM_EMBEDDER": "none", "CREWMEM_BUSY_TIMEOUT": "0.05"},
        stdin=StringIO(json.dumps(said)),
        stdout=out,
        stderr=err,
        clock=lambda: NOW,
    )
    locked = _locked(home / "crewmem.db") if is_locked else None
    assert run([*words, "--agent", "mira"], process) == 0
    if locked:
        locked.close()
    told = out.getvalue()
    assert "Traceback" not in err.getvalue()
    assert len(told.encode()) <= 1_800
    if told:
        assert json.loads(told).keys() == {"hookSpecificOutput"}
    if (broken, workspace, is_locked) == ("as it is", "default", False):
        assert "in the vault" in told


def _locked(path):
    """Hold the database at *path*, if it is one, so that nobody else may write."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        db.execute("begin immediate")
    except apsw.Error:
        return None
    return db
