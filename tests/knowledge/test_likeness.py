"""What says the same is told by vectors where they are there, and by words else."""

import pytest
from claims import ALL, HARBOR, MIRA, TOR, Bench
from hypothesis import given, settings
from hypothesis import strategies as st
from memories.test_embedding import SPACE, World

from crewmem.knowledge.corrections import reject
from crewmem.knowledge.maintain import Upkeep, compared
from crewmem.memories.likeness import cosines, known
from crewmem.memories.overlaps import Overlaps
from crewmem.memories.similar import jaccard, text_of, words
from crewmem.memories.vote import vote
from crewmem.threats.scan import scan

WORDS = ["pier", "quay", "crane", "tide", "night"]

SURE = {"importance": 3, "confidence": 0.7}


@pytest.fixture(name="world")
def _world():
    """A bench with vectors of its own."""
    return World()


def near(world, desk, least=0.85):
    return cosines(world.vectors, SPACE, map(known, compared(desk)), least)


def maintain(world, *, days=0, by_vectors=True):
    desk = world.bench.desk(days=days)._replace(is_system=True)
    tokenize = world.bench.tokenize
    found = near(world, desk) if by_vectors else None
    return Upkeep(
        desk,
        crews_of=lambda slug: ["harbor"] if slug in {"mira", "tor"} else [],
        scan=scan,
        tokenize=tokenize,
        promote=True,
        dry_run=False,
        likeness=world.bench.likeness(found),
    ).run()


def test_what_means_the_same_is_promoted_and_it_is_told_how(world):
    """No word is in both; the step says that vectors told it, and how near."""
    world.bench.remember("abab cdcd", MIRA, **SURE)
    world.bench.remember("baba dcdc", TOR, **SURE)
    world.sweep()
    assert maintain(world, by_vectors=False) == []
    (step,) = maintain(world)
    assert (step.action, step.by, step.similarity) == ("promoted", "cosine", 1.0)
    assert step.to == "crew:harbor"
    assert maintain(world) == []


@pytest.mark.parametrize("first", [True, False])
def test_what_is_shared_is_met_among_many_that_mean_the_same(world, first):
    """More are as near as are looked at: whoever holds one confirms what is shared."""
    if first:
        world.bench.remember("ba", HARBOR)
    for number in range(2, 122):
        world.bench.remember("ab" * number, [MIRA, TOR][number % 2], **SURE)
    if not first:
        world.bench.remember("ba", HARBOR)
    world.sweep()
    assert [each.action for each in maintain(world)] == ["confirmed"] * 2


def test_what_has_no_vector_is_compared_by_words(world):
    """One that was remembered since the last sweep is not left out."""
    world.bench.remember("The pier is closed on Tuesdays", MIRA, **SURE)
    world.sweep()
    world.bench.remember("The pier is closed on Tuesdays", TOR, **SURE)
    (step,) = maintain(world)
    assert (step.action, step.by, step.similarity) == ("promoted", "words", 1.0)


def test_what_was_rewritten_is_not_taken_for_what_it_was(world):
    """A vector is of what a memory said: it tells nothing of what it says now."""
    world.bench.remember("abab cdcd", MIRA, topic_key="k", **SURE)
    world.bench.remember("baba dcdc", TOR, **SURE)
    world.sweep()
    world.bench.remember("zzzz yyyy", MIRA, topic_key="k", **SURE)
    assert maintain(world) == []


def test_the_better_of_two_that_mean_the_same_is_left(world):
    """The other is superseded by it; what is opposed to it stays."""
    poor = world.bench.remember("abab cdcd", HARBOR, base_quality=0.5).memory
    good = world.bench.remember("baba dcdc", HARBOR, base_quality=0.8).memory
    other = world.bench.remember("not baba dcdc abcd abcd", HARBOR).memory
    world.sweep()
    (step,) = maintain(world)
    assert (step.action, step.id, step.other) == ("superseded", poor.id, good.id)
    assert step.by == "cosine"
    left = world.bench.desk().memories.by_id("default", other.id)
    assert left.status == "active"


def test_a_later_word_on_a_topic_takes_the_place_of_a_stale_one(world):
    """Two are live only where one came in from elsewhere; the active one is left."""
    old = world.bench.remember("PG 15", ALL, topic_key="db").memory
    memories = world.bench.desk().memories
    memories.change(old.seq, {"status": "stale", "topic_key": None})
    new = world.bench.remember("PG 16", ALL, topic_key="db").memory
    memories.change(old.seq, {"topic_key": "db"})
    (step,) = maintain(world)
    assert (step.action, step.id, step.other) == ("superseded", old.id, new.id)


def test_a_stale_word_on_a_topic_is_rewritten(world):
    """It keeps its id and its votes, and is active: somebody said that it is so."""
    old = world.bench.remember("PG 15", ALL, topic_key="db").memory
    vote(world.bench.desk("agent:mira"), old, "2026-05-01", is_up=True)
    world.bench.desk().memories.change(old.seq, {"status": "stale"})
    done = world.bench.remember("PG 16", ALL, topic_key="db", days=1)
    assert (done.action, done.memory.id) == ("updated", old.id)
    assert (done.memory.status, done.memory.content) == ("active", "PG 16")


def test_nobody_confirms_what_they_said_themselves(world):
    """Another memory of the same agent is no second voice for what it told."""
    text = "The crane needs a permit from the port on every working day"
    world.bench.remember(text, MIRA, importance=5, confidence=0.9)
    assert [each.action for each in maintain(world)] == ["promoted"]
    world.bench.remember(text, MIRA, kind="lesson", **SURE)
    assert maintain(world) == []
    world.bench.remember(text, TOR, **SURE)
    assert [each.action for each in maintain(world)] == ["confirmed"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text("ab ", min_size=2, max_size=6), max_size=8), st.data())
def test_likeness_is_mutual(texts, data):
    """Whoever is asked, and whether by vectors or by words: both or neither."""
    world = World()
    for number, text in enumerate(texts):
        if text.strip():
            owner = data.draw(st.sampled_from([MIRA, TOR]))
            world.bench.remember(text, owner, title=f"t{number}", **SURE)
    world.sweep(limit=data.draw(st.integers(1, 9)))
    desk = world.bench.desk()
    told_by = world.bench.likeness(near(world, desk))
    live = [*compared(desk)]
    found = {
        (each.id, like.memory.id): (round(like.similarity, 4), like.by)
        for each in live
        for like in told_by.of(each, 0.85)
    }
    assert all(found[two, one] == told for (one, two), told in found.items())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), max_size=9),
        max_size=9,
    ),
    st.sampled_from([0.85, 0.92]),
)
def test_by_words_nobody_is_missed(said, least):
    """What is told of all at once is what comparing each with each would tell."""
    bench = Bench()
    for number, each in enumerate(said):
        if each:
            owner = [MIRA, TOR, HARBOR][number % 3]
            bench.remember(" ".join(each), owner, title=f"t{number % 2}", **SURE)
    desk = bench.desk()
    live = [*compared(desk)]
    overlaps = Overlaps(live, bench.tokenize, 0.85)

    def stems(memory):
        return words(text_of(memory), bench.tokenize)

    assert {
        (one.seq, other): near
        for one in live
        for other, near in (overlaps.of(one, least).items())
    } == {
        (one.seq, other.seq): near
        for one in live
        for other in live
        if one is not other and (near := jaccard(stems(one), stems(other))) >= least
    }


def test_what_was_written_since_is_left_to_the_next_run(world):
    """It was compared with nothing: that nobody shares it yet is not known."""
    world.bench.remember("The pier is closed", MIRA, importance=5, confidence=0.9)
    desk = world.bench.desk()._replace(is_system=True)
    before = world.bench.likeness()
    late = world.bench.remember("PG 16", TOR, importance=5, confidence=0.9).memory
    upkeep = {"crews_of": lambda _: ["harbor"], "scan": scan, "dry_run": False}
    steps = Upkeep(
        desk,
        likeness=before,
        tokenize=world.bench.tokenize,
        promote=True,
        **upkeep,
    ).run()
    assert [each.title for each in steps] == ["The pier is closed"]
    assert [each.id for each in maintain(world, by_vectors=False)] == [late.id]


def test_a_rejection_is_compared_by_what_it_means():
    """Where something embeds; the answer says so."""
    bench = Bench()

    def rejected(agent, original, compare):
        return reject(
            bench.desk(),
            agent,
            original,
            "It breaks the build",
            issue=None,
            crew_of=lambda _: "harbor",
            scan=scan,
            tokenize=bench.tokenize,
            compare=compare,
        )

    asked = []

    def compare(text, others):
        asked.append((text, list(others)))
        return [0.81] * len(others)

    assert rejected("mira", "Push to main", compare).correction is None
    assert asked == []
    done = rejected("tor", "Commit on the trunk", compare)
    assert asked == [("Commit on the trunk", ["Push to main"])]
    assert (done.agents, done.by) == (2, "cosine")
    assert done.correction.memory.base_quality == 0.8
    assert "Met by 2 agents." in done.correction.memory.content
    done = rejected("pilot", "Never push to main", compare)
    assert (done.agents, done.correction) == (1, None)
