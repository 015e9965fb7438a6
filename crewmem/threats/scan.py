"""Scanning a text for hidden instructions and secrets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache

from crewmem.threats.decode import readings, reversed_, rotated
from crewmem.threats.grammar import lexicon, phrases, tokens
from crewmem.threats.hidden import hidden
from crewmem.threats.normalise import Text, normal
from crewmem.threats.patterns import PATTERNS
from crewmem.threats.quoting import Context
from crewmem.threats.rule import HIGH, INJECTION, MEDIUM, OBFUSCATION, SECRET, Finding
from crewmem.threats.secrets import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crewmem.threats.grammar import Tokens
    from crewmem.threats.rule import Rule

DEEPEST = 2
"""How often what was decoded is decoded again."""

NEAR = 400
"""Characters before what a rule needs in which it begins; thrice as many behind, for
the next one is looked for so far from there."""

LONG_WORD = re.compile("[a-z]{5,14}")


def scan(text: str) -> list[Finding]:
    """Return what *text* hides or gives away, in the order of the text.

    Of findings of one category that overlap, the gravest stays. Nothing of the text
    is in a finding but its place.
    """
    read = normal(text)
    found = [*hidden(text), *_read(read, text)]
    for finding in _backwards(read):
        start, end = read.span(finding.start, finding.end)
        found.append(finding._replace(start=start, end=end))
    found += _decoded(read, DEEPEST)
    return _settled(found)


def redacted(text: str, findings: Iterable[Finding]) -> str:
    """Return *text* with what *findings* are about replaced by their rules."""
    parts: list[str] = []
    done = 0
    for each in sorted(findings, key=lambda finding: (finding.start, -finding.end)):
        if each.end > done:
            parts += text[done : max(each.start, done)], f"[REDACTED:{each.rule}]"
            done = each.end
    return "".join([*parts, text[done:]])


def _read(read: Text, original: str) -> Iterator[Finding]:
    """Yield what the rules find in a text that is read as it stands."""
    words = tokens(read.folded)
    context = Context(read.text, words)
    found = [
        *_phrases(words, context),
        *_patterns(read, words, context),
        *secrets(read.text, read.folded),
    ]
    if read.text != original and len(original) == len(read.text):
        found += secrets(original, read.folded)
    for finding in found:
        start, end = read.span(finding.start, finding.end)
        yield finding._replace(start=start, end=end)


def _phrases(words: Tokens, context: Context) -> Iterator[Finding]:
    for rule, expression in phrases():
        for match in expression.finditer(words.codes):
            start, end = words.starts[match.start()], words.ends[match.end() - 1]
            severity = context.judged(rule.severity, match.start(), start, end)
            if severity:
                yield Finding(rule.category, rule.name, severity, start, end)


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    return re.compile(rule.pattern)


def _patterns(read: Text, words: Tokens, context: Context) -> Iterator[Finding]:
    text = read.folded
    for rule in PATTERNS:
        for match in _matches(rule, text):
            first = bisect_left(words.starts, match.start())
            severity: str | None = rule.severity
            if rule.category == INJECTION:
                severity = context.judged(rule.severity, first, *match.span())
            elif context.is_spoken_about(first):
                severity = MEDIUM
            if severity:
                yield Finding(rule.category, rule.name, severity, *match.span())


def _matches(rule: Rule, text: str) -> Iterator[re.Match[str]]:
    """Yield where *rule* matches, looking only around the words that it needs."""
    for start, end in _around(text, rule.needs):
        yield from _compiled(rule).finditer(text, start, end)


def _around(text: str, needs: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the parts of *text* that are near one of *needs*, apart and in order."""
    places: list[int] = []
    for needed in needs:
        at = text.find(needed)
        while at >= 0:
            places.append(at)
            at = text.find(needed, at + NEAR)
    parts: list[tuple[int, int]] = []
    for at in sorted(places):
        start, end = max(at - NEAR, 0), at + 3 * NEAR
        if parts and start <= parts[-1][1]:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return parts


@cache
def _turned(turn: Callable[[str], str]) -> frozenset[str]:
    """Return the longer words of rules as *turn* makes them."""
    words = (turn(word) for word in lexicon().whole)
    return frozenset(filter(LONG_WORD.fullmatch, words))


def _backwards(read: Text) -> Iterator[Finding]:
    """Yield what is found in the text with its letters turned, or from its end."""
    seen = set(LONG_WORD.findall(read.folded))
    size = len(read.folded)
    if len(seen & _turned(rotated)) > 1:
        for finding in _plainly(tokens(rotated(read.folded))):
            yield _disguised(finding, "rot13", finding.start, finding.end)
    if len(seen & _turned(reversed_)) > 1:
        for finding in _plainly(tokens(reversed_(read.folded))):
            start, end = size - finding.end, size - finding.start
            yield _disguised(finding, "reversed", start, end)
        for finding in _plainly(tokens(read.folded, reversed_)):
            yield _disguised(finding, "reversed", finding.start, finding.end)


def _plainly(words: Tokens) -> Iterator[Finding]:
    """Yield phrases whatever stands around them: who disguises them means them."""
    for rule, expression in phrases():
        for match in expression.finditer(words.codes):
            start, end = words.starts[match.start()], words.ends[match.end() - 1]
            yield Finding(rule.category, rule.name, rule.severity, start, end)


def _decoded(read: Text, depth: int) -> Iterator[Finding]:
    """Yield what is found in other readings of a text, each with its disguise."""
    left = max(len(read.text), 4_096)
    for reading in readings(read.text):
        left -= len(reading.text.text)
        if left < 0:
            return
        inner = [*_read(reading.text, reading.text.text)]
        if depth > 1 and not reading.exact:
            inner += _decoded(reading.text, depth - 1)
        for finding in inner:
            start, end = reading.start, reading.end
            if reading.exact:
                start += finding.start
                end = reading.start + finding.end
            start, end = read.span(start, end)
            yield _disguised(finding, reading.disguise, start, end)


def _disguised(finding: Finding, disguise: str, start: int, end: int) -> Finding:
    category = SECRET if finding.category == SECRET else OBFUSCATION
    name = finding.rule.partition("+")[0]
    return Finding(category, f"{name}+{disguise}", finding.severity, start, end)


def _settled(found: list[Finding]) -> list[Finding]:
    """Return *found* in order, without what says less of the same place."""
    kept: list[Finding] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for each in sorted(
        found,
        key=lambda one: (one.severity != HIGH, "+" in one.rule, one.start, -one.end),
    ):
        spans = taken.setdefault(each.category, [])
        at = bisect_right(spans, (each.end,))
        if at and spans[at - 1][1] > each.start:
            continue
        spans.insert(at, (each.start, each.end))
        kept.append(each)
    return sorted(kept, key=lambda one: (one.start, one.end, one.rule))
