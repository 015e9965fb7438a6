"""Which of several hits are shown: the latest version of a statement, and each thing once.

An older text is left out beside a newer one that says nearly the same, or that says that the same
thing is different now. Where the older one answers and the newer one was found only because both
are about the same, the newer one takes its place.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import log
from pathlib import Path

from crewmem.files.tiers import ARCHIVE_PRIOR
from crewmem.search.features import Candidate, Id
from crewmem.search.ranker import Scored
from crewmem.search.relevance import load_weights
from crewmem.text.tokens import detect_language, stems, stop_words, words
from crewmem.text.word_lists import read_word_lists

CHANGE_WORDS = Path(__file__).with_name("change_words.txt")
"""By language the words by which a text tells of a change."""

MAX_WORDS = 80
"""Longer texts say many things, of which a newer text can replace one only."""

LONGER = 2.5
"""Times as long as the older one the newer may be."""

VERSION_FEATURES = (
    "near",  # cosine of the two above what is usual
    "common",  # share of the words of the shorter text that both have
    "change",  # 1 where the newer one tells of a change
    "event",  # 1 where the newer one says what happened, and the older one what holds
)

VERSION = 0.35
"""Probability from which a newer text is taken for a version of an older one. On stores that were
not fitted, 66 of 74 known versions are found, and 9 pairs of which the older one answers, too."""

POOL = 30
"""Best candidates among which newer versions of a hit are looked for."""


class Judged:
    """A candidate with its relevance.

    Attributes:
        replaces: Ref of the older text whose place it took.
    """

    __slots__ = ("hit", "relevance", "replaces", "score")

    def __init__(self, hit: Scored, score: float, relevance: float) -> None:
        self.hit, self.score, self.relevance = hit, score, relevance
        self.replaces = ""


Cosine = Callable[[Candidate, Candidate], tuple[float, float] | None]
"""Returns the cosine of two texts and what is usual between texts of their store; None without."""


def keep_latest(
    judged: Sequence[Judged],
    *,
    threshold: float,
    stems_of: Callable[[Id], Sequence[str]],
    cosine: Cosine,
) -> list[Judged]:
    """Return *judged* without older versions of what stays; replacements take their place.

    Args:
        judged: Best first.
        threshold: Relevance from which a hit is shown.
        stems_of: Returns the stems of a text.
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
    shown = [each for each in near if each.relevance >= threshold]
    newer = [each for each in near if each.relevance >= threshold or _tells_change(each)]
    for older in shown:
        for each in newer:
            values = describe_pair(
                each.hit.candidate, older.hit.candidate, stems_of=stems_of, cosine=cosine
            )
            if values is not None and _is_version(values):
                _replace(each, older)
                left_out.add(older.hit.candidate.id)
    kept = [each for each in judged if each.hit.candidate.id not in left_out]
    return sorted(kept, key=lambda each: -each.score)


def describe_pair(
    newer: Candidate,
    older: Candidate,
    *,
    stems_of: Callable[[Id], Sequence[str]],
    cosine: Cosine,
) -> dict[str, float] | None:
    """Return the value of each of `VERSION_FEATURES`; "near" is left out without vectors.

    Returns None where *newer* is not later, is much longer, or has no word of *older*. Moving a
    note to the archive is no news either: what was made of it stays.
    """
    if newer.document.at <= older.document.at or newer.words > LONGER * older.words + 10:
        return None
    if newer.document.prior <= ARCHIVE_PRIOR:
        return None
    one, other = (frozenset(stems_of(each.id)) - _stop_stems() for each in (newer, older))
    if one.isdisjoint(other):
        return None
    values = {
        "common": len(one & other) / min(len(one), len(other)),
        "change": float(tells_change(newer.document.text)),
        "event": float(newer.document.store == "journal" != older.document.store),
    }
    compared = cosine(newer, older)
    if compared is not None:
        values["near"] = compared[0] - compared[1]
    return values


def _is_version(values: Mapping[str, float]) -> bool:
    weights = load_weights()["version"]["hybrid" if "near" in values else "words"]
    odds = weights["bias"] + sum(weights[name] * value for name, value in values.items())
    return odds >= log(VERSION / (1.0 - VERSION))


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


def _tells_change(judged: Judged) -> bool:
    return tells_change(judged.hit.candidate.document.text)


@cache
def _stop_stems() -> frozenset[str]:
    listed = stop_words("en") | stop_words("de") | stop_words("fr") | stop_words("es")
    return frozenset(stems(" ".join(sorted(listed))))
