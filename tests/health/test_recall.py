"""How recall stands: its states, what they are read from, and what follows."""

from time import perf_counter

import pytest
from conftest import NOW
from health.events import DIM, MODEL, OLLAMA, embedded, failed, happened
from homes import HARBOR, copied, stamps
from hypothesis import given
from hypothesis import strategies as st

from crewmem.db import truth
from crewmem.db.examine import examine
from crewmem.episodes.reached import keep_reached, keep_unreached, unreached
from crewmem.episodes.spaces import space_of
from crewmem.health import recall as states
from crewmem.health.advice import advice, problems
from crewmem.health.checks import vectors_backlog, vectors_scan
from crewmem.health.recall import Embedding, Step, recall, steps
from crewmem.health.remembered import (
    Remembered,
    Vectors,
    remembered,
    vectors_of,
)
from crewmem.hybrid import seeker as recalling
from crewmem.scope import Reach
from crewmem.vectors import FILE
from crewmem.vectors.space import Failure
from crewmem.vectors.store import VectorStore

HERE = Embedding("auto", "minilm", MODEL, "it is the best of those that are here", "")
NOWHERE = Embedding(
    "auto", "", "", "its weights are not here", "crewmem embedder install"
)
OTHER = Embedding("minilm", "", "", "it gives another", "crewmem episodes reembed")
OFF = Embedding("none", "", "", "the setting embedder is none", "crewmem config set")

SOME = Vectors(model=MODEL, own=3)


def test_words_are_written_down_twice_and_mean_the_same():
    """For the sake of the start."""
    for name in ("VECTOR", "DEGRADED", "SPARSE"):
        assert getattr(states, name) == getattr(recalling, name)


@pytest.mark.parametrize(
    ("kept", "embedding", "state", "command"),
    [
        (Remembered(), HERE, "vector", ""),
        (Remembered(3, 3, vectors=SOME), HERE, "vector", ""),
        (Remembered(3, 3, 3), HERE, "vector-degraded", "crewmem episodes sweep"),
        (
            Remembered(3, 3, vectors=Vectors(unread="it is damaged")),
            HERE,
            "vector-degraded",
            "crewmem doctor",
        ),
        (
            Remembered(3, 3, vectors=SOME._replace(unreached={MODEL: "it is down"})),
            HERE,
            "vector-degraded",
            "crewmem embedder test",
        ),
        (
            Remembered(3, 3, vectors=SOME._replace(unreached={"other": "it is down"})),
            HERE,
            "vector",
            "",
        ),
        (
            Remembered(3, 3, vectors=SOME._replace(others=2)),
            HERE,
            "vector-degraded",
            "crewmem episodes reembed",
        ),
        (
            Remembered(3, 3, vectors=SOME),
            OTHER,
            "vector-degraded",
            "crewmem episodes reembed",
        ),
        (Remembered(3, 3), NOWHERE, "sparse-only", ""),
        (Remembered(3, 3, vectors=SOME), NOWHERE, "sparse-only", NOWHERE.hint),
        (Remembered(3, 3, vectors=SOME), OFF, "sparse-only", ""),
        (
            Remembered(99, 99, 65, vectors=SOME),
            HERE,
            "vector",
            "crewmem episodes sweep --all",
        ),
        (
            Remembered(9, 9, 1, 1, 1, SOME),
            HERE,
            "vector",
            "crewmem doctor --only vectors.failures",
        ),
    ],
)
def test_each_state_has_its_cause_and_its_way_out(kept, embedding, state, command):
    """What makes it better is the first step; where nothing is wrong there is none."""
    seen = recall(kept, embedding)
    assert seen.state == state
    assert bool(seen.why) == (state != "vector")
    first = next(steps(kept, seen, embedding), Step("", "", ""))
    assert first.command == command


def test_steps_are_problems_and_advice():
    """What is no command of crewmem is a problem, and no next command."""
    todo = [
        Step("no tokens", "pip install 'crewmem[minilm]'", "words become tokens"),
        Step("", "crewmem episodes sweep", "embed what waits"),
    ]
    assert problems([], "", todo) == ("no tokens",)
    words = advice([], has_base=True, writable=(), trouble="", steps=todo)
    assert words == (["crew", "add", "NAME"], "add the first crew")


@pytest.fixture
def harbor(home):
    return copied(home, *HARBOR)


def counted(home, *, agent=None, crews=()):
    """What is kept in the default workspace, as an actor of that reach sees it."""
    vectors = vectors_of(home, "default", busy_timeout=1)
    reach = Reach("default", agent, frozenset(crews))
    return examine(home / truth.NAME, lambda db: remembered(db, reach, vectors))


def test_an_empty_home_keeps_nothing(harbor):
    """Nor does one that has no database yet, or an older one."""
    assert counted(harbor) == Remembered()
    (harbor / "crewmem.db").write_bytes(b"")
    assert counted(harbor) == Remembered()


def test_what_waits_is_counted_once(harbor, tmp_path):
    """Entries, episodes, what has no vector, and what failed; nothing is touched."""
    happened(harbor, "the crane broke", "the pier sank", agent_id="mira")
    happened(harbor, "lunch", kind="note.taken", agent_id="mira")
    assert counted(harbor)[:5] == (3, 2, 2, 0, 0)
    space = embedded(harbor)
    assert counted(harbor)[:5] == (3, 2, 0, 0, 0)
    (late,) = happened(harbor, "a rope was cut", agent_id="pilot", crew_id="harbor")
    happened(harbor, "far away", workspace="other")
    failed(
        harbor,
        space,
        Failure(1, 8, 0, "rude"),  # tried, and passed by
        Failure(late.seq, 0, 0, "first"),  # not yet, and not passed by
    )
    before = stamps(tmp_path)
    assert counted(harbor)[:5] == (4, 3, 2, 1, 1)
    assert counted(harbor, agent="mira")[:5] == (3, 2, 1, 1, 1)
    assert counted(harbor, agent="pilot")[:5] == (1, 1, 1, 0, 0)
    assert counted(harbor, agent="mira", crews=["harbor"])[:5] == (4, 3, 2, 1, 1)
    assert stamps(tmp_path) == before


def test_who_has_no_memory_waits_for_no_vector(harbor, crewmem):
    """The episodes are there, and counted; they are passed over until it is on."""
    happened(harbor, "the crane broke")
    happened(harbor, "the pier sank", agent_id="mira")
    assert counted(harbor)[1:3] == (2, 2)
    assert crewmem("agent", "set", "mira", "--memory", "off").status == 0
    assert counted(harbor)[1:3] == (2, 1)
    space = embedded(harbor)
    (late,) = happened(harbor, "a rope was cut", agent_id="mira")
    failed(harbor, space, Failure(late.seq - 1, 9, 0, "rude"))
    assert counted(harbor)[1:5] == (3, 0, 0, 0)


def test_vectors_of_other_models_are_counted_as_others(harbor):
    """In whatever workspace they are; the model of most is the model."""
    happened(harbor, "the crane broke", "the pier sank")
    happened(harbor, "far away", workspace="other")
    embedded(harbor)
    embedded(harbor, workspace="other", model="another")
    seen = vectors_of(harbor, "default", busy_timeout=1)
    assert (seen.model, seen.own, seen.others) == (MODEL, 2, 1)
    seen = vectors_of(harbor, "other", busy_timeout=1)
    assert (seen.model, seen.own, seen.others) == (MODEL, 0, 1)


@pytest.mark.parametrize("content", [b"no database at all, just a text", None])
def test_vectors_that_cannot_be_read_are_told(harbor, content):
    """Whatever stands there; one that is only of another version is none."""
    path = harbor / FILE
    if content:
        path.write_bytes(content)
    else:
        path.mkdir()
    assert vectors_of(harbor, "default", busy_timeout=1).unread
    assert recall(counted(harbor), HERE).state == "vector-degraded"


def test_an_embedder_that_is_down_is_kept_until_it_answers(harbor):
    """With how often it was asked and why; then it is gone, and no space is left."""
    with_store = VectorStore.open_to_write(harbor)
    keep_reached(with_store, MODEL)
    assert with_store.spaces() == []
    for _ in range(3):
        keep_unreached(with_store, MODEL, "it is down", NOW)
    assert unreached(with_store, MODEL).tries == 3
    assert unreached(with_store, "another") is None
    seen = vectors_of(harbor, "default", busy_timeout=1)
    assert seen == Vectors(unreached={MODEL: "it is down"})
    keep_reached(with_store, MODEL)
    assert with_store.spaces() == []
    with_store.close()


def test_a_sweep_tells_whether_it_was_answered(crewmem, harbor):
    """Status knows it afterwards, and asks nobody."""
    happened(harbor, "the crane broke")
    environ = OLLAMA | {"CREWMEM_EMBEDDER_TIMEOUT": "0.1"}
    assert crewmem("episodes", "sweep", environ=environ).status == 0
    data = crewmem("status", "--json", environ=environ).json["data"]
    assert data["episodic"] == "vector-degraded"
    assert "Ollama" in data["problems"][0]
    assert data["next"] == "crewmem embedder test"


instants = st.none() | st.integers(0, 1_000)


@given(since=instants, written=instants, embedded=instants)
def test_waiting_is_never_longer_than_is_known(since, written, embedded):
    """It began when something was there, and begins anew with whatever is embedded."""
    waited = vectors_backlog.waited_ms(
        1_000, since=since, written=written, embedded=embedded
    )
    known = [each for each in (since, written) if each is not None]
    assert waited <= 1_000 - min(known, default=1_000)
    assert embedded is None or waited <= max(0, 1_000 - embedded)
    if known and embedded is None:
        assert waited == 1_000 - min(known)


@pytest.mark.parametrize(("took", "status"), [(50.0, "pass"), (50.1, "warn")])
def test_a_scan_that_takes_long_is_told(harbor, took, status):
    """With how many vectors there are."""
    from crewmem.cli.app import App, World
    from crewmem.cli.scene import scene

    seen = scene(App(World(environ={"CREWMEM_HOME": str(harbor)}), {}), None)
    found = vectors_scan.judged(seen, 1_234_567, took)
    assert found.status == status
    assert "1,234,567 vectors" in found.observed


def test_a_scan_is_measured_on_what_there_is(harbor):
    """Whatever it comes to."""
    happened(harbor, "the crane broke", "the pier sank")
    space = embedded(harbor)
    assert space == space_of("default", MODEL, DIM)
    store = VectorStore.open_to_read(harbor)
    (kept,) = (each for each in store.spaces() if each.vectors)
    assert vectors_scan.scan_ms(store, kept, perf_counter) > 0
    store.close()
