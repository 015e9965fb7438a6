from collections import Counter
from datetime import date, timedelta

import pytest

from crewmem.config import load_settings
from crewmem.consolidation.candidates import Candidate, Evidence
from crewmem.consolidation.plan import plan_changes, select_candidates
from crewmem.consolidation.score import (
    CAP_PER_OWNER,
    WEIGHTS,
    has_sufficient_score,
    score_candidate,
)
from crewmem.text.judgement import OBSERVED

TODAY = date(2026, 5, 10)


def make(text="a line", *, days=("2026-05-09", "2026-05-10"), probability=0.6):
    evidence = [Evidence(f"agent:h/a/daily/{day}.md:1", "0", day, owner="h/a") for day in days]
    return Candidate(
        text, "fact", evidence, probability, is_marked=True, id=text, crew="h", agent="a"
    )


def test_weights_sum_to_one():
    assert sum(WEIGHTS.values()) == pytest.approx(1)


def test_least_probable_statement_that_recurs_reaches_the_threshold():
    candidate = make(probability=OBSERVED)
    candidate.score = score_candidate(candidate, today=TODAY)
    assert has_sufficient_score(candidate)


def test_old_line_without_lasting_words_needs_a_third_day():
    two = make(probability=OBSERVED, days=("2026-04-20", "2026-04-22"))
    two.score = score_candidate(two, today=TODAY)
    assert not has_sufficient_score(two)


def test_every_signal_raises_the_score():
    base = score_candidate(make(), today=TODAY)
    assert all(0 <= value <= 1 for value in base.values())
    three = ("2026-05-08", "2026-05-09", "2026-05-10")
    better = {
        "relevance": score_candidate(make(probability=0.9), today=TODAY),
        "frequency": score_candidate(make(days=three), today=TODAY),
        "diversity": score_candidate(make(days=three), today=TODAY),
        "consolidation": score_candidate(make(), today=TODAY, promoted=2),
        "richness": score_candidate(make(days=three), today=TODAY),
    }
    for signal, score in better.items():
        assert score[signal] > base[signal]
        assert score["total"] > base["total"]
    assert score_candidate(make(), today=TODAY + timedelta(14))["recency"] == 0.5


def test_recurring_statement_scores_higher_than_marked_one():
    once = make(days=("2026-05-10",), probability=1.0)
    least = make(probability=OBSERVED)
    assert (
        score_candidate(least, today=TODAY)["total"] > score_candidate(once, today=TODAY)["total"]
    )


def test_promotions_of_a_run_are_capped_and_the_rest_waits():
    many = [make(f"statement {number} of many") for number in range(CAP_PER_OWNER + 5)]
    chosen, waiting = select_candidates(many, today=TODAY, promoted=Counter())
    assert (len(chosen), len(waiting)) == (CAP_PER_OWNER, 5)


def test_line_goes_to_its_topic_file_and_never_to_a_full_file():
    files = {"agent:h/a/topics/deploys.md": "# Deploys\n", "agent:h/a/AGENT.md": "x" * 3900}
    changes, _ = plan_changes(
        [make("All deploys need approval"), make("The pier is closed")],
        crew="h", files=files, settings=load_settings(None),
    )  # fmt: skip
    assert [each.target for each in changes] == [
        "agent:h/a/topics/deploys.md",
        "agent:h/a/topics/consolidated.md",
    ]


@pytest.mark.parametrize(
    ("scale", "target"), [("1", "AGENT.md"), ("0.1", "topics/consolidated.md")]
)
def test_file_is_full_by_the_scale_of_caps_in_the_settings(scale, target):
    settings = load_settings(None, overrides={"files.cap_scale": scale})
    files = {"agent:h/a/AGENT.md": "x" * 390}
    [change], _ = plan_changes(
        [make("The pier is closed")], crew="h", files=files, settings=settings
    )
    assert change.target == f"agent:h/a/{target}"
