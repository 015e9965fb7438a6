"""What several agents come across at the same time."""

import pytest
from claims import HARBOR, MIRA, TOR
from hypothesis import given
from hypothesis import strategies as st

from crewmem.knowledge.signals import key_of, record, signals
from crewmem.memories import votes_store
from crewmem.memories.memory import Owner
from crewmem.threats.scan import scan

CREWS = {"mira": ["harbor"], "tor": ["harbor", "quay"], "bo": ["quay"]}
AGENTS = {"mira": MIRA, "tor": TOR, "bo": Owner("agent", agent="bo")}


def met(bench, entity, *agents, days=0, **fields):
    for at, agent in enumerate(agents):
        text = f"{agent} saw {entity}, {days} {at}"
        bench.remember(text, AGENTS[agent], entities=[entity], days=days, **fields)


def kept(bench, desk):
    return record(
        desk,
        signals(desk),
        crews_of=CREWS.__getitem__,
        scan=scan,
        tokenize=bench.tokenize,
    )


def test_two_agents_make_a_signal(bench):
    """However they spell it; what one alone meets is none."""
    met(bench, "PAY-1234", "mira")
    met(bench, "pay 1234", "tor")
    met(bench, "Kontor", "mira", "mira")
    (found,) = signals(bench.desk())
    assert (found.agents, found.quality) == (["mira", "tor"], 0.7)
    assert key_of(found.entity) == "pay 1234"


@pytest.mark.parametrize(("days", "count"), [(6, 1), (8, 0)])
def test_seven_days_are_looked_at(bench, days, count):
    """What is older says nothing of now."""
    met(bench, "Kontor", "mira", "tor")
    assert len(signals(bench.desk(days=days))) == count


def test_what_is_everywhere_is_none(bench):
    """A name in every memory is left out, a rare one that two meet is not."""
    for day in range(6):
        met(bench, "Harbor", "mira", "tor", days=day)
    met(bench, "Kontor", "mira", "tor", days=6)
    assert [each.entity for each in signals(bench.desk(days=6))] == ["Kontor"]


@pytest.mark.parametrize("why", [{"sensitivity": "restricted"}, {"tags": ["private"]}])
def test_what_is_private_is_not_looked_at(bench, why):
    """It takes part in no signal."""
    met(bench, "Kontor", "mira", "tor", **why)
    assert signals(bench.desk()) == []


def test_a_signal_is_kept_once_and_confirmed_once_a_day(bench):
    """Recorded again it is confirmed, and no second pattern is made."""
    met(bench, "Kontor", "mira", "tor")
    first = kept(bench, bench.desk()._replace(is_system=True))
    memory = bench.desk().memories.find(first[0].pattern, bench.desk().view)
    assert (memory.owner, memory.kind) == (HARBOR, "pattern")
    assert memory.base_quality == 0.7
    for days in (1, 1, 2):
        again = kept(bench, bench.desk(days=days)._replace(is_system=True))
        assert again[0].pattern == memory.id
    assert len(votes_store.of(bench.db, memory.seq)) == 1
    assert bench.events().count("memory.confirmed") == 2


@pytest.mark.parametrize(("agents", "quality"), [(3, 0.8), (6, 1.0), (9, 1.0)])
def test_quality_grows_with_agents(bench, agents, quality):
    """A tenth for each, and 1 at most."""
    for number in range(agents):
        owner = Owner("agent", agent=f"a{number}")
        bench.remember(f"Saw it, {number}", owner, entities=["Kontor"])
    (found,) = signals(bench.desk())
    assert found.quality == quality


@given(st.text())
def test_a_key_is_its_own(name):
    """What is spelled as the key is has the same key."""
    assert key_of(key_of(name)) == key_of(name)
