"""What an actor may see, by the crews that it belongs to."""

from datetime import UTC, datetime

import pytest

from crewmem.errors.registry import AgentMissingError, NotTheLeadError
from crewmem.registry.add import add_agent, add_crew
from crewmem.registry.crews_store import crews_of, led_by
from crewmem.registry.member import new_agent, new_crew
from crewmem.registry.sight import sight_of
from crewmem.scope import Sight, actor

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def test_an_agent_sees_its_crews():
    """Its home is the first of its crews."""
    who = actor("agent:mira")
    sight = sight_of(who, "default", crews=["ops", "harbor"], led=[])
    assert sight == Sight(actor=who, crew="ops", crews=frozenset({"ops", "harbor"}))


def test_a_lead_leads():
    """Who acts as a lead is named by a crew as its lead."""
    who = actor("lead:mira")
    assert sight_of(who, "default", crews=["ops"], led=["ops"]).crew == "ops"
    for crews in (["ops"], []):
        with pytest.raises(NotTheLeadError, match="names 'mira' as its lead"):
            sight_of(who, "default", crews=crews, led=[])


@pytest.mark.parametrize("who", ["agent:mira", "lead:mira"])
def test_who_is_not_registered_is_missing(who):
    """Nobody sees nothing without being told why."""
    with pytest.raises(AgentMissingError, match="no agent 'mira' in workspace 'lab'"):
        sight_of(actor(who), "lab", crews=[], led=["ops"])


def test_crews_are_asked_for_by_agent(registry, home):
    """Home first, then by name; of other workspaces nothing."""
    for name in ("ops", "lab", "bay"):
        add_crew(registry, home, new_crew("default", name, lead="mira", now=NOW))
    add_agent(registry, home, new_agent("default", "mira", crew="ops", now=NOW))
    db = registry._db
    assert crews_of(db, "default", "mira") == ["ops", "bay", "lab"]
    assert led_by(db, "default", "mira") == ["bay", "lab", "ops"]
    for workspace, slug in (("other", "mira"), ("default", "\udcff"), ("default", "x")):
        assert crews_of(db, workspace, slug) == led_by(db, workspace, slug) == []
