"""What is tuned, within which bounds, and when it is not."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import BOUNDS, recalled

from crewmem.evaluation.candidates import (
    KEYS,
    PARAMETERS,
    candidates,
    drawn,
    halves,
)
from crewmem.evaluation.case import Case
from crewmem.evaluation.outcome import Outcome
from crewmem.evaluation.tune import Aim, is_too_soon, tune
from crewmem.settings import SETTINGS, Settings, tuned

law = settings(deadline=None, max_examples=100)

USUAL = {key: Settings().value(SETTINGS[key]) for key in KEYS}

LOOSE = {**BOUNDS, "eval.min_precision": 0.1, "eval.min_recovery": 0.0}

values = st.fixed_dictionaries(
    {
        each.key: st.integers(0, 12).map(
            lambda at, each=each: round(min(each.least + at * each.step, each.most), 6)
        )
        for each in PARAMETERS
    }
)


@law
@given(values, st.integers(0, 10_000))
def test_a_candidate_is_one_step_within_its_bounds(values, seed):
    """One setting changes, by one step, and never leaves what is allowed."""
    found = drawn(candidates(values), seed)
    bounds = {each.key: each for each in PARAMETERS}[found.key]
    assert bounds.least <= found.new <= bounds.most
    assert abs(found.new - found.old) == pytest.approx(bounds.step)
    assert found.old == values[found.key]
    assert SETTINGS[found.key].checked(found.new) == found.new
    assert drawn(candidates(values), seed) == found


def test_a_file_is_read_as_it_was_spelled():
    """Also of numbers so large that Python would shorten them."""
    found = {"recall_min_relevance": 0.25, "recall_max_chars": 1_000_000}
    assert tuned.values(tuned.spelled(found), "tuned.toml") == found


def test_scope_and_sensitivity_are_never_tuned():
    """What is tuned is named, and nothing of it says who may see what."""
    assert {*KEYS} == {*tuned.KEYS}
    assert all(key.startswith("recall_") for key in KEYS)
    assert not [key for key in KEYS if "scope" in key or "sensitiv" in key]


def test_what_a_person_has_set_is_left_alone():
    """Neither what is named, nor what lies beyond the bounds, is a candidate."""
    assert {each.key for each in candidates(USUAL, {"recall_max_results"})} == {
        *KEYS
    } - {"recall_max_results"}
    beyond = {**USUAL, "recall_min_relevance": 0.3}
    keys = {each.key for each in candidates(beyond)}
    assert "recall_min_relevance" not in keys
    assert drawn([], 1) is None


def test_halves_do_not_depend_on_each_other():
    """A case stays in its half, whatever is added; both halves hold about as many."""
    cases = [Case(f"c{at}", query="x") for at in range(200)]
    one, other = halves(cases)
    assert len(one) + len(other) == 200
    assert 70 < len(one) < 130
    assert halves(cases[:50])[0] == [each for each in one if each in cases[:50]]


def aim(**more):
    cases = tuple(Case(f"c{at}", query="x", relevant=("m_a",)) for at in range(60))
    found = Aim(cases, USUAL, (), LOOSE, 5, 1)
    return found._replace(**more)


def runs(before, after):
    """Return what puts cases to a recall that is so good before and after."""

    def run(cases, config):
        part = after if config else before
        told = [recalled(each.id, right=int(each.id[1:]) % 10 < part) for each in cases]
        return [
            *told,
        ]

    return run


def measured(run):
    """Add a recovery and a false question, so that all gates are measured."""

    def asked(cases, config):
        found = run(cases, config)
        half = len(found) // 2
        found[0] = Outcome(cases[0].id, "recovery")
        found[half] = recalled(cases[half].id, answer=False)
        return found

    return asked


def test_a_real_improvement_would_be_applied():
    """What is better on both halves, beyond noise, with all gates held, is."""
    found = tune(aim(), measured(runs(4, 9)))
    assert (found.status, found.is_better) == ("candidate_better", True)
    assert found.candidate.key in KEYS


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (9, 4, "candidate_regressed"),
        (7, 7, "no_objective_improvement"),
    ],
)
def test_what_is_not_better_is_skipped(before, after, status):
    """Worse, or the same, is no candidate."""
    found = tune(aim(), measured(runs(before, after)))
    assert (found.status, found.is_better) == (status, False)


def test_noise_is_not_applied():
    """One case of sixty that went right is chance."""

    def run(cases, config):
        return [
            recalled(each.id, right=int(each.id[1:]) % 10 < 7 or bool(config))
            if each.id == "c9"
            else recalled(each.id, right=int(each.id[1:]) % 10 < 7)
            for each in cases
        ]

    assert tune(aim(), measured(run)).status == "no_objective_improvement"


def test_what_is_better_on_one_half_alone_is_skipped():
    """A candidate that was made for the tuning half does not outlast the other."""
    held = {each.id for each in halves(aim().cases)[1]}

    def run(cases, config):
        return [
            recalled(each.id, right=bool(config) and each.id not in held)
            for each in cases
        ]

    found = tune(aim(), measured(run))
    assert found.status == "no_objective_improvement"
    assert "held-out" in found.reason


def test_gates_have_to_be_measured():
    """A gate that no case measures is no gate that holds."""
    found = tune(aim(), runs(4, 9))
    assert found.status == "candidate_failed_gates"
    assert "compaction_recovery_success_rate" in found.reason
    strict = tune(aim(thresholds=BOUNDS), measured(runs(4, 6)))
    assert strict.status == "candidate_failed_gates"
    assert "injected_precision" in strict.reason


@pytest.mark.parametrize(
    ("slower", "status"), [(49.0, "candidate_better"), (51.0, "candidate_regressed")]
)
def test_a_little_slower_is_no_reason(slower, status):
    """What a busy machine adds does not matter; more than that does."""

    def run(cases, config):
        found = measured(runs(4, 9))(cases, config)
        return [each._replace(latency_ms=10 + slower * bool(config)) for each in found]

    assert tune(aim(), run).status == status


def test_a_violation_is_never_applied():
    """However good a candidate is: who lays out what is another's is out."""

    def run(cases, config):
        found = measured(runs(4, 9))(cases, config)
        if config:
            found[1] = found[1]._replace(violations=("m_x",))
        return found

    assert tune(aim(), run).status == "scope_violation"


def test_few_cases_say_nothing():
    """Of a few cases no half says anything beyond noise, and none is tried."""
    few = aim(cases=aim().cases[:19])
    assert tune(few, None).status == "too_few_cases"


def test_one_change_a_day():
    """A day has to pass before the next change."""
    at = datetime(2026, 5, 1, tzinfo=UTC)
    assert is_too_soon(at, at + timedelta(hours=23, minutes=59))
    assert not is_too_soon(at, at + timedelta(hours=24))
    assert not is_too_soon(None, at)
