"""Reading a clause as a direct statement, by the shapes that there are. Pure."""

from __future__ import annotations

import re
from functools import cache

from crewmem.prompt.operator_patterns import AM0, SHAPES, Shape
from crewmem.prompt.operator_wording import closed, third_person
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.prompt.operator_fact import FactField


class Found(NamedTuple):
    """A clause that has the shape of a direct statement.

    Attributes:
        value: What is so, as it would stand on a card.
        said: The part of the clause that it was made of.
    """

    field: FactField
    value: str
    said: str


def shaped(clause: str, original: str) -> Found | None:
    """Return what *clause* says, if it has one of the shapes.

    Args:
        clause: As the grammar reads it: plain, and its quotes hidden.
        original: The same as it was said, character for character.
    """
    first = clause.partition(" ")[0].lower()
    for shape, pattern in _compiled(first if first in FIRST else ""):
        if found := pattern.fullmatch(clause):
            parts = {
                name: original[found.start(name) : found.end(name)] if text else ""
                for name, text in found.groupdict().items()
            }
            return _found(shape, parts)
    return None


BEGUN = {"my ": ("my",), AM0: ("i'm", "im", "i"), "i ": ("i",)}
"""Words that a clause begins with, by how a pattern does; another may begin anyhow."""

FIRST = frozenset(word for words in BEGUN.values() for word in words)


@cache
def _compiled(first: str) -> list[tuple[Shape, re.Pattern[str]]]:
    """Return the shapes of clauses that begin with *first*; "" for any other word."""
    return [
        (each, re.compile(_spelled(each.pattern), re.IGNORECASE))
        for each in SHAPES
        if all(
            first in words
            for begin, words in BEGUN.items()
            if each.pattern.startswith(begin)
        )
    ]


def _spelled(pattern: str) -> str:
    """Return *pattern* for all that people write for "is" in a note of themselves."""
    if not pattern.startswith("my "):
        return pattern
    forms = (" is ", " are ", " (?:is|are) ", " (?:is|are|runs) ")
    return re.sub(
        "|".join(map(re.escape, forms)), lambda _: "(?: is| are|'s|:) ", pattern
    )


def _found(shape: Shape, parts: dict[str, str]) -> Found:
    said = closed(parts.get("v") or parts.get("w") or "")
    told = {**parts, ("v" if parts.get("v") else "w"): said}
    value = shape.form.removeprefix("*").format(**told)
    value = re.sub(r"^(?:The|Our)\b", lambda word: word[0].lower(), value)
    if shape.form[0] == "*":
        value = third_person(value)
    return Found(shape.field, value, said)
