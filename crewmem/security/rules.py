"""Load and match the rules against instructions to the reader (`data/rules.toml`).

A rule is tried only on a passage that contains a word of each of its groups. Its pattern runs over
the folded text, so that line breaks, case, accents and look-alike letters do not matter.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.errors import SettingsError
from crewmem.security.decoding import TELLTALES
from crewmem.security.normalize import SENTENCE_ENDS, fold_characters

RESET_RULES_COMMAND = "config set scan.rules --default"
"""Command suggested when an operator's further rules cannot be read."""

MAX_ITEM_REST = 40
"""Maximum characters between a match and the end of a list item, if the item is one quote."""

MENTION_DISTANCE = 80
"""Characters around the sentence of a quoted instruction that are searched for words such as
"example"."""

_QUOTES = {'"': '"', "'": "'", "「": "」", "„": '"', "»": '"'}


class WordGroup(NamedTuple):
    """Words and substrings, at least one of which must occur in a passage."""

    words: frozenset[str]
    parts: tuple[str, ...]

    def matches(self, words: Collection[str], folded: str) -> bool:
        """Return whether a folded text of *words* contains a word or substring of the group."""
        if not self.words.isdisjoint(words):
            return True
        return bool(self.parts) and any(part in folded for part in self.parts)

    def narrow(self, words: Collection[str], folded: str) -> "WordGroup":
        """Return the words and substrings that occur in a folded text of *words*."""
        parts = tuple(part for part in self.parts if part in folded)
        return WordGroup(self.words.intersection(words), parts)


ANY_TEXT = WordGroup(frozenset(), ("",))
"""The group of a rule that names no words: every text contains the empty one."""


def _parse_group(text: str) -> WordGroup:
    entries = fold_characters(text).split()
    words = {entry for entry in entries if entry.isascii() and entry.isalnum()}
    return WordGroup(frozenset(words), tuple(entry for entry in entries if entry not in words))


@dataclass(frozen=True)
class Rule:
    """A rule of `data/rules.toml` or of an operator.

    Attributes:
        class_: "attack" or "suspicious".
        groups: Groups that must all match before the pattern is tried.
        pattern_text: The pattern. Compiled when the rule is first tried; most rules never are.
        unless_text: Pattern of sentences in which the rule does not apply; "" for none.
        macros: Parts of both patterns, by the names that stand for them in braces.
        examples: Texts that the rule must match.
        ordinary: Texts that the rule must not match.
    """

    id: str
    class_: str
    category: str
    groups: tuple[WordGroup, ...]
    pattern_text: str
    unless_text: str = ""
    macros: dict[str, str] = field(default_factory=dict, compare=False)
    examples: tuple[str, ...] = ()
    ordinary: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return self._compile(self.pattern_text)

    @cached_property
    def unless(self) -> re.Pattern[str] | None:
        return self._compile(self.unless_text) if self.unless_text else None

    def _compile(self, text: str) -> re.Pattern[str]:
        """Compile a pattern with its macros expanded and its non-ASCII text folded."""
        for name, value in reversed(self.macros.items()):  # each may contain earlier ones
            text = text.replace("{" + name + "}", value)
        if not text.isascii():
            text = re.sub(r"[^\x00-\x7f]+", lambda run: fold_characters(run[0]), text)
        return re.compile(text.replace(" ", r"\s"), re.DOTALL)

    def find(self, folded: str) -> "Iterator[Match]":
        """Yield the matches in a folded text."""
        first = last = 0
        is_exempt = False
        for match in self.pattern.finditer(folded):
            start, end = match.span()
            if start >= last:  # in another sentence than the previous match
                first, last = _find_sentence(folded, last, start)
                is_exempt = bool(self.unless and self.unless.search(folded, first, last))
            if not is_exempt:
                is_mention = _is_mention(folded, first, last, start, end)
                yield Match(self, start, end, match[0], is_mention)


class Match(NamedTuple):
    """A match of a rule in a folded text.

    Attributes:
        is_mention: Whether the text only quotes or describes an instruction.
    """

    rule: Rule
    start: int
    end: int
    words: str
    is_mention: bool


class RuleSet:
    """The rules that are applied to a text."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        first = [rule.groups[0] for rule in rules]
        self._first = WordGroup(
            frozenset().union(*(group.words for group in first)),
            tuple({part for group in first for part in group.parts}),
        )

    def narrow(self, words: Collection[str], folded: str) -> "RuleSet":
        """Return the rules that may match a passage of a folded text of *words*.

        Most rules lack a word, so that passages are searched for the words of few.
        """
        likely = RuleSet(self.find_candidates(words, folded))
        likely._first = likely._first.narrow(words, folded)
        return likely

    def find_candidates(self, words: Collection[str], folded: str) -> list[Rule]:
        """Return the rules whose groups all match a folded text of *words*, in order."""
        if not self._first.matches(words, folded):
            return []
        distinct = frozenset(words)
        return [
            rule
            for rule in self.rules
            if all(group.matches(distinct, folded) for group in rule.groups)
        ]

    def split_joined(self, text: str) -> str:
        """Split a text without spaces at the longest words of the rules and their examples.

        >>> load_rules().split_joined("ignoretherules")
        'ignore the rules'
        """
        return " ".join(self._any_word.sub(lambda word: f" {word[0]} ", text).split())

    @cached_property
    def _any_word(self) -> re.Pattern[str]:
        words = set(TELLTALES)
        for rule in self.rules:
            words.update(*(group.words for group in rule.groups))
            words.update(re.findall(r"[^\W_]+", fold_characters(" ".join(rule.examples))))
        by_letter: dict[str, list[str]] = {}  # one list of all words would be tried word by word
        for word in sorted(words, key=len, reverse=True):
            if len(word) > 1:
                by_letter.setdefault(word[0], []).append(word[1:])
        return re.compile(
            "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in by_letter.items())
        )


_SENTENCE_END = re.compile("|".join(map(re.escape, (*SENTENCE_ENDS, "\n"))))


def _find_sentence(folded: str, previous: int, offset: int) -> tuple[int, int]:
    """Return the span of the sentence that contains *offset*; one before it ends at *previous*."""
    first = previous
    for end in _SENTENCE_END.finditer(folded, previous, offset):
        first = end.end()
    after = _SENTENCE_END.search(folded, offset)
    return first, after.end() if after else len(folded)


def _is_mention(folded: str, first: int, last: int, start: int, end: int) -> bool:
    """Return whether a match is quoted, and alone or near words such as "example".

    Args:
        first: Offset of the sentence; *last* is its end.
        start: Offset of the match; *end* is its end.
    """
    before = folded[max(first - MENTION_DISTANCE, 0) : start]
    after = folded[end : last + MENTION_DISTANCE]
    for mark, closing in _QUOTES.items():
        is_open = before.count(mark) % 2 == 1 if mark == closing else mark in before
        rest = after.rstrip(" .,;")
        is_item = before.lstrip().startswith("-") and len(rest) <= MAX_ITEM_REST
        is_alone = rest == closing or (is_item and rest.find(closing) == len(rest) - 1)
        if before.strip(" -*") == mark and is_alone:
            return True  # the quote is all: an entry of a list of phrases
        if is_open and closing in after:
            # Words within the quotes do not count: an attack could contain them.
            around = f"{before.rpartition(mark)[0]} {after.partition(closing)[2]}"
            return load_mention_pattern().search(around) is not None
    return False


@cache
def load_mention_pattern() -> re.Pattern[str]:
    """Return the pattern of words that mark an instruction as mentioned, not given."""
    return re.compile(_load()["mention"])


def parse_rules(data: dict[str, Any], *, check: bool = True) -> list[Rule]:
    """Parse rules in the format of `data/rules.toml`.

    Args:
        check: Whether to compile all patterns now instead of when a rule is first tried.

    Raises:
        SettingsError: If a rule lacks a field, or its pattern does not compile.
    """
    rules = []
    for fields in data.get("rule", ()):
        try:
            rule = Rule(
                id=fields["id"],
                class_=fields["class"],
                category=fields.get("category", "custom"),
                groups=tuple(map(_parse_group, fields.get("words", ()))) or (ANY_TEXT,),
                pattern_text=fields["pattern"],
                unless_text=fields.get("unless", ""),
                macros=data.get("macros", {}),
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
                command=RESET_RULES_COMMAND,
            ) from error
    return rules


@cache
def load_rules() -> RuleSet:
    """Return the built-in rules."""
    return RuleSet(parse_rules(_load(), check=False))


@cache
def _load() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath("rules.toml").read_text("utf-8"))


def read_further_rules(file: Path) -> list[Rule]:
    """Read an operator's further rules from the file named by the setting `scan.rules`.

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
        command=RESET_RULES_COMMAND,
    )
