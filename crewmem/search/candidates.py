"""Prepares a query, and collects the texts of all sources that may answer it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, tzinfo
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.documents import Document
from crewmem.errors import DamagedError
from crewmem.search import bm25
from crewmem.search.dates import asks_when, find_dates, find_times
from crewmem.search.features import (
    QUESTION_MARKS,
    REACH,
    Candidate,
    Id,
    Question,
    count_terms,
    is_worth,
    shortness,
)
from crewmem.search.intent import measure_request, read_wanted
from crewmem.search.language import find_language
from crewmem.search.names import find_authors, find_identifiers
from crewmem.search.query import (
    CLITICS,
    WORD,
    Query,
    Term,
    add_other_forms,
    any_of,
    as_words,
    correct_unknown,
    count_texts,
    find_date_terms,
    find_terms,
    is_stop_word,
    parse_query,
    weigh_words,
    without_boundaries,
    without_common,
    without_unknown_endings,
)
from crewmem.search.sources import Sides, Source
from crewmem.text.tokens import (
    all_stop_words,
    common_stems,
    is_plain,
    is_unspaced,
    stems,
    stems_of_list,
)
from crewmem.times import stored_day

if TYPE_CHECKING:
    import numpy as np

    from crewmem.embeddings.store import Vectors

OFFERED = 50
"""Minimum number of texts that words and vectors each offer; words alone offer half as many again.
300 of each change R@10 and nDCG@10 by less than .003."""

COMMON_HOLDING = 8.0
"""Number of the hundred imagined texts (`bm25.IMAGINED`) that contain an everyday word."""

NUMBER_HOLDING, SHORT_NUMBER = 25.0, 2
"""Number of them that contain a number with at most this many digits: a 9 alone says little."""

WIDER = 8
"""Factor by which more vectors are read if the actor may see too few of the nearest."""

MIN_CONTEXT = 0.025
"""Minimum shortness of a text whose neighbours are read."""


SAMPLES, FEW = (1_000, 10_000), 100
"""Vectors sampled for the usual cosine if the actor may read only a part: the first number, or the
second if fewer than `FEW` of them may be read."""

USUAL, USUAL_WEIGHT = 0.15, 5
"""The usual cosine of two texts where a store does not show it, and the number of other texts from
which on the store counts for more: in a store of two facts there are none."""

MAX_KEYWORDS = 5
"""Maximum words of a query that may be keywords."""


class PreparedQuery(NamedTuple):
    """A query, prepared for the sources.

    Attributes:
        query: The parsed query, without names and common words.
        question: What the ranker knows about it.
        rest: The text to embed, without names of authors.
    """

    query: Query
    question: Question
    rest: str


class Found(NamedTuple):
    """Texts that may answer a query.

    Attributes:
        candidates: Candidates, with their neighbours.
        offered: Candidates that may be shown: matches, and next neighbours of short matches.
        lists: Ids in the order of words and of vectors.
    """

    candidates: dict[Id, Candidate]
    offered: list[Id]
    lists: dict[str, list[Id]]


class Collector:
    """Reads the texts of sources; several queries share it, because many texts recur."""

    def __init__(
        self,
        sources: Sequence[Source],
        vectors: Vectors | None,
        *,
        asker: str,
        today: date,
        zone: tzinfo = UTC,
    ) -> None:
        self._sources, self._vectors = {each.name: each for each in sources}, vectors
        self._asker, self._today, self._zone = asker, today, zone
        self._documents: dict[Id, tuple[Document, list[str]]] = {}
        self._sides: dict[Id, Sides] = {}
        self._labels: dict[str, set[str]] = {}
        self._counts = {each.name: each.count() for each in sources}
        self._total = sum(self._counts.values())
        # The mean of a store would tell an agent of texts that it may not read.
        means = [] if asker else [each.mean_words() for each in sources]
        self._mean_words = max(means, default=0.0)
        self._authors = [name for each in sources for name in each.authors()]
        self._rows: dict[tuple[Any, int], np.ndarray | None] = {}
        self._means: dict[str, np.ndarray | None] = {}
        self._visible_keys: dict[str, Collection[int] | None] = {}

    def prepare(self, text: str, *, plain: bool = False) -> PreparedQuery:
        """Read *text* as a query to all sources; operators are parsed unless *plain*."""
        query = as_words(text) if plain else parse_query(text)
        named = find_authors(text, self._authors, self._asker)
        if not query.has_operators and named.rest != text:
            query = as_words(named.rest)._replace(misread=query.misread)
        frequencies = self._frequencies(query.stems)
        query = without_unknown_endings(query, frequencies)
        language = find_language(query.text, self._frequencies)
        query, frequencies = add_other_forms(
            query, frequencies, self._frequencies, self._complete, language
        )
        dates = find_dates(named.rest, self._today)
        of_dates = find_date_terms(dates, query.terms)
        query, frequencies = correct_unknown(
            query, frequencies, self._frequencies, of_dates, language
        )
        is_keywords = _is_keywords(text, query)  # also counts words that most texts contain
        has_stop_words = len(text.split()) > len({term.word for term in query.terms})
        typed = frozenset(query.stems)
        query = without_boundaries(query, frequencies)
        query = without_common(query, frequencies, self._total)
        counts = _count_holding(query.terms, frequencies)
        weights = tuple(
            term.weight * bm25.idf(count + _imagined(term), self._total)
            for term, count in zip(query.terms, counts, strict=True)
        )
        identifiers = find_identifiers(named.rest)
        question = Question(
            terms=query.terms,
            weights=weights,
            typed=typed,
            whole=weigh_words(query.terms, weights),
            total=self._total,
            mean_words=self._mean_words,
            authors=named.authors,
            dates=dates,
            date_terms=find_date_terms(dates, query.terms),
            asks_when=asks_when(named.rest),
            is_keywords=is_keywords,
            request=measure_request(text, language, is_keywords=is_keywords and not has_stop_words),
            wanted=read_wanted(text),
            identifiers=tuple(identifiers),
            is_identifier_known=all(
                frequencies.get(stem)
                for each in identifiers
                if not each.is_short
                for stem in stems(each.text)
            ),
        )
        return PreparedQuery(query, question, named.rest)

    def discard_vectors(self, error: DamagedError) -> None:
        """Discard the vectors if *error* is about them; they are then built anew."""
        if self._vectors is not None:
            self._vectors.discard_damaged(error)

    def collect(
        self,
        prepared: PreparedQuery,
        vector: np.ndarray | None,
        *,
        mode: str = "hybrid",
        limit: int = OFFERED,
    ) -> Found:
        """Return the texts that match the words of the query or its *vector*."""
        by_words: list[tuple[float, Id]] = []
        if prepared.query.expression and mode != "dense":
            most = limit if vector is not None else limit * 3 // 2
            for name, source in self._sources.items():
                found = source.match(prepared.query.expression, most)
                by_words += [(score, (name, key)) for key, score in found]
        near = self._nearest(vector, limit) if vector is not None and mode != "sparse" else {}
        by_vectors = sorted(near, key=lambda each: (-near[each], each))
        of_dates = self._find_of_dates(prepared, limit) if mode != "dense" else []
        matched = [each for _, each in sorted(by_words)]
        offered = self._with_neighbours({*matched, *by_vectors, *of_dates})
        candidates = self._candidates(offered, prepared, vector, near)
        return Found(candidates, offered, {"words": matched, "vectors": by_vectors})

    def _find_of_dates(self, prepared: PreparedQuery, limit: int) -> list[Id]:
        """Return texts of the days, weeks and months that the query names."""
        question = prepared.question
        others = [term for at, term in enumerate(question.terms) if at not in question.date_terms]
        found = []
        for since, until in find_times(question.dates, self._today, self._zone):
            for name, source in self._sources.items():
                keys = source.within(since, until, any_of(others), limit)
                found += [(name, key) for key in keys]
        return found

    def compare(self, one: Candidate, other: Candidate) -> tuple[float, float] | None:
        """Return the cosine of two texts, and the usual cosine for them; None without vectors."""
        if self._vectors is None:
            return None
        rows = [row for row in (self._vector(one), self._vector(other)) if row is not None]
        if len(rows) < 2:
            return None
        cosine = float(rows[0] @ rows[1])
        # The mean of a store includes the text itself, whose cosine is 1, and here the other one.
        own_texts, own_sum = 1, 1.0
        if one.document.store == other.document.store:
            own_texts, own_sum = 2, 1.0 + cosine
        usual = 0.0
        for each, row in zip((one, other), rows, strict=True):
            texts = max(self._counts.get(each.document.store, 0), own_texts)
            sum_of_others = self._background(each.document.store, row) * texts - own_sum
            others = texts - own_texts
            usual += (sum_of_others + USUAL * USUAL_WEIGHT) / (others + USUAL_WEIGHT) / 2
        return cosine, usual

    def _vector(self, candidate: Candidate) -> np.ndarray | None:
        """Return the vector of a text; None without one."""
        key = candidate.document.vector_key
        collection = self._sources[candidate.document.store].collection
        if self._vectors is None or collection is None or not key:
            return None
        if (collection, key) not in self._rows:
            self._rows[collection, key] = self._vectors.get(collection, [key]).get(key)
        return self._rows[collection, key]

    def _background(self, store: str, vector: np.ndarray) -> float:
        """Return the mean cosine of *vector* to its store."""
        if store not in self._means:
            collection = self._sources[store].collection
            self._means[store] = (
                self._vectors.mean(collection, self._visible(store))
                if self._vectors and collection
                else None
            )
        mean = self._means[store]
        return float(mean @ vector) if mean is not None else 0.0

    def _visible(self, store: str) -> Collection[int] | None:
        """Return the vector keys of *store* that the actor may read; None for all.

        Texts that the actor may not read must not influence the usual cosine.
        """
        if store not in self._visible_keys:
            source, keys = self._sources[store], None
            collection = source.collection
            if self._vectors and collection and self._asker and source.is_part():
                for count in SAMPLES:
                    sample = self._vectors.sample_keys(collection, count)
                    keys = source.keep_visible(sample)
                    if len(keys) >= FEW or len(sample) < count // 2:
                        break
            self._visible_keys[store] = keys
        return self._visible_keys[store]

    def _common_background(self, vector: np.ndarray) -> float:
        """Return the mean cosine of *vector* to the texts of all stores.

        A store of ten notes is too small to show what is usual. All stores share one mean, because
        a text that is nearer than others is nearer in any store.
        """
        parts = [
            (self._counts[name], self._background(name, vector))
            for name, source in self._sources.items()
            if source.collection is not None and self._counts[name]
        ]
        total = sum(count for count, _ in parts)
        return sum(count * mean for count, mean in parts) / total if total else 0.0

    def _frequencies(self, terms: Collection[str]) -> Mapping[str, int]:
        """Return how many texts of all sources contain each of *terms*."""
        total: dict[str, int] = {}
        for source in self._sources.values():
            for term, count in source.frequencies(terms).items():
                total[term] = total.get(term, 0) + count
        return total

    def _complete(self, beginning: str, limit: int) -> set[str]:
        """Return stems of all sources that begin so."""
        return {
            stem for source in self._sources.values() for stem in source.complete(beginning, limit)
        }

    def _nearest(self, vector: np.ndarray, limit: int) -> dict[Id, float]:
        """Return the *limit* nearest texts to *vector* in each source."""
        found: dict[Id, float] = {}
        for name, source in self._sources.items():
            if self._vectors is None or source.collection is None:
                continue
            wanted = limit * 2
            while True:
                scanned = self._vectors.scan(source.collection, vector, limit=wanted)
                cosines: dict[int, float] = {}
                for key, cosine in scanned:
                    cosines[key] = max(cosines.get(key, -1.0), float(cosine))
                rows = source.keys_of_vectors(list(cosines))
                mine = [((name, row), cosines[key]) for key, keys in rows.items() for row in keys]
                if len(mine) >= limit or len(scanned) < wanted:
                    break
                wanted *= WIDER
            mine.sort(key=lambda each: (-each[1], each[0]))
            found.update(mine[:limit])
        return found

    def _with_neighbours(self, found: Collection[Id]) -> list[Id]:
        """Add the next neighbours of short texts: "Yes, in Sweden!" may answer its neighbour."""
        self._load_documents(found)
        self._load_neighbours(found)
        ids = {each for each in found if each in self._documents}
        for each in tuple(ids):
            before, after = self._sides.get(each, ((), ()))
            words = len(self._documents[each][1])
            for key in (*before[:1], *after[:1]):
                near = (each[0], key)
                if near in self._documents and is_worth(words, len(self._documents[near][1])):
                    ids.add(near)
        self._load_neighbours(ids)
        return sorted(ids)

    def _load_documents(self, ids: Iterable[Id]) -> None:
        lacking: dict[str, set[int]] = {}
        for name, key in ids:
            if (name, key) not in self._documents:
                lacking.setdefault(name, set()).add(key)
        for name, keys in lacking.items():
            for key, document in self._sources[name].documents(keys).items():
                if document.copy_of in self._sources:
                    continue
                self._documents[name, key] = document, stems(_searchable(document))

    def _load_neighbours(self, ids: Iterable[Id]) -> None:
        """Read the neighbours of those *ids* that are short enough to need them as context."""
        lacking: dict[str, set[int]] = {}
        for name, key in ids:
            if (name, key) in self._sides or (name, key) not in self._documents:
                continue
            document, text = self._documents[name, key]
            if document.group and shortness(len(text)) > MIN_CONTEXT:
                lacking.setdefault(name, set()).add(key)
        for name, keys in lacking.items():
            sides = self._sources[name].neighbours(keys, REACH)
            self._load_documents(
                {(name, key) for pair in sides.values() for side in pair for key in side}
            )
            for key in keys:
                self._sides[name, key] = sides.get(key, ((), ()))

    def _candidates(
        self,
        offered: Sequence[Id],
        prepared: PreparedQuery,
        vector: np.ndarray | None,
        near: dict[Id, float],
    ) -> dict[Id, Candidate]:
        """Return the candidates for *offered* and their neighbours."""
        around = {
            (each[0], key) for each in offered for side in self._sides.get(each, ()) for key in side
        }
        found: dict[Id, Candidate] = {}
        for each in sorted({*offered, *around}):
            if each not in self._documents:
                continue
            document, text = self._documents[each]
            candidate = Candidate(document, len(text))
            count_terms(candidate, text, prepared.question.terms)
            if prepared.question.dates and document.is_of_day:
                self._set_date(candidate, prepared.question)
            before, after = self._sides.get(each, ((), ()))
            candidate.before = [(each[0], key) for key in before[:REACH]]
            candidate.after = [(each[0], key) for key in after[:REACH]]
            found[each] = candidate
        self._set_labels([found[each] for each in offered], prepared.question)
        if vector is not None and self._vectors is not None:
            self._set_cosines(found, vector, near)
        return found

    def _set_date(self, candidate: Candidate, question: Question) -> None:
        """Let a text of a named day contain the words that name it."""
        day = stored_day(candidate.document.at, self._zone)
        candidate.is_of_date = any(each.covers(day) for each in question.dates)
        if not candidate.is_of_date:
            return
        counts = list(candidate.counts) or [0.0] * len(question.terms)
        for at in question.date_terms:
            counts[at] = max(counts[at], 1.0)
        candidate.counts = counts

    def _set_cosines(
        self, found: Mapping[Id, Candidate], vector: np.ndarray, near: Mapping[Id, float]
    ) -> None:
        background = self._common_background(vector)
        by_source: dict[str, list[Candidate]] = {}
        for each in found.values():
            by_source.setdefault(each.document.store, []).append(each)
        for name, candidates in by_source.items():
            collection = self._sources[name].collection
            if collection is None or self._vectors is None:
                continue
            keys = {
                each.document.vector_key
                for each in candidates
                if each.document.vector_key and each.id not in near
            }
            cosines = self._vectors.cosines(collection, vector, keys) if keys else {}
            for each in candidates:
                each.background = background
                if each.id in near:
                    each.cosine = near[each.id]
                elif each.document.vector_key in cosines:
                    each.cosine = float(cosines[each.document.vector_key])

    def _set_labels(self, candidates: Iterable[Candidate], question: Question) -> None:
        """Set the share of the query's weight in its best label that is contained as a whole.

        The order of words and stop words do not matter: "how do I add a new embedder" contains
        "Add an embedder".
        """
        if not question.whole:
            return
        for each in candidates:
            weights = [self._weigh_label(label, question) for label in each.document.labels]
            each.label = min(max(weights, default=0.0) / question.whole, 1.0)

    def _weigh_label(self, label: str, question: Question) -> float:
        """Return the weight of the query's words in *label* if the query holds all of it, else 0.

        A word that most texts contain has no weight, but the label may contain it.
        """
        found = frozenset(stems(label))
        if question.typed.isdisjoint(found):
            return 0.0  # most labels share nothing, and reading terms takes eight times as long
        stop_stems = _all_stop_stems(plain=is_plain(label))
        if not (found - question.typed <= stop_stems or is_unspaced(label)):
            return 0.0  # titles of facts are sentences: they have words that the query lacks
        if label not in self._labels:
            self._labels[label] = {stem for term in find_terms(label) for stem in term.stems}
        label_stems = self._labels[label]
        if not question.typed >= label_stems:
            return 0.0
        inside = [
            (term, weight)
            for term, weight in zip(question.terms, question.weights, strict=True)
            if label_stems.issuperset(term.stems)
        ]
        return weigh_words([term for term, _ in inside], [weight for _, weight in inside])


def _count_holding(terms: Sequence[Term], frequencies: Mapping[str, int]) -> list[int]:
    """Return how many texts contain each of *terms*; two stems of one word count together."""
    counts: dict[tuple[int, str], int] = {}
    for term in terms:
        word = term.word, term.text
        counts[word] = counts.get(word, 0) + count_texts(term, frequencies)
    return [counts[term.word, term.text] for term in terms]


def _imagined(term: Term) -> float:
    """Return how many imagined texts contain *term*, which depends on everyday use."""
    stem = term.stems[0] if len(term.stems) == 1 else ""
    if stem.isdigit() and len(stem) <= SHORT_NUMBER:
        return NUMBER_HOLDING
    return COMMON_HOLDING if stem in common_stems() else 0.0


def _searchable(document: Document) -> str:
    """Return title, text and labels, without those that only repeat words of the text.

    By default the title of a fact is its first clause, which ends with "…" if it is long.
    """
    text = document.text
    return "\n".join(
        part
        for part in dict.fromkeys((document.title, text, *document.labels))
        if part == text or (part and not _contains(text, part.removesuffix("\u2026")))
    )


def _contains(text: str, words: str) -> bool:
    """Return whether *text* contains *words*, and not only as a part of longer words."""
    # A pattern a title would be compiled for every hit, and takes longer than the search.
    start = text.find(words)
    while start != -1:
        end = start + len(words)
        if not (_is_word(text[max(start - 1, 0) : start]) or _is_word(text[end : end + 1])):
            return True
        start = text.find(words, start + 1)
    return False


def _is_word(character: str) -> bool:
    """Return whether *character* is one of a word; an empty one is not."""
    return character.isalnum() or character == "_"


def _is_keywords(text: str, query: Query) -> bool:
    """Return whether the query is keywords: operators, or few words such as "offer for Böhm".

    A sentence asks, or begins or ends with a stop word. Everyday words alone are not keywords: "go
    on" asks for nothing.
    """
    if query.has_operators:
        return True
    if all(stem in common_stems() for term in query.terms for stem in term.stems):
        return False
    typed = re.findall(WORD, text)
    # A run of Chinese is one match, but several words.
    number = max(len(typed), len({term.word for term in query.terms}))
    is_short = 0 < number <= MAX_KEYWORDS and not any(mark in text for mark in QUESTION_MARKS)
    return is_short and not any(is_stop_word(typed[at], text) for at in (0, -1))


@cache
def _all_stop_stems(*, plain: bool) -> frozenset[str]:
    """Return the stems of what `find_terms` may leave out, in any language of the script."""
    return stems_of_list(all_stop_words() | CLITICS, plain=plain)
