"""The nightly upkeep of shared knowledge."""

import pytest
from claims import ALL, HARBOR, MIRA, TOR, Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.knowledge.maintain import Upkeep
from crewmem.memories.memory import Owner
from crewmem.memories.store import Filter, Memories
from crewmem.memories.vote import vote
from crewmem.threats.scan import scan

BO = Owner("agent", agent="bo")

CREWS = {"mira": ["harbor"], "tor": ["harbor", "quay"], "bo": ["quay"]}

PIER = "The pier is closed to trucks on every second Tuesday of the month"


def run(bench, *, days=0, dry_run=False, promote=True):
    desk = bench.desk(days=days)._replace(is_system=True)
    return Upkeep(
        desk,
        crews_of=lambda slug: CREWS[slug],
        scan=scan,
        tokenize=bench.tokenize,
        likeness=bench.likeness(),
        promote=promote,
        dry_run=dry_run,
    ).run()


def shared(bench):
    view = bench.desk().view
    wanted = Filter(view, bench.desk().now, statuses=("active", "stale"))
    found = Memories(bench.db).page(wanted, limit=99).memories
    return [each for each in found if each.scope != "agent"]


def test_what_two_hold_is_shared_with_the_crew_of_both(bench):
    """The narrowest circle that holds all who say it, at quality .7, once."""
    bench.remember(PIER, MIRA, confidence=0.6)
    bench.remember(f"{PIER}.", TOR, confidence=0.6)
    (step,) = run(bench)
    assert (step.action, step.to) == ("promoted", "crew:harbor")
    (memory,) = shared(bench)
    assert (memory.crew, memory.base_quality) == ("harbor", 0.7)
    assert memory.metadata["agents"] == ["mira", "tor"]
    assert bench.events()[2:] == [
        "memory.created",
        "knowledge.shared",
        "memory.promoted",
        "memory.promoted",
    ]
    assert run(bench, days=1) == []


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("more", ["", " for now"])
def test_what_is_shared_is_met_among_many_copies(bench, first, more):
    """Sixty that say nearly the same hide it from none of them: it is confirmed."""
    text = f"{PIER} because the harbor master lets the cranes be greased by night"
    if first:
        bench.remember(f"{text}{more}", HARBOR)
    for number in range(60):
        word = "q" + "abcdefgh"[number % 8] + "klmnopqr"[number // 8]
        bench.remember(f"{text} {word}", [MIRA, TOR][number % 2], confidence=0.7)
    if not first:
        bench.remember(f"{text}{more}", HARBOR)
    assert [each.action for each in run(bench)] == ["confirmed"] * 2
    assert len(shared(bench)) == 1


def test_what_agents_of_two_crews_hold_is_the_workspaces(bench):
    """Where no crew holds them all, the workspace does."""
    bench.remember(PIER, MIRA, confidence=0.6)
    bench.remember(PIER, BO, confidence=0.6)
    (step,) = run(bench)
    assert step.to == "workspace"


def test_one_word_is_enough_for_what_matters(bench):
    """Important and trusted, of the four kinds, it is shared with the home crew."""
    bench.remember(PIER, MIRA, importance=4, confidence=0.7, kind="lesson")
    bench.remember("The quay is wet", TOR, importance=4, confidence=0.7, kind="error")
    (step,) = run(bench)
    assert (step.action, step.to) == ("promoted", "crew:harbor")


@pytest.mark.parametrize(
    "why",
    [
        {"importance": 2},
        {"confidence": 0.59},
        {"sensitivity": "restricted"},
        {"kind": "context"},
        {"tags": ["private"]},
    ],
)
def test_what_is_barred_stays_where_it_is(bench, why):
    """However many hold it."""
    fields = {"importance": 5, "confidence": 0.9, **why}
    for owner in (MIRA, TOR, BO):
        bench.remember(PIER, owner, **fields)
    assert run(bench) == []


def test_what_is_shared_already_is_confirmed_once(bench):
    """An agent that holds the same votes for it, and nothing is shared twice."""
    known = bench.remember(PIER, HARBOR, base_quality=0.6).memory
    bench.remember(f"{PIER}!", MIRA, importance=5, confidence=0.9)
    (step,) = run(bench)
    assert (step.action, step.id) == ("confirmed", known.id)
    assert run(bench, days=1) == []
    assert [each.id for each in shared(bench)] == [known.id]


def test_it_is_stale_on_day_43_and_archived_60_days_later(bench):
    """As the published formula has it for what begins with .6."""
    bench.remember(PIER, ALL, base_quality=0.6)
    assert run(bench, days=42) == []
    assert [each.action for each in run(bench, days=43)] == ["stale"]
    assert run(bench, days=102) == []
    assert [each.action for each in run(bench, days=103)] == ["archived"]
    assert bench.rows()["memories"]


def test_the_better_of_two_takes_the_place(bench):
    """Of two that say the same for one crew the better one is held."""
    worse = bench.remember(f"{PIER}!", HARBOR, base_quality=0.6).memory
    better = bench.remember(PIER, HARBOR, base_quality=0.8).memory
    (step,) = run(bench)
    assert (step.action, step.id, step.other) == ("superseded", worse.id, better.id)


def test_nothing_is_promoted_where_that_is_off(bench):
    """The setting leaves what agents hold alone."""
    for owner in (MIRA, TOR):
        bench.remember(PIER, owner, importance=5, confidence=0.9)
    assert run(bench, promote=False) == []


def test_a_plan_changes_nothing(bench):
    """With a dry run the steps are told, and no row is another."""
    for owner in (MIRA, TOR):
        bench.remember(PIER, owner, confidence=0.6)
    bench.remember("The quay is wet", ALL, base_quality=0.6)
    before, events = bench.rows(), bench.events()
    planned = run(bench, days=50, dry_run=True)
    assert (bench.rows(), bench.events()) == (before, events)
    done = run(bench, days=50)
    assert [each.action for each in planned] == [each.action for each in done]


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_run_twice_is_run_once(data):
    """Whatever is held, a second run on the same day finds nothing to do."""
    bench = Bench()
    texts = [PIER, f"{PIER}.", "The quay is wet in the morning when it rains", "Tea"]
    for _ in range(data.draw(st.integers(1, 8))):
        done = bench.remember(
            data.draw(st.sampled_from(texts)),
            data.draw(st.sampled_from([MIRA, TOR, BO, HARBOR, ALL])),
            importance=data.draw(st.integers(1, 5)),
            confidence=data.draw(st.sampled_from([0.3, 0.6, 0.8])),
            kind=data.draw(st.sampled_from(["fact", "lesson", "context"])),
        )
        if data.draw(st.booleans()):
            is_up = data.draw(st.booleans())
            vote(bench.desk(), done.memory, "2026-05-01", is_up=is_up)
    days = data.draw(st.sampled_from([0, 50, 120]))
    contents = {row[9] for row in bench.rows()["memories"]}
    run(bench, days=days)
    assert run(bench, days=days) == []
    assert contents <= {row[9] for row in bench.rows()["memories"]}
