"""What the scanner finds in a text that was not found in what it replaces. Pure."""

from __future__ import annotations

import re
from collections import Counter

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from crewmem.threats.rule import Finding, Scan

HIGH, SECRET = "high", "secret"
"""As in threats/rule.py, which is imported with the scanner."""

KEY = re.compile(r"(?=[\w-]*\d)[\w-]{16,}")
"""What could be a key: so long, and with a digit."""


class Screened(NamedTuple):
    """What was found in a text.

    Attributes:
        blocking: High findings of what is new, but those that were allowed.
        allowed: Rules that somebody let pass, and that were found.
        warned: Medium findings of what is new.
        has_secrets: Whether there is a secret anywhere in the text, new or not.
    """

    blocking: tuple[Finding, ...]
    allowed: tuple[str, ...]
    warned: tuple[Finding, ...]
    has_secrets: bool


def screened(
    before: str, after: str, scan: Scan, allow: Collection[str] = ()
) -> Screened:
    """Look at *after*, of which *before* was there already.

    The whole of it is looked at, so that what is put together from two writes is
    found; what is found as often in *before* was there.
    """
    found = scan(after)
    new = _new(found, after, before, scan) if found and before else found
    high = [each for each in new if each.severity == HIGH]
    return Screened(
        blocking=tuple(each for each in high if each.rule not in allow),
        allowed=tuple(sorted({each.rule for each in high if each.rule in allow})),
        warned=tuple(each for each in new if each.severity != HIGH),
        has_secrets=any(each.category == SECRET for each in found),
    )


def _new(
    found: Sequence[Finding], after: str, before: str, scan: Scan
) -> list[Finding]:
    known = Counter(_identity(each, before) for each in scan(before))
    new: list[Finding] = []
    for each in found:
        identity = _identity(each, after)
        if known[identity]:
            known[identity] -= 1
        else:
            new.append(each)
    return new


def _identity(finding: Finding, text: str) -> tuple[str, str, str]:
    """Return what makes two findings the same, wherever they stand."""
    return finding.rule, finding.severity, text[finding.start : finding.end]


def told(findings: Sequence[Finding], text: str) -> list[str]:
    """Say of each of *findings* where in *text* it is, and never what stands there."""
    lines = [each.end() for each in re.finditer("\n", text)]
    return [
        f"{each.category} {each.rule} in line "
        f"{sum(end <= each.start for end in lines) + 1}"
        for each in findings
    ]


def harmless(text: str, scan: Scan) -> str:
    """Return *text* without what is refused, to be shown to whoever repairs it."""
    found = [
        each for each in scan(text) if each.severity == HIGH or each.category == SECRET
    ]
    if not found:
        return text
    from crewmem.threats.scan import redacted

    return redacted(text, found)


def words(file: str) -> str:
    """Return the name of a *file* as a sentence, for names are read by models, too.

    What could be a key is there as it is spelled as well.
    """
    name = file.removesuffix(".md")
    said = re.sub("[-_]", " ", name).replace("/", ". ")
    return f"{said}. {name}" if said != name and KEY.search(name) else said
