"""Health is what there is: each metric moves with what it is about, and only it."""

from contextlib import closing

import apsw
import pytest
from conftest import NOW
from health import healthy
from health.events import MODEL, OLLAMA, happened
from health.healthy import EPISODES
from homes import HARBOR, copied
from letters import Letters

from crewmem.files.embed import embed
from crewmem.files.locate import in_home
from crewmem.vectors.store import VectorStore

MUCH, LITTLE = 20.0, 3.0
"""Points that a metric moves by that is meant, and at most by that is not."""


@pytest.fixture(name="entries")
def _entries(home):
    return healthy.healthy(home)


@pytest.fixture(name="measured")
def _measured(crewmem):
    """``measured("--crew", "harbor")``: scores of metrics and the score of all."""

    def measure(*words, environ=OLLAMA, now=NOW):
        ran = crewmem(
            "memory", "health", "--explain", "--json", *words, environ=environ, now=now
        )
        assert ran.status == 0, ran.stderr
        data = ran.json["data"]
        scores = {each["name"]: each["score"] for each in data["metrics"]}
        return scores | {"score": data["score"]}

    return measure


@pytest.mark.usefixtures("entries")
def test_a_healthy_home_is_green(crewmem, measured):
    """Where all is as it should be, every metric says so."""
    crewmem("memory", "reindex")
    found = measured()
    assert found["freshness"] == 100
    assert found["efficiency"] == 100
    assert found["coherence"] > 70
    assert found["reachability"] == 100


def stopped(home, entries):
    healthy.age(home, entries, 60)


def unindexed(home, _):
    healthy.write(home, 25)


def unembedded(home, entries):
    healthy.unembed(home, [each.seq for each in entries[: EPISODES // 2]])


def lacking(home, _):
    lost = happened(home, *map(str, range(EPISODES)), crew_id="harbor")
    seqs = [(each.seq,) for each in lost]
    healthy.change(home, "delete from episodes where seq = ?", seqs)


def scattered(home, entries):
    vectors = {each.seq: healthy.lone(at) for at, each in enumerate(entries)}
    healthy.embed(home, vectors)


def repeated(home, entries):
    same = [entries[0].id, entries[1].id]
    healthy.embed(home, {e.seq: healthy.themed(0) for e in entries[:2]})
    for _ in range(EPISODES):
        healthy.recall(home, same, [0.9, 0.8])


def irrelevant(home, entries):
    for each in entries:
        healthy.recall(home, [each.id], [0.4])


def parted(home, _):
    healthy.change(
        home,
        "delete from memory_relations where src_seq % 4 < 2",
    )


PLANTED = {
    stopped: "freshness",
    unindexed: "coverage",
    unembedded: "coverage",
    lacking: "coverage",
    scattered: "coherence",
    repeated: "efficiency",
    irrelevant: "efficiency",
    parted: "reachability",
}
"""What is planted, and the metric that is to fall."""


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_only_the_metric_that_is_meant_moves_much(home, entries, measured, plant):
    """What is planted lowers one metric, and the score, and leaves the others."""
    before = measured()
    plant(home, entries)
    after = measured()
    fell = {name: before[name] - after[name] for name in before}
    meant = PLANTED[plant]
    assert fell.pop("score") > LITTLE / 2
    assert fell.pop(meant) >= MUCH
    assert all(abs(points) <= LITTLE for points in fell.values()), fell


def test_other_workspaces_and_crews_count_for_nothing(home, crewmem, entries, measured):
    """Whatever is wrong in a crew, another crew and another workspace are as before."""
    assert crewmem("crew", "add", "quay").status == 0
    assert crewmem("workspace", "add", "annex").status == 0
    happened(home, *["A lesson"] * 6, crew_id="quay")
    happened(home, *["A lesson"] * 6, workspace="annex", crew_id="harbor")
    quay = measured("--crew", "quay")
    annex = measured("-w", "annex")
    harbor = measured("--crew", "harbor")
    for plant in PLANTED:
        plant(home, entries)
    assert measured("--crew", "quay") == quay
    assert measured("-w", "annex") == annex
    assert measured("--crew", "harbor")["score"] < harbor["score"] - MUCH


@pytest.mark.parametrize("plant", [stopped, unindexed, irrelevant, parted])
def test_a_store_of_words_is_judged_by_what_it_has(home, entries, measured, plant):
    """Without an embedder words are the index, and what needs vectors is n/a."""
    for file in home.glob("vectors.sqlite*"):
        file.unlink()
    words = {"CREWMEM_EMBEDDER": "none"}
    before = measured(environ=words)
    plant(home, entries)
    after = measured(environ=words)
    assert before["coherence"] is before["reachability"] is None
    for name in ("freshness", "coverage", "efficiency"):
        fell = before[name] - after[name]
        assert fell >= MUCH if PLANTED[plant] == name else abs(fell) <= LITTLE


@pytest.mark.usefixtures("entries")
def test_words_that_are_in_no_index_are_not_covered(home, measured):
    """Without an embedder an episode counts that the full text has."""
    words = {"CREWMEM_EMBEDDER": "none"}
    before = measured(environ=words)["coverage"]
    healthy.change(home, "delete from journal_entries_fts_docsize where id < 21")
    assert measured(environ=words)["coverage"] <= before - MUCH


def test_the_agents_of_a_crew_are_its_recalls(home, entries, measured):
    """A crew is judged by what its agents recalled; the workspace by all recalls."""
    for _ in range(20):
        healthy.recall(home, [entries[0].id], [0.1], actor="operator:ada")
        healthy.recall(home, [entries[0].id], [0.1], verb="search")
    assert measured("--crew", "harbor")["efficiency"] == 100
    assert measured()["efficiency"] < 70


def test_recalls_of_long_ago_are_over(home, entries, measured):
    """Thirty days count, also where nobody has dropped what is older yet."""
    for _ in range(20):
        healthy.recall(home, [entries[0].id], [0.1], actor="agent:pilot")
    for days, score in ((29, 70), (31, 100)):
        at = f"{healthy.day(days)}T09:30:00.000Z"
        sql = "update recalls set at = ? where actor = 'agent:pilot'"
        healthy.change(home, sql, [(at,)])
        assert measured()["efficiency"] == pytest.approx(score, abs=4)


@pytest.mark.usefixtures("entries")
def test_agents_whose_memory_is_off_are_left_out(home, crewmem, measured):
    """Nobody looks after their memory, so nothing is said of it."""
    before = measured()
    lost = happened(home, *map(str, range(30)), crew_id="harbor", agent_id="pilot")
    healthy.age(home, lost, 900)
    pilot = home / "workspaces/default/crews/harbor/agents/pilot/.memory"
    for at in range(30):
        (pilot / f"daily/2025-01-{at + 1:02}.md").write_text("The crane was oiled.")
    assert measured()["coverage"] < before["coverage"] - MUCH
    assert crewmem("agent", "set", "pilot", "--memory", "off").status == 0
    after = measured()
    assert all(abs(after[name] - before[name]) <= LITTLE for name in after)


@pytest.mark.usefixtures("entries")
def test_vectors_of_another_model_cover_nothing(crewmem):
    """Recall does not compare them; to embed anew is what helps."""
    other = {**OLLAMA, "CREWMEM_EMBEDDER": "ollama", "CREWMEM_OLLAMA_MODEL": "other"}
    found = crewmem("memory", "health", "--explain", "--json", environ=other).json
    assert found["data"]["metrics"][0]["name"] == "freshness"
    metric = {each["name"]: each for each in found["data"]["metrics"]}
    inputs = {each["name"]: each for each in metric["coverage"]["inputs"]}
    assert inputs["indexed_entries"]["about"] == "of them are found by words"


@pytest.mark.usefixtures("entries")
def test_pieces_of_files_that_say_the_same_repeat(home, crewmem):
    """What two memory files say is told twice, as long as both do."""
    (place,) = in_home(home, "default", None, agent="mira")
    names = ("2025-01-01.md", "2025-01-02.md")
    letters = Letters()
    letters.model = MODEL

    def written(*texts):
        for name, text in zip(names, texts, strict=True):
            (place.path / "daily" / name).write_text(text)
        crewmem("memory", "reindex")
        embed(place, letters, 0, busy_timeout=1)
        data = crewmem("memory", "health", "--explain", "--json", environ=OLLAMA).json
        metrics = {each["name"]: each for each in data["data"]["metrics"]}
        inputs = metrics["efficiency"]["inputs"]
        return [e["value"] for e in inputs if e["name"] == "distinct_hits"]

    refs = [f"agent:harbor/mira/daily/{name}:1-1" for name in names]
    healthy.recall(home, refs, [0.9, 0.9])
    assert written("It rained all day.", "It rained all day.") == [41]
    assert written("It rained all day.", "z" * 50) == [42]


# What cannot be read


BROKEN = {
    "drop table episodes": "episodes",
    "drop table owners": "owners",
    "drop table memory_relations": "memory_relations",
    "drop table recalls": "recalls",
    "drop table agents": "agents",
    "alter table episodes rename column indexed_ms to gone": "indexed_ms",
    "alter table memory_relations rename column src_seq to gone": "src_seq",
    "alter table recalls rename column relevances to gone": "relevances",
    "update recalls set ids = 'none'": "recalls",
    "update recalls set relevances = '[\"x\", 2]'": "recalls",
    "update recalls set ids = '[]'": "recalls",
    "update recalls set ids = replace(hex(zeroblob(50000)), '00', '[')": "recalls",
    "update recalls set relevances = '[1e999, 1]'": "recalls",
    "update recalls set actor = cast(x'ff' as text)": "not UTF-8",
}
"""What is done to the database, and what is named for it."""


@pytest.mark.parametrize("sql", BROKEN)
@pytest.mark.usefixtures("entries")
def test_a_broken_table_is_an_error_and_no_number(home, crewmem, sql):
    """A query that fails ends with 5 and says why; nothing is kept."""
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        db.execute("pragma foreign_keys = off")
        db.execute(sql)
    ran = crewmem("memory", "health", "--measure", environ=OLLAMA)
    assert ran.status == 5, (ran.stdout, ran.stderr)
    assert ran.stdout == ""
    assert BROKEN[sql] in ran.stderr
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        kept = db.execute("select count(*) from memory_health_snapshots").get
    assert kept == 0


@pytest.mark.usefixtures("entries")
def test_snapshots_that_cannot_be_read_are_an_error(home, crewmem):
    """Where the table of snapshots is gone, nothing is measured in its place."""
    healthy.change(home, "drop table memory_health_snapshots")
    for words in ((), ("--history", "7d"), ("--measure",)):
        ran = crewmem("memory", "health", *words, environ=OLLAMA)
        assert (ran.status, ran.stdout) == (5, "")
        assert "memory_health_snapshots" in ran.stderr


@pytest.mark.usefixtures("entries")
def test_vectors_that_cannot_be_read_are_an_error(home, crewmem):
    """A torn page of vectors, or a torn file, is no lower number."""
    path = home / "vectors.sqlite"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("update vector_codes set packed = zeroblob(length(packed))")
    ran = crewmem("memory", "health", "--explain", environ=OLLAMA)
    assert (ran.status, ran.stdout) == (5, "")
    assert "episodes reembed" in ran.stderr
    path.write_bytes(b"no database" * 500)
    ran = crewmem("memory", "health", "--explain", environ=OLLAMA)
    assert (ran.status, ran.stdout) == (5, "")


@pytest.mark.usefixtures("entries")
def test_an_index_that_cannot_be_read_is_an_error(home, crewmem):
    """The index of a memory directory is named, and what makes it anew."""
    crewmem("memory", "reindex")
    (index,) = home.glob("**/mira/.memory/index.sqlite")
    index.write_bytes(b"no database" * 500)
    ran = crewmem("memory", "health", "--explain", environ=OLLAMA)
    assert (ran.status, ran.stdout) == (5, "")
    assert "memory reindex --full --path" in ran.stderr


@pytest.mark.usefixtures("entries")
def test_vectors_of_another_journal_are_none(home, measured):
    """Where a backup took the journal's place, its vectors tell nothing of it."""
    with closing(VectorStore.open_to_write(home)) as store:
        store.set_mark(healthy.SPACE, 10_000)
    found = measured()
    assert found["coherence"] is found["reachability"] is None
    assert found["coverage"] == 0


# Homes of all kinds


def test_an_empty_home_has_no_score(crewmem, measured):
    """There is nothing to judge by but the page that init made, if any."""
    crewmem("init")
    found = measured(environ={"CREWMEM_EMBEDDER": "none"})
    assert {name for name in found if found[name] is not None} <= {"coverage", "score"}


def test_a_crew_without_episodes_is_judged_by_its_files(home, measured):
    """What its metrics have no basis for is told, one by one."""
    copied(home, *HARBOR)
    found = measured("--crew", "harbor", environ={"CREWMEM_EMBEDDER": "none"})
    assert found["freshness"] is None
    assert found["score"] == found["coverage"]


def test_few_episodes_say_nothing(home, measured):
    """From five on they do."""
    copied(home, *HARBOR)
    words = {"CREWMEM_EMBEDDER": "none"}
    happened(home, *"abcd", crew_id="harbor")
    assert measured(environ=words)["freshness"] is None
    happened(home, "e", crew_id="harbor")
    assert measured(environ=words)["freshness"] == 100


def test_the_order_of_anything_changes_nothing(home, entries, measured):
    """The same rows, put there in another order, are as healthy."""
    before = measured()
    vectors = {each.seq: healthy.themed(at) for at, each in enumerate(entries)}
    healthy.embed(home, dict(reversed(vectors.items())))
    assert measured() == before
