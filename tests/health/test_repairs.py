"""After a repair of journal, episodes or vectors: it is as if nothing had happened."""

from contextlib import closing

import numpy as np
import pytest
from conftest import NOW
from health.events import MODEL, OLLAMA, Letters, embedded, failed, happened
from health.faults import FAULTS

from crewmem.db import truth
from crewmem.db.connect import fetch
from crewmem.episodes.store import Episodes
from crewmem.scope import Reach
from crewmem.vectors.retries import FIRST
from crewmem.vectors.space import Failure
from crewmem.vectors.store import VectorStore

NAMED = {fault.plant.__name__: fault for fault in FAULTS}


def repaired(crewmem, home, name):
    """Plant the fault *name*, and let doctor repair it."""
    fault = NAMED[name]
    fault.plant(home)
    ran = crewmem("doctor", "--fix", "--only", fault.check, environ=fault.environ)
    assert ran.status == 0, ran.stdout


def vectors_there(home, space):
    with closing(VectorStore.open_to_read(home)) as store:
        return store.keys(space).tolist(), store.mark(space), store.failures(space)


@pytest.mark.parametrize(
    "name", ["words_that_are_gone", "words_of_another_entry", "words_that_are_damaged"]
)
def test_entries_are_found_again_by_their_words(crewmem, harbor, name):
    """By all of them, and by no others."""
    repaired(crewmem, harbor, name)
    for query, count in (("crane", 1), ("pier", 1), ("something", 0)):
        data = crewmem("journal", "list", "--query", query, "--json").json["data"]
        assert len(data) == count


def test_an_episode_that_was_missing_is_embedded_by_the_next_sweep(crewmem, harbor):
    """Although sweeps have passed its place."""
    repaired(crewmem, harbor, "episode_that_is_missing")
    with closing(VectorStore.open_to_write(harbor)) as store:
        (space,) = (each.space for each in store.spaces() if each.vectors)
        assert store.failures(space) == [Failure(2, 0, 0, FIRST)]
        store.remove(space, [2])
    embedded(harbor)
    keys, mark, failures = vectors_there(harbor, space)
    assert (keys, mark, failures) == ([1, 2, 3], 3, [])


def test_an_episode_that_was_another_s_is_nearest_to_its_owner_alone(crewmem, harbor):
    """Its row, its vector, and the number of episodes of each owner."""
    repaired(crewmem, harbor, "episode_of_somebody_else")
    with closing(truth.open_to_write(harbor)) as db:
        episodes = Episodes(db)
        (mira,) = episodes.owners(Reach("default"), agent="mira")
        assert {*episodes.owner_of([1, 2, 3]).values()} == {mira}
        rows = fetch(db, "select agent_id, episodes from owners")
        assert dict(rows) == {"mira": 3, "pilot": 0}
    (query,) = Letters().embed(["the pier sank"])
    with closing(VectorStore.open_to_read(harbor)) as store:
        (space,) = (each.space for each in store.spaces() if each.vectors)
        found = store.nearest(space, query, 1, owners=[mira])
    assert found.keys.tolist() == [2]


def test_vectors_follow_an_episode_to_its_owner(crewmem, harbor):
    """Also where they were made while it was kept as another's."""
    NAMED["episode_of_somebody_else"].plant(harbor)
    with closing(VectorStore.open_to_write(harbor)) as store:
        (space,) = (each.space for each in store.spaces() if each.vectors)
        store.reown(space, {2: 2})
    crewmem("doctor", "--fix", "--only", "episodes.owners")
    (query,) = Letters().embed(["the pier sank"])
    with closing(VectorStore.open_to_read(harbor)) as store:
        assert 2 in store.nearest(space, query, 3, owners=[1]).keys.tolist()


@pytest.mark.parametrize(
    "name",
    [
        "vectors_that_are_not_as_written",
        "vectors_whose_tables_are_damaged",
        "older_vectors",
    ],
)
def test_vectors_that_were_dropped_come_back_with_the_next_sweep(crewmem, harbor, name):
    """All of them, as they were."""
    repaired(crewmem, harbor, name)
    space = embedded(harbor)
    keys, mark, failures = vectors_there(harbor, space)
    assert (keys, mark, failures) == ([1, 2, 3], 3, [])
    with closing(VectorStore.open_to_read(harbor)) as store:
        (rows,) = store.vectors_of(space, [2]).values()
    assert np.allclose(rows, Letters().embed(["the pier sank"]))
    assert crewmem("doctor", "--only", "vectors.usable", "--strict").status == 0


def test_an_agent_is_told_of_its_own_entries(crewmem, harbor):
    """Not that others' fail, nor of what is about all of the home."""
    mine, theirs = (
        happened(harbor, f"of {agent}", agent_id=agent)[0] for agent in ("mira", "far")
    )
    space = embedded(harbor)
    failed(harbor, space, *(Failure(each.seq, 8, 0, "no") for each in (mine, theirs)))
    NAMED["words_that_are_damaged"].plant(harbor)
    ran = crewmem("doctor", "--as", "agent:mira", "--json", environ=OLLAMA)
    told = {each["id"]: each for each in ran.json["data"] if each["status"] == "warn"}
    assert {*told} == {"vectors.failures"}
    assert mine.id in told["vectors.failures"]["observed"]
    assert theirs.id not in ran.stdout
    whole = crewmem("doctor", "--json", environ=OLLAMA)
    assert theirs.id in whole.stdout
    about_all = {"journal.chain", "journal.text", "episodes.rows", "vectors.usable"}
    skipped = {each["id"] for each in ran.json["data"] if each["status"] == "skip"}
    assert about_all <= skipped


def test_one_workspace_is_looked_at_where_it_is_named(crewmem, harbor):
    """What is wrong in the journal of another is not told then."""
    NAMED["entry_that_was_changed"].plant(harbor)
    crewmem("workspace", "add", "other")
    words = ("doctor", "--only", "journal.chain")
    assert crewmem(*words).status == 1
    assert crewmem(*words, "-w", "default").status == 1
    assert crewmem(*words, "-w", "other").status == 0


def test_what_waits_a_little_is_no_backlog(crewmem, harbor):
    """Nor what waits where nothing embeds; a line for cron is told of what does."""
    import os
    from datetime import timedelta

    happened(harbor, "the crane broke")
    words = ("doctor", "--only", "vectors.backlog", "--json")
    recent = NOW.timestamp()
    os.utime(harbor / "crewmem.db", (recent, recent))
    (found,) = crewmem(*words, environ=OLLAMA).json["data"]
    assert found["status"] == "pass"
    later = NOW + timedelta(minutes=11)
    (found,) = crewmem(*words, environ=OLLAMA, now=later).json["data"]
    assert found["status"] == "warn"
    assert "crewmem episodes sweep --for 60s" in found["expected"]
    assert "11 min ago" in found["observed"]
    nothing = {"CREWMEM_MODEL_DIR": "/nowhere"}
    (found,) = crewmem(*words, environ=nothing, now=later).json["data"]
    assert found["status"] == "pass"
    embedded(harbor, model=MODEL)
    (found,) = crewmem(*words, environ=OLLAMA, now=later).json["data"]
    assert found["status"] == "pass"


@pytest.mark.parametrize("is_known", [False, True])
def test_a_page_that_is_made_again_is_by_whom_had_it_made(crewmem, harbor, is_known):
    """It is a version of its own, also where there were some before."""
    page, told = "agent:harbor/mira/AGENT.md", ("memory", "log")
    if is_known:
        words = ("memory", "write", "--agent", "mira", "--tier", "agent", "- fog")
        assert crewmem(*words).status == 0
    before = crewmem(*told, page, "--json").json["data"]
    repaired(crewmem, harbor, "agent_without_directory")
    newest, *others = crewmem(*told, page, "--json").json["data"]
    assert (newest["written_by"], newest["operation"]) == ("operator:ada", "add")
    assert others == (before if is_known else [])
    assert crewmem("memory", "reindex", "--agent", "mira").status == 0
    assert crewmem(*told, page, "--json").json["data"][0] == newest
