"""The scanner: find attacks, suspicious passages and secrets in a text.

The unit is the passage: a paragraph, a list item, a table row, a code block. `scan` lists
findings, `screen` is for text to be stored, `make_safe` for text on its way to a model or a person.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from math import inf
from pathlib import Path
from typing import NamedTuple

from crewmem.security.allowed import hash_passage
from crewmem.security.classifier import (
    MIN_THRESHOLD,
    choose_threshold,
    join_sentences,
    load_model,
    split_sentences,
    split_words,
)
from crewmem.security.decoding import (
    MIN_ENCODED,
    Decoded,
    decode_text,
    find_hidden_text,
    find_hints,
    find_symbol_hints,
    load_hint_words,
)
from crewmem.security.findings import Finding, split_name
from crewmem.security.normalize import fold, fold_characters
from crewmem.security.rules import MAX_MATCHES, Rule, RuleSet, load_rules, read_further_rules
from crewmem.security.safe_text import (
    MAX_SEGMENT,
    SafeText,
    Segment,
    list_hit_segments,
    make_safe,
    replace_spans,
    split_segments,
)
from crewmem.security.secrets import find_secrets
from crewmem.text.markdown import passages

HIDDEN_THRESHOLD = 2.2
"""Minimum log-odds at which encoded or hidden text is an attack: a probability of .9."""

MAX_QUOTE = 80
"""Maximum length of the words that a finding quotes, in characters."""

MAX_ATTACK_SHARE = 0.5
"""Share of attacks in a text above which all of it is refused."""

OVERLAP = 200
"""Characters before and after the end of a segment that are searched for an instruction split
there."""

MAX_SPLIT_MATCHES = 40
"""Maximum matches of a rule that are examined in joined segments; most lie within one segment."""

UNAMBIGUOUS = frozenset({"base64", "hex", "rot13", "reversed"})
"""Encodings that do not occur by chance."""

PARTIAL = frozenset({"escapes", "leet"})
"""Encodings in which most of a text may be plain."""


class ScreenResult(NamedTuple):
    """A text to be stored, after screening.

    Attributes:
        text: The part that may be stored, secrets redacted.
        refused: Attacks that were removed.
        redacted: Secrets that were redacted.
        mostly_attack: Whether so much was removed that the rest should be refused, too.
    """

    text: str
    refused: list[Finding]
    redacted: list[Finding]
    mostly_attack: bool


_SEPARATOR = "\n\n\n"
"""Separates texts that are searched together."""


class Scanner:
    """Finds attacks, suspicious text and secrets.

    Args:
        further_rules: Path of a TOML file with rules in addition to the built-in ones.
        list_released: Returns the hashes of the passages that an operator released. Called only
            after a finding.
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
        """The built-in and the further rules.

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
        read_file: Callable[[], str] | None = None,
        secrets: bool = True,
    ) -> list[Finding]:
        """Find attacks, suspicious passages and secrets in *text*.

        Args:
            own_tier: Whether the text is of an agent's own tier (agent, crew, persona, pins). These
                are meant to hold instructions: nothing in them is suspicious.
            allow: Ids of rules to ignore.
            file: File name for the findings.
            first_line: Number of the first line of *text* in its file.
            read_file: Returns the text of the file that contains *text*, so that a passage is
                judged as it is in its file. Called for few passages.
            secrets: Whether to look for secrets.
        """
        found = self._find_instructions(text, own_tier, read_file)
        found = self._without_released(text, found)
        if secrets:
            found += [
                Finding("secret", "secret", rule, start=start, end=end, matched=rule)
                for rule, start, end in find_secrets(text)
            ]
        kept = [finding for finding in found if finding.rule not in allow]
        return _number_lines(text, kept, file, first_line)

    def has_attack(self, text: str) -> bool:
        """Return whether a passage of *text* is an attack."""
        return any(f.class_ == "attack" for f in self.scan(text, own_tier=True, secrets=False))

    def find_texts_to_screen(self, texts: Sequence[str]) -> list[int]:
        """Return the sorted indexes of the texts that may contain a secret or an attack.

        Secrets are searched in all texts at once: calls cost more than the search itself.
        """
        found = {each for each in self._preselect(texts) if self.has_attack(texts[each])}
        secrets = find_secrets(_SEPARATOR.join(texts))
        if secrets:
            starts = list(accumulate((len(text) + len(_SEPARATOR) for text in texts), initial=0))
            for secret in secrets:  # an unterminated secret may extend into the next texts
                first, last = (bisect_right(starts, at) for at in (secret.start, secret.end - 1))
                found.update(range(first - 1, last))
        return sorted(found)

    def _preselect(self, texts: Sequence[str]) -> Iterator[int]:
        """Yield the indexes of texts that need a full scan; most lack any word of a rule."""
        telltales = self.rules.first_words | load_hint_words()[0]
        for number, text in enumerate(texts):
            if len(text) > MAX_SEGMENT or not text.isascii():
                yield number
                continue
            folded = text.lower()
            words = split_words(folded)
            if (
                telltales.isdisjoint(words)
                and len(max(words, key=len, default="")) < MIN_ENCODED
                and not self.rules.has_part(folded)
                and not find_symbol_hints(text)
            ):
                continue
            rules = self.rules.find_candidates(words, folded)
            if any(rule.class_ == "attack" for rule in rules) or find_hints(
                words
            ) | find_symbol_hints(text):
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
        """Scan *text* and make it safe to show, see `safe_text.make_safe`."""
        found = self.scan(text, own_tier=own_tier, allow=allow, file=file, first_line=first_line)
        return make_safe(text, found, push=push, mark=mark, keep_lines=keep_lines)

    def screen(
        self,
        text: str,
        *,
        own_tier: bool = False,
        allow: Collection[str] = (),
    ) -> ScreenResult:
        """Decide which parts of *text* may be stored.

        Passages with an attack are removed with their lines, secrets are redacted, suspicious
        passages stay.
        """
        found = self.scan(text, own_tier=own_tier, allow=allow)
        refused = [f for f in found if f.class_ == "attack"]
        redacted = [f for f in found if f.class_ == "secret"]
        edits = [(f.start, f.end, f"[redacted: {f.rule}]") for f in redacted]
        passages_refused = []
        for segment, _ in list_hit_segments(text, refused):
            end = segment.end + (text[segment.end : segment.end + 1] == "\n")
            edits.append((segment.start, end, ""))
            passages_refused.append(text[segment.start : segment.end])
        mostly_attack = is_mostly_attack(text, passages_refused)
        return ScreenResult(replace_spans(text, edits), refused, redacted, mostly_attack)

    def scan_name(self, relative: str, *, allow: Collection[str] = ()) -> list[Finding]:
        """Scan a relative file name. Findings have line 0."""
        found = self._find_instructions(split_name(relative))
        return [
            f._replace(file=relative, first_line=0, last_line=0)
            for f in found
            if f.rule not in allow
        ]

    def _without_released(self, text: str, found: list[Finding]) -> list[Finding]:
        """Return *found* without findings that lie only in passages that an operator released."""
        hashes = self._list_released() if found else frozenset()
        if not hashes:
            return found
        blocks = [(p.start, p.end, hash_passage(p.text) in hashes) for p in passages(text)]

        def is_released(finding: Finding) -> bool:
            overlapping = [released for start, end, released in blocks
                           if start < finding.end and finding.start < end]  # fmt: skip
            return bool(overlapping) and all(overlapping)

        return [finding for finding in found if not is_released(finding)]

    def _find_instructions(
        self, text: str, own_tier: bool = False, read_file: Callable[[], str] | None = None
    ) -> list[Finding]:
        """Return attacks and suspicious passages, without line numbers."""
        found, candidates = self._examine_passages(text, own_tier)
        threshold = (
            MIN_THRESHOLD if read_file else choose_threshold([odds for _, odds in candidates])
        )
        found += _classify(text, candidates, threshold)
        if read_file and any(odds < inf for _, odds in found):
            _, candidates = self._examine_passages(read_file(), own_tier)
            threshold = choose_threshold([odds for _, odds in candidates])
        return _drop_overlapping([finding for finding, odds in found if odds >= threshold])

    def _examine_passages(
        self, text: str, own_tier: bool
    ) -> tuple[list["_Scored"], list["_Candidate"]]:
        """Return what rules and decoding find, and the remaining passages for the classifier."""
        found = [
            (_make_hidden_finding("invisible-text", decoded, 0), inf)
            for decoded in find_hidden_text(text)
        ]
        candidates: list[_Candidate] = []
        run: list[_Folded] = []  # consecutive open segments, and the one after them
        model = load_model()
        symbol_hints = find_symbol_hints(text)
        for segment in split_segments(text):
            passage = text[segment.start : segment.end]
            folded = fold_characters(passage)
            sentences = split_sentences(folded)
            words = join_sentences(sentences)
            in_segment: list[_Scored] = []
            if rules := self.rules.find_candidates(words, folded):
                in_segment += ((each, inf) for each in _apply_rules(rules, text, [segment]))
            if hints := find_hints(words) | (symbol_hints and find_symbol_hints(passage)):
                in_segment += self._find_encoded(passage, segment.start, hints)
            found += in_segment
            if run or segment.is_open:
                run.append(_Folded(segment, folded, words))
            is_long = bool(run) and segment.end - run[0].segment.start >= MAX_SEGMENT
            if run and (is_long or not segment.is_open):
                found += ((each, inf) for each in self._find_split(text, run))
                if segment.is_open:  # the next run overlaps this one
                    first = segment.end - OVERLAP
                    run = [*(each for each in run[:-1] if each.segment.start >= first), run[-1]]
                else:
                    run = []
            if own_tier or segment.is_code or any(odds == inf for _, odds in in_segment):
                continue
            odds = model.word_log_odds(sentences)
            if odds > -inf:
                candidates.append((segment, odds))
        found += ((each, inf) for each in self._find_split(text, run))
        if own_tier:
            found = [each for each in found if each[0].class_ == "attack"]
        return found, candidates

    def _find_split(self, text: str, run: Sequence["_Folded"]) -> list[Finding]:
        """Return what rules find in a sentence that is split over consecutive segments."""
        if len(run) < 2:
            return []
        words = list(chain.from_iterable(each.words for each in run))
        foreign = " ".join(each.folded for each in run if not each.folded.isascii())
        rules = self.rules.find_candidates(words, foreign)
        return _apply_rules(rules, text, [each.segment for each in run]) if rules else []

    def _find_encoded(self, passage: str, offset: int, hints: set[str]) -> "Iterator[_Scored]":
        """Yield what is found in *passage* after decoding. It begins at *offset* of the text."""
        seen: set[str] = set()
        for decoded in decode_text(passage, hints, self.rules.vocabulary):
            if decoded.text in seen:
                continue
            seen.add(decoded.text)
            folded = fold(decoded.text).text
            sentences = split_sentences(folded)
            words = join_sentences(sentences)
            is_partial = decoded.disguise in PARTIAL
            matches = [
                match
                for rule in self.rules.find_candidates(words, folded)
                for match in rule.find(folded)
                if not (is_partial and match.is_mention)
            ]
            for match in matches:
                yield (
                    Finding(
                        class_="attack" if decoded.disguise in UNAMBIGUOUS else match.rule.class_,
                        category=match.rule.category,
                        rule=match.rule.id,
                        start=offset + decoded.start,
                        end=offset + decoded.end,
                        matched=_quote(folded[match.start : match.end]),
                        disguise=decoded.disguise,
                    ),
                    inf,
                )
            odds = -inf if matches else load_model().log_odds(sentences)
            if odds >= MIN_THRESHOLD:
                finding = _make_hidden_finding("hidden-instruction", decoded, offset)
                is_attack = odds >= HIDDEN_THRESHOLD and not is_partial
                yield finding if is_attack else finding._replace(class_="suspicious"), odds


def is_mostly_attack(text: str, refused: Iterable[str]) -> bool:
    """Return whether so much of *text* is in *refused* passages that all of it is refused."""
    return sum(map(_count_characters, refused)) > MAX_ATTACK_SHARE * _count_characters(text)


def _count_characters(text: str) -> int:
    return sum(map(len, text.split()))


def _make_hidden_finding(rule: str, decoded: Decoded, offset: int) -> Finding:
    """Return an attack for text decoded from a passage that begins at *offset*."""
    return Finding(
        class_="attack",
        category="hidden",
        rule=rule,
        start=offset + decoded.start,
        end=offset + decoded.end,
        matched=_quote(fold(decoded.text).text),
        disguise=decoded.disguise,
    )


_Scored = tuple[Finding, float]
"""A finding, and the log-odds that it is an instruction; inf for findings of rules."""


_Candidate = tuple[Segment, float]
"""A segment for the classifier, and its log-odds by single words."""


def _classify(text: str, candidates: list[_Candidate], threshold: float) -> Iterator[_Scored]:
    """Yield a finding for each segment whose log-odds reach *threshold*."""
    model = load_model()
    for segment, word_odds in candidates:
        if word_odds + model.max_pair_log_odds < threshold:
            continue
        passage = text[segment.start : segment.end]
        odds = model.log_odds(split_sentences(fold_characters(passage)))
        if odds >= threshold:
            disguise = _find_disguise(passage) if odds >= HIDDEN_THRESHOLD else ""
            finding = Finding(
                class_="attack" if disguise else "suspicious",
                category="instruction",
                rule="classifier",
                start=segment.start,
                end=segment.end,
                matched=_quote(passage),
                disguise=disguise,
            )
            yield finding, odds


def _number_lines(text: str, found: list[Finding], file: str, first_line: int) -> list[Finding]:
    """Return *found* in text order, with line numbers."""
    numbered: list[Finding] = []
    line, counted = first_line, 0
    for finding in sorted(found, key=lambda finding: (finding.start, finding.end)):
        line += text.count("\n", counted, finding.start)
        counted = finding.start
        last = line + text.count("\n", finding.start, max(finding.end - 1, finding.start))
        numbered.append(finding._replace(first_line=line, last_line=last, file=file))
    return numbered


def _quote(text: str) -> str:
    """Return the start of *text* for a finding, on one line."""
    return " ".join(text[: 2 * MAX_QUOTE].split())[:MAX_QUOTE].strip(" .,:;*>-")


class _Folded(NamedTuple):
    """A segment with its folded text and its words."""

    segment: Segment
    folded: str
    words: list[str]


def _apply_rules(rules: Sequence[Rule], text: str, run: Sequence[Segment]) -> list[Finding]:
    """Return the findings of *rules* in a segment, or across consecutive segments joined."""
    found = []
    first, last, limit = run[0].start, run[-1].end, MAX_MATCHES
    if len(run) > 1:
        first, last = max(first, run[0].end - OVERLAP), min(last, run[-1].start + OVERLAP)
        limit = MAX_SPLIT_MATCHES
    searched = text[first:last]
    if not run[0].is_code:
        searched = _join_wrapped(searched)
        searched = _ITEM_MARK.sub(lambda mark: "-" * (len(mark[0]) - 1) + " ", searched)
    folded = fold(searched, keep_lines=True)
    ends = [segment.end for segment in run[:-1]]
    for match in chain.from_iterable(rule.find(folded.text, limit) for rule in rules):
        start, end = (first + offset for offset in folded.span(match.start, match.end))
        later = run[bisect_right(ends, start) + 1 : bisect_right(ends, end - 1) + 1]
        if len(run) > 1 and not later:
            continue  # already found in the segment alone
        disguise = _find_disguise(text[start:end])
        if match.is_mention and not disguise and match.rule.class_ == "suspicious":
            continue
        # Segments that are complete sentences may match by accident when joined.
        is_unsure = match.is_mention or any(_starts_sentence(text, each) for each in later)
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


_ITEM_MARK = re.compile(r"(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
"""The bullet or number of a list item, with its checkbox."""


def _starts_sentence(text: str, segment: Segment) -> bool:
    words = _ITEM_MARK.sub("", text[segment.start : segment.end], count=1).lstrip(" \t\r|#>*_-")
    return not words[:1].islower()


MIN_WRAPPED = 40
"""Minimum length of a line that may be wrapped within a sentence, in characters."""


def _join_wrapped(passage: str) -> str:
    """Return *passage* with spaces for the line breaks within sentences.

    A line that begins with a capital letter, or follows a short line, begins a sentence: words
    without a full stop on the line before must not hide an instruction.
    """
    lines = passage.split("\n")
    breaks = [
        "\n" if len(before) < MIN_WRAPPED or _CAPITAL.match(line) else " "
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


def _find_disguise(words: str) -> str:
    """Return how the characters of *words* are disguised, or ""."""
    if words.isascii():
        return ""
    if len(re.findall(_INVISIBLE, words)) >= 2:
        return "invisible characters"
    if len(re.findall(_MIXED, words)) >= 2:
        return "look-alike letters"
    if re.search(_STYLED, words):
        return "styled letters"
    return ""


def _drop_overlapping(found: list[Finding]) -> list[Finding]:
    """Drop findings that overlap an attack, or a finding of the same class, that precedes them."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda f: (f.start, f.class_ != "attack", -f.end)):
        is_covered = any(
            finding.start < other.end and finding.end > other.start
            and (other.class_ == "attack" or other.class_ == finding.class_)
            for other in kept[-4:]
        )  # fmt: skip
        if not is_covered:
            kept.append(finding)
    return kept
