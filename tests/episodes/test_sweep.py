"""Embedding what is new, in real stores, by an embedder that is predictable."""

from datetime import timedelta

import numpy as np
import pytest
from conftest import NOW

from crewmem.db.connect import fetch
from crewmem.db.derived import in_memory
from crewmem.episodes.backlog import backlog
from crewmem.episodes.retries import MANY_TRIES
from crewmem.episodes.spaces import models, space_of
from crewmem.episodes.stores import Stores
from crewmem.episodes.sweep import sweep
from crewmem.errors import RequestRefusedError, UnreachableError
from crewmem.vectors.store import VECTORS, VectorStore


class Embedder:
    """Turns a text into a vector by its letters; refuses what it was told to."""

    name, model, dim = "letters", "letters-1", 26

    def __init__(self):
        self.refused, self.down, self.seen = "", False, []

    def pieces(self, text):
        return [text[at : at + 40] for at in range(0, len(text), 40)]

    def embed(self, texts):
        if self.down:
            raise UnreachableError("letters", "it is down")
        if self.refused and any(self.refused in text for text in texts):
            raise RequestRefusedError("letters", "it does not like that")
        self.seen += texts
        rows = np.array(
            [[text.lower().count(each) for each in LETTERS] for text in texts]
        )
        rows = rows.astype(np.float32) + np.float32(0.01)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPACE = space_of("default", Embedder.model, Embedder.dim)


@pytest.fixture
def embedder():
    return Embedder()


@pytest.fixture
def stores(journal, episodes, relations):
    return Stores(journal, episodes, relations, VectorStore(in_memory(VECTORS)))


@pytest.fixture
def swept(stores, embedder):
    """``swept(limit=3)``: sweep once."""

    def once(**given):
        return sweep(stores, embedder, "default", **{"now": NOW, **given})

    return once


def seqs(stores):
    return stores.vectors.keys(SPACE).tolist()


def test_the_oldest_come_first(happened, stores, swept):
    """A sweep takes as many as it may, from where the last one stopped."""
    entries = [happened(f"crane number {n}").seq for n in range(5)]
    assert swept(limit=2).embedded == 2
    assert seqs(stores) == entries[:2]
    assert swept(limit=2).embedded == 2
    assert swept(limit=2).embedded == 1
    assert seqs(stores) == entries
    assert swept(limit=2) == (0, 0, 0)


def test_what_is_not_selected_is_not_embedded(happened, stores, swept):
    """Only episodes get vectors."""
    happened("hello", "peer.conversation")
    kept = happened("the crane broke")
    swept()
    assert seqs(stores) == [kept.seq]


def test_other_workspaces_are_left_alone(happened, stores, swept):
    """A sweep of a workspace embeds nothing of another."""
    happened("elsewhere", workspace="other")
    assert swept().embedded == 0
    assert seqs(stores) == []


def test_a_failing_entry_holds_up_none(happened, stores, swept, embedder):
    """What is refused is refused alone, and tried again later, ever more seldom."""
    bad = happened("poison pill")
    good = [happened(f"crane {n}").seq for n in range(3)]
    embedder.refused = "poison"
    assert swept()[:2] == (3, 1)
    assert seqs(stores) == good
    (failure,) = stores.vectors.failures(SPACE)
    assert (failure.key, failure.tries) == (bad.seq, 1)
    assert swept()[:2] == (0, 0)
    later = NOW
    for tries in range(2, MANY_TRIES + 1):
        later += timedelta(days=1)
        assert swept(now=later)[:2] == (0, 1)
        (failure,) = stores.vectors.failures(SPACE)
        assert failure.tries == tries
    embedder.refused = ""
    assert swept(now=later + timedelta(days=2)).embedded == 1
    assert stores.vectors.failures(SPACE) == []


def test_many_failures_starve_nobody(happened, stores, swept, embedder):
    """However many old ones fail, new ones are embedded."""
    for n in range(8):
        happened(f"poison {n}")
    embedder.refused = "poison"
    swept(limit=8)
    new = [happened(f"crane {n}").seq for n in range(6)]
    later = NOW + timedelta(days=1)
    assert swept(limit=4, now=later)[:2] == (3, 1)
    assert seqs(stores) == new[:3]


def test_a_service_that_is_down_counts_against_nobody(
    happened, stores, swept, embedder
):
    """When nothing answers nothing is kept, and the next sweep begins there."""
    happened("the crane broke")
    embedder.down = True
    with pytest.raises(UnreachableError):
        swept()
    assert stores.vectors.failures(SPACE) == []
    embedder.down = False
    assert swept().embedded == 1


def test_long_texts_have_a_vector_a_piece(happened, stores, swept):
    """Each piece of a long text is embedded, and the episode is one."""
    entry = happened("a" * 40 + "b" * 40 + "c" * 10)
    swept()
    assert stores.vectors.vectors_of(SPACE, [entry.seq])[entry.seq].shape == (3, 26)


def test_alike_episodes_are_linked_to_earlier_ones(happened, stores, swept):
    """A new episode is linked to the nearest three before it, and to none after."""
    first = [happened(text).seq for text in ("aaab", "aaac", "aaad", "aaae", "zzzz")]
    new = happened("aaaaf").seq
    swept()
    edges = stores.relations.of([new], "similar")
    assert [edge.src for edge in edges] == [new] * 3
    assert {edge.dst for edge in edges} < {*first[:4]}
    assert stores.relations.of([first[4]], "similar") == []
    rows = fetch(stores.journal.db, "select src_seq, dst_seq from memory_relations")
    assert all(src > dst for src, dst in rows)


def test_a_sweep_that_was_cut_off_is_taken_up(happened, stores, swept, embedder):
    """What was kept stays, and is not asked for again; links come all the same."""
    for n in range(70):
        happened(f"crane {n % 7}")
    calls = []

    def tick(done, _):
        calls.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swept(limit=None, tick=tick)
    assert (calls, len(seqs(stores))) == ([64], 64)
    before = len(embedder.seen)
    assert swept(limit=None).embedded == 6
    assert len(embedder.seen) == before + 6
    assert stores.relations.of([2], "similar")


def test_what_was_passed_over_is_found_by_all(happened, stores, swept):
    """A sweep of all finds what has no vector before the mark."""
    first, second = happened("one").seq, happened("two").seq
    swept()
    stores.vectors.remove(SPACE, [first])
    assert swept().embedded == 0
    assert swept(limit=None).embedded == 1
    assert seqs(stores) == [first, second]


def test_the_backlog_is_known_without_vectors(happened, stores, swept, embedder):
    """What waits is told from counts, also before there is a model."""
    happened("one")
    assert backlog(stores, "default", None, NOW) == (1, 0, True)
    swept()
    (model,) = models(stores.vectors.spaces())
    assert backlog(stores, "default", model, NOW) == (0, 0, False)
    happened("poison")
    assert backlog(stores, "default", model, NOW) == (1, 0, True)
    embedder.refused = "poison"
    swept()
    assert backlog(stores, "default", model, NOW) == (1, 1, False)
    later = NOW + timedelta(hours=1)
    assert backlog(stores, "default", model, later) == (1, 1, True)
