"""Whether something is said, or spoken about: quotes, code, reports, negation."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from crewmem.threats.lazy import lazy
from crewmem.threats.lexicon import END
from crewmem.threats.rule import HIGH, MEDIUM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.threats.grammar import Words

FENCE = lazy(r"(?m)^[ \t]{0,8}(?:[-*+>] )?(?:```|~~~)")

BEFORE, AFTER = 240, 240
"""Characters in which a quotation begins and ends."""

PAIRS = (("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("「", "」"), ("‘", "’"))

SENTENCE = 24
"""Words before a finding that are of the same sentence at most."""

REACH = 6
"""Words before a finding in which it is denied."""


LEAD = " \t-*+>#.)0123456789"
"""What stands before the first word of a line."""


class Context:
    """What stands around the words of one text."""

    def __init__(self, text: str, words: Words) -> None:
        self.text, self.words = text, words
        self._bits = words.lexicon.bits

    @cached_property
    def _fences(self) -> list[int]:
        return [fence.start() for fence in FENCE.finditer(self.text)]

    def judged(self, severity: str, first: int, start: int, end: int) -> str | None:
        """Return the severity of what is found, or None if it is denied.

        *first* is its first word, *start* and *end* its place in the text.
        """
        before, bits = self._sentence(first), self._bits
        near = [] if self._begins_line(start) else before[-REACH:]
        if _has(near, bits["not"]) and not _has(near, bits["about"]):
            severity = {HIGH: MEDIUM}.get(severity, "")
        elif severity == HIGH and self._is_reported(before):
            severity = MEDIUM
        elif severity == HIGH and self._is_quoted(start, end):
            line = self.words.masks[max(first - SENTENCE, 0) : first]
            addressed = _has(line, bits["reader"]) and not _has(line, bits["about"])
            severity = HIGH if addressed else MEDIUM
        return severity or None

    def _begins_line(self, start: int) -> bool:
        """Tell whether a line begins at *start*, as of a list or with a capital.

        What the line before it denies is another matter; a line that is wrapped goes
        on in lower case.
        """
        text = self.text
        lead = text[text.rfind("\n", 0, start) + 1 : start]
        is_first = not lead.strip(LEAD)
        return is_first and (bool(lead.strip()) or text[start : start + 1].isupper())

    def is_spoken_about(self, first: int) -> bool:
        """Tell whether what begins at word *first* is denied or called an attack."""
        return _has(self._sentence(first), self._bits["not"] | self._bits["about"])

    def _sentence(self, first: int) -> list[int]:
        """Return the words before *first* that are of its sentence."""
        before = self.words.masks[max(first - SENTENCE, 0) : first]
        for at in range(len(before) - 1, -1, -1):
            if before[at] & END:
                return before[at + 1 :]
        return before

    def _is_reported(self, before: list[int]) -> bool:
        """Tell whether somebody is said to say it, or it is called an attack."""
        bits = self._bits
        if _has(before, bits["about"]):
            return True
        if not before or not before[-1] & bits["hedge"]:
            return False
        return not _has(before[-4:-1], bits["duty"] | bits["please"] | bits["when"])

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


def _has(masks: Iterable[int], wanted: int) -> bool:
    return any(each & wanted for each in masks)
