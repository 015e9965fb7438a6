"""Which of several hits are shown: the latest version of a statement, and each thing once.

An older text is left out beside a newer one that says nearly the same, or that says that the same
thing is different now. Where the older one answers and the newer one was found only because both
are about the same, the newer one takes its place.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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

MAX_WORDS = 80
"""Longer texts say many things, of which a newer text can replace one only."""

LONGER = 2.5
"""Times as long as the older one the newer may be."""

LARGER_FILE = 2
"""Times as long as a passage its file is from which it says more than the passage."""

VERSION_FEATURES = (
    "near",  # cosine of the two above what is usual
    "common",  # share of the words of the shorter text that both have
    "change",  # 1 where the newer one tells of a change
    "event",  # 1 where the newer one says what happened, and the older one what holds
)

VERSION = log(0.35 / 0.65)
"""Log odds from which a newer text is taken for a version of an older one. On stores that were not
fitted, 89 of 100 pairs of known versions are found, and 1 of 100 of which the older one answers,
too."""

MOST_LOST = 0.2
"""Share of the question's weight that only the older of two texts may hold, unless the newer one
tells of a change. On nine stores of our own with statements about
many things of one kind, without this limit the answer of 47 of 90 questions was taken for an older
version, and now of 6."""

MOST_LOST_BY_CHANGE = 0.6
"""The same where it does. Of 40 known versions in the training stores none is above that, while
"the lamp is changed every March" does not say who keeps the lamp's oil."""

LEAST_ALIKE, MOST_ALIKE = 4, 6
"""Letters of the shorter of two words, and those that both begin with, from which they may be forms
of one."""

POOL = 30
"""Best candidates among which newer versions of a hit are looked for."""


@dataclass(slots=True)
class Judged:
    """A candidate with its relevance.

    Attributes:
        replaces: Ref of the older text whose place it took.
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
    """Return *judged* without older versions of what stays; replacements take their place.

    Args:
        judged: Best first.
        question: That they answer.
        collector: Has read their texts.
        threshold: Relevance from which a hit is shown.
        is_clean: Tells whether a text is shown as it is: what is removed from a poisoned one hides
            no other text.
        include_older: Whether only what is stored as superseded is left out.
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

    Returns None where *newer* is not later, is much longer, or has no word of *older*. A passage of
    a longer file is not news: when the file was changed says nothing about it. What stays, too, is
    the text of a day that the question names, and what was made of a note that was moved to the
    archive. So does a text that holds a word of the question that *newer* has not: "Backups of mail
    are kept for 14 days" is no older version of what is said of other backups.
    """
    new, old = newer.candidate, older.candidate
    if new.document.at <= old.document.at or new.words > LONGER * old.words + 10:
        return None
    if older.features.date > newer.features.date or new.document.prior <= ARCHIVE_PRIOR:
        return None
    if new.document.extra.get("file_size", 0) > LARGER_FILE * len(new.document.text):
        return None
    one, other = collector.content(new.id), collector.content(old.id)
    common, is_change = len(one & other), tells_change(new.document.text)
    most_lost = MOST_LOST_BY_CHANGE if is_change else MOST_LOST
    if not common or weigh_lost(new, old, question) > most_lost:
        return None
    values = {
        "common": common / min(len(one), len(other)),
        "change": float(is_change),
        "event": float(new.document.store == "journal" != old.document.store),
    }
    compared = collector.compare(new, old)
    if compared is not None:
        values["near"] = compared[0] - compared[1]
    return values


def _says_the_same(*contents: frozenset[str]) -> bool:
    """Tell whether two texts share more than half of the words of the shorter one.

    Numbers and words of change do not count.

    Who types a few words wants all that is known of them: "the lighthouse lamp is changed every
    March" and "Winch keeps the lighthouse lamp oil" are two answers to "lighthouse".
    """
    one, other = (
        {stem for stem in each - _change_stems() if not stem.isdecimal()} for each in contents
    )
    return 2 * len(one & other) > min(len(one), len(other))


def speaks_of_another(newer: Candidate, older: Candidate, question: Question) -> bool:
    """Tell whether *newer* has another word in the place of one that the question and *older* have.

    Beside a word that both hold: "the pool ticket costs 7 euros now" is no newer version of "the
    sauna ticket costs 18 euros" for who asks what the sauna ticket costs. What stands behind may be
    a verb, which is replaced without a change of the subject, so there neither may be an everyday
    word. What both hold on the other side must be the same.
    """
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
        for other, anchor, other_beyond, other_step in _list_neighbours(new):
            if (anchor, other_step) != (beside, step) or (
                beyond in both and beyond != other_beyond
            ):
                continue
            if other in known or _is_alike(word, other):
                continue
            if step < 0 or common_stems().isdisjoint({word, other}):
                return True
    return False


def _list_neighbours(phrases: Iterable[Sequence[str]]) -> Iterator[tuple[str, str, str, int]]:
    """Yield each word, the one beside it, the one on its other side, and where it stands.

    That is -1 before the one beside it, and 1 behind it.
    """
    for phrase in phrases:
        for line, step in ((phrase[::-1], -1), (phrase, 1)):
            for at, (beside, word) in enumerate(pairwise(line), start=2):
                beyond = (each for each in line[at:] if each not in _change_stems())
                yield word, beside, next(beyond, ""), step


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
    """Tell whether two words may be forms of one: *Hausmeister* and *Hausmeisterin*."""
    size = min(len(one), len(other), MOST_ALIKE)
    return size >= LEAST_ALIKE and one[:size] == other[:size]


def weigh_lost(newer: Candidate, older: Candidate, question: Question) -> float:
    """Return the share of the question's weight that *older* holds and *newer* does not."""
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
