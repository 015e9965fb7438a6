"""Whether something is said, or spoken about: quotes, code, reports, negation."""

from __future__ import annotations

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


CALLED = 3
"""Words behind a finding that say what it is."""

SINGLE = lazy(r"(?<![^\s(])'[^']*$")
"""A single quotation mark that is open; an apostrophe stands behind a letter."""

CARRIER = lazy(r"\w[^\w\n]+\w+[^.!?\n]{0,200}[.!?\]>}|*%#-][\s\"')\]]")
"""What is quoted before an order, when the order is no part of what was to be quoted:
some words, and their end."""

REPORTED = lazy(
    r"\b(?:said|says|saying|reads|read|wrote|writes|contains?|contained|quot\w+|attack\w*"
    r"|inject\w*|malicious|phishing|e\.g|examples?|payloads?|strings?|phrases?|reported)\b"
)
"""What tells before a quotation that it is only spoken about."""

ITEM = lazy(r"[ \t]*(?:[-*+>#]|\d{1,3}[.)])")
"""How the line of a list begins."""

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
        begins = self._begins_line(start)
        near = [] if begins else before[-REACH:]
        told = [] if begins and not self._is_introduced(start) else before
        if _has(near, bits["not"]) and not _has(near, bits["about"]):
            severity = {HIGH: MEDIUM}.get(severity, "")
        elif severity == HIGH and (self._is_reported(told) or self._is_called(end)):
            severity = MEDIUM
        elif severity == HIGH:
            opened = self._opened(start, end)
            if opened is not None and not self._is_said(opened, first, start):
                severity = MEDIUM
        return severity or None

    def _is_said(self, opened: int, first: int, start: int) -> bool:
        """Tell whether what is quoted from *opened* on is said to the reader all the same.

        It is where the reader is told to obey it, and where the quotation is of
        something else, in which it was hidden.
        """
        bits, masks = self._bits, self.words.masks
        line = masks[max(first - SENTENCE, 0) : first]
        if _has(line, bits["about"]):
            return False
        if _has(line, bits["reader"]):
            return True
        if opened < 0 or not CARRIER.search(self.text, opened, start):
            return False
        lead = self.text[max(opened - BEFORE, 0) : opened]
        return not REPORTED.search(lead.lower())

    def _is_called(self, end: int) -> bool:
        """Tell whether what ends at *end* is called an attack by the next words."""
        last = bisect_right(self.words.places(), (end,))
        after = self.words.masks[last : last + CALLED]
        ends = [at for at, classes in enumerate(after) if classes & END]
        return _has(after[: ends[0]] if ends else after, self._bits["about"])

    def _begins_line(self, start: int) -> bool:
        """Tell whether a line begins at *start*, as of a list or with a capital.

        What the line before it denies is another matter; a line that is wrapped goes
        on in lower case.
        """
        text = self.text
        lead = text[text.rfind("\n", 0, start) + 1 : start]
        is_first = not lead.strip(LEAD)
        return is_first and (bool(lead.strip()) or text[start : start + 1].isupper())

    def _is_introduced(self, start: int) -> bool:
        """Tell whether what stands above the line of *start* ends in a colon.

        Of a list it is what stands above its first item. Any other line above says
        nothing of this one: a word such as *test* would open the door to all below it.
        """
        *above, line = self.text[max(start - BEFORE, 0) : start].split("\n")
        is_item = bool(line.strip())
        while above and is_item and ITEM.match(above[-1]):
            above.pop()
        return bool(above) and above[-1].rstrip(" \t*_").endswith(":")

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

    def _opened(self, start: int, end: int) -> int | None:
        """Return where the quotation around a place begins; -1 in a block of code."""
        text = self.text
        if bisect_right(self._fences, start) % 2:
            return -1
        lead = text[max(start - BEFORE, 0) : start]
        left = lead.rpartition("\n")[2]
        right = text[end : end + AFTER].partition("\n")[0]
        begin = start - len(left)
        for mark in '"`':
            if left.count(mark) % 2 and mark in right:
                return begin + left.rindex(mark)
        single = SINGLE.search(left)
        if single and "'" in right:
            return begin + single.start()
        for opens, closes in PAIRS:
            if left.rfind(opens) > left.rfind(closes) and closes in right:
                return begin + left.rfind(opens)
        return None


def _has(masks: Iterable[int], wanted: int) -> bool:
    return any(each & wanted for each in masks)
