"""Who is asking, and what they may see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors import BadActorError, OutOfScopeError
from crewmem.scope import Actor, Role, Sight, acting, actor, require_operator

WHERE = {"home": "/root", "mount": "/crew", "login": "ada"}


def test_an_actor_is_read_from_its_name():
    """A role, a colon, a name."""
    assert actor("lead:mira") == Actor(Role.LEAD, "mira")
    assert str(actor("operator:a:b")) == "operator:a:b"


@given(st.text(max_size=12))
def test_anything_else_is_no_actor(text):
    """And the error shows it."""
    role, _, name = text.partition(":")
    if role in {"agent", "lead", "operator"} and name:
        return
    with pytest.raises(BadActorError):
        actor(text)


@pytest.mark.parametrize(
    ("given", "environ", "home", "who"),
    [
        (None, {}, "/root", "operator:ada"),
        ("agent:bo", {"CREWMEM_ACTOR": "lead:mira"}, "/root", "agent:bo"),
        (None, {"CREWMEM_ACTOR": "lead:mira"}, "/root", "lead:mira"),
        (None, {"CREWMEM_AGENT": "bo", "OTTER_AGENT_ID": "x"}, "/root", "agent:bo"),
        (None, {"OTTER_AGENT_ID": "x"}, "/crew/agents/bo", "agent:x"),
        (None, {}, "/crew/agents/bo", "agent:bo"),
        (None, {}, "/crew/agents/", "operator:ada"),
        (None, {}, "/crew", "operator:ada"),
    ],
)
def test_who_acts(given, environ, home, who):
    """What is said, the environment, a container's home, else the operator."""
    assert str(acting(given, environ, **WHERE | {"home": home})) == who


def test_an_operator_sees_all():
    """Agents, crews and persons."""
    sight = Sight(actor=actor("operator:ada"))
    assert sight.sees_agent("bo", "harbor")
    assert sight.sees_crew("harbor")
    assert sight.sees_persons


@pytest.mark.parametrize("role", ["agent", "lead"])
def test_an_agent_sees_its_own(role):
    """Its files in its home crew, its crews' shared files, no persons."""
    sight = Sight(
        actor=actor(f"{role}:bo"), crew="harbor", crews=frozenset({"harbor", "dock"})
    )
    assert sight.sees_agent("bo", "harbor")
    assert not sight.sees_agent("bo", "dock")
    assert not sight.sees_agent("mira", "harbor")
    assert sight.sees_crew("dock")
    assert not sight.sees_crew("pier")
    assert not sight.sees_persons


def test_what_is_for_operators_is_refused_to_others():
    """With the rule."""
    require_operator(actor("operator:ada"), "add a crew")
    with pytest.raises(OutOfScopeError, match="only operators"):
        require_operator(actor("lead:mira"), "add a crew")
