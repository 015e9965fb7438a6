"""What was embedded at once is passed by, and nothing else is."""

from datetime import timedelta

from claims import MIRA, NOW
from hypothesis import example, given, settings
from hypothesis import strategies as st
from memories.test_embedding import SPACE, World

from crewmem.memories.backlog_store import behind
from crewmem.memories.embed import embed
from crewmem.memories.embedding_store import Embeddable
from crewmem.memories.passing import move_mark
from crewmem.memories.spaces import changes_of

ACTS = ("remember", "at once", "change", "change at once", "sweep")


def act(world, what, minute):
    """Do it, some minutes from the beginning."""
    days = minute / 1_440
    now = NOW + timedelta(days=days)
    if what == "sweep":
        world.sweep(limit=2, now=now)
        return
    topic = "tide" if what.startswith("change") else f"topic-{minute}"
    about = {"topic_key": topic, "if_exists": "update", "days": days}
    done = world.bench.remember(f"It is {minute} now", MIRA, **about)
    if what.endswith("at once"):
        embeddable = Embeddable(world.bench.db, "default")
        said = embeddable.at([done.memory.seq])
        embed(world.vectors, world.embedder, SPACE, said, now)
        move_mark(embeddable, world.vectors, SPACE, now)


def waiting(world):
    """How many are behind what sweeps looked at."""
    marks = world.vectors.mark(SPACE), world.vectors.mark(changes_of(SPACE))
    return behind(world.bench.db, world.bench.desk().view, *marks, ())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(ACTS), max_size=12))
@example(["change at once", "change"])
@example(["at once", "remember", "at once"])
def test_whatever_was_embedded_at_once_sweeps_give_the_others_their_vectors(acts):
    """New ones and changed ones, in whatever order; and nothing waits then."""
    world = World()
    for minute, what in enumerate(acts):
        act(world, what, minute)
    for minute in range(len(acts), 2 * len(acts) + 4):
        act(world, "sweep", minute)
    live = Embeddable(world.bench.db, "default").after(0, -1)
    lacking = [each.seq for each in live if not world.vectors.has(SPACE, [_key(each)])]
    assert (lacking, waiting(world)) == ([], 0)


def _key(said):
    from crewmem.memories.spaces import key_of

    return key_of(said.seq, said.digest)


def test_one_that_waits_holds_the_mark():
    """Those behind it are counted with it, until sweeps come by."""
    world = World()
    act(world, "at once", 0)
    assert waiting(world) == 0
    act(world, "remember", 1)
    act(world, "at once", 2)
    assert waiting(world) == 2
    act(world, "sweep", 3)
    assert waiting(world) == 0
