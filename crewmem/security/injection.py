"""Rules against instructions to the reader: loading `data/rules.toml`, and matching.

A rule is tried only where the cues it needs are in the passage, which costs one look-up
a word (`cues`). Its pattern then runs over the folded text, so that line breaks, case,
accents and disguises of characters do not matter.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.errors import SettingsError
from crewmem.security.cues import (
    DISGUISED,
    MAX_REMEMBERED,
    WORD,
    Cues,
    Sentence,
    find_words,
    load_cues,
)
from crewmem.security.further_rules import HINT
from crewmem.security.normalize import Vocabulary, fold_characters

DEFAULT_WITHIN = 10

MAX_MATCHES = 3
"""Findings of one rule in one passage; the first is what people read."""

MENTION = (
    r"\b(?:e\.g|example|such as|phrases?|strings?|patterns?|attack(?:s|ers?)?|inject(?:s|ed|ions?)?"
    r"|jailbreaks?|detects?|flags?|flagged|scanner|rule|tests?|payloads?|malicious|quote[sd]?|paper"
    r"|reported|phishing|words?|sentences?|text|says|said|called|marker|muster|beispiel|erkennt|angriff"
    r"|ataque|frase|attaque|phrase|атак\w*|фраз\w*|пример)\b|攻击|例如|注入|歌词|攻撃|例|インジェクション|공격|예"
)
"""Words by which somebody tells of an order instead of giving it."""


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        needs: Masks of cues of which one must meet the mask of the passage.
        literals: Texts without letters at the beginning, one of which must be there;
            tried beside *needs*.
        also: Masks like *needs*, each of which must meet that of the passage.
        anchored: The pattern begins at a word of *needs*, and is tried only there.
        foreign: Only sentences in another language than English are looked at.
        near: Masks of cues that stand within *within* words of each other.
        source: The pattern, in which `{name}` stands for one of *macros*; expanded when the rule is
            first tried, because most rules never are.
        veto: The same, of what clears a sentence.
        hidden: Whether the rule, though it says only suspicious, is an attack where the
            text is hidden.
    """

    id: str
    cls: str
    category: str
    needs: int = 0
    literals: tuple[str, ...] = ()
    also: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    within: int = DEFAULT_WITHIN
    source: str = ""
    veto: str = ""
    macros: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    hidden: bool = False
    anchored: bool = False
    foreign: bool = False
    examples: tuple[str, ...] = ()
    ordinary: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        return re.compile(_expand(self.source, self.macros)) if self.source else None

    @cached_property
    def unless(self) -> re.Pattern[str] | None:
        return re.compile(_expand(self.veto, self.macros)) if self.veto else None


class Match(NamedTuple):
    """A rule that matched a folded text from *start* to *end*."""

    rule: Rule
    start: int
    end: int
    is_mention: bool


MAX_PARTS = 5
"""Groups of cues that a rule can ask for: needs, near and also together."""

PARTS_SHIFT = 32
"""Where the bits of rules begin in the mask of a word; below are its cues and hints."""


class RuleSet(dict[str, int]):
    """Rules, and for each word its cues and which parts of which rules it meets.

    Each rule has MAX_PARTS bits above PARTS_SHIFT. A text can match a rule when the masks of its
    words together have all of them: one operation on integers for all rules at once.
    """

    def __init__(self, rules: Sequence[Rule], cues: Cues) -> None:
        super().__init__()
        self.rules = tuple(rules)
        self.cues = cues
        self.literals = tuple({text for rule in rules for text in rule.literals})
        self._cue_bits = (1 << len(cues.names) + len(cues.hints)) - 1
        self._foreign = cues.bits["foreign"]
        self._parts: list[tuple[int, int]] = []  # mask of cues, bit of the part
        self._missing = 0  # the bits of parts that rules do not have
        self.every = 0  # a bit of each rule
        self.attacks = 0  # the same, of those that make an attack of plain text
        for number, rule in enumerate(self.rules):
            first = PARTS_SHIFT + number * MAX_PARTS
            parts = [*([rule.needs] if rule.needs else ()), *rule.near, *rule.also]
            parts += [self._foreign] if rule.foreign else []
            if not parts or (rule.literals and not rule.needs):
                continue  # found by its literals
            for at in range(MAX_PARTS):
                if at < len(parts):
                    self._parts.append((parts[at], 1 << first + at))
                else:
                    self._missing |= 1 << first + at
            self.every |= 1 << first
            if rule.cls == "attack":
                self.attacks |= 1 << first
        self._by_mask: dict[int, int] = {}

    def __missing__(self, word: str) -> int:
        mask = self.cues[word]
        met = self._by_mask.get(mask)
        if met is None:
            met = mask & self._cue_bits
            for part, bit in self._parts:
                if mask & part:
                    met |= bit
            self._by_mask[mask] = met
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[word] = met
        return met

    def find_candidates(self, mask: int, among: int) -> int:
        """Return a bit for each rule of *among* all of whose parts are in *mask*; 0 for none."""
        mask |= self._missing
        return mask & mask >> 1 & mask >> 2 & mask >> 3 & mask >> 4 & among

    def candidates(self, mask: int, among: int) -> list[Rule]:
        """Return the rules of *among* that a sentence with the cues of *mask* can match."""
        bits = self.find_candidates(mask, among)
        found = []
        while bits:
            low = bits & -bits
            found.append(self.rules[(low.bit_length() - 1 - PARTS_SHIFT) // MAX_PARTS])
            bits ^= low
        return found

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the examples, by which text without gaps is split."""
        words = {
            word
            for rule in self.rules
            for text in rule.examples
            for word in find_words(fold_characters(text))
        }
        found: dict[str, list[str]] = {}
        for word in sorted(words | DISGUISED):
            if len(word) > 1:
                found.setdefault(word[:2], []).append(word)
        return found

    def with_literals(self, folded: str, present: Iterable[str]) -> tuple[Rule, ...]:
        """Return the rules of which a literal of *present* is in the text."""
        here = {text for text in present if text in folded}
        return tuple(r for r in self.rules if here.intersection(r.literals)) if here else ()

    def match(
        self,
        folded: str,
        sentences: Sequence[Sentence],
        literal: Iterable[Rule],
        among: int,
    ) -> list[Match]:
        """Return what rules match in a folded text of *sentences*.

        A rule of *among* (bits, as of `every`) is tried where a sentence has the cues that it
        needs, and may match into the next sentence; those of *literal* are tried on the whole text.
        """
        found: list[Match] = []
        counts: Counter[str] = Counter()
        passage = _Passage(folded, sentences, self.cues)

        def add(rule: Rule, first: int, last: int) -> None:
            for start, end in self._spans(passage, rule, first, last):
                if counts[rule.id] >= MAX_MATCHES:
                    return
                begin, stop = passage.sentence_at(start)
                if rule.unless and rule.unless.search(folded, begin, stop):
                    continue
                is_mention = _is_mention(folded, begin, stop, start, end)
                counts[rule.id] += 1
                found.append(Match(rule, start, end, is_mention))

        for rule in literal:
            add(rule, 0, len(sentences))
        for at, sentence in enumerate(sentences):
            for rule in self.candidates(sentence.mask, among):
                add(rule, at, at + 1)
        return found

    def _spans(
        self, passage: _Passage, rule: Rule, first: int, last: int
    ) -> Iterator[tuple[int, int]]:
        """Yield where *rule* matches, beginning in the sentences from *first* to before *last*."""
        pattern, folded, sentences = rule.pattern, passage.folded, passage.sentences
        each = sentences[first] if sentences else Sentence(0, len(folded), [], 0)
        if rule.near or rule.foreign:
            english = self.cues.bits["english"] if rule.near else 0
            if rule.foreign and (each.mask & english or not each.mask & self._foreign):
                return
            if not rule.near:
                match = pattern.search(folded, each.start, each.end) if pattern else None
                if match:
                    yield match.span()
            elif all(each.mask & part for part in rule.near):
                yield from _find_near(folded, passage.words_of(first), rule)
            return
        if pattern is None:
            return
        stop = sentences[last - 1].end if sentences else len(folded)
        limit = sentences[last].end if last < len(sentences) else len(folded)
        if rule.anchored:
            for start, _, mask in passage.words_of(first):
                if mask & rule.needs:
                    match = pattern.match(folded, start, limit)
                    if match and _may_order(folded, match):
                        yield match.span()
        else:
            for match in pattern.finditer(folded, each.start, limit):
                if match.start() >= stop:
                    return
                if _may_order(folded, match):
                    yield match.span()


_Word = tuple[int, int, int]
"""Start, end and mask of a word."""


class _Passage:
    """A folded text with its sentences, and the words of those that rules ask for."""

    def __init__(self, folded: str, sentences: Sequence[Sentence], cues: Cues) -> None:
        self.folded = folded
        self.sentences = sentences
        self.cues = cues
        self._ends = [sentence.end for sentence in sentences]
        self._words: dict[int, list[_Word]] = {}

    def words_of(self, number: int) -> list[_Word]:
        """Return the words of a sentence that have cues."""
        words = self._words.get(number)
        if words is None:
            cues, sentence = self.cues, self.sentences[number]
            words = self._words[number] = []
            at = sentence.start
            for word in sentence.words:
                start = self.folded.find(word, at, sentence.end)
                if start >= 0:  # else it stands for an address
                    at = start + len(word)
                    words.append((start, at, cues[word]))
        return words

    def sentence_at(self, place: int) -> tuple[int, int]:
        """Return where the sentence begins and ends that has *place*."""
        at = min(bisect_right(self._ends, place), len(self._ends) - 1)
        if at < 0:
            return 0, len(self.folded)
        return self.sentences[at].start, self.sentences[at].end


def _may_order(folded: str, match: re.Match[str]) -> bool:
    """Return whether an order may begin where the match has a group of `{imp}`."""
    for name, start in match.re.groupindex.items():
        place = match.start(start)
        if place >= 0 and not _before(name.partition("_")[0], folded[max(place - 24, 0) : place]):
            return False
    return True


@cache
def _places() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern + r"$") for name, pattern in _read_rules()["places"].items()}


def _before(name: str, before: str) -> bool:
    return not before or _places()[name].search(before) is not None


@cache
def _mention() -> re.Pattern[str]:
    return re.compile(MENTION)


def _is_mention(folded: str, first: int, last: int, start: int, end: int) -> bool:
    """Return whether the match is quoted in a sentence that tells of it."""
    if '"' in folded[start:end].strip('"') and _mention().search(folded, first, last):
        return True
    before = folded[max(first - 80, 0) : start + 1]
    after = folded[max(end - 1, start) : last + 2]
    for mark in ('"', "'", "「", "„", "»"):
        is_open = before.count(mark) % 2 == 1 if mark in ('"', "'") else mark in before
        closing = {"「": "」", "„": '"', "»": '"'}.get(mark, mark)
        if is_open and closing in after:
            around = before[:-1] + " " + after[1:]
            return _mention().search(around) is not None
    return False


def _find_near(
    folded: str, words: list[tuple[int, int, int]], rule: Rule
) -> Iterator[tuple[int, int]]:
    """Yield where words with all cues of *rule* stand near each other."""
    last_seen = [-1] * len(rule.near)
    for at, (_, end, mask) in enumerate(words):
        fresh = False
        for number, part in enumerate(rule.near):
            if mask & part:
                last_seen[number] = at
                fresh = True
        if fresh and min(last_seen) >= 0:
            first = min(last_seen)
            # A run without blanks may hold all cues at once; words must be as many as cues.
            unspaced = any(ord(folded[words[place][0]]) >= 0x0590 for place in last_seen)
            if at - first <= rule.within and (len(set(last_seen)) == len(rule.near) or unspaced):
                yield words[first][0], end
                last_seen = [-1] * len(rule.near)


def parse_rules(
    data: dict[str, Any], cues: Cues | None = None, *, check: bool = True
) -> list[Rule]:
    """Read rules in the form of `data/rules.toml`: macros, and a list of rules.

    With *check* their patterns are compiled at once, else when they are first tried.

    Raises:
        SettingsError: If a rule lacks a field, or its pattern does not compile.
    """
    cues = load_cues() if cues is None else cues
    macros: dict[str, str] = {}
    for name, text in data.get("macros", {}).items():
        macros[name] = _expand(text, macros)
    rules = []
    for fields in data.get("rule", ()):
        try:
            rule = _parse_rule(fields, macros, cues)
            if check:
                _ = rule.pattern, rule.unless
            rules.append(rule)
        except (KeyError, TypeError, re.error) as error:
            name = fields.get("id", "?") if isinstance(fields, dict) else "?"
            raise SettingsError(
                f"scanner rule {name!r} cannot be read: {error}",
                code="bad-scan-rule",
                hint=HINT,
            ) from error
    return rules


def _parse_rule(fields: dict[str, Any], macros: dict[str, str], cues: Cues) -> Rule:
    needs = 0
    literals = []
    for need in fields.get("needs", ()):
        if need.startswith("~") and (need.endswith(":") or not WORD.match(need[1:])):
            literals.append(need[1:])
        else:
            needs |= _mask_of(need, cues)
    near = tuple(_mask_of(part, cues) for part in fields.get("near", ()))
    also = tuple(_mask_of(part, cues) for part in fields.get("also", ()))
    if fields["class"] not in ("attack", "suspicious"):
        raise KeyError("class must be attack or suspicious")
    source = fields.get("pattern", "")
    if not source and not near:
        raise KeyError("pattern")
    if source and not needs and not literals and not near:
        needs = -1
    if bool(needs) + len(near) + len(also) + fields.get("foreign", False) > MAX_PARTS:
        raise KeyError(f"at most {MAX_PARTS} groups of cues")
    return Rule(
        id=fields["id"],
        cls=fields["class"],
        category=fields.get("category", "custom"),
        needs=needs,
        literals=tuple(literals),
        near=near,
        also=also,
        within=fields.get("within", DEFAULT_WITHIN),
        source=source,
        veto=fields.get("unless", ""),
        macros=macros,
        hidden=fields.get("hidden", False),
        anchored=fields.get("anchored", False),
        foreign=fields.get("foreign", False),
        examples=tuple(fields.get("examples", ())),
        ordinary=tuple(fields.get("ordinary", ())),
    )


def _mask_of(names: str, cues: Cues) -> int:
    """Return the bits of cues, and of words (`~` begins with, `=` is), that `|` separates."""
    mask = 0
    for name in names.split("|"):
        if name[:1] in ("~", "="):
            word = WORD.match(name[1:])
            if word is None:
                raise KeyError(name)
            mask |= cues.add_word(word[0], whole=name[0] == "=")
        else:
            mask |= cues.bits[name]
    return mask


def _expand(text: str, macros: Mapping[str, str]) -> str:
    """Return a pattern with its macros replaced, and folded as texts are."""
    if not text.isascii():
        text = re.sub(r"[^\x00-\x7f]+", lambda run: fold_characters(run[0]), text)
    for name, value in macros.items():
        text = text.replace("{" + name + "}", value)
    for name in ("imp0", "imp", "vocative"):
        count = 0
        while "{" + name + "}" in text:
            group = name if count == 0 else f"{name}_{count}"
            text = text.replace("{" + name + "}", rf"\b(?P<{group}>)", 1)
            count += 1
    return text


@cache
def _read_rules() -> dict[str, Any]:
    text = Path(__file__).with_name("data").joinpath("rules.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def load_rules() -> RuleSet:
    """Read the rules that come with crewmem."""
    cues = load_cues()
    return RuleSet(parse_rules(_read_rules(), cues, check=False), cues)
