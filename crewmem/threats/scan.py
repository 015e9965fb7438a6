"""Scanning a text for hidden instructions and secrets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from itertools import accumulate, chain

from crewmem.threats.decode import Reading, readings, reversed_, rotated
from crewmem.threats.grammar import words
from crewmem.threats.lexicon import lexicon
from crewmem.threats.manner import RULE, orders
from crewmem.threats.matching import find, phrases
from crewmem.threats.normalise import Text, lowered, normal
from crewmem.threats.plausible import DOUBTED, is_plausible
from crewmem.threats.quoting import Context
from crewmem.threats.rule import (
    EXFILTRATION,
    HIGH,
    INJECTION,
    MEDIUM,
    OBFUSCATION,
    PERSISTENCE,
    SECRET,
    Finding,
)
from crewmem.threats.secrets import secrets
from crewmem.threats.shape import Shape, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crewmem.threats.grammar import Words
    from crewmem.threats.rule import Rule

SOFTENED = frozenset({EXFILTRATION, PERSISTENCE})
"""Categories of which a command that is spoken about is a warning."""

DEEPEST = 2
"""How often what was decoded is decoded again."""

UNSPACED = "unspaced"
"""The disguise of words that are run together; what is read again for it is apart, and
no more than there is."""

BETWEEN = "\n\n"
"""What stands between texts that are read at once and have nothing to do with each other."""

NEAR = 400
"""Characters before what a rule needs in which it begins; thrice as many behind, for
the next one is looked for so far from there."""

TURNED, FEW = 2, 2_000
"""Known words of a text that is turned around, and words of a text at most of which the
beginnings count."""

LEAST, MOST = 5, 14
"""Letters of words that tell a text that is turned around: short ones do by chance."""

SHORT, FEWEST, OFTEN = 3, 100, 4
"""Letters of words that do in a text of so few different ones, if they are so many."""


def scan(text: str, more: tuple[Rule, ...] = ()) -> list[Finding]:
    """Return what *text* hides or gives away, in the order of the text.

    Of findings of one category that overlap, the gravest stays. Nothing of the text
    is in a finding but its place. *more* are rules beside those there are.
    """
    read = normal(text)
    shape, said = Shape(read.text), words(read.folded)
    found = [] if text.isascii() else _unseen(text)
    found += _read(read, said, shape, more)
    found += [_placed(each, read) for each in _backwards(read, said)]
    found += _decoded(read, shape, more, DEEPEST)
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


def _read(
    read: Text, said: Words, shape: Shape, more: tuple[Rule, ...]
) -> list[Finding]:
    """Return what the rules find in a text that is read as it stands."""
    context = Context(read.text, said)
    found = [
        *_phrases(said, context),
        *_said(said, context),
        *_patterns(read, said, context, shape),
        *_own(read, more),
        *secrets(read.text, read.folded, shape),
    ]
    return [_placed(each, read) for each in found]


def _unseen(text: str) -> list[Finding]:
    """Return what is in *text* that is not seen, or not what it seems."""
    from crewmem.threats.hidden import hidden

    return [*hidden(text)]


def _placed(finding: Finding, read: Text) -> Finding:
    """Return *finding* where it stands in the original of *read*."""
    start, end = read.span(finding.start, finding.end)
    return finding._replace(start=start, end=end)


def _phrases(said: Words, context: Context) -> Iterator[Finding]:
    for phrase, first, last in find(said.masks, phrases()):
        if phrase.name in DOUBTED and not is_plausible(said, first, last):
            continue
        start, end = said.place(first, last)
        severity = context.judged(phrase.severity, first, start, end)
        if severity:
            yield Finding(phrase.category, phrase.name, severity, start, end)


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    return re.compile(rule.pattern)


def _said(said: Words, context: Context) -> Iterator[Finding]:
    """Yield orders, but those that are quoted or called an example."""
    for finding, first in _found_orders(said):
        if context.judged(HIGH, first, finding.start, finding.end) == HIGH:
            yield finding


def _orders(said: Words) -> Iterator[Finding]:
    """Yield sentences that are said to the reader, whatever stands around them."""
    for finding, _ in _found_orders(said):
        yield finding


def _found_orders(said: Words) -> Iterator[tuple[Finding, int]]:
    """Yield orders, each with its first word."""
    for first, last in orders(said):
        yield Finding(INJECTION, RULE, HIGH, *said.place(first, last)), first


def _patterns(
    read: Text, said: Words, context: Context, shape: Shape
) -> Iterator[Finding]:
    for rule, needs in _possible(read.folded, shape):
        for match in _matches(rule, read.folded, needs):
            first = bisect_left(said.places(), (match.start(), 0))
            severity: str | None = rule.severity
            if rule.category == INJECTION:
                severity = context.judged(rule.severity, first, *match.span())
            elif rule.category in SOFTENED and context.is_spoken_about(first):
                severity = MEDIUM
            if severity:
                yield Finding(rule.category, rule.name, severity, *match.span())


def _possible(folded: str, shape: Shape) -> list[tuple[Rule, list[str]]]:
    """Return the rules of which something that they need is there, with all of it.

    They need many words, of most of which no text has so much as the first letters.
    """
    from crewmem.threats.table import NEEDS

    found: dict[int, list[str]] = {}
    for begin in ("", *shape.begun(_beginnings())):
        for word, need, at in NEEDS[begin]:
            if shape.has(word) and need in folded:
                found.setdefault(at, []).append(need)
    if not found:
        return []
    from crewmem.threats.patterns import PATTERNS

    return [(PATTERNS[at], found[at]) for at in sorted(found)]


@cache
def _beginnings() -> frozenset[tuple[str, ...]]:
    """Return the first letters of the words that rules need, apart."""
    from crewmem.threats.table import NEEDS

    return frozenset(map(tuple, filter(None, NEEDS)))


def _own(read: Text, more: tuple[Rule, ...]) -> Iterator[Finding]:
    """Yield what an operator's rules find, whatever stands around it."""
    for rule in more:
        for match in _matches(rule, read.folded, rule.needs):
            yield Finding(rule.category, rule.name, rule.severity, *match.span())


def matches(rule: Rule, text: str) -> bool:
    """Tell whether *rule*, which is an expression, finds something in *text*."""
    return next(_matches(rule, normal(text).folded, rule.needs), None) is not None


def _matches(rule: Rule, text: str, needs: Iterable[str]) -> Iterator[re.Match[str]]:
    """Yield where *rule* matches, looking only around *needs*, which are of its own."""
    for start, end in near(text, needs, NEAR, 3 * NEAR):
        yield from _compiled(rule).finditer(text, start, end)


def _backwards(read: Text, said: Words) -> Iterator[Finding]:
    """Yield what is found in the text with its letters turned, or from its end."""
    size = len(read.folded)
    every = set(said.tokens)
    least = SHORT if len(every) <= FEWEST else LEAST
    line = " ".join([word for word in every if least <= len(word) <= MOST])
    if _are_known(rotated(line).split()):
        turned = words(rotated(read.folded))
        for finding in (*_plainly(turned), *_orders(turned)):
            yield _disguised(finding, "rot13", finding.start, finding.end)
    if _are_known(reversed_(line).split()):
        turned = words(reversed_(read.folded))
        for finding in (*_plainly(turned), *_orders(turned)):
            start, end = size - finding.end, size - finding.start
            yield _disguised(finding, "reversed", start, end)
        turned = words(read.folded, reversed_)
        for finding in (*_plainly(turned), *_orders(turned)):
            yield _disguised(finding, "reversed", finding.start, finding.end)


def _are_known(turned: list[str]) -> bool:
    """Tell whether some of the words of a text are known, now that they are *turned*.

    In a long text some begin by chance as known ones do.
    """
    whole, stems = lexicon().whole, lexicon().stems
    known = whole.keys() & turned
    if len(known) >= OFTEN:
        return True
    known = {word for word in known if len(word) >= LEAST}
    if len(known) < TURNED and len(turned) <= FEW:
        known |= {word for word in stems.begun(turned) if stems.known(word, LEAST)}
    return len(known) >= TURNED


def _plainly(said: Words) -> Iterator[Finding]:
    """Yield phrases whatever stands around them: who disguises them means them."""
    for phrase, first, last in find(said.masks, phrases()):
        start, end = said.place(first, last)
        yield Finding(phrase.category, phrase.name, phrase.severity, start, end)


def _decoded(
    read: Text, shape: Shape, more: tuple[Rule, ...], depth: int
) -> Iterator[Finding]:
    """Yield what is found in other readings of a text, each with its disguise."""
    left = max(len(read.text), 4_096)
    for reading in chain(_parted(read, shape), readings(read.text, shape)):
        left -= 0 if reading.disguise == UNSPACED else len(reading.text.text)
        if left < 0:
            return
        inner_shape = Shape(reading.text.text)
        inner = _read(reading.text, words(reading.text.folded), inner_shape, more)
        if depth > 1 and not reading.exact:
            inner += _decoded(reading.text, inner_shape, more, depth - 1)
        for finding in inner:
            start, end = reading.start, reading.end
            if reading.exact:
                start += finding.start
                end = reading.start + finding.end
            start, end = read.span(start, end)
            yield _disguised(finding, reading.disguise, start, end)


def _parted(read: Text, shape: Shape) -> Iterator[Reading]:
    """Yield the parts of a text in which words are run together, with these apart."""
    if not shape.runs:
        return
    from crewmem.threats.runs import RUN, parted

    if RUN.search(shape.long):
        for part, start, end in parted(read.text, shape.long, _saying):
            yield Reading(UNSPACED, part, start, end, True)


def _saying(texts: Sequence[str]) -> set[int]:
    """Return which of *texts*, each of which stands for itself, have a phrase or an order."""
    said = words(lowered(BETWEEN.join(texts)))
    ends = [*accumulate(len(text) + len(BETWEEN) for text in texts)]
    found = chain(_plainly(said), _orders(said))
    return {bisect_right(ends, each.start) for each in found}


def _disguised(finding: Finding, disguise: str, start: int, end: int) -> Finding:
    category = SECRET if finding.category == SECRET else OBFUSCATION
    name = finding.rule.partition("+")[0]
    return Finding(category, f"{name}+{disguise}", finding.severity, start, end)


def _rank(finding: Finding) -> tuple[bool, bool, bool, int, int]:
    """Return where *finding* stands among those of its place: what says more is first."""
    vague = finding.rule.startswith(RULE)
    return (
        finding.severity != HIGH,
        "+" in finding.rule,
        vague,
        finding.start,
        -finding.end,
    )


def _settled(found: list[Finding]) -> list[Finding]:
    """Return *found* in order, without what says less of the same place."""
    kept: list[Finding] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for each in sorted(
        found,
        key=_rank,
    ):
        spans = taken.setdefault(each.category, [])
        at = bisect_right(spans, (each.end,))
        if at and spans[at - 1][1] > each.start:
            continue
        spans.insert(at, (each.start, each.end))
        kept.append(each)
    return sorted(kept, key=lambda one: (one.start, one.end, one.rule))
