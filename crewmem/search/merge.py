"""Which of several hits are shown: the latest version of a statement, and each thing once.

An older text is left out beside a newer one that says nearly the same, or that says that the same
thing is different now. Where the older one answers and the newer one was found only because both
are about the same, the newer one takes its place.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from crewmem.files.tiers import ARCHIVE_PRIOR
from crewmem.search.features import Candidate, Id
from crewmem.search.ranker import Scored
from crewmem.text.tokens import detect_language, stems, stop_words, words
from crewmem.text.word_lists import read_word_lists

CHANGE_WORDS = Path(__file__).with_name("change_words.txt")
"""By language the words by which a text tells of a change."""

MAX_WORDS = 80
"""Longer texts say many things, of which a newer text can replace one only."""

LONGER = 2.5
"""Times as long as the older one the newer may be."""

SAME = 8.5
"""Closeness from which two texts say nearly the same. It is the cosine above what is usual, in
deviations, plus six times the share of common words by weight."""

CHANGED, CHANGED_COSINE, CHANGED_WORDS = 4.9, 2.3, 0.18
"""Closeness, deviations and share of common words from which a text that tells of a change
replaces an older one. In three stores 11 of 12 known versions and 3 other pairs are that close."""

SAME_WORDS, CHANGED_WORDS_ALONE = 0.6, 0.3
"""The shares of common words where there are no vectors."""

LEAST_COMMON = 0.25
"""The same for a change, each word counted alike: texts without vectors that share less are not
compared by weight, for which the index has to count the texts that hold each word."""

WEIGHT_OF_WORDS = 6.0
USUAL_DEVIATION = 0.09

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
    weights_of: Callable[[Collection[str]], Mapping[str, float]],
    cosine: Cosine,
) -> list[Judged]:
    """Return *judged* without older versions of what stays; replacements take their place.

    Args:
        judged: Best first.
        threshold: Relevance from which a hit is shown.
        stems_of: Returns the stems of a text.
        weights_of: Returns the weight of stems by their rarity.
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
    shown = [each for each in judged[:POOL] if each.relevance >= threshold and _is_short(each)]
    shown_ids = {each.hit.candidate.id for each in shown}
    pool = [
        each
        for each in judged[:POOL]
        if _is_short(each) and (each.hit.candidate.id in shown_ids or _tells_change(each))
    ]
    stems = {
        each.hit.candidate.id: frozenset(stems_of(each.hit.candidate.id)) - _stop_stems()
        for each in (*shown, *pool)
    }
    pairs = [
        pair
        for older in shown
        for newer in pool
        if (pair := _pair(newer, older, stems, cosine)) is not None
    ]
    # Who holds a word is asked only for texts that may be versions: it costs most of a search.
    compared = {judged.hit.candidate.id for pair in pairs for judged in (pair.newer, pair.older)}
    weights = weights_of(frozenset().union(*(stems[each] for each in compared)))
    whole = {each: _weigh(stems[each], weights) for each in compared}
    for pair in pairs:
        least = min(whole[pair.newer.hit.candidate.id], whole[pair.older.hit.candidate.id])
        if pair.is_version(_weigh(pair.common, weights) / least if least else 0.0):
            _replace(pair.newer, pair.older)
            left_out.add(pair.older.hit.candidate.id)
    kept = [each for each in judged if each.hit.candidate.id not in left_out]
    return sorted(kept, key=lambda each: -each.score)


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


class _Pair(NamedTuple):
    """A text and an older one that it may replace.

    Attributes:
        common: The stems of both.
        contrast: Deviations by which their cosine is above what is usual; None without vectors.
    """

    newer: Judged
    older: Judged
    common: frozenset[str]
    contrast: float | None

    def is_version(self, share: float) -> bool:
        """Tell whether the newer text replaces the older one.

        Args:
            share: The weight of the common stems in that of the text that weighs less.
        """
        if self.contrast is None:
            return share >= SAME_WORDS or (
                share >= CHANGED_WORDS_ALONE and len(self.common) > 1 and _tells_change(self.newer)
            )
        closeness = self.contrast + WEIGHT_OF_WORDS * share
        return closeness >= SAME or (
            share >= CHANGED_WORDS and closeness >= CHANGED and _tells_change(self.newer)
        )


def _pair(
    newer: Judged, older: Judged, stems: Mapping[Id, frozenset[str]], cosine: Cosine
) -> _Pair | None:
    """Return the pair when *newer* is later, not much longer and near enough to compare words."""
    one, other = newer.hit.candidate, older.hit.candidate
    if one.document.at <= other.document.at or one.words > LONGER * other.words + 10:
        return None
    if one.document.prior <= ARCHIVE_PRIOR:  # moving a note is no news: what was made of it stays
        return None
    common = stems[one.id] & stems[other.id]
    compared = cosine(one, other) if common else None
    if compared is not None:
        contrast = (compared[0] - compared[1]) / USUAL_DEVIATION
        is_near = contrast >= CHANGED_COSINE
    else:
        contrast = None
        fewest = min(len(stems[one.id]), len(stems[other.id]))
        least = LEAST_COMMON if len(common) > 1 and _tells_change(newer) else SAME_WORDS
        is_near = len(common) >= max(1, least * fewest)
    return _Pair(newer, older, common, contrast) if is_near else None


def _weigh(stems: Collection[str], weights: Mapping[str, float]) -> float:
    return sum(weights[stem] for stem in stems)


def _tells_change(judged: Judged) -> bool:
    return tells_change(judged.hit.candidate.document.text)


@cache
def _stop_stems() -> frozenset[str]:
    listed = stop_words("en") | stop_words("de") | stop_words("fr") | stop_words("es")
    return frozenset(stems(" ".join(sorted(listed))))
