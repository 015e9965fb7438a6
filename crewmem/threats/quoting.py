"""Whether something is said, or spoken about: quotes, code, reports, negation."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from crewmem.threats.grammar import END, lexicon
from crewmem.threats.rule import HIGH, MEDIUM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.threats.grammar import Tokens

FENCE = re.compile(r"^[ \t]{0,8}(?:[-*+>] )?(?:```|~~~)", re.MULTILINE)

BEFORE, AFTER = 240, 240
"""Characters in which a quotation begins and ends."""

PAIRS = (("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("「", "」"), ("‘", "’"))

SENTENCE = 24
"""Words before a finding that are of the same sentence at most."""

REACH = 6
"""Words before a finding in which it is denied."""


class Context:
    """What stands around the words of one text."""

    def __init__(self, text: str, tokens: Tokens) -> None:
        self.text, self.tokens = text, tokens

    @cached_property
    def _fences(self) -> list[int]:
        return [fence.start() for fence in FENCE.finditer(self.text)]

    def judged(self, severity: str, first: int, start: int, end: int) -> str | None:
        """Return the severity of what is found, or None if it is denied.

        *first* is its first token, *start* and *end* its place in the text.
        """
        before = self._sentence(first)
        codes = lexicon().codes
        near = before[-REACH:]
        if _has(near, codes["not"]) and not _has(near, codes["about"]):
            severity = {HIGH: MEDIUM}.get(severity, "")
        elif severity == HIGH and self._is_reported(before, codes):
            severity = MEDIUM
        elif severity == HIGH and self._is_quoted(start, end):
            line = self._line(first)
            outside = _has(line, codes["about"])
            addressed = _has(line, codes["reader"]) and not outside
            severity = HIGH if addressed else MEDIUM
        return severity or None

    def is_spoken_about(self, first: int) -> bool:
        """Tell whether what begins at token *first* is denied or called an attack."""
        before, codes = self._sentence(first), lexicon().codes
        return _has(before, codes["not"] + codes["about"])

    def _sentence(self, first: int) -> str:
        return self.tokens.codes[max(first - SENTENCE, 0) : first].rpartition(END)[2]

    def _line(self, first: int) -> str:
        return self.tokens.codes[max(first - SENTENCE, 0) : first]

    @staticmethod
    def _is_reported(before: str, codes: dict[str, str]) -> bool:
        """Tell whether somebody is said to say it, or it is called an attack."""
        if _has(before, codes["about"]):
            return True
        last = before[-1:]
        if last not in codes["hedge"] or not last:
            return False
        return not _has(before[-4:-1], codes["duty"] + codes["please"] + codes["when"])

    def _is_quoted(self, start: int, end: int) -> bool:
        text = self.text
        if bisect_right(self._fences, start) % 2:
            return True
        left = text[max(start - BEFORE, 0) : start].rpartition("\n")[2]
        right = text[end : end + AFTER].partition("\n")[0]
        for mark in '"`':
            if left.count(mark) % 2 and mark in right:
                return True
        if re.search(r"(?:^|[\s(])'[^']*$", left) and "'" in right:
            return True
        return any(
            left.rfind(opens) > left.rfind(closes) and closes in right
            for opens, closes in PAIRS
        )


def _has(codes: str, wanted: str) -> bool:
    return not set(codes).isdisjoint(wanted)
