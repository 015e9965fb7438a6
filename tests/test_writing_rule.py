"""Who may write which file: the table of roles, said a second time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.files.target import TIERS
from crewmem.files.tiers import Tier
from crewmem.scope import Actor, Role, Scope, Sight, writing_rule

law = settings(deadline=None)

SLUGS = st.sampled_from(["mira", "tor", "bo"])
CREWS = st.sampled_from(["harbor", "quay"])

OWN = {Tier.AGENT, Tier.PINS, Tier.LESSONS, Tier.DAILY}
"""What an agent writes of itself."""

OF_CREW = {Tier.CREW, Tier.LESSONS, Tier.DAILY, Tier.TOPIC, Tier.LEARNED}
"""What its lead writes of a crew."""


@st.composite
def sights(draw):
    """Somebody of a registry: at home in a crew, guest of others, lead of some."""
    role = draw(st.sampled_from(Role))
    name = draw(SLUGS)
    if role is Role.OPERATOR:
        return Sight(Actor(role, "ada"))
    home = draw(CREWS)
    guest = draw(st.frozensets(CREWS))
    led = draw(st.frozensets(CREWS, min_size=1)) if role is Role.LEAD else None
    return Sight(Actor(role, name), home, guest | {home} | (led or set()), led)


@st.composite
def places(draw):
    """The scope, crew and agent of a directory, and a tier that it has."""
    scope = draw(st.sampled_from([Scope.AGENT, Scope.CREW, Scope.WORKSPACE]))
    crew = draw(CREWS) if scope is not Scope.WORKSPACE else None
    tier = draw(st.sampled_from(sorted(TIERS[scope] | {Tier.OTHER})))
    return scope, crew, draw(SLUGS) if scope is Scope.AGENT else None, tier


def may(sight, scope, crew, agent, tier):
    """Tell it as the table of the specification has it."""
    if sight.actor.role is Role.OPERATOR:
        return True
    is_lead = sight.actor.role is Role.LEAD and crew in sight.led
    if scope is Scope.CREW:
        return is_lead and tier in OF_CREW
    if scope is Scope.WORKSPACE:
        return False
    if tier is Tier.BRIEF:
        return is_lead
    return (agent, crew) == (sight.actor.name, sight.crew) and tier in OWN


@law
@given(sights(), places())
def test_who_may_write_is_the_table_of_roles(sight, place):
    """An agent its own, a lead its crew's, an operator all, nobody anything else."""
    rule = writing_rule(sight, *place)
    assert (rule == "") == may(sight, *place)
    assert rule == "" or "operator" in rule


@pytest.mark.parametrize("role", [Role.AGENT, Role.LEAD])
def test_a_role_is_believed_where_there_is_no_registry(role):
    """With a path alone who acts as a lead is the lead, and an agent is none."""
    sight = Sight(Actor(role, "mira"))
    is_lead = role is Role.LEAD
    assert bool(writing_rule(sight, Scope.CREW, None, None, Tier.CREW)) != is_lead
    assert writing_rule(sight, Scope.AGENT, None, None, Tier.AGENT) == ""
    assert writing_rule(sight, Scope.AGENT, None, "tor", Tier.AGENT)


def test_a_guest_writes_nothing_in_a_crew_that_it_does_not_lead():
    """Who leads one crew and belongs to another writes in the one."""
    sight = Sight(
        Actor(Role.LEAD, "mira"),
        "harbor",
        frozenset({"harbor", "quay"}),
        frozenset({"harbor"}),
    )
    assert writing_rule(sight, Scope.CREW, "harbor", None, Tier.CREW) == ""
    assert writing_rule(sight, Scope.CREW, "quay", None, Tier.CREW)
    assert writing_rule(sight, Scope.AGENT, "quay", "mira", Tier.AGENT)
