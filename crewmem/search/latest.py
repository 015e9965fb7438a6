"""Removes older versions of statements and repetitions from the hits.

A text may be a newer version of another one if it is later and says nearly the same, or reports a
change of the same thing. A logistic of a few features gives the probability of that, for this
query. If it is likely, the older text is hidden; if it is possible, both are shown, the newer one
first.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher
from functools import cache, lru_cache
from math import exp, inf, log, nextafter

from crewmem.documents import Document
from crewmem.files.tiers import ARCHIVE_PRIOR
from crewmem.search.candidates import Collector
from crewmem.search.entities import find_entities
from crewmem.search.features import Id, Question
from crewmem.search.intent import CHANGE_WORDS, list_old_values, tells_change
from crewmem.search.ranker import Scored
from crewmem.search.relevance import MIN_TEXTS, load_weights
from crewmem.text.inflection import find_form
from crewmem.text.tokens import (
    all_stop_words,
    common_stems,
    detect_language,
    is_plain,
    stems,
    stems_of_list,
)
from crewmem.text.word_lists import list_beginnings, read_languages_of_words
from crewmem.times import parse_time

VERSION_FEATURES = (
    "near",  # cosine of the two, above the usual cosine
    "common",  # share of the shorter text's words that both contain
    "longer",  # share of the longer text's words that both contain
    "rare",  # how rare the rarest of these words is among the candidates, from 0 to 1
    "change",  # 1 if the newer one reports a change
    "same_store",  # 1 if both are facts, entries or notes: few events are new versions of rules
)

LIKELY, POSSIBLE = 0.35, 0.25
"""Probability of a newer version from which the older text is hidden, or shown after the newer."""

MOST = 0.7
"""Share of the query's words in an older text, by weight, that its newer version may lack: "quotes
hold 14 days" beside "quotes are valid for 21 days"."""

MIN_RATIO = 1 / 3
"""Minimum similarity, by `SequenceMatcher`, of texts that say the same of two things."""

MAX_REPLACED = 3
"""Maximum words in the place of which the other of two such texts has others. Longer stretches are
other sentences."""

MAX_WORDS = 80
"""Maximum words of a text that is compared. Longer ones make many statements, of which one may
change; so does the summary of a day, however short."""

NUMBERED_SUBJECT = re.compile(r"\W*(?:\w{1,3} )?([^\W\d_]+)[ -]?(\d+)\b")
"""A name and a number at the start of a text, maybe after an article: "db-1", "The gate 7"."""

CONTAINED = 0.9
"""Minimum share of the words of a fact in the passage that contains it."""

LARGER_FILE = 2
"""Length of a file, as a multiple of a passage, from which it says more than the passage."""

BEGINNING = 6
"""Letters that forms of one word have in common: *Hausmeister*, *Hausmeisterin*."""

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

    Of texts with one ref the best one stays.

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
            latest = by_ref[document.superseded_by]
            _put_before(latest, each)
            latest.replaces = latest.replaces or document.ref
            left_out.add(each.hit.candidate.id)
        if each.relevance >= threshold and not include_older:
            for ref in document.repeats:
                repeated = by_ref.get(ref)
                if repeated is not None and not repeated.hit.candidate.is_of_date:
                    left_out.add(repeated.hit.candidate.id)
    if not include_older:
        left_out.update(each.hit.candidate.id for each in _find_repetitions(judged))
    near = [] if include_older else [each for each in judged[:POOL] if _is_one_statement(each)]
    rarity = measure_rarity(each.hit.candidate.document.text for each in judged[:POOL])
    for older in near:
        if older.relevance < threshold:
            continue
        for newer in near:
            values = describe_pair(newer.hit, older.hit, question, collector, rarity)
            if values is None:
                continue
            probability = _estimate(values)
            if _replaces_value(newer.hit.candidate.document, older.hit.candidate.document):
                probability = max(probability, POSSIBLE)
            if probability >= POSSIBLE and is_clean(newer.hit.candidate.document):
                _put_before(newer, older)
                # By words alone, "the crane has four wheels" is as near to "the crane is blue" as
                # its new colour is.
                is_known = "near" in values or values["change"] or values["longer"] > 0.5
                if probability >= LIKELY and is_known and not _have_other_subjects(newer, older):
                    newer.replaces = newer.replaces or older.hit.candidate.document.ref
                    left_out.add(older.hit.candidate.id)
    kept = [each for each in judged if each.hit.candidate.id not in left_out]
    best: dict[str, Judged] = {}  # a long line is many texts with one ref
    for each in sorted(kept, key=lambda each: -each.score):
        best.setdefault(each.hit.candidate.document.ref, each)
    return [*best.values()]


def _find_repetitions(judged: Sequence[Judged]) -> Iterator[Judged]:
    """Yield the less relevant one of each fact and the passage that it was learned from.

    A passage that holds the fact may answer with its other lines.
    """
    passages: dict[str, list[Judged]] = {}
    for each in judged:
        if each.hit.candidate.document.store == "memory":
            file = _file_of(each.hit.candidate.document.ref)
            passages.setdefault(file, []).append(each)
    for fact in judged:
        document = fact.hit.candidate.document
        for file in _list_source_files(document):
            words = set(_list_content(document.text))
            for passage in passages.get(file, ()):
                shared = words.intersection(_list_content(passage.hit.candidate.document.text))
                if len(shared) >= CONTAINED * len(words):
                    yield passage if fact.relevance >= passage.relevance else fact


def _file_of(ref: str) -> str:
    """Return the file of the reference of a passage: ``agent:harbor/ada/AGENT.md:5-9``."""
    return ref.rpartition(":")[0]


def _list_source_files(document: Document) -> set[str]:
    """Return the memory files that a fact was learned from; none for another text."""
    if document.store != "facts":
        return set()
    return {_file_of(each) for each in document.extra.get("evidence", ())}


def measure_rarity(texts: Iterable[str]) -> dict[str, float]:
    """Return how rare each word is among the candidates, from 0 in all of them to 1.

    Candidates share the words of the query, so these say less than a name does that two of them
    have. A word in one text counts as in two, because the other may have another form of it.
    """
    words = [set(_list_content(text)) for text in texts]
    most = log(max(len(words), MIN_TEXTS))
    counts = Counter(word for each in words for word in each)
    return {word: 1.0 - log(max(count, 2)) / most for word, count in counts.items()}


def describe_pair(
    newer: Scored,
    older: Scored,
    question: Question,
    collector: Collector,
    rarity: Mapping[str, float],
) -> dict[str, float] | None:
    """Return the value of each of `VERSION_FEATURES`; "near" is left out without vectors.

    Returns None if *newer* cannot be a version of *older*:

    - It is not later, or shares no word. Files must be `APART`. A fact that was learned from a file
      is of the same time as the file's passages.
    - It is a passage of a longer file: the file's time says nothing about the passage.
    - *older* is of the time that the query names.
    - *newer* is an archived note.
    - It lacks `MOST` of the words of the query that *older* has, and reports no change; or it lacks
      all of them, and mentions no name that *older* mentions.
    - Both are daily notes, it reports no change, and they do not share more than half of the words
      of the longer one: what happened on one day does not replace what happened on another.
    - It says the same of another thing than the query asks for, or the query contains a title,
      alias or entity of *older* alone.
    - It names one of several identifiers of *older*, but not the one that the query names.
    - The query is a few words, and both have all of them, but they do not share more than half of
      their words: such a query asks for all that is said of a thing.
    """
    new, old = newer.candidate, older.candidate
    if new.document.at <= old.document.at:
        return None
    if _file_of(old.document.ref) in _list_source_files(new.document):
        return None
    if new.document.store == old.document.store == "memory":
        later = parse_time(new.document.at) - parse_time(old.document.at)
        if later < APART:
            return None
    if old.is_of_date or old.label > new.label or new.document.prior <= ARCHIVE_PRIOR:
        return None
    if new.document.extra.get("file_size", 0) > LARGER_FILE * len(new.document.text):
        return None
    one, other = (set(each) for each in _list_contents(new.document.text, old.document.text))
    if one.isdisjoint(other):
        return None
    if question.is_keywords and all(new.counts) and all(old.counts):
        if not says_the_same(new.document.text, old.document.text):
            return None
    if says_it_of_another(new.document.text, old.document.text, question):
        return None
    if any(each.is_beside(old.document.text, new.document.text) for each in question.identifiers):
        return None
    is_change = tells_change(new.document.text)
    lacking = _find_lacking(one, other, question)
    if lacking > MOST and not is_change:
        return None
    if lacking == 1.0 and _list_names(old.document.text).isdisjoint(one):
        return None
    longer = len(one & other) / max(len(one), len(other))
    is_log = new.document.kind == old.document.kind == "daily"
    if is_log and not is_change and longer <= 0.5:
        return None
    values = {
        "common": len(one & other) / min(len(one), len(other)),
        "longer": longer,
        "rare": max(rarity[word] for word in one & other),
        "change": float(is_change),
        "same_store": float(new.document.store == old.document.store),
    }
    compared = collector.compare(new, old)
    if compared is not None:
        values["near"] = compared[0] - compared[1]
    return values


def says_the_same(newer: str, older: str) -> bool:
    """Return whether two texts share more than half of the words of the shorter one.

    Numbers do not count. "The lighthouse lamp is changed every March" and "Winch keeps the
    lighthouse lamp oil" both answer "lighthouse".
    """
    one, other = (
        {word for word in content if not word[0].isdigit()}
        for content in _list_contents(newer, older)
    )
    return 2 * len(one & other) > min(len(one), len(other))


def says_it_of_another(newer: str, older: str, question: Question) -> bool:
    """Return whether *newer* says of another thing what *older* says of what was asked for.

    Then the two are alike, and where *older* has a word of the query, *newer* has another one:
    "redis on egret listens on 6380" beside "redis on stork listens on 6379", if the query contains
    "stork". At the end, where values stand, it has as many words. A number takes the place of a
    number only, and if *newer* reports a change, it is a value: "the service listens on 9090 now".
    Two everyday words may be verbs, which change without a change of subject; so may an everyday
    word beside another word of the query: "runs on", "the database moved to".
    """
    asked = {*question.typed, *stems(" ".join(question.authors))}
    asked.update(stem for term in question.terms for stem in term.stems)
    new, old = _list_contents(newer, older)
    if asked.intersection(old).issubset(new):
        return False
    is_change = tells_change(newer)
    for word, other in _list_replaced(old, new):
        if word not in asked or other in old or word[0].isdigit() != other[0].isdigit():
            continue
        is_new_value = is_change and word[0].isdigit()
        everyday = common_stems().intersection({word, other})
        may_be_verbs = len(everyday) == 2 or (bool(everyday) and other in asked)
        is_other_form = any(word[:BEGINNING] == each[:BEGINNING] for each in new)
        if not (is_new_value or may_be_verbs or is_other_form):
            return True
    return False


def _have_other_subjects(newer: Judged, older: Judged) -> bool:
    """Return whether two texts begin with one name and other numbers: "db-1 …", "db-2 …".

    These may be two things or two versions, so both are shown, unless the newer reports a change.
    """
    texts = [each.hit.candidate.document.text for each in (newer, older)]
    new, old = map(NUMBERED_SUBJECT.match, texts)
    if new is None or old is None or tells_change(texts[0]):
        return False
    return new[1].lower() == old[1].lower() and new[2] != old[2]


def _replaces_value(newer: Document, older: Document) -> bool:
    """Return whether *newer* gives a new number for one that *older* has: "Postgres 14 -> 16"."""
    return not set(list_old_values(newer.text)).isdisjoint(_list_content(older.text))


def _find_lacking(new: set[str], old: set[str], question: Question) -> float:
    """Return the share, by weight, of the query's words in *old* that *new* lacks.

    "make db fails while another Postgres runs" is near to "The integration tests run against the
    Postgres of make db", but does not say how the integration tests run.
    """
    found = lacking = 0.0
    for term, weight in zip(question.terms, question.weights, strict=True):
        if not old.isdisjoint(term.stems):
            found += weight
            lacking += weight * new.isdisjoint(term.stems)
    return lacking / found if found else 0.0


def _list_names(text: str) -> set[str]:
    """Return the stems of the names in *text*: "Jenkins was replaced" tells what runs no more."""
    return {stem for entity in find_entities(text) for stem in stems(entity.name)}


def _list_replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of *old* for which *new*, if it is alike, has others in their places."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < MIN_RATIO:
        return
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        words, others = old[start:end], new[new_start:new_end]
        is_at_end = end == len(old) or new_end == len(new)
        if tag != "replace" or max(len(words), len(others)) > MAX_REPLACED:
            continue
        if len(words) == len(others) or not is_at_end:
            yield from zip(words, others, strict=False)


def _list_contents(newer: str, older: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the content of two texts; forms of one word are the form that *older* has."""
    new, old = _list_content(newer), _list_content(older)
    language = detect_language(f"{newer}\n{older}")
    known = frozenset(old)
    return [find_form(word, known, language) for word in new], old


@lru_cache(maxsize=256)
def _list_content(text: str) -> list[str]:
    """Return the stems of *text* and its numbers in order, without stop words and words of change.

    Capitals are no stop word: US.
    """
    found = []
    change_stems = _change_stems(plain=is_plain(text))
    for word in re.findall(r"\d+(?:[.,:]\d+)*|[^\W_]+", text):
        if word[0].isdigit():
            found.append(word)
        elif word.lower() not in all_stop_words() or (word.isupper() and len(word) > 1):
            found += [
                stem
                for stem in stems(word)
                if change_stems.isdisjoint([stem, *list_beginnings(stem)])
            ]
    return found


@cache
def _change_stems(*, plain: bool) -> frozenset[str]:
    """Return the stems of words of change in all languages, and beginnings of such words."""
    listed = read_languages_of_words(CHANGE_WORDS)
    beginnings = (word for word in listed if word.endswith("*"))
    return stems_of_list(listed, plain=plain).union(beginnings)


def _estimate(values: Mapping[str, float]) -> float:
    """Return the probability that a pair of these `VERSION_FEATURES` are versions."""
    weights = load_weights()["version"]["hybrid" if "near" in values else "words"]
    odds = weights["bias"] + sum(weights[name] * value for name, value in values.items())
    return 1.0 / (1.0 + exp(-odds))


def _put_before(newer: Judged, older: Judged) -> None:
    newer.relevance = max(newer.relevance, older.relevance)
    newer.score = max(newer.score, nextafter(older.score, inf))


def _is_one_statement(each: Judged) -> bool:
    candidate = each.hit.candidate
    is_rollup = candidate.document.topic_key.startswith("rollup/")
    return not (is_rollup or candidate.is_remark) and candidate.words <= MAX_WORDS
