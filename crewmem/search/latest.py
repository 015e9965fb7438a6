"""Removes older versions of statements and repetitions from the hits.

An older text is left out beside a newer one that says nearly the same, or that reports a change of
the same thing. If the older one answers and the newer one was found only because of the common
subject, the newer one takes its place.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import log

from crewmem.documents import Document
from crewmem.files.tiers import ARCHIVE_PRIOR
from crewmem.search.candidates import Collector
from crewmem.search.features import Candidate, Id, Question
from crewmem.search.intent import CHANGE_WORDS, tells_change
from crewmem.search.ranker import Scored
from crewmem.search.relevance import load_weights, names_other
from crewmem.text.tokens import all_stop_words, common_stems, stems, words
from crewmem.text.word_lists import read_word_lists
from crewmem.times import parse_time

MAX_WORDS = 80
"""Maximum words of an older text. Longer ones make many statements, of which one may change."""

LONGER = 2.5
"""Maximum length of the newer text, as a multiple of the older one's."""

LARGER_FILE = 2
"""Length of a file, as a multiple of a passage, from which it says more than the passage."""

VERSION_FEATURES = (
    "near",  # cosine of the two, above the usual cosine
    "common",  # share of the shorter text's words that both contain
    "change",  # 1 if the newer one reports a change
    "event",  # 1 if the newer one is an event and the older one a statement
)

VERSION = log(0.35 / 0.65)
"""Minimum log odds of a newer text that is a version of an older one. On stores that were not used
for fitting, it finds 89 of 100 known pairs of versions, and wrongly 1 of 100 pairs whose older text
answers, too."""

MAX_LOST = 0.2
"""Maximum share of the query's weight that only the older of two texts contains, unless the newer
one reports a change. Nine stores of our own have statements about many things of one kind. There
the answers of 47 of 90 queries were taken for older versions without this limit, and now of 6."""

MAX_LOST_BY_CHANGE = 0.4
"""The same limit if the newer one reports a change: "the lamp is changed every March" does not say
who keeps the lamp's oil."""

MAX_BEHIND = 0.15
"""How much farther from the query a newer text may be, by their cosines, to replace one of which it
lacks more than these limits. Of 25 known versions that lack more than .15, 15 are as near; of 27
texts about another thing of the kind, none is."""

MIN_ALIKE, MAX_ALIKE = 4, 6
"""Minimum letters of the shorter of two words, and of their common beginning, that may be forms of
one word."""

APART = timedelta(hours=1)
"""Minimum time between two files of which one is newer: a checkout or a copy writes all its files
within minutes, in any order."""

POOL = 30
"""Number of best candidates that are searched for newer versions of a hit."""


@dataclass(slots=True)
class Judged:
    """A candidate with its relevance.

    Attributes:
        replaces: Ref of the older text that it replaced.
    """

    hit: Scored
    score: float
    relevance: float
    replaces: str = ""


def keep_latest(
    judged: Sequence[Judged],
    question: Question,
    *,
    collector: Collector,
    threshold: float,
    is_clean: Callable[[Document], bool],
    include_older: bool,
) -> list[Judged]:
    """Remove older versions of hits that stay; replacements take their place.

    Args:
        judged: Best first.
        question: The query.
        collector: Has read the texts.
        threshold: Minimum relevance of a shown hit.
        is_clean: Tells whether a text is shown unchanged. A poisoned text, parts of which
            are removed, hides no other text.
        include_older: Whether to remove only texts that are stored as superseded.
    """
    by_ref = {each.hit.candidate.document.ref: each for each in judged}
    left_out: set[Id] = set()
    for each in judged:
        document = each.hit.candidate.document
        if document.superseded_by in by_ref:
            _replace(by_ref[document.superseded_by], each)
            left_out.add(each.hit.candidate.id)
        if each.relevance >= threshold and not include_older:
            for ref in document.repeats:
                if ref in by_ref:
                    left_out.add(by_ref[ref].hit.candidate.id)
    near = [] if include_older else [each for each in judged[:POOL] if _is_short(each)]
    for older in near:
        if older.relevance < threshold:
            continue
        for newer in near:
            values = describe_pair(newer.hit, older.hit, question, collector)
            if values is None or _log_odds(values) < VERSION:
                continue
            new, old = newer.hit.candidate, older.hit.candidate
            contents = collector.content(new.id), collector.content(old.id)
            if question.is_keywords and not _says_the_same(*contents):
                continue
            if not speaks_of_another(new, old, question) and is_clean(new.document):
                _replace(newer, older)
                left_out.add(old.id)
    kept = [each for each in judged if each.hit.candidate.id not in left_out]
    return sorted(kept, key=lambda each: -each.score)


def describe_pair(
    newer: Scored, older: Scored, question: Question, collector: Collector
) -> dict[str, float] | None:
    """Return the value of each of `VERSION_FEATURES`; "near" is left out without vectors.

    Returns None if *newer* cannot be a version of *older*:

    - It is not later, much longer, or shares no word. Files must be `APART`.
    - It is a passage of a longer file: the file's time says nothing about the passage.
    - *older* is of the time that the query names.
    - *newer* is an archived note.
    - *older* contains too much of the query that *newer* lacks, and is nearer to it: "Backups of
      mail are kept for 14 days" is no older version of a statement about other backups.
    - Without vectors, they share no more than half of the words of the longer one, and *newer*
      reports no change: "the crane has four wheels" is no version of "the crane is blue".
    """
    new, old = newer.candidate, older.candidate
    if new.document.at <= old.document.at or new.words > LONGER * old.words + 10:
        return None
    if new.document.store == old.document.store == "memory":
        later = parse_time(new.document.at) - parse_time(old.document.at)
        if later < APART:
            return None
    if old.is_of_date or new.document.prior <= ARCHIVE_PRIOR:
        return None
    if new.document.extra.get("file_size", 0) > LARGER_FILE * len(new.document.text):
        return None
    one, other = collector.content(new.id), collector.content(old.id)
    common, is_change = len(one & other), tells_change(new.document.text)
    most_lost = MAX_LOST_BY_CHANGE if is_change else MAX_LOST
    if not common or (weigh_lost(new, old, question) > most_lost and not _is_as_near(new, old)):
        return None
    values = {
        "common": common / min(len(one), len(other)),
        "change": float(is_change),
        "event": float(new.document.store == "journal" != old.document.store),
    }
    compared = collector.compare(new, old)
    if compared is not None:
        values["near"] = compared[0] - compared[1]
    elif not is_change and 2 * common <= max(len(one), len(other)):
        return None
    return values


def _says_the_same(*contents: frozenset[str]) -> bool:
    """Return whether two texts share more than half of the words of the shorter one.

    Numbers and words of change do not count.

    A query of a few words asks for everything about them: "the lighthouse lamp is changed every
    March" and "Winch keeps the lighthouse lamp oil" both answer "lighthouse".
    """
    one, other = (
        {stem for stem in each - _change_stems() if not stem.isdecimal()} for each in contents
    )
    return 2 * len(one & other) > min(len(one), len(other))


def speaks_of_another(newer: Candidate, older: Candidate, question: Question) -> bool:
    """Return whether *newer* replaces a word that the query and *older* share by another word.

    Only words beside a common word count. "The pool ticket costs 7 euros now" is no newer version
    of "the sauna ticket costs 18 euros" if the query asks for the sauna ticket. A word behind may
    be a verb, which can change without a change of subject, so neither may be an everyday word
    there. The word on the other side must follow in both: "backups of *mail* are kept", "backups of
    *the shop's database* are kept".

    So does a text whose title the query does not contain, beside one whose title it contains.
    """
    if older.label > newer.label:
        return True
    for each in question.identifiers:
        if names_other(newer.document.text, [each]) and not names_other(
            older.document.text, [each]
        ):
            return True
    lost = {
        stem
        for at, term in enumerate(question.terms)
        if older.counts and older.counts[at] and not (newer.counts and newer.counts[at])
        for stem in term.stems
    }
    if not lost:
        return False
    old, new = _list_phrases(older.document.text), _list_phrases(newer.document.text)
    known = {*chain(*old)}
    both = known & {*chain(*new)}
    known |= _change_stems()
    for word, beside, beyond, step in _list_neighbours(old):
        if word not in lost or beside not in both:
            continue
        following = both.intersection(beyond[:1])
        for other, anchor, other_beyond, other_step in _list_neighbours(new):
            if (anchor, other_step) != (beside, step) or not following.issubset(other_beyond):
                continue
            if other in known or _is_alike(word, other):
                continue
            if step < 0 or common_stems().isdisjoint({word, other}):
                return True
    return False


def _list_neighbours(
    phrases: Iterable[Sequence[str]],
) -> Iterator[tuple[str, str, list[str], int]]:
    """Yield each word, one neighbour, the words on its other side, and its position.

    The position is -1 before the first neighbour and 1 behind it. Words of change are left out.
    """
    for phrase in phrases:
        for line, step in ((phrase[::-1], -1), (phrase, 1)):
            for at, (beside, word) in enumerate(pairwise(line), start=2):
                beyond = [each for each in line[at:] if each not in _change_stems()]
                yield word, beside, beyond, step


@lru_cache(maxsize=256)
def _list_phrases(text: str) -> list[list[str]]:
    """Return the stems of *text* without stop words, cut at numbers and punctuation."""
    phrases = []
    for part in re.split(r"[^\w\s'\u2019-]|\w*\d\w*", text):
        content = [word for word in words(part) if word not in all_stop_words()]
        phrases.append([stem for word in content for stem in stems(word)])
    return phrases


@cache
def _change_stems() -> frozenset[str]:
    listed = frozenset[str]().union(*read_word_lists(CHANGE_WORDS).values())
    return frozenset(stems(" ".join(sorted(listed))))


def _is_alike(one: str, other: str) -> bool:
    """Return whether two words may be forms of one word: *Hausmeister* and *Hausmeisterin*."""
    size = min(len(one), len(other), MAX_ALIKE)
    return size >= MIN_ALIKE and one[:size] == other[:size]


def _is_as_near(newer: Candidate, older: Candidate) -> bool:
    """Return whether *newer* is hardly farther from the query than *older*, by their vectors."""
    if newer.cosine is None or older.cosine is None:
        return False
    return older.cosine - newer.cosine <= MAX_BEHIND


def weigh_lost(newer: Candidate, older: Candidate, question: Question) -> float:
    """Return the share of the query's weight that *older* contains and *newer* lacks."""
    kept, lost = set(), dict[int, float]()
    for at, (term, weight) in enumerate(zip(question.terms, question.weights, strict=True)):
        if newer.counts and newer.counts[at]:
            kept.add(term.word)
        elif older.counts and older.counts[at]:
            lost[term.word] = max(lost.get(term.word, 0.0), weight)
    weight = sum(weight for word, weight in lost.items() if word not in kept)
    return weight / question.whole if weight else 0.0


def _log_odds(values: Mapping[str, float]) -> float:
    weights = load_weights()["version"]["hybrid" if "near" in values else "words"]
    return weights["bias"] + sum(weights[name] * value for name, value in values.items())


def _replace(newer: Judged, older: Judged) -> None:
    newer.replaces = newer.replaces or older.hit.candidate.document.ref
    newer.relevance = max(newer.relevance, older.relevance)
    newer.score = max(newer.score, older.score)


def _is_short(each: Judged) -> bool:
    return not each.hit.candidate.is_remark and each.hit.candidate.words <= MAX_WORDS
