"""Which of several hits are shown: the latest version of a statement, and each thing once.

An older text is left out beside a newer one that says nearly the same, or that says that the same
thing is different now. Where the older one answers and the newer one was found only because both
are about the same, the newer one takes its place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, log
from pathlib import Path

from crewmem.files.tiers import ARCHIVE_PRIOR
from crewmem.search.features import Candidate, Id, Question
from crewmem.search.intent import NAME
from crewmem.search.ranker import Scored
from crewmem.search.relevance import load_weights
from crewmem.text.tokens import detect_language, words
from crewmem.text.word_lists import read_word_lists

CHANGE_WORDS = Path(__file__).with_name("change_words.txt")
"""By language the words by which a text tells of a change."""

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
tells of a change, and of no other text more likely. On nine stores of our own with statements about
many things of one kind, without this limit the answer of 47 of 90 questions was taken for an older
version, and now of 6."""

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


Content = Callable[[Id], frozenset[str]]
"""Returns the stems of a text without stop words."""

Cosine = Callable[[Candidate, Candidate], tuple[float, float] | None]
"""Returns the cosine of two texts and what is usual between texts of their store; None without."""


def keep_latest(
    judged: Sequence[Judged],
    question: Question,
    *,
    threshold: float,
    content: Content,
    cosine: Cosine,
) -> list[Judged]:
    """Return *judged* without older versions of what stays; replacements take their place.

    Args:
        judged: Best first.
        question: That they answer.
        threshold: Relevance from which a hit is shown.
        content: Returns what a text says.
        cosine: Compares two texts.
    """
    by_ref = {each.hit.candidate.document.ref: each for each in judged}
    left_out: set[Id] = set()
    for each in judged:
        document = each.hit.candidate.document
        if document.superseded_by in by_ref:
            _replace(by_ref[document.superseded_by], each)
            left_out.add(each.hit.candidate.id)
        if each.relevance >= threshold:
            for ref in document.repeats:
                if ref in by_ref:
                    left_out.add(by_ref[ref].hit.candidate.id)
    near = [each for each in judged[:POOL] if _is_short(each)]

    def weigh(newer: Judged, older: Judged) -> float:
        values = describe_pair(newer.hit, older.hit, question, content=content, cosine=cosine)
        return -inf if values is None else _log_odds(values)

    for older in near:
        if older.relevance < threshold:
            continue
        for newer in near:
            odds = weigh(newer, older)
            if odds < VERSION:
                continue
            lost = weigh_lost(newer.hit.candidate, older.hit.candidate, question)
            if lost > MOST_LOST and (
                loses_name(newer.hit.candidate, older.hit.candidate, question)
                or any(weigh(newer, other) > odds for other in near)
            ):
                continue  # it tells of a change of another thing
            _replace(newer, older)
            left_out.add(older.hit.candidate.id)
    kept = [each for each in judged if each.hit.candidate.id not in left_out]
    return sorted(kept, key=lambda each: -each.score)


def describe_pair(
    newer: Scored, older: Scored, question: Question, *, content: Content, cosine: Cosine
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
    one, other = content(new.id), content(old.id)
    common, is_change = len(one & other), tells_change(new.document.text)
    if not common or (weigh_lost(new, old, question) > MOST_LOST and not is_change):
        return None
    values = {
        "common": common / min(len(one), len(other)),
        "change": float(is_change),
        "event": float(new.document.store == "journal" != old.document.store),
    }
    compared = cosine(new, old)
    if compared is not None:
        values["near"] = compared[0] - compared[1]
    return values


def loses_name(newer: Candidate, older: Candidate, question: Question) -> bool:
    """Tell whether the question has a name that *older* holds and *newer* does not.

    A change of the John Deere's oil is none of the Fendt's. German has a capital in every noun, so
    that of a German text only what has digits and letters is a name.
    """
    text = older.document.text
    names = set() if detect_language(text) == "de" else {*map(str.lower, NAME.findall(text))}
    counted = zip(
        question.terms, newer.counts or [0] * len(question.terms), older.counts, strict=False
    )
    return any(
        in_older and not in_newer and (term.text.lower() in names or is_code(term.text))
        for term, in_newer, in_older in counted
    )


def is_code(word: str) -> bool:
    """Tell whether *word* has digits and letters, like ``B-014``."""
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


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


@lru_cache(maxsize=256)
def tells_change(text: str) -> bool:
    """Tell whether *text* says that something is different now."""
    typed = set(words(text))
    languages = [
        each
        for each, listed in read_word_lists(CHANGE_WORDS).items()
        if not typed.isdisjoint(listed)
    ]
    return "en" in languages or (bool(languages) and detect_language(text) in languages)


def _replace(newer: Judged, older: Judged) -> None:
    newer.replaces = newer.replaces or older.hit.candidate.document.ref
    newer.relevance = max(newer.relevance, older.relevance)
    newer.score = max(newer.score, older.score)


def _is_short(each: Judged) -> bool:
    return not each.hit.candidate.is_remark and each.hit.candidate.words <= MAX_WORDS
