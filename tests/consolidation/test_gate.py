"""The gate: what is worth keeping, measured on lines that were judged by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.consolidation.normal import Reader, says_something
from crewmem.consolidation.observation import observations
from crewmem.consolidation.signals import (
    CONSOLIDATION,
    DIVERSITY,
    FREQUENCY,
    GATE,
    RECENCY,
    RELEVANCE,
    RELEVANT,
    RICHNESS,
    Counted,
    passes,
    relevance,
    score,
)
from crewmem.db.connect import connect_memory
from crewmem.journal.tokenizer import stemmer

READER = Reader(stemmer(connect_memory()))

WORTH = (
    "The staging database listens on port 5433",
    "relay-2 drops its connection at night until the pump is restarted",
    "Never deploy on Fridays, the harbour office is closed",
    "The deploy key lives in the vault, never on a runner",
    "Kontor redelivers refunds six times and then gives up",
    "Annika Brandt wants invoices as PDF, not as links",
    "Migrations that rewrite a table wait for the nightly window",
    "Always ask José before touching the tariff tables",
    "The canary cannot see limits that are sums over all nodes",
    "Backups of db-1 take 48 minutes to restore",
    "Use `pg_advisory_xact_lock`, session locks break behind the pooler",
    "Customs answers slowly on Mondays, retry after ten minutes",
    "Zoë prefers a number to an adjective in reports",
    "The crane stops at wind force nine",
    "Log rotation on web-3 fails silently when the disk is full",
    "We agreed that hotfixes go to main before lunch",
    "`make check` must pass before a release is cut",
    "The export needs read access to the customs bucket",
    "Tests of the gate are flaky because they ask for the time twice",
    "Tide tables are published in local time, not in UTC",
    "Two people have to approve a change of the tariff",
    "The vendor's API limits us to 300 requests a minute",
    "Pilots log in with their badge, there is no password",
    "On call hands over at nine, with open pages in writing",
    "Redis cache is flaky",
    "the printer is out of toner",
    "\u672c\u756a\u74b0\u5883\u306e\u30c7\u30d7\u30ed\u30a4\u306b\u306fVPN\u304c\u5fc5\u8981\u3067\u3059",
)
"""What a crew would want to know in a month."""

PASSING = (
    "quiet night, all green on the board",
    "standup, nothing new to report",
    "Lunch with the crew was good",
    "caught up on messages this morning",
    "worked on the backlog as usual",
    "Good morning everybody, coffee first",
    "still waiting for an answer from customs today",
    "continued with the ticket from yesterday",
    "back at the desk, reading mail",
    "end of the day, signing off",
    "nothing special happened at the pier",
    "helped a colleague with a small thing",
    "Looking at the dashboard again, looks fine",
    "meeting with the team went well",
    "train is in, everything fine",
    "will continue tomorrow with the rest",
    "reviewed some pull requests and merged them",
    "weather is nice, wind from the west",
    "long call about the schedule, no result",
    "tidied up my notes a little",
    "started the shift, took over from tor",
    "some small fixes here and there",
    "busy morning, many tickets came in",
    "routine checks done, no findings",
)
"""What a diary says every day."""


def counted(**fields):
    usual = {
        "occurrences": 2,
        "recalls": 0,
        "days": 2,
        "sources": 1,
        "questions": 0,
        "age_days": 3,
        "consolidated": 0,
        "kinds": 1,
    }
    return Counted(**{**usual, **fields})


def scored(text, **fields):
    found = relevance(text, READER.form(text), is_pinned=False)
    return score(found, counted(**fields))


@pytest.mark.parametrize("text", WORTH)
def test_what_is_worth_keeping_passes(text):
    """What a crew would want to know in a month is kept once two days say it."""
    assert passes(scored(text))


ASIDES = (
    "Does anybody know where the staging database listens?",
    "TODO: ask Brandt about the invoices of the winter",
    "FIXME the export reads the customs bucket twice",
    "Thanks to Zo\u00eb for the tide tables of the week",
    "thanks, the relay is up again since the morning",
)
"""What a note says, and does not observe."""


@pytest.mark.parametrize("text", [*WORTH, *ASIDES])
def test_questions_plans_and_thanks_are_no_observations(text):
    """Who asks, plans or thanks does not say what is so; all else is compared."""
    found = [each[3] for each in observations(f"# Monday\n\n- 09:00 \u2014 {text}\n")]

    assert found == ([] if text in ASIDES else [text])
    assert says_something(READER.form(text))


@pytest.mark.parametrize("text", PASSING)
def test_what_a_diary_says_every_day_does_not_pass(text):
    """What only passed is not kept, not even when it is noted every day of a month."""
    assert not passes(scored(text))
    assert not passes(scored(text, occurrences=30, days=30, age_days=0))


def test_every_signal_can_be_full_and_the_gate_is_reachable():
    """All six signals are supplied: together they are 1, and the gate is far below."""
    full = score(1.0, Counted(30, 5, 10, 3, 4, 0, 5, 4))

    assert full[:6] == (1.0,) * 6
    assert full.total == 1.0
    least = score(RELEVANT, counted(age_days=0, occurrences=3, days=3))
    assert least.total >= GATE


def test_each_signal_counts_its_weight():
    """A signal that goes from nothing to all moves the score by its weight."""
    weights = (RELEVANCE, FREQUENCY, DIVERSITY, RECENCY, CONSOLIDATION, RICHNESS)
    assert sum(weights) == pytest.approx(1)
    old = counted(occurrences=0, days=0, age_days=9_999, kinds=0)
    nothing = score(0.0, old)
    changes = (
        (1.0, {}),
        (0.0, {"recalls": 30}),
        (0.0, {"questions": 10}),
        (0.0, {"age_days": 0}),
        (0.0, {"consolidated": 5}),
        (0.0, {"kinds": 4}),
    )
    for place, (relevant, fields) in enumerate(changes):
        moved = score(relevant, old._replace(**fields))
        others = [at for at in range(6) if at != place]
        assert moved[place] > nothing[place]
        assert [moved[at] for at in others] == [nothing[at] for at in others]
        gained = (moved[place] - nothing[place]) * weights[place]
        assert moved.total - nothing.total == pytest.approx(gained, abs=1e-4)


@given(
    st.floats(0, 1),
    st.builds(
        Counted,
        *[st.integers(0, 100)] * 5,
        st.integers(-5, 400),
        *[st.integers(0, 50)] * 2,
    ),
)
def test_scores_stay_within_their_bounds(relevant, found):
    """Whatever is counted, each signal and the score are from 0 to 1."""
    assert all(
        0 <= each <= 1 for each in score(relevant, found._replace(days=found.days + 1))
    )


def test_recency_halves_in_14_days():
    """What was last said a fortnight ago is half as recent as what was said today."""
    assert score(0, counted(age_days=0)).recency == 1
    assert score(0, counted(age_days=14)).recency == 0.5
    assert score(0, counted(age_days=-3)).recency == 1
