"""A crew is looked after for a month without a person.

The suite lives the month once, and again while jobs are killed and started twice at a
time, for a week. ``CREWMEM_FAULTS=all`` lives it in every way, whole.
"""

import json
import os
import random
import re
import time
from datetime import timedelta

import pytest

from . import life, play, state, story

LONG = bool(os.environ.get("CREWMEM_FAULTS"))

END = life.moment(life.DAYS, 0) + play.AFTER + timedelta(hours=1)

JOBS = ("sweep", "housekeeping", "rollup", "consolidate", "condense", "nightly")

DUE = ("timers", "run", "--all-due")


def in_time(crew):
    """Let every job run when it is due."""
    return lambda at: crew.did(at, "", *DUE)


def lived(directory, upkeep, **schedule):
    """Return the crew after its month, with *upkeep*."""
    crew = play.Crew(directory / "home").founded()
    play.play(crew, life.life(), upkeep(crew), **schedule)
    return crew


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    """The crew after a month in which all went well."""
    return lived(tmp_path_factory.mktemp("month"), in_time, every=timedelta(hours=12))


@pytest.mark.parametrize("plant", life.PLANTS, ids=lambda plant: plant.name)
def test_what_recurs_is_learned_and_nothing_else(month, plant):
    """What several days or persons say stands in its file; all else does in none."""
    found = {path for path, line in state.learned(month) if plant.needle in line}
    assert found == ({plant.learned} if plant.learned else set())


@pytest.mark.parametrize(
    "plant",
    [each for each in life.PLANTS if each.learned],
    ids=lambda plant: plant.name,
)
def test_evidence_leads_to_what_was_said(month, plant):
    """What was learned rests on two places at least, and each of them still says so."""
    kept = next(
        each["payload"]
        for each in month.asked(END, "journal", "list", "--type", "memory.consolidated")
        if plant.needle in each["payload"]["text"]
    )
    places = [lies(each.partition("@")[0]) for each in kept["evidence"]]
    quotes = [month.did(END, "", "memory", "read", "--raw", each) for each in places]
    said = [text for _, _, text in plant.says]
    assert len(quotes) > 1
    assert all(any(text in quote for text in said) for quote in quotes)
    days = {f"{life.moment(day, 0):%Y-%m-%d}" for day, *_ in plant.says}
    assert {re.search(r"\d{4}-\d\d-\d\d", each)[0] for each in places} <= days


def test_what_is_seen_again_extends_its_line(month):
    """What was learned of two days and was said on a third one says all three."""
    (line,) = [line for _, line in state.learned(month) if life.VPN in line]
    days = (f"{life.moment(day, 0):%Y-%m-%d}" for day in (2, 8, 16))
    assert line == f"- {life.VPN} (seen {', '.join(days)}; …)"
    again = state.entries(month, END, "memory.seen_again")
    assert any("deploys need the VPN" in each for each in again)


def test_contradictions_wait_for_a_person(month):
    """What denies a line is asked about; what a person approved took its place."""
    waiting = [each["title"] for each in month.asked(END, "proposals", "list")]
    assert len(waiting) == 2
    assert any(life.REPORTS in each for each in waiting)
    assert any(life.BUS_NOT in each for each in waiting)


def lies(ref):
    """Return *ref* as it is since its note was put away."""
    name, _, line = ref.rpartition(":")
    year = re.search(r"daily/(\d{4})-", name)
    return f"{name.replace('daily/', f'daily/archive/{year[1]}/')}:{line}"


def test_nothing_is_lost(month):
    """Every line that was noted is there, and every entry, and the chain is whole."""
    assert state.notes(month) == state.said()
    rounds = state.entries(month, END, "task.done")
    assert rounds == sorted(f"Round {day} of the piers" for day in range(life.DAYS))
    month.did(END, "", "journal", "verify")


def test_old_notes_are_put_away_and_found(month):
    """After a month notes lie in the archive, and a search finds what they say."""
    left = [path for path in state.texts(month) if re.search(r"daily/\d", path)]
    assert left == []
    found = month.asked(END, "memory", "search", "the crane camera froze")
    assert "daily/archive/2026/2026-03-11.md" in found["hits"][0]["ref"]


def test_pins_follow_the_journal(month):
    """What is pinned stands in the crew's pins, and what was unpinned does not."""
    pins = (month.root / "shared/.memory/pins.md").read_text("utf-8")
    assert life.PINNED in pins
    assert life.UNPINNED not in pins


def test_what_was_escalated_thrice_is_a_rule(month):
    """A rule was drawn from what was escalated, and a prompt delivers it."""
    prompt = month.did(
        END, "", "memory", "prompt", "--agent", "theo", "--query", "booking"
    )
    assert life.ESCALATED in prompt


def test_poison_is_in_no_prompt(month):
    """What was written past the scanner reaches no prompt of anybody."""
    for who in life.AGENTS:
        for day in (7, 14, 30):
            at = life.moment(day, 14)
            assert "collect.example" not in month.did(
                at, "", "memory", "prompt", "--agent", who
            )


def test_the_doctor_finds_nothing_broken(month):
    """After a month all is sound but for what is poisoned, and that is named."""
    wrong = [
        each["observed"]
        for each in json.loads(month.run(END, "", "doctor", "--json").out)["data"]
        if each["status"] == "fail"
    ]
    assert len(wrong) == 2
    assert all("like hidden instructions" in each for each in wrong)


def test_the_readme_tells_it(month):
    """What the README tells of this month is what became of it."""
    assert story.told() == [*story.story(month)]


def test_all_of_it_again_changes_nothing(month):
    """Every job once more leaves every byte of memory as it is."""
    before = state.state(month, END)
    for job in JOBS:
        month.did(END, "", "timers", "run", job)
    assert state.state(month, END) == before


def twice(crew):
    """Let every job run again after it has run."""

    def upkeep(at):
        crew.did(at, "", *DUE)
        for job in JOBS:
            crew.did(at, "", "timers", "run", job)

    return upkeep


def at_once(crew):
    """Let two schedulers ask at the same time."""

    def upkeep(at):
        running = [crew.process(at, *DUE) for _ in range(2)]
        for each in running:
            assert each.wait() in {0, 6}
        crew.did(at, "", *DUE)

    return upkeep


def killed(crew):
    """Kill jobs wherever they are, and run them again."""
    rng = random.Random(11)  # noqa: S311 - when to kill

    def upkeep(at):
        running = crew.process(at, *DUE)
        time.sleep(rng.uniform(0.05, 0.6))
        running.kill()
        running.wait()
        for job in JOBS:
            crew.did(at, "", "timers", "run", job)

    return upkeep


WAYS = {"twice": twice, "at once": at_once, "killed": killed}


@pytest.mark.skipif(not LONG, reason="takes minutes; CREWMEM_FAULTS=all runs it")
@pytest.mark.parametrize("way", WAYS)
def test_however_jobs_run_the_end_is_the_same(month, tmp_path, way):
    """Jobs that run twice, two at a time, or are killed and run again do the same."""
    other = lived(tmp_path, WAYS[way], every=timedelta(hours=12))
    assert state.state(other, END) == state.state(month, END)


@pytest.mark.skipif(not LONG, reason="takes minutes; CREWMEM_FAULTS=all runs it")
def test_late_jobs_learn_the_same(month, tmp_path):
    """Jobs that run every third day only learn the same, and lose nothing."""
    other = lived(tmp_path, in_time, every=timedelta(days=3))
    assert state.claims(state.learned(other)) == state.claims(state.learned(month))
    assert state.notes(other) == state.said()
