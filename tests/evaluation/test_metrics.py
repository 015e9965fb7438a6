"""What of the outcomes of cases is counted, bounded and compared."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import BOUNDS, many, recalled

from crewmem.evaluation.bootstrap import interval, ratio
from crewmem.evaluation.comparing import BETTER, NOISE, SAME, WORSE, changed
from crewmem.evaluation.comparing import differences as compare
from crewmem.evaluation.gates import SETTINGS, gates, missed, unmeasured
from crewmem.evaluation.metric import NAMES, by_category, metrics
from crewmem.evaluation.outcome import Outcome

law = settings(deadline=None, max_examples=30)


def recovered(case_id, *missing):
    return Outcome(case_id, "recovery", missing=missing)


def promoted(case_id, *, promoted, should):
    return Outcome(case_id, "promotion", promoted=promoted, should_promote=should)


def test_each_metric_is_what_a_person_counts():
    """Of a few cases every metric is known."""
    outcomes = [
        recalled("a", latency=10, tokens=100),
        recalled("b", right=False, latency=20, tokens=300),
        recalled("c", answer=False, latency=30),
        recalled("d", answer=False, right=False, latency=40, tokens=200),
        recovered("e"),
        recovered("f", "what is missing"),
        promoted("g", promoted=True, should=True),
        promoted("h", promoted=True, should=False),
        promoted("i", promoted=False, should=True),
    ]
    found = {name: each.value for name, each in metrics(outcomes, 5).items()}
    assert found == pytest.approx(
        {
            "recall_precision_at_k": 0.1,
            "r_precision": 0.5,
            "recall_recall_at_k": 0.5,
            "mrr": 0.5,
            "ndcg_at_10": 0.5,
            "injected_precision": 0.5,
            "injected_recall": 0.5,
            "false_injection_rate": 0.5,
            "avg_injected_tokens": 200,
            "p50_recall_latency_ms": 20,
            "p95_recall_latency_ms": 40,
            "compaction_recovery_success_rate": 0.5,
            "shared_promotion_precision": 0.5,
        }
    )
    assert metrics(outcomes, 5)["shared_promotion_precision"].cases == 2


def test_what_no_case_says_is_not_available():
    """A metric without cases is neither 0 nor 1, and its gate is not measured."""
    found = metrics([], 5)
    assert {each.value for each in found.values()} == {None}
    told = gates(found, BOUNDS)
    assert {each.passed for each in told} == {None}
    assert missed(told) == []
    assert {*unmeasured(told)} == {*SETTINGS}


@law
@given(st.lists(st.booleans(), min_size=1, max_size=20), st.integers(0, 99))
def test_an_interval_is_told_by_its_seed(rights, seed):
    """The same cases and seed have the same interval, and it holds the value."""
    outcomes = [recalled(f"c{at}", right=right) for at, right in enumerate(rights)]
    one, other = (metrics(outcomes, 5, seed=seed) for _ in range(2))
    assert one == other
    for name in NAMES:
        if one[name].value is not None:
            assert one[name].low <= one[name].value <= one[name].high


def test_an_interval_narrows_with_its_cases():
    """More cases say more."""
    few = interval([(1.0, 1.0), (0.0, 1.0)] * 5, ratio)
    more = interval([(1.0, 1.0), (0.0, 1.0)] * 100, ratio)
    assert more[1] - more[0] < (few[1] - few[0]) / 2
    assert interval([], ratio) is None


def test_a_case_that_could_not_be_asked_counts_nowhere():
    """Neither for recall nor against it."""
    asked = many(4)
    beside = [*asked, recalled("lost", right=False, trouble="there is no such agent")]
    assert metrics(beside, 5) == metrics(asked, 5)


def test_categories_are_counted_apart():
    """Each category has its own metrics, in the order in which they come up."""
    one = [each._replace(category="b") for each in many(2)]
    other = [each._replace(category="a") for each in many(2, wrong=2, first=2)]
    found = by_category([*one, *other], 5)
    assert [*found] == ["b", "a"]
    assert [each["mrr"].value for each in found.values()] == [1, 0]


def test_gates_hold_at_their_bound():
    """A gate holds at its bound, and is missed beyond it."""
    exact = metrics([*many(50, answer=False, wrong=1)], 5)
    assert exact["false_injection_rate"].value == 0.02
    assert missed(gates(exact, BOUNDS)) == ["injected_precision"][:0]
    worse = metrics([*many(49, answer=False, wrong=1)], 5)
    assert missed(gates(worse, BOUNDS)) == ["false_injection_rate"]
    slow = metrics(many(10, latency=501.0), 5)
    assert missed(gates(slow, BOUNDS)) == ["p95_recall_latency_ms"]


def by_name(found):
    return {each.name: each for each in found}


def test_a_planted_regression_is_beyond_noise():
    """A third of the questions gone wrong is no chance; one of them may be."""
    was = many(30)
    found = by_name(compare(was, many(30, wrong=10), 5))
    assert found["mrr"].verdict == WORSE
    assert found["mrr"].change == pytest.approx(-1 / 3)
    assert by_name(compare(many(30, wrong=10), was, 5))["mrr"].verdict == BETTER
    assert by_name(compare(was, many(30, wrong=1), 5))["mrr"].verdict == NOISE
    assert {each.verdict for each in compare(was, was, 5)} == {SAME}


def test_less_is_better_where_it_is():
    """Fewer false injections, and less time, are better."""
    was = many(30, answer=False, wrong=15, latency=100.0)
    now = many(30, answer=False, wrong=0, latency=50.0)
    found = by_name(compare(was, now, 5))
    assert found["false_injection_rate"].verdict == BETTER
    assert found["p95_recall_latency_ms"].verdict == BETTER


def test_only_common_cases_are_compared():
    """What one run alone has says nothing of the other."""
    found = by_name(compare(many(10), many(10, wrong=5, first=5), 5))
    assert found["mrr"].cases == 5
    assert found["mrr"].after == 0


def test_changed_cases_come_worst_first():
    """What went wrong stands before what went right; the rest is left out."""
    was = [recalled("same"), recalled("worse"), recalled("better", right=False)]
    now = [recalled("same"), recalled("worse", right=False), recalled("better")]
    assert [each.id for each in changed(was, now)] == ["worse", "better"]
