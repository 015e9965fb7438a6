"""The whole text of what a search found."""

from datetime import UTC, datetime

import pytest

from crewmem.files.indexed import Access
from crewmem.files.place import place_at
from crewmem.files.search import Wanted, search
from crewmem.recall.passages import passage
from crewmem.scope import Actor, Role, Sight

SIGHT = Sight(Actor(Role.OPERATOR, "ada"))
LONG = " ".join(["The key is in the vault.", *(f"word{at}" for at in range(120))])


@pytest.fixture
def found(memory, tmp_path):
    """``found(text)``: the hit for a key in a file of *text*, and where it is."""

    def look(text):
        places = [place_at(memory(AGENT=text))]
        now = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp() * 1e9)
        access = Access(tmp_path / "cache", 1_000, 1 << 20, now)
        (hit, *_) = search(places, Wanted("vault key", 5), SIGHT, access).hits
        return hit, places

    return look


def told(hit, places, most=1_000):
    return passage(hit, places, most=most, limit=1 << 20)


def test_a_passage_is_told_whole(found):
    """All that stands under the heading is told, not the part around the match."""
    hit, places = found(f"# Keys\n\n{LONG}\n")
    assert told(hit, places) == LONG
    assert len(hit.snippet) < len(LONG)


def test_line_ends_of_other_systems(found):
    """Lines are counted alike, however they end."""
    hit, places = found("# Keys\r\n\r\nThe key is\r\nin the vault.\r\n\r\n# More\r\n")
    assert told(hit, places) == "The key is\nin the vault."


def test_a_part_of_a_long_line_is_told_as_found(found):
    """Of a line longer than a passage the snippet is all there is."""
    hit, places = found(LONG * 3)
    assert told(hit, places) == hit.snippet.replace("**", "")


def test_what_is_gone_is_told_as_found(found):
    """A file that was removed or cut meanwhile leaves what the index knows."""
    hit, places = found(f"# Keys\n\n{LONG}\n")
    hit.path.write_text("# Keys\n")
    assert told(hit, places) == hit.snippet.replace("**", "")
    hit.path.unlink()
    assert told(hit, places) == hit.snippet.replace("**", "")
    assert told(hit, []) == hit.snippet.replace("**", "")
