"""Who is asking, and what they may see."""

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.db.connect import connect_memory, fetch
from crewmem.db.where import Where
from crewmem.errors.registry import OutOfScopeError
from crewmem.errors.values import BadActorError
from crewmem.scope import (
    Actor,
    Role,
    Scope,
    Sight,
    acting,
    actor,
    reach_of,
    require_operator,
)

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


@pytest.mark.parametrize("name", [".", "..", "../bo", "bo/.memory"])
def test_an_agent_has_one_name(name):
    """What leads elsewhere than to its own directory names no agent."""
    for role in ("agent", "lead"):
        with pytest.raises(BadActorError):
            actor(f"{role}:{name}")
    with pytest.raises(BadActorError):
        acting(None, {"CREWMEM_AGENT": name}, **WHERE)
    assert actor(f"operator:{name}").name == name


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


def test_an_empty_name_is_nobody():
    """Who says as whom it acts says it; an empty variable says nothing."""
    with pytest.raises(BadActorError):
        acting("", {"CREWMEM_AGENT": "bo"}, **WHERE)
    environ = dict.fromkeys(["CREWMEM_ACTOR", "CREWMEM_AGENT", "OTTER_AGENT_ID"], "")
    assert str(acting(None, environ, **WHERE)) == "operator:ada"


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


ROWS = {
    "own": ("harbor", "bo"),
    "own, elsewhere": ("pier", "bo"),
    "crew's": ("harbor", "mira"),
    "crew's alone": ("dock", None),
    "other's": ("pier", "zoe"),
    "nobody's": (None, None),
}
"""Crew and agent of rows of the journal, by whose they are."""

OWN = {"own", "own, elsewhere"}
CREWS = OWN | {"crew's", "crew's alone"}


@pytest.mark.parametrize(
    ("who", "scope", "seen"),
    [
        ("agent:bo", None, OWN),
        ("agent:bo", Scope.AGENT, OWN),
        ("agent:bo", Scope.CREW, CREWS),
        ("agent:bo", Scope.ALL, CREWS),
        ("lead:bo", None, CREWS),
        ("lead:bo", Scope.AGENT, OWN),
        ("operator:ada", None, {*ROWS}),
        ("operator:ada", Scope.AGENT, {*ROWS}),
        ("operator:ada", Scope.ALL, {*ROWS}),
    ],
)
def test_the_journal_is_read_as_far_as_one_may(who, scope, seen):
    """A query is limited to the same rows that are said to be seen."""
    sight = Sight(actor=actor(who), crew="harbor", crews=frozenset({"harbor", "dock"}))
    reach = reach_of(sight, "default", scope)
    assert {name for name, row in ROWS.items() if reach.sees(*row)} == seen
    where = Where()
    reach.limit(where)
    with closing(connect_memory()) as db:
        db.execute("create table rows (name, workspace_id, crew_id, agent_id)")
        for workspace in ("default", "other"):
            for name, row in ROWS.items():
                values = (name, workspace, *row)
                db.execute("insert into rows values (?, ?, ?, ?)", values)
        found = fetch(db, f"select name, workspace_id from rows {where}", where.values)  # noqa: S608 - of ours
    assert {*found} == {(name, "default") for name in seen}


@pytest.mark.parametrize("who", ["agent:bo", "lead:bo"])
def test_the_journal_of_the_workspace_is_for_operators(who):
    """An agent that asks for more than it may is refused, with the rule."""
    sight = Sight(actor=actor(who), crew="harbor", crews=frozenset({"harbor"}))
    with pytest.raises(OutOfScopeError, match="their own entries"):
        reach_of(sight, "default", Scope.WORKSPACE)


def test_an_agent_of_no_crew_reads_its_own():
    """Where nobody knows its crews there is nothing more to read."""
    sight = Sight(actor=actor("agent:bo"))
    assert reach_of(sight, "default", Scope.CREW).sees("harbor", "bo")
    assert not reach_of(sight, "default", Scope.CREW).sees("harbor", "mira")
