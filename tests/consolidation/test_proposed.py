"""A plan as a proposal carries it, and what is made of one that is damaged."""

import json
from datetime import UTC, datetime

import pytest
from consolidation.kept import PLACES, TODAY, file, item
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.consolidation.item import Settled
from crewmem.consolidation.plan import TOPIC, Against, plan
from crewmem.consolidation.proposed import BY, KIND, Claim, body_of, plan_in, proposed
from crewmem.consolidation.sighting import Sighting
from crewmem.errors.consolidation import PlanDamagedError
from crewmem.proposals.proposal import Proposal

REFS = (
    "crew:harbor/CREW.md",
    f"crew:harbor/{TOPIC}",
    f"crew:harbor/learned/{TODAY}.md",
    "agent:harbor/mira/AGENT.md",
)

NOTE = Settled("agent:harbor/mira/daily/2026-03-01.md", "ab" * 32, "2026-03-01")


AGAIN = Sighting("crew:harbor/CREW.md", "j_000000000007", "it sticks", PLACES)

OLD = Against("crew:harbor/CREW.md:7", "the pier gate is new", "j_000000000009")


def body():
    """Return a plan of everything, as it comes back from a database."""
    files = {ref: file(ref) for ref in REFS}
    items = [item(1), item(2, agent="mira"), item(3, kind="rule", title="do")]
    made = plan(items, files, [NOTE], TODAY)
    first, *rest = made.placed
    placed = (first._replace(against=(OLD,)), *rest)
    made = made._replace(placed=placed, seen=(AGAIN,))
    return json.loads(json.dumps(body_of(made, files, Claim(BY, "", (1, 2)))))


def proposal(said, crew="harbor"):
    told = dict.fromkeys(Proposal._fields)
    told |= {"id": "p_000000000001", "kind": KIND, "crew": crew, "body": said}
    return Proposal(**told | {"created_at": datetime(2026, 5, 1, tzinfo=UTC)})


def places(said, path=()):
    """Yield where something stands in *said*."""
    yield path
    if isinstance(said, dict):
        pairs = [*said.items()]
    else:
        pairs = [*enumerate(said)] if isinstance(said, list) else []
    for key, each in pairs:
        yield from places(each, (*path, key))


def put(said, path, value):
    """Return *said* with *value* at *path*."""
    if not path:
        return value
    here = said
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return said


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), value=JSON)
def test_a_damaged_plan_is_one_failure_and_no_other(data, value):
    """Whatever stands where, a plan can be read whole, or it is said that it cannot."""
    said = body()
    path = data.draw(st.sampled_from([*places(said)]))
    said = put(said, path, value)
    proposed(said if isinstance(said, dict) else {})
    try:
        found = plan_in(proposal(said))
    except PlanDamagedError:
        return
    for each in found.placed:
        assert each.ref in REFS
        assert isinstance(each.item.text, str)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("parts", 0, "file"), "crew:harbor/PERSONA.md"),
        (("parts", 0, "file"), "crew:quay/CREW.md"),
        (("parts", 1, "file"), "agent:harbor/theo/AGENT.md"),
        (("parts", 2, "file"), "crew:harbor/learned/../CREW.md"),
        (("parts", 0, "item", "crew"), "quay"),
        (("parts", 3, "archives", 0, "ref"), "agent:harbor/mira/AGENT.md"),
        (("parts", 3, "archives", 0, "ref"), "agent:quay/mira/daily/2026-03-01.md"),
        (("parts", 3, "archives", 0, "sha256"), ""),
        (("parts", 0, "against", 0, "ref"), "agent:harbor/mira/AGENT.md:7"),
        (("parts", 0, "against", 0, "entry"), "anything"),
        (("parts", 4, "seen", 0, "ref"), "crew:harbor/PERSONA.md"),
        (("parts", 4, "seen", 0, "ref"), "crew:quay/CREW.md"),
        (("parts", 4, "seen", 0, "ref"), "crew:harbor/learned/../CREW.md"),
        (("parts", 4, "seen", 0, "ref"), "agent:harbor/.mira/AGENT.md"),
        (("parts", 4, "seen", 0, "entry"), "anything"),
        (("parts", 4, "seen", 0, "evidence"), []),
        (("parts", 4, "seen", 0, "evidence", 0, "day"), "today"),
        (("parts", 1, "number"), 1),
        (("claim", "by"), 7),
    ],
)
def test_a_plan_that_reaches_elsewhere_is_damaged(path, value):
    """It writes where plans of its crew write, and nowhere else."""
    assert len(plan_in(proposal(body())).parts) == 5
    with pytest.raises(PlanDamagedError):
        plan_in(proposal(put(body(), path, value)))


def test_a_plan_of_another_crew_is_damaged():
    """A plan is of the crew that its proposal is for."""
    with pytest.raises(PlanDamagedError):
        plan_in(proposal(body(), crew="quay"))
