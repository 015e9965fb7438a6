"""Memories that mean nearly the same are linked by the next sweep, and stay two."""

from datetime import timedelta

import pytest
from claims import ALL, HARBOR, MIRA, NOW, TOR
from hypothesis import given, settings
from hypothesis import strategies as st
from memories.test_embedding import SPACE, World

from crewmem.memories import linking
from crewmem.memories.change import forget
from crewmem.memories.linking import LEAST
from crewmem.memories.similar import LINKED

LATER = NOW + timedelta(minutes=1)


@pytest.fixture(name="world")
def _world():
    """A bench with vectors of its own."""
    return World()


def links(world):
    """Return who is linked to whom, by title, and how near."""
    sql = """
        select one.title, other.title, round(weight, 2)
          from memory_edges join memories one on one.seq = src
               join memories other on other.seq = dst
         where relation = 'similar' order by src, dst
    """
    return world.bench.db.execute(sql).fetchall()


def test_what_means_the_same_is_linked_by_the_next_sweep(world):
    """The later one to the earlier, with their cosine; words have nothing in common."""
    world.bench.remember("abab cdcd")
    world.bench.remember("zzz yyy")
    world.bench.remember("baba dcdc")
    assert links(world) == []
    world.sweep(limit=64, now=LATER)
    assert links(world) == [("baba dcdc", "abab cdcd", 1.0)]
    assert world.linked == 1
    assert not world.is_due(now=LATER)
    world.sweep(limit=64, now=LATER)
    world.sweep(now=LATER)
    assert world.linked == 0
    assert len(links(world)) == 1


def test_only_of_one_owner_and_one_kind(world):
    """What another agent, a crew, or another kind says is no duplicate."""
    world.bench.remember("abab")
    for owner in (TOR, HARBOR, ALL):
        world.bench.remember("baba", owner)
    world.bench.remember("aabb", kind="decision")
    world.sweep(now=LATER)
    assert links(world) == []


def test_what_is_put_away_is_not_linked(world):
    """Nor what says something else than its vector."""
    forget(world.bench.desk(), world.bench.remember("abab").memory)
    world.bench.remember("bbaa", topic_key="k")
    world.sweep(limit=64)
    world.bench.remember("zzzz", topic_key="k", days=1)
    world.bench.remember("baba", days=1)
    world.sweep(limit=64, now=NOW + timedelta(days=1, minutes=1))
    assert links(world) == []


def test_what_says_something_else_is_looked_at_again(world):
    """Rewritten, it is compared with what came before and after."""
    world.bench.remember("zzzz", topic_key="k")
    world.bench.remember("abab")
    world.sweep(limit=64, now=LATER)
    world.bench.remember("baba", topic_key="k", days=1)
    day = NOW + timedelta(days=1, minutes=1)
    assert world.is_due(now=day)
    world.sweep(limit=64, now=day)
    assert links(world) == [("abab", "baba", 1.0)]
    assert not world.is_due(now=day)


def test_links_of_what_it_said_before_are_gone(world):
    """Rewritten, it is like what it says now, in its words as in its meaning."""
    world.bench.remember("the big crane at that pier is out of order today", title="a")
    world.bench.remember("the big gate of that yard is painted red all over", title="b")
    words = {"title": "a", "topic_key": "k"}
    done = world.bench.remember(
        "the big crane at that pier is out of order now", **words
    )
    assert [each.title for each in done.similar] == ["a"]
    assert [pair[:2] for pair in links(world)] == [("a", "a")]
    words = {"title": "b", "topic_key": "k"}
    done = world.bench.remember(
        "the big gate of that yard is painted red all round", **words
    )
    assert done.action == "updated"
    assert [each.title for each in done.similar] == ["b"]
    assert [pair[:2] for pair in links(world)] == [("b", "b")]


def test_what_could_not_be_embedded_is_linked_when_it_is(world):
    """However late that is, and on whichever side of the mark."""
    world.embedder.refused = "baba"
    world.bench.remember("baba")
    world.bench.remember("abab")
    world.sweep(limit=64, now=LATER)
    assert links(world) == []
    world.embedder.refused = ""
    world.sweep(limit=64, now=NOW + timedelta(days=1))
    assert links(world) == [("abab", "baba", 1.0)]


def test_a_sweep_that_is_interrupted_links_when_it_is_run_again(world, monkeypatch):
    """The vectors are kept, and the links are found once more."""
    world.bench.remember("abab")
    world.bench.remember("baba")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(linking.edges_store, "add_similar", _interrupted)
        world.sweep(limit=64, now=LATER)
    assert world.is_due(now=LATER)
    world.sweep(limit=64, now=LATER)
    assert links(world) == [("baba", "abab", 1.0)]


def _interrupted(*_, **__):
    raise KeyboardInterrupt


def test_what_is_linked_is_as_near_as_was_promised(world):
    """From a cosine of .92 on; what is a little less near is not."""
    world.bench.remember("aaaaaaaaaa", title="x")
    world.bench.remember("aaaaaaaaaabbb", title="x")  # .957
    world.bench.remember("aaaaaaaaaaccccc", title="x")  # .894
    world.sweep(now=LATER)
    assert [weight for *_, weight in links(world)] == [0.96]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.text("ab ", min_size=2, max_size=6), st.sampled_from([MIRA, TOR])),
        max_size=12,
    ),
    st.integers(1, 12),
)
def test_links_are_those_of_a_comparison_of_all(said, step):
    """Whatever the steps of the sweeps: the nearest five above .92 that came before."""
    world = World()
    for number, (text, owner) in enumerate(said):
        if text.strip():
            world.bench.remember(text, owner, title=f"t{number}")
    for _ in range(len(said) + 1):
        world.sweep(limit=step, now=LATER)
    rows = _vectors(world)
    expected = set()
    for seq, (owner, vector) in rows.items():
        near = [
            (-round(float(vector @ other), 4), before)
            for before, (whose, other) in rows.items()
            if before < seq and whose == owner and float(vector @ other) >= LEAST
        ]
        expected |= {(seq, before) for _, before in sorted(near)[:LINKED]}
    found = {(src, dst): by for src, dst, by in _all(world)}
    assert {pair for pair, by in found.items() if by == "system"} <= expected
    assert expected <= found.keys()


def _all(world):
    sql = "select src, dst, created_by from memory_edges order by 1, 2"
    return world.bench.db.execute(sql).fetchall()


def _vectors(world):
    sql = """
        select seq, agent_id, title || char(10) || content from memories
         where status = 'active'
    """
    rows = world.bench.db.execute(sql).fetchall()
    vectors = world.embedder.embed([text for *_, text in rows]) if rows else []
    pairs = zip(rows, vectors, strict=True)
    return {seq: (owner, vector) for (seq, owner, _), vector in pairs}


def test_the_links_of_a_restored_index_are_the_same(world):
    """Vectors are derived: made anew, they lead to no other link."""
    world.bench.remember("abab cdcd")
    world.bench.remember("baba dcdc")
    world.sweep(now=LATER)
    before = _all(world)
    world.vectors.drop(SPACE)
    world.sweep(now=LATER)
    assert _all(world) == before
