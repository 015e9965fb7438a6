"""A rule and a finding."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HIGH, MEDIUM = "high", "medium"
"""Severities: high blocks, medium warns."""

INJECTION, EXFILTRATION, PERSISTENCE = "injection", "exfiltration", "persistence"
OBFUSCATION, SECRET = "obfuscation", "secret"
CATEGORIES = (INJECTION, EXFILTRATION, PERSISTENCE, OBFUSCATION, SECRET)


class Rule(NamedTuple):
    """What is looked for.

    Attributes:
        name: Lower case and dashes; findings carry it.
        category: One of `CATEGORIES`.
        severity: High blocks, medium warns.
        pattern: What it looks like: a phrase of word classes, or an expression.
        example: A text in which it is found.
        counter: A text much like it in which nothing of it is found.
        needs: For an expression: words of which one must be in the text, so that
            most texts are not searched for it.
    """

    name: str
    category: str
    severity: str
    pattern: str
    example: str
    counter: str
    needs: tuple[str, ...] = ()


class Finding(NamedTuple):
    """What was found in a text; never the text itself.

    Attributes:
        category: injection, exfiltration, persistence, obfuscation or secret.
        rule: The rule's name; behind a plus sign the disguise it was under.
        severity: high blocks, medium warns.
        start: Where it begins, in characters of the original, counted from 0.
        end: Where it ends, exclusive.
    """

    category: str
    rule: str
    severity: str
    start: int
    end: int


if TYPE_CHECKING:
    Scan = Callable[[str], list[Finding]]
    """What finds in a text."""


def high(name: str, pattern: str, example: str, counter: str) -> Rule:
    """Return a rule of injection that blocks."""
    return Rule(name, INJECTION, HIGH, pattern, example, counter)


def medium(name: str, pattern: str, example: str, counter: str) -> Rule:
    """Return a rule of injection that warns."""
    return Rule(name, INJECTION, MEDIUM, pattern, example, counter)
