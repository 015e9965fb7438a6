"""Rules against instructions to the reader: loading `data/rules.toml`, and matching.

A rule is tried only on a passage that has a word of each of its groups. Its pattern then runs
over the folded text, so that line breaks, case, accents and disguises do not matter.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.errors import SettingsError
from crewmem.security.normalize import SENTENCE_END, fold_characters
from crewmem.security.readings import TELLTALES

NO_FURTHER_RULES = "config set scan.rules --default"
"""The way out where an operator's further rules cannot be read."""

MAX_MATCHES = 3
"""Findings of one rule in one passage; the first is what people read."""

NEAR = 80
"""Characters around the sentence of a quoted order in which it may be told of."""

_QUOTES = {'"': '"', "'": "'", "「": "」", "„": '"', "»": '"'}


class Group(NamedTuple):
    """Words of which one must be in a passage, and parts that may also stand within words."""

    words: frozenset[str]
    parts: tuple[str, ...]

    def is_in(self, words: Collection[str], folded: str) -> bool:
        """Return whether the group is met by a folded text of *words*."""
        if not self.words.isdisjoint(words):
            return True
        return bool(self.parts) and any(part in folded for part in self.parts)


def _parse_group(text: str) -> Group:
    entries = fold_characters(text).split()
    words = {entry for entry in entries if entry.isascii() and entry.isalnum()}
    return Group(frozenset(words), tuple(entry for entry in entries if entry not in words))


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        words: Groups of which each must be met, or the pattern is not tried.
        source: The pattern, in which `{name}` stands for one of *macros*; expanded when the rule is
            first tried, because most rules never are.
        veto: The same, of what clears a sentence.
    """

    id: str
    class_: str
    category: str
    words: tuple[Group, ...]
    source: str
    veto: str = ""
    macros: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    examples: tuple[str, ...] = ()
    ordinary: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return _compile(self.source, self.macros)

    @cached_property
    def unless(self) -> re.Pattern[str] | None:
        return _compile(self.veto, self.macros) if self.veto else None

    def find(self, folded: str, most: int = MAX_MATCHES) -> "Iterator[Match]":
        """Yield where the rule matches in a folded text, *most* times at most."""
        first = last = 0
        is_vetoed = False
        for match in islice(self.pattern.finditer(folded), most):
            start, end = match.span()
            if start >= last:  # another sentence than that of the match before
                first, last = _sentence_around(folded, start)
                is_vetoed = bool(self.unless and self.unless.search(folded, first, last))
            if not is_vetoed:
                yield Match(self, start, end, _is_mention(folded, first, last, start, end))


class Match(NamedTuple):
    """A rule that matched a folded text from *start* to *end*."""

    rule: Rule
    start: int
    end: int
    is_mention: bool


class RuleSet:
    """Rules, found by a word of their first group."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._always = [number for number, rule in enumerate(rules) if not rule.words]
        self._by_word: dict[str, list[int]] = {}
        self._by_part: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            for group in rule.words[:1]:
                for word in group.words:
                    self._by_word.setdefault(word, []).append(number)
                for part in group.parts:
                    self._by_part.setdefault(part, []).append(number)
        self.first_words = frozenset(self._by_word)
        ascii_parts = [re.escape(part) for part in self._by_part if part.isascii()]
        self._ascii_part = re.compile("|".join(ascii_parts) or "(?!)")

    def has_part(self, folded: str) -> bool:
        """Tell whether a folded ASCII text may meet a rule by more than `first_words`."""
        return bool(self._always) or self._ascii_part.search(folded) is not None

    def find_candidates(self, words: Collection[str], folded: str) -> list[Rule]:
        """Return the rules that can match a folded text of *words*, each once, in order."""
        found = set(self._always)
        for word in self.first_words.intersection(words):
            found.update(self._by_word[word])
        if not folded.isascii() or self._ascii_part.search(folded):
            for part, numbers in self._by_part.items():
                if part in folded:
                    found.update(numbers)
        if not found:
            return []
        rules = [self.rules[number] for number in sorted(found)]
        return [rule for rule in rules if all(group.is_in(words, folded) for group in rule.words)]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of the rules and their examples, by which text without gaps is split."""
        words = set(TELLTALES)
        for rule in self.rules:
            words.update(*(group.words for group in rule.words))
            words.update(re.findall(r"[^\W_]+", fold_characters(" ".join(rule.examples))))
        return frozenset(word for word in words if len(word) > 1)


def _sentence_around(folded: str, place: int) -> tuple[int, int]:
    """Return where the sentence begins and ends that has *place*."""
    first = max((end.end() for end in SENTENCE_END.finditer(folded, 0, place)), default=0)
    after = SENTENCE_END.search(folded, place)
    return first, after.end() if after else len(folded)


def _is_mention(folded: str, first: int, last: int, start: int, end: int) -> bool:
    """Return whether the match is quoted, alone or near words that tell of it."""
    before = folded[max(first - NEAR, 0) : start]
    after = folded[end : last + NEAR]
    for mark, closing in _QUOTES.items():
        is_open = before.count(mark) % 2 == 1 if mark == closing else mark in before
        if before.strip(" -*") == mark and after.strip(" .,;") == closing:
            return True  # nothing else is said: an entry of a list of phrases
        if is_open and closing in after:
            around = f"{before.rpartition(mark)[0]} {after.partition(closing)[2]}"
            return load_mention().search(around) is not None  # what is quoted cannot excuse itself
    return False


@cache
def load_mention() -> re.Pattern[str]:
    """Return what finds words by which somebody tells of an order instead of giving it."""
    return re.compile(_load()["mention"])


def parse_rules(data: dict[str, Any], *, check: bool = True) -> list[Rule]:
    """Read rules in the form of `data/rules.toml`: macros, and a list of rules.

    With *check* their patterns are compiled at once, else when they are first tried.

    Raises:
        SettingsError: If a rule lacks a field, or its pattern does not compile.
    """
    macros: dict[str, str] = {}
    for name, text in data.get("macros", {}).items():
        macros[name] = _expand(text, macros)
    rules = []
    for fields in data.get("rule", ()):
        try:
            rule = Rule(
                id=fields["id"],
                class_=fields["class"],
                category=fields.get("category", "custom"),
                words=tuple(map(_parse_group, fields.get("words", ()))),
                source=fields["pattern"],
                veto=fields.get("unless", ""),
                macros=macros,
                examples=tuple(fields.get("examples", ())),
                ordinary=tuple(fields.get("ordinary", ())),
            )
            if rule.class_ not in ("attack", "suspicious"):
                raise KeyError("class must be attack or suspicious")
            if check:
                _ = rule.pattern, rule.unless
            rules.append(rule)
        except (AttributeError, KeyError, TypeError, re.error) as error:
            name = fields.get("id", "?") if isinstance(fields, dict) else "?"
            raise SettingsError(
                f"scanner rule {name!r} cannot be read: {error}",
                code="bad-scan-rule",
                command=NO_FURTHER_RULES,
            ) from error
    return rules


def _compile(text: str, macros: Mapping[str, str]) -> re.Pattern[str]:
    """Compile a pattern, of which a blank may be the end of a line."""
    return re.compile(_expand(text, macros).replace(" ", r"\s"), re.DOTALL)


def _expand(text: str, macros: Mapping[str, str]) -> str:
    """Return a pattern with its macros replaced, and folded as texts are."""
    if not text.isascii():
        text = re.sub(r"[^\x00-\x7f]+", lambda run: fold_characters(run[0]), text)
    for name, value in macros.items():
        text = text.replace("{" + name + "}", value)
    return text


@cache
def load_rules() -> RuleSet:
    """Read the rules that come with crewmem."""
    return RuleSet(parse_rules(_load(), check=False))


@cache
def _load() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath("rules.toml").read_text("utf-8"))


def read_further_rules(file: Path) -> list[Rule]:
    """Read an operator's further rules: the TOML file that the setting `scan.rules` names.

    Raises:
        SettingsError: If it cannot be read.
    """
    try:
        return parse_rules(tomllib.loads(file.read_text("utf-8")))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except ValueError as error:
        reason = f"it is not TOML: {error}"
    raise SettingsError(
        f"the scanner's rules in {file} cannot be read: {reason}",
        code="bad-scan-rule",
        command=NO_FURTHER_RULES,
    )
