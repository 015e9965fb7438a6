"""What stands in a prompt where a text was kept out of it."""

from __future__ import annotations

from crewmem.threats.rule import CATEGORIES, HIGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.threats.rule import Finding


def gravest(findings: Iterable[Finding]) -> Finding | None:
    """Return the finding that is named where a text is blocked; None if none blocks.

    The first of the high ones, by category, rule and place: always the same one for
    the same text.
    """
    blocking = [each for each in findings if each.severity == HIGH]
    return min(
        blocking,
        key=lambda each: (CATEGORIES.index(each.category), each.rule, each.start),
        default=None,
    )


def notice(label: str, finding: Finding) -> str:
    """Return the line that stands for the section called *label*."""
    return (
        f"[BLOCKED: possible prompt injection in {label} — category={finding.category} "
        f"pattern={finding.rule}; operator can inspect the file directly]"
    )
