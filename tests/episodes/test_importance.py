"""How much an episode weighs, and how that fades and grows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.episodes.importance import (
    DAY_MS,
    FLOORS,
    base,
    days_between,
    first_recallable,
    floor,
    importance,
)

PUBLISHED = {
    "eval.regression_detected": (0.80, 0.85, 0.95, 1.00),
    "peer.escalation": (0.70, 0.75, 0.85, 0.95),
    "memory.consolidated": (0.70, 0.75, 0.85, 0.95),
    "summary.generated": (0.65, 0.70, 0.80, 0.90),
    "approval.denied": (0.65, 0.70, 0.80, 0.90),
    "keeper.decision": (0.60, 0.65, 0.75, 0.85),
    "mission.status_change": (0.55, 0.60, 0.70, 0.80),
    "peer.conversation": (0.50, 0.55, 0.65, 0.75),
    "anything.else": (0.50, 0.55, 0.65, 0.75),
}

bases = st.floats(0, 1)
floors = st.sampled_from([0.0, *FLOORS.values()])
days = st.floats(-10, 10_000)
counts = st.integers(-3, 10_000)


@pytest.mark.parametrize("kind", PUBLISHED)
def test_the_base_is_as_published(kind):
    """Type and severity give the importance that the published table has."""
    found = tuple(base(kind, each) for each in ("info", "notice", "warn", "error"))
    assert found == PUBLISHED[kind]


@given(bases, floors, days, counts)
def test_importance_stays_between_its_floor_and_one(weight, least, age, often):
    """Whatever its age and use, importance is from its floor to one."""
    assert least <= importance(weight, least, age, often) <= 1


@given(bases, floors, days, days, counts)
def test_age_never_raises_importance(weight, least, one, other, often):
    """Of two ages the greater never weighs more."""
    young, old = sorted((one, other))
    assert importance(weight, least, old, often) <= importance(
        weight, least, young, often
    )


@given(bases, floors, days, counts, counts)
def test_use_never_lowers_importance(weight, least, age, one, other):
    """Of two counts the greater never weighs less."""
    few, many = sorted((one, other))
    assert importance(weight, least, age, many) >= importance(weight, least, age, few)


@pytest.mark.parametrize(("references", "boost"), [(1, 1.125), (7, 1.375)])
def test_references_lift_by_their_logarithm(references, boost):
    """One reference lifts by an eighth, seven by three eighths."""
    assert importance(0.5, 0, 0, references) == pytest.approx(0.5 * boost)


@pytest.mark.parametrize(("age", "left"), [(0, 1), (90, 0.5), (162, 0.1), (999, 0.1)])
def test_age_fades_in_a_straight_line(age, left):
    """Half is left after 90 days, and a tenth from 162 days on."""
    assert importance(0.5, 0, age, 0) == pytest.approx(0.5 * left)


def test_permanent_entries_keep_their_floor():
    """A permanent entry weighs .95 however old it is."""
    assert importance(0.5, floor("permanent"), 5_000, 0) == 0.95


def test_what_is_imported_late_is_as_old_as_it_is():
    """An entry that comes a day and more after it happened is not made young."""
    now = 100 * DAY_MS
    assert first_recallable(now - DAY_MS, now) == now
    assert first_recallable(now - DAY_MS - 1, now) == now - DAY_MS - 1
    assert first_recallable(now + 5, now) == now


def test_what_is_to_come_is_no_age():
    """Days to an instant before are none."""
    assert days_between(5, 3) == 0
    assert days_between(0, DAY_MS) == 1
