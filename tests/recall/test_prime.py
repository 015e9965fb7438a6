"""The start of a session."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.files.place import Place, place_at
from crewmem.recall.index import TITLE_CHARS, WEIGHTS, Line, listed, of_file
from crewmem.recall.prime import prime
from crewmem.scope import Scope

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def primed(places, entries=(), most=100, agent=None):
    return prime(places, entries, most=most, now=NOW, zone=UTC, agent=agent)


def titles(memory):
    place = place_at(memory)
    found, _ = listed([place], now=NOW, zone=UTC)
    return {line.ref: line.title for file in found for line in of_file(file)}


def entry(ref="j_1", weight=0.5, days=0):
    at = NOW - timedelta(days=days)
    return Line(ref, "journal", "agent", "harbor/mira", "note.taken", ref, at, weight)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Mira\n\n## Facts\n\nPG 16.\n\n## Likes\n\nTea.\n", "Mira: Facts, Likes"),
        (
            "# Deploys\n\nThe key is in the vault.\n",
            "Deploys: The key is in the vault.",
        ),
        ("Just a line.\n", "Just a line."),
        ("---\ntitle: x\n---\n# Keys\n\nIn the vault.\n", "Keys: In the vault."),
    ],
)
def test_a_title_says_what_a_file_is_about(memory, text, title):
    """It names the headings that have text below them, or tells how the file begins."""
    assert [*titles(memory(AGENT=text)).values()] == [title]


@pytest.mark.parametrize("text", ["", "\n", "# Mira\n\n## Facts\n\n## Likes\n"])
def test_a_file_that_says_nothing_has_no_line(memory, text):
    """What an agent's file begins with, headings alone, is nothing to remember."""
    assert titles(memory(AGENT=text)) == {}


def test_each_pin_has_a_line(memory):
    """A pin is what somebody wants to have seen, so it is told by itself."""
    found = titles(
        memory(pins="# Pins\n\n- The key is in the vault.\n- Tea at four.\n")
    )
    assert [*found.values()] == ["The key is in the vault.", "Tea at four."]
    assert [ref.rpartition(":")[2] for ref in found] == ["3-3", "4-4"]


def test_titles_are_short(memory):
    """A line is a line, however long what it names is."""
    (title,) = titles(memory(AGENT="word " * 500)).values()
    assert len(title) <= TITLE_CHARS


def test_what_is_known_of_persons_is_in_no_index(memory):
    """A model card of a person leaves with its opener only."""
    directory = memory({"peers/ada.md": "Ada", "users/ada.md": "Ada"}, AGENT="Tea.")
    assert [*titles(directory)] == [place_at(directory).ref("AGENT.md")]


def test_the_most_important_comes_first(memory):
    """Pins come before the agent's file, that before topics, and these before notes."""
    directory = memory(
        {
            "pins.md": "- Pinned.\n",
            "topics/keys.md": "Keys.",
            "daily/2026-05-01.md": "Today.",
            "daily/2026-03-01.md": "Long ago.",
        },
        AGENT="Mira.",
    )
    kinds = [line.title for line in primed([place_at(directory)]).lines]
    assert kinds == ["Pinned.", "Mira.", "Today.", "Keys.", "Long ago."]


def test_pins_do_not_crowd_out_the_rest(memory):
    """After some pins the agent's own file has its turn."""
    pins = "".join(f"- Pin {number}.\n" for number in range(20))
    found = primed([place_at(memory(pins=pins, AGENT="Mira."))])
    kinds = [line.kind for line in found.lines]
    assert kinds.index("agent") < 8


def test_one_s_own_comes_before_what_is_as_important(memory, tmp_path):
    """Of two pins the agent's own comes first."""
    shared = Place(memory(at=tmp_path / "b", pins="- Shared.\n"), Scope.CREW, "harbor")
    own = Place(
        memory(at=tmp_path / "a", pins="- Own.\n"), Scope.AGENT, "harbor", "mira"
    )
    lines = primed([shared, own], agent="mira").lines
    assert [line.title for line in lines] == ["Own.", "Shared."]


def test_entries_stand_among_files_by_their_weight(memory):
    """An episode that weighs more than a tier comes before it."""
    entries = [entry("j_1", 0.93), entry("j_2", 0.1)]
    found = primed([place_at(memory(AGENT="Mira."))], entries)
    assert [line.ref[:2] for line in found.lines] == ["j_", "ag", "j_"]


def test_a_directory_that_is_gone_is_told(memory, tmp_path):
    """What could not be listed is a warning, and the rest is there."""
    gone = Place(tmp_path / "gone", Scope.AGENT)
    found = primed([gone, place_at(memory(AGENT="Mira."))])
    assert len(found.lines) == 1
    assert "gone" in found.warnings[0]


@given(
    st.lists(st.floats(0, 1), max_size=12),
    st.integers(1, 15),
)
def test_nothing_is_lost_but_what_is_too_much(weights, most):
    """Lines that are shown and those that are hidden are all there are."""
    entries = [entry(f"j_{at}", weight) for at, weight in enumerate(weights)]
    found = primed([], entries, most)
    assert len(found.lines) + found.hidden == len(entries)
    shown = [line.weight for line in found.lines]
    assert shown == sorted(weights, reverse=True)[:most]


def test_every_tier_in_a_prompt_has_a_weight():
    """Weights are shares of one, as those of episodes are."""
    assert all(0 < weight < 1 for weight in WEIGHTS.values())
