"""A budget that tiers share."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt.test_fill import ROOMS, made, need, tiers, used
from prompt.texts import scan

from crewmem.prompt.block import Block, body_of, frame, joined, text_of
from crewmem.prompt.lay import CREW, PINS, WORKSPACE, Memory, lay
from crewmem.prompt.room import Room, size
from crewmem.prompt.section import Fate

SHARED = (Block.AGENT, Block.CREW, Block.WORKSPACE)

LONG = "\n".join(f"- fact {number} that is worth its line" for number in range(2_000))


@st.composite
def memories(draw):
    """What the tiers of one prompt hold."""
    pins = {
        block: made(LONG[: draw(st.integers(1, 900))], "pins.md")
        for block in draw(st.sets(st.sampled_from([Block.AGENT, Block.CREW])))
    }
    return Memory(pins, {block: draw(tiers()) for block in SHARED})


def memory(agent="", crew="", workspace="", pins="", crew_pins=""):
    texts = {Block.AGENT: agent, Block.CREW: crew, Block.WORKSPACE: workspace}
    pinned = {Block.AGENT: pins, Block.CREW: crew_pins}
    return Memory(
        {block: made(text, "pins.md") for block, text in pinned.items() if text},
        {block: [made(text, f"{block}.md")] for block, text in texts.items() if text},
    )


def laid(room=15_000, *, alone=False, **texts):
    """The lengths of the blocks of a prompt."""
    found = lay(memory(**texts), Room(chars=room), scan, alone=alone)
    return {block: len(text) for block, text in found.texts.items()}


@settings(deadline=None, max_examples=30)
@given(memories(), ROOMS, st.booleans())
def test_no_budget_is_exceeded(memory, room, alone):
    """All blocks together, their markers included, are never over the budget."""
    found = lay(memory, room, scan, alone=alone)
    whole = joined(found.texts.get(block, "") for block in Block)
    assert room.holds(size("".join(found.texts.values())))
    assert room.holds(size(whole))


@settings(deadline=None, max_examples=30)
@given(memories(), ROOMS, st.booleans())
def test_what_is_said_is_what_is_there(memory, room, alone):
    """A block is what is told of its sections, between its markers."""
    found = lay(memory, room, scan, alone=alone)
    for block, pieces in found.pieces.items():
        assert found.texts.get(block, "") == text_of(block, body_of(pieces))
        pinned = [memory.pins[block]] if block in memory.pins else []
        every = [*pinned, *memory.sections[block]]
        assert [each.section.text for each in pieces] == [each.text for each in every]


@settings(deadline=None, max_examples=30)
@given(memories(), ROOMS)
def test_no_budget_is_wasted(memory, room):
    """While an agent's text is not shown, no more of it would fit into what is left."""
    found = lay(memory, room, scan)
    left = room.less(size("".join(found.texts.values())))
    is_there = Block.AGENT in found.texts
    for piece in found.pieces[Block.AGENT][Block.AGENT in memory.pins :]:
        if piece.fate in {Fate.CUT, Fate.LEFT_OUT}:
            wanted = need(piece)
            if not is_there:
                wanted = wanted.more(frame(Block.AGENT))
            assert not left.holds(wanted)


@settings(deadline=None, max_examples=30)
@given(memories(), st.integers(0, 20_000))
def test_no_tier_takes_more_than_its_share(memory, most):
    """Pins take a tenth at most, the crew 40 % of the rest, the workspace 15 %."""
    found = lay(memory, Room(chars=most), scan)
    pinned = {
        block: used(found.pieces[block][: block in memory.pins]).chars
        for block in SHARED
    }
    pins = sum(pinned.values())
    crew = len(found.texts.get(Block.CREW, "")) - pinned[Block.CREW]
    workspace = len(found.texts.get(Block.WORKSPACE, ""))
    assert pins <= most * PINS / 100
    assert crew <= (most - pins) * CREW / 100 or Block.CREW not in found.texts
    assert workspace <= (most - pins - crew) * WORKSPACE / 100


def test_full_tiers_have_their_shares():
    """Where every tier has too much, each is given its share."""
    found = laid(agent=LONG, crew=LONG, workspace=LONG, pins=LONG, crew_pins=LONG)
    assert 14_500 < sum(found.values()) <= 15_000
    assert found[Block.CREW] == pytest.approx(0.4 * 13_500 + 750, abs=200)
    assert found[Block.WORKSPACE] == pytest.approx(0.15 * 0.6 * 13_500, abs=200)


@pytest.mark.parametrize("crew", [0, 500, 2_000, 5_000])
def test_what_a_crew_does_not_use_is_the_agents(crew):
    """What the crew leaves falls to the agent."""
    found = laid(agent=LONG, crew=LONG[:crew])
    taken = found.get(Block.CREW, 0)
    assert found[Block.AGENT] == pytest.approx(15_000 - taken, abs=150)


def test_an_agent_alone_has_all():
    """In a crew of one the agent comes first, and its crew has what it leaves."""
    found = laid(agent=LONG, crew=LONG, workspace=LONG, alone=True)
    assert [*found] == [Block.AGENT]
    assert found[Block.AGENT] > 14_800
    found = laid(agent="short", crew=LONG, alone=True)
    assert found[Block.CREW] == pytest.approx(6_000, abs=150)


def test_pins_have_a_tenth():
    """Pins are cut at a tenth, which one of the two has where the other has none."""
    alone = laid(pins=LONG)
    both = laid(pins=LONG, crew_pins=LONG)
    marks = frame(Block.AGENT).chars
    assert alone[Block.AGENT] - marks == pytest.approx(1_500, abs=150)
    assert both[Block.AGENT] - marks == pytest.approx(750, abs=150)
    assert both[Block.CREW] - frame(Block.CREW).chars == pytest.approx(750, abs=150)


def test_a_block_with_nothing_in_it_is_not_there():
    """Markers stand around something, or nowhere."""
    assert laid() == {}
    assert laid(room=frame(Block.AGENT).chars + 5, agent=LONG) == {}
    assert laid(agent="x") == {Block.AGENT: frame(Block.AGENT).chars + 24 + 2}
