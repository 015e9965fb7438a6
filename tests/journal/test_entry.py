"""What may be an entry."""

import pytest
from entries import draft

from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.values import BadEntryError
from crewmem.journal.entry import SUMMARY_MOST, Draft, require_valid


@pytest.mark.parametrize(
    "kind", ["memory.updated", "system.consolidation_triggered", "a.b", "x2.y3.z_4"]
)
def test_types_are_dotted_names(kind):
    """Dotted lower-case names are types, whether anybody has heard of them or not."""
    require_valid(Draft(kind, "words"))


@pytest.mark.parametrize(
    "kind",
    ["", "memory", "Memory.updated", "memory.", ".updated", "a..b", "a.b c", "a.2b",
     "a.b\n", "memory.*", "é.b", "a." + "b" * 100],
)  # fmt: skip
def test_other_names_are_no_types(kind):
    """What is not dotted, not lower case or not short is refused, and it is said."""
    with pytest.raises(BadEntryError, match="dotted lower case"):
        require_valid(Draft(kind, "words"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("severity", "fatal"),
        ("priority", ""),
        ("actor_type", "robot"),
        ("agent_id", ""),
        ("crew_id", "x" * 201),
        ("trace_id", "a\nb"),
        ("id", "\0"),
        ("summary", " \n"),
        ("summary", "a\0b"),
    ],
)
def test_fields_are_checked(field, value):
    """A field that is not what it should be is named."""
    with pytest.raises(BadEntryError, match=f"^{field} should be"):
        require_valid(draft("words")._replace(**{field: value}))


def test_a_summary_has_an_end():
    """A summary as long as a memory may be is taken; a longer one is refused."""
    require_valid(draft("x" * SUMMARY_MOST))
    with pytest.raises(InputTooLargeError, match="the summary is 65,538 bytes"):
        require_valid(draft("é" * (SUMMARY_MOST // 2 + 1)))
