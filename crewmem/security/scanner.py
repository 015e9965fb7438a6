"""What is scanned, what is found, and what happens to it.

The unit is the passage: a paragraph, a list item, a row of a table, a code block. A
finding never touches its neighbours. `scan` lists findings, `screen` is for texts that
come in, `make_safe` for texts on their way to a model or a person.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from math import inf
from pathlib import Path
from typing import NamedTuple

from crewmem.security.allowed import hash_passage
from crewmem.security.classifier import (
    LOWEST_LEVEL,
    find_level,
    list_words,
    load_model,
    split_sentences,
    split_words,
)
from crewmem.security.findings import Finding, split_name
from crewmem.security.normalize import fold, fold_characters
from crewmem.security.readings import (
    LONG,
    Reading,
    find_hints,
    find_marks,
    hidden_text,
    load_signs,
    readings,
)
from crewmem.security.rules import MAX_MATCHES, Rule, RuleSet, load_rules, read_further_rules
from crewmem.security.safe_text import (
    PIECE,
    Piece,
    SafeText,
    list_hit_pieces,
    make_safe,
    replace_spans,
    split_pieces,
)
from crewmem.security.secrets import find_secrets
from crewmem.text.markdown import passages

HIDDEN_LEVEL = 2.2
"""Log-odds from which on text that somebody encoded or hid is taken for an order: .9."""

MAX_WORDS = 80
"""Characters of the matched words that a finding repeats."""

MOSTLY = 0.5
"""Share of a text that is attack from which on it is refused whole."""

OVERLAP = 200
"""Characters before and behind the end of a piece that are read for orders across it."""

MAX_ACROSS = 40
"""Matches of a rule in several pieces that are looked at; most are within one."""

ENCODED = frozenset({"base64", "hex", "rot13", "reversed"})
"""Readings that nobody gets by chance."""

PARTIAL = frozenset({"escapes", "leet"})
"""Readings most of which may be written plainly."""


class Screened(NamedTuple):
    """A text that wants to be stored.

    Attributes:
        text: What may be stored: without refused passages, secrets redacted.
        refused: The attacks.
        redacted: The secrets.
        mostly_attack: Whether so much is refused that the rest should be refused, too.
    """

    text: str
    refused: list[Finding]
    redacted: list[Finding]
    mostly_attack: bool


_SEPARATOR = "\n\n\n"
"""Between texts that are searched as one."""


class Scanner:
    """Finds attacks, suspicious text and secrets, by the rules of one home.

    Args:
        further_rules: A TOML file of rules, besides those that come with crewmem.
        list_released: Returns the hashes of the passages that an operator released; it is asked
            only when something was found, which is seldom.
    """

    def __init__(
        self,
        further_rules: Path | None = None,
        list_released: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._further_rules = further_rules
        self._list_released = list_released

    @cached_property
    def rules(self) -> RuleSet:
        """The rules that come with crewmem, and the further ones.

        Raises:
            SettingsError: If the file of further rules cannot be read.
        """
        own = load_rules()
        if self._further_rules is None:
            return own
        return RuleSet([*own.rules, *read_further_rules(self._further_rules)])

    def scan(
        self,
        text: str,
        *,
        own_tier: bool = False,
        allow: Collection[str] = (),
        file: str = "",
        first_line: int = 1,
        read_whole: Callable[[], str] | None = None,
        secrets: bool = True,
    ) -> list[Finding]:
        """Find attacks, suspicious passages and secrets in *text*.

        Args:
            own_tier: The text is an agent's own (agent, crew, persona, pins), which is
                supposed to hold instructions: nothing in it is suspicious.
            allow: Ids of rules that are passed over; entries with a directory count nothing here.
            file: Name for findings.
            first_line: Number of the first line of *text* in its file.
            read_whole: Returns the file that *text* is a passage of, so that both are judged
                alike. Few passages need it.
            secrets: Whether secrets are looked for.
        """
        found = self._find_instructions(text, own_tier, read_whole)
        found = self._without_released(text, found)
        if secrets:
            found += [
                Finding("secret", "secret", rule, start=start, end=end, matched=rule)
                for rule, start, end in find_secrets(text)
            ]
        kept = [finding for finding in found if finding.rule not in allow]
        return _with_lines(text, kept, file, first_line)

    def has_attack(self, text: str) -> bool:
        """Return whether a passage of *text* is an attack."""
        return any(f.class_ == "attack" for f in self.scan(text, own_tier=True, secrets=False))

    def find_texts_to_screen(self, texts: Sequence[str]) -> list[int]:
        """Return which of many texts may hold a secret or an attack, in order.

        Secrets are looked for in all texts as one: a call for each would cost more than the search.
        """
        found = {each for each in self._find_unclear(texts) if self.has_attack(texts[each])}
        secrets = find_secrets(_SEPARATOR.join(texts))
        if secrets:
            starts = list(accumulate((len(text) + len(_SEPARATOR) for text in texts), initial=0))
            for secret in secrets:  # one without an end may run into the next texts
                first, last = (bisect_right(starts, at) for at in (secret.start, secret.end - 1))
                found.update(range(first - 1, last))
        return sorted(found)

    def _find_unclear(self, texts: Sequence[str]) -> Iterator[int]:
        """Yield which texts must be read by passages: most tell by their words that not."""
        telltales = self.rules.first_words | load_signs()[0]
        for number, text in enumerate(texts):
            if len(text) > PIECE or not text.isascii():
                yield number
                continue
            folded = text.lower()
            words = split_words(folded)
            if (
                telltales.isdisjoint(words)
                and len(max(words, key=len, default="")) < LONG
                and not self.rules.has_part(folded)
                and not find_marks(text)
            ):
                continue
            rules = self.rules.find_candidates(words, folded)
            if any(rule.class_ == "attack" for rule in rules) or find_hints(words) | find_marks(
                text
            ):
                yield number

    def make_safe(
        self,
        text: str,
        *,
        file: str = "",
        first_line: int = 1,
        own_tier: bool = False,
        push: bool = False,
        mark: bool = False,
        keep_lines: bool = False,
        allow: Collection[str] = (),
    ) -> SafeText:
        """Scan *text* and make it safe to show: see `safe_text.make_safe`."""
        found = self.scan(text, own_tier=own_tier, allow=allow, file=file, first_line=first_line)
        return make_safe(text, found, push=push, mark=mark, keep_lines=keep_lines)

    def screen(
        self,
        text: str,
        *,
        own_tier: bool = False,
        allow: Collection[str] = (),
    ) -> Screened:
        """Decide what of *text* may be stored.

        Passages with an attack are taken out with their lines, secrets are redacted, and
        suspicious passages stay.
        """
        found = self.scan(text, own_tier=own_tier, allow=allow)
        refused = [f for f in found if f.class_ == "attack"]
        redacted = [f for f in found if f.class_ == "secret"]
        edits = [(f.start, f.end, f"[redacted: {f.rule}]") for f in redacted]
        refused_size = 0
        for piece, _ in list_hit_pieces(text, refused):
            end = piece.end + (text[piece.end : piece.end + 1] == "\n")
            edits.append((piece.start, end, ""))
            refused_size += len(text[piece.start : piece.end].strip())
        mostly = refused_size > MOSTLY * max(sum(len(part) for part in text.split()), 1)
        return Screened(replace_spans(text, edits), refused, redacted, mostly)

    def scan_name(self, relative: str, *, allow: Collection[str] = ()) -> list[Finding]:
        """Scan the name of a file. Findings have line 0."""
        found = self._find_instructions(split_name(relative))
        return [
            f._replace(file=relative, first_line=0, last_line=0)
            for f in found
            if f.rule not in allow
        ]

    def _without_released(self, text: str, found: list[Finding]) -> list[Finding]:
        """Return *found* without what stands only in passages that an operator released."""
        released = self._list_released() if found else frozenset()
        if not released:
            return found
        blocks = [(p.start, p.end, hash_passage(p.text) in released) for p in passages(text)]

        def is_released(finding: Finding) -> bool:
            touched = [known for start, end, known in blocks
                       if start < finding.end and finding.start < end]  # fmt: skip
            return bool(touched) and all(touched)

        return [finding for finding in found if not is_released(finding)]

    def _find_instructions(
        self, text: str, own_tier: bool = False, read_whole: Callable[[], str] | None = None
    ) -> list[Finding]:
        """Return attacks and suspicious passages, without lines."""
        found, unsure = self._read_passages(text, own_tier)
        level = LOWEST_LEVEL if read_whole else find_level([odds for _, odds in unsure])
        found += _classify(text, unsure, level)
        if read_whole and any(odds < inf for _, odds in found):
            _, unsure = self._read_passages(read_whole(), own_tier)
            level = find_level([odds for _, odds in unsure])
        return _strongest([finding for finding, odds in found if odds >= level])

    def _read_passages(self, text: str, own_tier: bool) -> tuple[list["_Judged"], list["_Unsure"]]:
        """Return what is found by rules and in other readings, and the other passages."""
        found = [(_hidden_finding("invisible-text", said, 0), inf) for said in hidden_text(text)]
        unsure: list[_Unsure] = []
        run: list[_Read] = []  # pieces that may be cut within a sentence, and the one behind them
        model = load_model()
        marks = find_marks(text)
        for piece in split_pieces(text):
            passage = text[piece.start : piece.end]
            folded = fold_characters(passage)
            sentences = split_sentences(folded)
            words = list_words(sentences)
            in_piece: list[_Judged] = []
            if rules := self.rules.find_candidates(words, folded):
                in_piece += ((each, inf) for each in _find_by_rules(rules, text, [piece]))
            if hints := find_hints(words) | (marks and find_marks(passage)):
                in_piece += self._find_disguised(passage, piece.start, hints)
            found += in_piece
            if run or piece.is_open:
                run.append(_Read(piece, folded, words))
            if run and not (piece.is_open and piece.end - run[0].piece.start < PIECE):
                found += ((each, inf) for each in self._find_across(text, run))
                behind = piece.end - OVERLAP
                run = [each for each in run if each.piece.start >= behind or each.piece == piece]
                run = run if piece.is_open else []
            if own_tier or piece.is_code or any(odds == inf for _, odds in in_piece):
                continue
            odds = model.log_odds_by_words(sentences)
            if odds > -inf:
                unsure.append((piece, odds))
        found += ((each, inf) for each in self._find_across(text, run))
        if own_tier:
            found = [each for each in found if each[0].class_ == "attack"]
        return found, unsure

    def _find_across(self, text: str, run: Sequence["_Read"]) -> list[Finding]:
        """Return what rules find in pieces of which each may go on in the next one."""
        if len(run) < 2:
            return []
        words = list(chain.from_iterable(read.words for read in run))
        foreign = " ".join(read.folded for read in run if not read.folded.isascii())
        rules = self.rules.find_candidates(words, foreign)
        return _find_by_rules(rules, text, [read.piece for read in run]) if rules else []

    def _find_disguised(self, passage: str, offset: int, hints: set[str]) -> "Iterator[_Judged]":
        """Yield what is found in other readings of *passage*, which begins at *offset*."""
        done: set[str] = set()
        for reading in readings(passage, hints, self.rules.vocabulary):
            if reading.text in done:
                continue  # what is said twice is judged once
            done.add(reading.text)
            folded = fold(reading.text).text
            sentences = split_sentences(folded)
            words = list_words(sentences)
            is_partial = reading.disguise in PARTIAL
            matches = [
                match
                for rule in self.rules.find_candidates(words, folded)
                for match in rule.find(folded)
                if not (is_partial and match.is_mention)
            ]
            for match in matches:
                yield (
                    Finding(
                        class_="attack" if reading.disguise in ENCODED else match.rule.class_,
                        category=match.rule.category,
                        rule=match.rule.id,
                        start=offset + reading.start,
                        end=offset + reading.end,
                        matched=_quote(folded[match.start : match.end]),
                        disguise=reading.disguise,
                    ),
                    inf,
                )
            odds = -inf if matches else load_model().log_odds(sentences)
            if odds >= LOWEST_LEVEL:
                finding = _hidden_finding("hidden-instruction", reading, offset)
                is_sure = odds >= HIDDEN_LEVEL and not is_partial
                yield finding if is_sure else finding._replace(class_="suspicious"), odds


def _hidden_finding(rule: str, reading: Reading, offset: int) -> Finding:
    """Return that what another reading of a passage at *offset* says is an attack."""
    return Finding(
        class_="attack",
        category="hidden",
        rule=rule,
        start=offset + reading.start,
        end=offset + reading.end,
        matched=_quote(fold(reading.text).text),
        disguise=reading.disguise,
    )


_Judged = tuple[Finding, float]
"""What was found, and the log-odds that it is an order; of what a rule found, inf."""


_Unsure = tuple[Piece, float]
"""A passage for the classifier, and its log-odds by single words."""


def _classify(text: str, unsure: list[_Unsure], level: float) -> Iterator[_Judged]:
    """Yield the passages that read like an order, from *level* on, with their odds."""
    model = load_model()
    for piece, by_words in unsure:
        if by_words + model.most_by_pairs < level:
            continue
        read = text[piece.start : piece.end]
        odds = model.log_odds(split_sentences(fold_characters(read)))
        if odds >= level:
            disguise = _disguise_of(read) if odds >= HIDDEN_LEVEL else ""
            finding = Finding(
                class_="attack" if disguise else "suspicious",
                category="instruction",
                rule="classifier",
                start=piece.start,
                end=piece.end,
                matched=_quote(read),
                disguise=disguise,
            )
            yield finding, odds


def _with_lines(text: str, found: list[Finding], file: str, first_line: int) -> list[Finding]:
    """Return *found* in order of the text, with line numbers."""
    placed: list[Finding] = []
    line, done = first_line, 0
    for finding in sorted(found, key=lambda finding: (finding.start, finding.end)):
        line += text.count("\n", done, finding.start)
        done = finding.start
        last = line + text.count("\n", finding.start, max(finding.end - 1, finding.start))
        placed.append(finding._replace(first_line=line, last_line=last, file=file))
    return placed


def _quote(text: str) -> str:
    """Return the words of *text* that a finding repeats."""
    return " ".join(text[: 2 * MAX_WORDS].split())[:MAX_WORDS].strip(" .,:;*>-")


class _Read(NamedTuple):
    """A piece as it was read."""

    piece: Piece
    folded: str
    words: list[str]


def _find_by_rules(rules: Sequence[Rule], text: str, run: Sequence[Piece]) -> list[Finding]:
    """Return the findings of *rules* in a piece, or across several that are read as one."""
    found = []
    first, last, most = run[0].start, run[-1].end, MAX_MATCHES
    if len(run) > 1:
        first, last = max(first, run[0].end - OVERLAP), min(last, run[-1].start + OVERLAP)
        most = MAX_ACROSS
    read = text[first:last]
    if not run[0].is_code:
        read = _ITEM.sub(lambda mark: "-" * (len(mark[0]) - 1) + " ", _join_wrapped(read))
    folded = fold(read, keep_lines=True)
    ends = [piece.end for piece in run[:-1]]
    for match in chain.from_iterable(rule.find(folded.text, most) for rule in rules):
        start, end = (first + place for place in folded.span(match.start, match.end))
        later = run[bisect_right(ends, start) + 1 : bisect_right(ends, end - 1) + 1]
        if len(run) > 1 and not later:
            continue  # it was found in the piece alone
        disguise = _disguise_of(text[start:end])
        if match.is_mention and not disguise and match.rule.class_ == "suspicious":
            continue
        # Pieces that are sentences of their own may say together what nobody meant.
        is_unsure = match.is_mention or any(_is_sentence(text, piece) for piece in later)
        found.append(
            Finding(
                class_="attack" if disguise else "suspicious" if is_unsure else match.rule.class_,
                category=match.rule.category,
                rule=match.rule.id,
                start=start,
                end=end,
                matched=_quote(folded.text[match.start : match.end]),
                disguise=disguise,
            )
        )
    return found


_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
"""The mark of an item of a list, with its box."""


def _is_sentence(text: str, piece: Piece) -> bool:
    """Return whether a piece begins like a sentence."""
    words = _ITEM.sub("", text[piece.start : piece.end], count=1).lstrip(" \t\r|#>*_-")
    return not words[:1].islower()


WRAPPED = 40
"""Characters of the shortest line that may have been broken within a sentence."""


def _join_wrapped(passage: str) -> str:
    """Return *passage* with blanks for the line breaks within sentences.

    A line that begins with a capital letter begins a sentence, and so does one behind a short line:
    words on the line before, without a full stop, must not hide an order.
    """
    lines = passage.split("\n")
    breaks = [
        "\n" if len(before) < WRAPPED or _CAPITAL.match(line) else " "
        for before, line in pairwise(lines)
    ]
    return "".join(chain.from_iterable(zip(lines, [*breaks, ""], strict=True)))


_CAPITAL = re.compile(r"[^\w\n]*[A-Z]")

_INVISIBLE = (
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_MIXED = "[a-zA-Z][\u0370-\u04ff]|[\u0370-\u04ff][a-zA-Z]"
_STYLED = (
    "[\U0001d400-\U0001d7ff\uff21-\uff5a\u24b6-\u24e9\U0001f130-\U0001f189\U0001f1e6-\U0001f1ff]{3}"
)


def _disguise_of(words: str) -> str:
    """Return how the characters of *words* were disguised, or ""."""
    if words.isascii():
        return ""
    if len(re.findall(_INVISIBLE, words)) >= 2:
        return "invisible characters"
    if len(re.findall(_MIXED, words)) >= 2:
        return "look-alike letters"
    if re.search(_STYLED, words):
        return "styled letters"
    return ""


def _strongest(found: list[Finding]) -> list[Finding]:
    """Drop findings that repeat another one of the same place: attacks come first."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda f: (f.start, f.class_ != "attack", -f.end)):
        twin = any(
            finding.start < other.end and finding.end > other.start
            and (other.class_ == "attack" or other.class_ == finding.class_)
            for other in kept[-4:]
        )  # fmt: skip
        if not twin:
            kept.append(finding)
    return kept
