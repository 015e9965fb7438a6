"""Find instructions to the reader: attacks and suspicious passages.

The rules search each passage as it is and, if it may be encoded, decoded. The classifier judges the
passages in which they find nothing. Short passages are also searched together, because an
instruction may be split over list items, rows, headings or paragraphs.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from crewmem.security.classifier import (
    MAX_PAIR_LOG_ODDS,
    MIN_THRESHOLD,
    Words,
    choose_threshold,
    load_model,
    split_sentences,
)
from crewmem.security.decoding import (
    decode_text,
    find_hidden_text,
    find_hints,
    has_marks,
    list_hint_words,
)
from crewmem.security.findings import Finding
from crewmem.security.normalize import fold, fold_characters
from crewmem.security.rules import Rule, RuleSet
from crewmem.security.segments import OVERLAP, Segment, join_open_segments, split_segments

HIDDEN_THRESHOLD = 2.2
"""Minimum log-odds at which encoded or hidden text is an attack: a probability of .9."""

MAX_QUOTE = 80
"""Maximum length of the words that a finding quotes, in characters."""

INVISIBLE_TEXT = ("hidden", "invisible-text")
HIDDEN_INSTRUCTION = ("hidden", "hidden-instruction")
CLASSIFIER = ("instruction", "classifier")
"""Category and rule of the findings that no rule finds."""

PARTIAL = frozenset({"escapes", "leet"})
"""Encodings in which most of a text may be plain."""


class _Candidates(NamedTuple):
    """The segments for the classifier, in which neither rules nor decoding find anything.

    Attributes:
        words: Words of the segments.
        log_odds: Log-odds of each segment by single words.
    """

    segments: list[Segment]
    words: Words
    log_odds: list[float]


def find_instructions(
    text: str,
    rules: RuleSet,
    *,
    own_tier: bool = False,
    read_file: Callable[[], str] | None = None,
) -> list[Finding]:
    """Return the attacks and suspicious passages of *text*, without line numbers.

    The arguments are those of `Scanner.scan`.
    """
    found, candidates = _search(text, rules, own_tier)
    threshold = MIN_THRESHOLD if read_file else choose_threshold(candidates.log_odds)
    judged = list(_judge(text, candidates, threshold))
    if judged and read_file:
        _, candidates = _search(read_file(), rules, own_tier)
        threshold = choose_threshold(candidates.log_odds)
    found += [finding for finding, log_odds in judged if log_odds >= threshold]
    if own_tier:
        found = [finding for finding in found if finding.class_ == "attack"]
    return _drop_overlapping(found)


def _search(text: str, rules: RuleSet, own_tier: bool) -> tuple[list[Finding], _Candidates]:
    """Return what rules and decoding find, and the remaining segments for the classifier."""
    found: list[Finding] = []
    segments = split_segments(text)
    passages = [text[segment.start : segment.searched_end] for segment in segments]
    folded = list(map(fold_characters, passages))
    words = split_sentences(folded)
    distinct_words = set(words.words)
    likely_rules = rules.narrow(distinct_words, "\n".join(folded))
    hint_words = list_hint_words(distinct_words)
    may_have_marks = has_marks(text)
    remaining: list[int] = []  # numbers of the segments for the classifier
    for number, (segment, passage) in enumerate(zip(segments, passages, strict=True)):
        own_words = words.of_texts(number, number + 1)
        in_segment: list[Finding] = []
        if likely_rules.rules and (
            likely := likely_rules.find_candidates(own_words, folded[number])
        ):
            in_segment += _apply_rules(likely, text, [segment])
        if not hint_words.isdisjoint(own_words) or (may_have_marks and has_marks(passage)):
            hints = find_hints(own_words, passage)
            in_segment += _find_encoded(passage, segment.start, hints, rules)
        found += in_segment
        for hidden in find_hidden_text(passage):
            span = segment.start + hidden.start, segment.start + hidden.end
            found.append(
                _make_finding("attack", INVISIBLE_TEXT, span, hidden.text, hidden.disguise)
            )
        if not (in_segment or own_tier or segment.is_code):
            remaining.append(number)
    for first, end in join_open_segments(segments):
        run_words = words.of_texts(first, end)
        if likely := likely_rules.find_candidates(run_words, "\n".join(folded[first:end])):
            found += _apply_rules(likely, text, segments[first:end])
    words = words._replace(bounds=[words.bounds[number] for number in remaining])
    log_odds = load_model().word_log_odds(words)
    return found, _Candidates([segments[number] for number in remaining], words, log_odds)


# --- rules -----------------------------------------------------------------------------


def _apply_rules(rules: Sequence[Rule], text: str, run: Sequence[Segment]) -> Iterator[Finding]:
    """Yield the findings of *rules* in a segment, or those that extend over several of a run."""
    first, last = run[0].start, run[-1].searched_end
    if len(run) > 1:
        last = min(last, run[-1].start + OVERLAP)
    searched = text[first:last]
    if not run[0].is_code:
        searched = _WRAPPED.sub(" ", searched)
        searched = _ITEM_MARK.sub(lambda mark: "-" * (len(mark[0]) - 1) + " ", searched)
    folded = fold(searched)
    ends = [segment.end for segment in run[:-1]]
    for match in chain.from_iterable(rule.find(folded.text) for rule in rules):
        start, end = (first + offset for offset in folded.span(match.start, match.end))
        later = run[bisect_right(ends, start) + 1 : bisect_right(ends, end - 1) + 1]
        if len(run) > 1 and not later:
            continue  # already found in the segment alone
        disguise = _find_disguise(text[start:end])
        if match.is_mention and not disguise and match.rule.class_ == "suspicious":
            continue
        # Segments that are complete sentences may match by accident when joined.
        is_unsure = match.is_mention or any(_starts_sentence(text, each) for each in later)
        class_ = "attack" if disguise else "suspicious" if is_unsure else match.rule.class_
        kind = match.rule.category, match.rule.id
        yield _make_finding(class_, kind, (start, end), match.words, disguise)


_ITEM_MARK = re.compile(r"(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
"""The bullet or number of a list item, with its checkbox."""


def _starts_sentence(text: str, segment: Segment) -> bool:
    words = _ITEM_MARK.sub("", text[segment.start : segment.end], count=1).lstrip(" \t\r|#>*_-")
    return not words[:1].islower()


_WRAPPED = re.compile(r"\n(?<=[^\n]{40}\n)(?![^\w\n]*[A-Z])")
"""A line break within a sentence. A line that begins with a capital letter, or follows a short one,
begins a sentence: words without a full stop on the line before must not hide an instruction."""


# --- encoded and disguised text --------------------------------------------------------


def _find_encoded(passage: str, offset: int, hints: set[str], rules: RuleSet) -> Iterator[Finding]:
    """Yield what is found in *passage* after decoding. It begins at *offset* of the text."""
    for decoded in decode_text(passage, hints):
        folded = fold(decoded.text).text
        if decoded.disguise == "apart" and " " not in folded:
            folded = rules.split_joined(folded)
        words, (bounds,) = split_sentences([folded])
        is_partial = decoded.disguise in PARTIAL
        matches = [
            match
            for rule in rules.find_candidates(words, folded)
            for match in rule.find(folded)
            if not (is_partial and match.is_mention)
        ]
        span = offset + decoded.start, offset + decoded.end
        for match in matches:
            class_ = match.rule.class_ if is_partial else "attack"
            kind = match.rule.category, match.rule.id
            yield _make_finding(class_, kind, span, match.words, decoded.disguise)
        log_odds = load_model().log_odds(words, bounds)
        if not matches and log_odds >= MIN_THRESHOLD:
            is_sure = log_odds >= HIDDEN_THRESHOLD and not is_partial
            class_ = "attack" if is_sure else "suspicious"
            yield _make_finding(class_, HIDDEN_INSTRUCTION, span, folded, decoded.disguise)


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


# --- classifier ------------------------------------------------------------------------


def _judge(text: str, candidates: _Candidates, threshold: float) -> Iterator[tuple[Finding, float]]:
    """Yield a finding for each segment whose log-odds reach *threshold*, with its log-odds."""
    model = load_model()
    segments, (words, bounds), word_log_odds = candidates
    for segment, sentences, lowest in zip(segments, bounds, word_log_odds, strict=True):
        if lowest + MAX_PAIR_LOG_ODDS < threshold:
            continue
        log_odds = model.log_odds(words, sentences)
        if log_odds >= threshold:
            passage = text[segment.start : segment.searched_end]
            disguise = _find_disguise(passage) if log_odds >= HIDDEN_THRESHOLD else ""
            class_ = "attack" if disguise else "suspicious"
            span = segment.start, segment.end
            yield _make_finding(class_, CLASSIFIER, span, passage, disguise), log_odds


# --- findings --------------------------------------------------------------------------


def _make_finding(
    class_: str, kind: tuple[str, str], span: tuple[int, int], words: str, disguise: str
) -> Finding:
    """Return a finding of a kind (category and rule) that quotes the start of *words*."""
    start, end = span
    quoted = " ".join(words[: 2 * MAX_QUOTE].split())[:MAX_QUOTE].strip(" .,:;*>-")
    return Finding(class_, *kind, start=start, end=end, matched=quoted, disguise=disguise)


def _drop_overlapping(found: list[Finding]) -> list[Finding]:
    """Drop findings that overlap an attack, or a finding of the same class, that precedes them."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda f: (f.start, f.class_ != "attack", -f.end)):
        is_covered = any(
            finding.overlaps(other) and other.class_ in ("attack", finding.class_)
            for other in kept[-4:]
        )
        if not is_covered:
            kept.append(finding)
    return kept
