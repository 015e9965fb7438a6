"""What comes of a question."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.episodes.hit import Hit as Episode
from crewmem.episodes.hit import Recalled
from crewmem.episodes.hit import Why as WhyOfEpisode
from crewmem.files.hit import Answer
from crewmem.files.hit import Hit as Chunk
from crewmem.memories.hit import Answer as Held
from crewmem.memories.hit import Hit as Memory
from crewmem.recall.recall import BESIDE, DEPTH, Policy, is_own, past_gate, recall

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
POLICY = Policy(k=5, least=0.7, agent="mira")


def chunk(ref="agent:harbor/mira/AGENT.md:1-2", relevance=0.9, owner="harbor/mira"):
    fields = dict.fromkeys(Chunk._fields)
    told = {"ref": ref, "store": "files", "scope": "agent", "owner": owner}
    return Chunk(**{**fields, **told, "relevance": relevance, "path": Path("AGENT.md")})


def episode(ref="j_1", relevance=0.9, owner="harbor/mira", along=None):
    fields = dict.fromkeys(Episode._fields)
    told = {"ref": ref, "store": "journal", "scope": "agent", "owner": owner}
    why = WhyOfEpisode({}, [], {}, 0.5, 0.5, along)
    return Episode(**{**fields, **told, "relevance": relevance, "why": why, "at": NOW})


def files(*hits, mode="words"):
    return Answer(mode, list(hits), ["of files"])


def entries(*hits, mode="sparse", hidden=0):
    return Recalled(mode, "sparse-only", list(hits), hidden, 0, 0, 9, ["of entries"])


def memory(ref, relevance, kind="decision", scope="crew", owner="harbor"):
    fields = dict.fromkeys(Memory._fields)
    told = {"ref": ref, "store": "memories", "scope": scope, "owner": owner}
    return Memory(**{**fields, **told, "relevance": relevance, "kind": kind})


def held(*hits):
    return Held("words", list(hits), [])


def refs(hits):
    return [hit.ref for hit in hits]


def test_stores_are_one_answer():
    """What both stores found comes in one ranking, with what both warn of."""
    found = recall(files(chunk("a", 0.8)), entries(episode("j_1", 0.95)), POLICY)
    assert refs(found.hits) == ["j_1", "a"]
    assert found.warnings == ["of files", "of entries"]
    assert found.mode == "words"


def test_shared_corrections_are_not_crowded_out():
    """One that passes the gate comes before what is shared else; no other does."""
    found = held(
        *(memory(f"m_{at}", 0.9) for at in range(6)),
        memory("m_own", 0.8, "correction", "agent", "harbor/mira"),
        memory("m_weak", 0.6, "correction"),
        memory("m_rule", 0.7, "correction"),
    )
    first = refs(recall(None, None, POLICY._replace(k=3), found).hits)
    assert first == ["m_rule", "m_own", "m_0"]
    last = refs(recall(None, None, POLICY._replace(k=9), found).hits)
    assert last[-1] == "m_weak"


def test_a_store_that_is_not_there_is_none():
    """Either store is enough, and neither is no answer."""
    assert refs(recall(files(chunk("a")), None, POLICY).hits) == ["a"]
    assert refs(recall(None, entries(episode("j_1")), POLICY).hits) == ["j_1"]
    assert recall(None, None, POLICY).hits == []


def test_what_no_chunk_answers_gets_none():
    """The gate is asked of the best chunk; below it all are held back."""
    found = recall(files(chunk("a", 0.69), chunk("b", 0.1)), None, POLICY)
    assert (found.hits, refs(found.held_back)) == ([], ["a", "b"])


def test_beside_what_answers_the_rest_has_to_come_near():
    """A chunk with one word of the question costs room for nothing."""
    least = 0.7 * BESIDE
    found = recall(
        files(chunk("a", 0.9), chunk("b", least), chunk("c", 0.1)), None, POLICY
    )
    assert (refs(found.hits), refs(found.held_back)) == (["a", "b"], ["c"])


def test_without_a_gate_all_is_let_through():
    """Whoever asks for the nearest gets it."""
    policy = POLICY._replace(least=None)
    found = recall(files(chunk("a", 0.1)), entries(episode("j_1", 0.0)), policy)
    assert refs(found.hits) == ["a", "j_1"]


def test_episodes_found_by_words_have_to_come_near():
    """By words alone an episode is judged as a chunk is; a walk's find is kept."""
    some = episode("j_1", 0.9), episode("j_2", 0.1), episode("j_3", 0.0, along="j_1")
    found = recall(None, entries(*some, hidden=2), POLICY)
    assert (refs(found.hits), found.hidden) == (["j_1", "j_3"], 3)
    found = recall(None, entries(*some, mode="hybrid"), POLICY)
    assert refs(found.hits) == ["j_1", "j_2", "j_3"]
    assert found.mode == "hybrid"


def test_one_s_own_is_not_crowded_out():
    """Of five results two are one's own, where there are as many."""
    shared = [chunk(f"s{at}", 0.99, owner="harbor") for at in range(9)]
    shared = [hit._replace(scope="crew") for hit in shared]
    found = recall(files(*shared, chunk("o1", 0.8), chunk("o2", 0.75)), None, POLICY)
    assert refs(found.hits) == ["s0", "o1", "s1", "o2", "s2"]
    assert len(found.others) == 6


@pytest.mark.parametrize(
    ("scope", "owner", "agent", "own"),
    [
        ("agent", "harbor/mira", "mira", True),
        ("agent", "harbor/tor", "mira", False),
        ("crew", "harbor", "mira", False),
        ("crew", "mira", "mira", False),
        ("agent", "", "mira", True),
        ("agent", "harbor/mira", None, False),
    ],
)
def test_whose_a_hit_is(scope, owner, agent, own):
    """Own is what is of the agent itself; of a tree of its own nobody tells more."""
    assert is_own(chunk(owner=owner)._replace(scope=scope), agent) == own


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.01, 1))
def test_the_gate(relevances, least):
    """Some pass where one reaches the gate, and then that one is among them."""
    hits = [chunk(str(at), each) for at, each in enumerate(relevances)]
    passed = past_gate(hits, least)
    assert bool(passed) == any(each >= least for each in relevances)
    assert {hit for hit in hits if hit.relevance >= least} <= {*passed}
    assert all(hit.relevance >= BESIDE * least for hit in passed)


def test_stores_are_asked_for_more_than_is_shown():
    """So it is known how many are hidden, and one's own are among what is found."""
    assert POLICY.depth == DEPTH > POLICY.k
    assert Policy(k=60, least=None).depth == 60
