"""Search over all stores: one query, one ranking, one estimate of relevance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

from crewmem.context import Context
from crewmem.documents import Document
from crewmem.errors import CrewmemError, DamagedError, UsageError, check_text
from crewmem.facts.kinds import parse_kind
from crewmem.files.tiers import TIERS
from crewmem.protocols import WordEmbedder
from crewmem.search.candidates import OFFERED, Collector, Found, PreparedQuery
from crewmem.search.explain import explain_hit
from crewmem.search.features import Candidate, compare_words, compute_features
from crewmem.search.hit import FoundHit
from crewmem.search.language import language_fit
from crewmem.search.latest import Judged, keep_latest
from crewmem.search.names import mentions
from crewmem.search.query import MAX_CHARACTERS, Term, clean_query, parse_query
from crewmem.search.ranker import fuse_ranks, rank, score_by_engram
from crewmem.search.relevance import compute_relevance, is_statement, label_relevance, weighs_words
from crewmem.search.request import FILTERS, ROLES, STORES, Request, SearchOptions
from crewmem.search.snippet import make_snippet
from crewmem.search.sources import MAX_MATCHED, Source
from crewmem.search.turns import keep_moments, rank_turns
from crewmem.security.findings import REMOVED

if TYPE_CHECKING:
    import numpy as np

    from crewmem.embeddings.store import Vectors
    from crewmem.protocols import Embedder, SearchStore

LABELS = ("sure", "unsure", "weak")
"""Labels in the order of hits."""

REPAIRABLE = ("memory", "sessions")
"""Stores with a derived index of their own, which can be rebuilt."""

MAX_LISTED = 500
"""Maximum passages that are read to list the newest files."""

MIN_CONTENT = 2
"""Minimum words of a passage, besides headings and templates, to be a hit beside others."""

TEMPLATE_LINES = frozenset(
    {"- [ ]", "- [x]", "-", "*", "TODO", "TBD", "n/a", "none", "None", "..."}
)
"""Lines of a template that nobody has filled in."""

MAX_LABEL_WORDS = 3
"""Maximum words of a line with a final colon that is a label of a template."""

COMPARED = 10
"""Best candidates whose words are compared with those of the query."""

WORTH = 0.1
"""Part of the threshold below which a candidate's words are not compared: they would hardly lift it
above the threshold, and ten texts take 0.05 s."""

FRONT_MATTER = "---"
"""Beginning of the first passage of a file with front matter."""

MakeSafe = Callable[[Sequence[Document], bool], Sequence[Document | None]]


@dataclass(slots=True)
class Hit(FoundHit):
    """A search result of `Search`.

    Attributes:
        extra: Further fields of its store.
        text: The whole text, with attacks replaced.
        key: Row in the store's full text.
        cosine: Cosine of query and text; None without vectors.
    """

    extra: Mapping[str, Any]
    text: str = ""
    key: int = 0
    cosine: float | None = None

    @classmethod
    def of(cls, document: Document, **judged: Any) -> Hit:
        """Return the hit of a document.

        Args:
            judged: Its snippet, score, why, relevance and label.
        """
        return cls(
            ref=document.ref,
            store=document.store,
            scope=document.scope,
            owner=document.owner,
            title=document.title,
            at=document.at,
            origin=document.origin,
            kind=document.kind,
            extra=document.extra,
            text=document.text,
            key=document.key,
            **judged,
        )


@dataclass(slots=True)
class SearchResult:
    """The answer to a query.

    Attributes:
        mode: The mode really used: ``hybrid``, ``dense`` or ``sparse``, with ``+words`` if
            operators were treated as plain words.
        hits: Best first.
        total: Number of texts searched.
        has_weak: Whether weak hits were left out.
        embedding_ms: Time for embedding the query.
        search_ms: Total time.
    """

    mode: str
    hits: list[Hit]
    total: int = 0
    has_weak: bool = False
    embedding_ms: float = 0.0
    search_ms: float = 0.0

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def has_relevant(self) -> bool:
        """Whether there is a sure or unsure hit, for `--exit-code`."""
        return any(hit.label != "weak" for hit in self.hits)


class Search:
    """Searches the stores of a home.

    Args:
        stores: Functions that open the stores, by name.
        open_vectors: Returns the index of vectors; None if there is none.
        open_embedder: Returns the embedder; None to search by words only.
        make_safe: Makes documents safe to show: attacks replaced, secrets redacted, None for a
            forbidden one. Its second argument tells whether a hook shows them (push).
        find_mentions: Returns the keys of the texts that mention a name, by store.
    """

    def __init__(
        self,
        context: Context,
        stores: Mapping[str, Callable[[], SearchStore]],
        open_vectors: Callable[[], Vectors | None] = lambda: None,
        open_embedder: Callable[[], Embedder | None] = lambda: None,
        make_safe: MakeSafe = lambda documents, push: documents,
        find_mentions: Callable[[str], Mapping[str, Collection[int]]] = lambda name: {},
    ) -> None:
        self.make_safe = make_safe
        self.find_mentions = find_mentions
        self.context, self.stores = context, stores
        self.open_vectors, self.open_embedder = open_vectors, open_embedder

    def find(
        self,
        query: str,
        *,
        stores: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        limit: int = 10,
        use: str = "pull",
        **options: Unpack[SearchOptions],
    ) -> SearchResult:
        """Search the stores for *query*; the best hits come first.

        Args:
            query: As typed; every text is valid.
            stores: Some of `STORES`; all by default.
            filters: Values by name; the names are `FILTERS`.
            limit: Maximum number of hits.
            use: The threshold that applies: ``pull`` or ``push``.
            options: Optional settings; see `SearchOptions`.

        Raises:
            UsageError: If a store, filter or mode is unknown, or the limit is below 1.
            DamagedError: If no store answered.
        """
        check_text("query", query)
        request = Request(stores, filters, limit, use, **options)
        return self.find_many([query], request)[0]

    def find_many(self, queries: Sequence[str], request: Request) -> list[SearchResult]:
        """Return the answer to each of *queries*, which are embedded together. See `find`.

        A damaged index is rebuilt, and the search repeated.
        """
        try:
            return self._find_many(queries, request)
        except DamagedError as error:
            if not self._discard_damaged(error):
                raise
        return self._find_many(queries, request)

    def _discard_damaged(self, error: DamagedError) -> bool:
        """Discard derived data if *error* is about it; tell whether it was."""
        derived: list[Any] = [self.stores[name]() for name in REPAIRABLE if name in self.stores]
        if (vectors := self.open_vectors()) is not None:
            derived.append(vectors)
        return any(each.discard_damaged(error) for each in derived)

    def _find_many(self, queries: Sequence[str], request: Request) -> list[SearchResult]:
        context = self.context
        queries = [_cut_query(context, query) for query in queries]
        sources = self._open_sources(request)
        sessions = next((each for each in sources if each.name == "sessions"), None)
        sources = [each for each in sources if each is not sessions]
        # Older texts have no vectors.
        mode = "sparse" if request.as_of or not sources else request.mode
        embedder = self._open_embedder(mode)
        actor = context.access.actor
        collector = Collector(
            sources,
            self._open_vectors(embedder, sources),
            asker="" if actor.is_operator else actor.name,
            today=context.today,
            zone=context.zone,
        )
        prepared_queries = [collector.prepare(query or request.entity) for query in queries]
        started = context.stopwatch()
        vectors = self._embed(
            embedder, [prepared.rest for prepared in prepared_queries], request.deadline
        )
        embedding_ms = (context.stopwatch() - started) * 1000.0 / max(len(queries), 1)
        answering = _Answering(context, collector, embedder, mode, request, self.make_safe)
        results = []
        for query, prepared, vector in zip(queries, prepared_queries, vectors, strict=True):
            started = context.stopwatch()
            result = answering.answer(prepared, vector)
            if sessions is not None and mode != "dense":
                answering.add_turns(result, sessions, query)
            result.embedding_ms = embedding_ms
            result.search_ms = (context.stopwatch() - started) * 1000.0
            results.append(result)
        return results

    def list_newest(
        self,
        *,
        stores: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        limit: int = 10,
        **options: Unpack[SearchOptions],
    ) -> SearchResult:
        """Return the newest texts that pass the filters, one a file, without a query or turns.

        The arguments are those of `find`.
        """
        request = Request(stores, filters, limit, **options)
        found = [
            document
            for source in self._open_sources(request)
            for document in source.documents(source.newest(MAX_LISTED)).values()
        ]
        found.sort(key=lambda each: each.at, reverse=True)
        shown: dict[str, Document] = {}
        for document in found:
            file = document.extra.get("file", document.ref)
            if file not in shown or shown[file].text.startswith(FRONT_MATTER):
                shown[file] = document
        documents = self.make_safe([*shown.values()][:limit], False)
        hits = [
            Hit.of(
                document,
                snippet=_make_snippet(document, ()),
                score=0.0,
                why={},
                relevance=1.0,
                label="sure",
            )
            for document in documents
            if document is not None
        ]
        return SearchResult("filter", hits, total=len(shown))

    # Opening

    def _open_sources(self, request: Request) -> list[Source]:
        """Open the stores; one that cannot be opened causes a warning if others can.

        Raises:
            UsageError: If a store, filter or mode is unknown, or the limit is below 1.
        """
        request.check()
        asked = request.stores or self.stores
        if not self.stores.keys() >= set(asked):
            _ = self.context.db  # raises if there is no database, which means only files
        wanted = [
            name
            for name in STORES
            if name in asked and all(name in FILTERS[each] for each in request.used_filters)
        ]
        if request.as_of and "memory" in wanted:
            wanted.remove("memory")
            if not wanted:
                raise UsageError(
                    "memory files have only their present text to search: --as-of needs facts,"
                    " journal or sessions",
                    code="as-of-files",
                )
            self.context.warn(
                "files-left-out", "memory files are left out: older texts of them are not searched"
            )
        filters = request.bound_filters
        if "facts" in asked and filters.get("kinds"):
            filters["kinds"] = [_find_kind(kind) for kind in filters["kinds"]]
        sources: list[Source] = []
        errors: list[CrewmemError] = []
        for name in wanted:
            try:
                sources.append(self._open_source(name, filters))
            except CrewmemError as error:
                errors.append(error)
                self.context.warn(
                    "store-failed", f"{name} was not searched: {error.message}", error.hint
                )
        if errors and not sources:
            raise errors[0]
        if request.entity:
            self._narrow(sources, request.entity)
        return sources

    def _open_source(self, name: str, filters: Mapping[str, Any]) -> Source:
        collection = (self.context.workspace, name)
        source = Source(name, self.stores[name](), collection=collection, filters=filters)
        try:
            source.count()
        except DamagedError as error:
            if not (name in REPAIRABLE and self._discard_damaged(error)):
                raise
            source.count()
        return source

    def _narrow(self, sources: Sequence[Source], entity: str) -> None:
        """Restrict *sources* to rows that mention a name, if the table of names is complete.

        The table has what looks like a name; "winch" is found as a word. For other sources the
        texts that words found are searched for the name.
        """
        mentioned = self.find_mentions(entity)
        phrase = entity.replace('"', " ")
        expression = parse_query(f'"{phrase}"').expression
        for source in sources:
            if source.name in mentioned:
                rows = source.keys_of_vectors(mentioned[source.name])
                declared = source.keys_of_entity(entity)
                found = source.match(expression, MAX_MATCHED) if expression else []
                source.among = frozenset(chain(declared, *rows.values(), (row for row, _ in found)))

    def _open_embedder(self, mode: str) -> Embedder | None:
        if mode == "sparse":
            return None
        try:
            return self.open_embedder()
        except CrewmemError as error:
            if isinstance(error, DamagedError):
                self._discard_damaged(error)
            _warn_degraded(self.context, error.message, error.hint)
            return None

    def _open_vectors(self, embedder: Embedder | None, sources: Sequence[Source]) -> Vectors | None:
        """Open the vectors; sources with vectors of another model are searched by words."""
        vectors = self.open_vectors() if embedder else None
        if vectors is None or embedder is None:
            return None
        others: set[str] = set()
        for source in sources:
            name = source.collection
            stored = vectors.find(name) if name else None
            if (
                name
                and stored
                and (stored.model, stored.dim) != (embedder.model, embedder.dim)
                and vectors.count(name)
            ):
                others.add(stored.model)
                source.collection = None
        if others:
            _warn_degraded(
                self.context,
                f"vectors are of {', '.join(sorted(others))}, the embedder is {embedder.model}",
                self.context.command("embedder reembed"),
            )
        return vectors

    def _embed(
        self, embedder: Embedder | None, texts: Sequence[str], deadline: float | None
    ) -> Sequence[np.ndarray | None]:
        """Embed *texts* together; None without an embedder, or if it fails or takes too long."""
        if embedder is None or not any(text.strip() for text in texts):
            return [None] * len(texts)
        asked = [text if text.strip() else "?" for text in texts]
        answer: list[np.ndarray] = []
        failure: list[CrewmemError] = []

        def run() -> None:
            try:
                answer.append(embedder.embed(asked, as_question=True))
            except CrewmemError as error:
                failure.append(error)

        if deadline is None:
            run()
        else:
            worker = threading.Thread(target=run, daemon=True)
            worker.start()
            worker.join(max(0.0, deadline - perf_counter()))
        if answer:
            rows = zip(answer[0], texts, strict=True)
            return [row if text.strip() else None for row, text in rows]
        if failure:
            _warn_degraded(self.context, failure[0].message, failure[0].hint)
        else:
            _warn_degraded(self.context, "the embedder took too long")
        return [None] * len(texts)


def _cut_query(context: Context, query: str) -> str:
    """Return the part of *query* that is searched for, and warn if that is not all of it."""
    if len(query) > MAX_CHARACTERS:
        context.warn(
            "query-cut",
            f"only the first {MAX_CHARACTERS:,} characters of the query are searched for",
        )
    return clean_query(query)


def _find_kind(name: str) -> str:
    """Return the kind of fact, tier, type of entry or role that *name* names.

    Raises:
        UsageError: If it names none. Types of entries have a dot; any of them may be used.
    """
    is_other = name in TIERS or name in ROLES or "." in name
    return name if is_other else parse_kind(name)[0]


def _warn_degraded(context: Context, reason: str, hint: str = "") -> None:
    context.warn("vector-degraded", f"searched by words only: {reason}", hint)


class _Answering:
    """Answers queries from the texts of a collector."""

    def __init__(
        self,
        context: Context,
        collector: Collector,
        embedder: Embedder | None,
        mode: str,
        request: Request,
        make_safe: MakeSafe,
    ) -> None:
        self._context, self._collector, self._embedder = context, collector, embedder
        self._mode, self._request, self._make_safe = mode, request, make_safe
        is_push, given = request.use == "push", request.min_relevance
        pull = float(context.settings["recall.min_relevance"])
        push = float(context.settings["hooks.min_relevance"])
        if given is not None:
            pull, push = (min(pull, given), given) if is_push else (given, max(push, given))
        self._pull, self._push = pull, max(pull, push)
        self._least = self._push if is_push else self._pull

    def answer(self, prepared: PreparedQuery, vector: np.ndarray | None) -> SearchResult:
        """Return the hits of a query."""
        collector, request = self._collector, self._request
        fit = language_fit(self._embedder, prepared.rest) if vector is not None else 1.0
        if not fit and self._mode == "hybrid":
            vector, fit = None, 1.0  # words find more than a model that does not know the language
        found, mode = self._collect(prepared, vector)
        is_misread = bool(prepared.query.misread)
        by_words = prepared.query.has_operators and self._mode != "dense"
        if by_words and not found.lists["words"]:
            prepared = collector.prepare(prepared.query.text, plain=True)
            found, mode = self._collect(prepared, vector)
            is_misread = True
        if request.entity:
            offered = [
                each
                for each in found.offered
                if _mentions(found.candidates[each].document, request.entity)
            ]
            found = found._replace(offered=offered)
        judged = self._judge(prepared, found, fit, mode)
        has_weak = any(each.relevance < self._pull for each in judged)
        least = self._find_least_shown(
            (each.relevance for each in judged), asks_everything=prepared.question.wanted.everything
        )
        judged = [each for each in judged if each.relevance >= least]
        # With --all only the score counts: by label, R@10 of abstracts is .431 instead of .441.
        if mode != "dense" and request.fusion == "score" and not request.include_all:
            judged.sort(key=lambda each: LABELS.index(self._label(each.relevance)))
        if request.score == "engram":
            judged = _order_by_engram(judged)
        shown = judged[: request.limit]
        documents = self._make_all_safe(each.hit.candidate.document for each in shown)
        hits = []
        for each, document in zip(shown, documents, strict=True):
            if document is None:
                continue
            why = _explain(each, prepared, found)
            if request.explain:
                why["explain"] = explain_hit(each.hit, prepared.question, fit)
            hit = self._make_hit(document, prepared.query.terms, each.score, each.relevance, why)
            hit.cosine = each.hit.candidate.cosine
            hits.append(hit)
        done = f"{mode}+words" if is_misread else mode
        return SearchResult(done, hits, total=prepared.question.total, has_weak=has_weak)

    def add_turns(self, result: SearchResult, sessions: Source, query: str) -> None:
        """Add turns of sessions to the hits, behind other hits of the same label.

        A fact or note states a conclusion; a turn shows where it was said. Without other stores,
        turns keep the order of their rank: of 20 queries about ten logs, 11 then have their turn
        first; sorted by label, 9 have.
        """
        request = self._request
        is_mixed = bool(result.hits)
        turns = rank_turns(sessions, query, today=self._context.today, zone=self._context.zone)
        if request.entity:
            turns = [each for each in turns if _mentions(each.document, request.entity)]
        result.has_weak |= any(each.relevance < self._pull for each in turns)
        if is_mixed:  # output further down contains the words by accident: it displaces no fact
            turns = keep_moments(turns, request.limit)
        least = self._find_least_shown(hit.relevance for hit in result.hits)
        turns = keep_moments((each for each in turns if each.relevance >= least), request.limit)
        documents = self._make_all_safe(each.document for each in turns)
        for each, document in zip(turns, documents, strict=True):
            if document is None:
                continue
            why = each.why | ({"explain": each.explain()} if request.explain else {})
            hit = self._make_hit(document, each.terms, each.score, each.relevance, why)
            result.hits.append(hit)
        if is_mixed:
            result.hits.sort(key=lambda hit: LABELS.index(hit.label))
        del result.hits[request.limit :]

    def _collect(self, prepared: PreparedQuery, vector: np.ndarray | None) -> tuple[Found, str]:
        """Return what is found, and the mode that was possible."""
        mode = self._mode if vector is not None else "sparse"
        limit = max(OFFERED, 2 * self._request.limit)
        try:
            return self._collector.collect(prepared, vector, mode=mode, limit=limit), mode
        except CrewmemError as error:
            if vector is None:
                raise
            if isinstance(error, DamagedError):
                self._collector.discard_vectors(error)
            _warn_degraded(self._context, error.message, error.hint)
            return self._collector.collect(prepared, None, mode="sparse", limit=limit), "sparse"

    def _judge(self, prepared: PreparedQuery, found: Found, fit: float, mode: str) -> list[Judged]:
        """Rank the *found* texts, estimate their relevance, and leave out older versions."""
        question, model = prepared.question, self._embedder.model if self._embedder else ""
        matched = found.lists["words"]
        least = 1 if self._request.include_all else MIN_CONTENT
        shown = {each for each in found.offered if has_content(found.candidates[each], least)}
        if shown.isdisjoint(matched):  # headings are better than nothing
            shown.update(matched)
        offered = [each for each in found.offered if each in shown]
        features = compute_features(question, found.candidates, offered)
        ranked = rank(found.candidates, features, has_words=any(question.weights), fit=fit)
        judged = [
            Judged(each, each.score, compute_relevance(each, question, fit, model))
            for each in ranked
        ]
        if mode != "sparse":
            self._compare_words(prepared, judged, fit)
        if mode == "dense":
            for each in judged:
                cosine = each.hit.candidate.cosine or 0.0
                each.score = cosine * each.hit.candidate.document.importance
            judged = [each for each in judged if each.hit.candidate.cosine is not None]
        elif self._request.fusion == "rrf":
            fused = fuse_ranks([*found.lists.values()])
            for each in judged:
                each.score = fused.get(each.hit.candidate.id, 0.0)
        if mode == "dense" or self._request.fusion == "rrf":
            judged.sort(key=lambda each: (-each.score, each.hit.candidate.id))
        return keep_latest(
            judged,
            question,
            collector=self._collector,
            threshold=self._pull,
            is_clean=self._is_clean,
            include_older=self._request.include_all,
        )

    def _compare_words(self, prepared: PreparedQuery, judged: Sequence[Judged], fit: float) -> None:
        """Judge the best statements again by their words, if the embedder can compare words."""
        embedder, deadline = self._embedder, self._request.deadline
        if not isinstance(embedder, WordEmbedder) or not weighs_words(embedder.model):
            return
        if deadline is not None and perf_counter() > deadline:
            return
        compared = [
            each
            for each in judged[:COMPARED]
            if each.hit.candidate.cosine is not None
            and each.relevance >= WORTH * self._least
            and is_statement(each.hit)
        ]
        if not compared:
            return
        texts = [each.hit.candidate.document.text for each in compared]
        try:
            question, *others = embedder.embed_words([prepared.rest, *texts])
        except CrewmemError as error:
            message = f"words were not compared by meaning: {error.message}"
            self._context.warn("vector-degraded", message, error.hint)
            return
        for each, words in zip(compared, others, strict=True):
            each.hit.candidate.weakest = compare_words(question, words)
            each.relevance = compute_relevance(each.hit, prepared.question, fit, embedder.model)

    def _find_least_shown(
        self, relevances: Iterable[float], *, asks_everything: bool = False
    ) -> float:
        """Return the minimum relevance of a hit shown beside hits of these *relevances*.

        Who asks for all that is known of a thing gets what is less relevant than the best, too.
        """
        if self._request.include_all:
            return 0.0
        if asks_everything:
            return self._least
        share = self._request.cutoff * max(relevances, default=0.0)
        return max(self._least, min(share, self._push))

    def _label(self, relevance: float) -> str:
        return label_relevance(relevance, self._pull, self._push)

    def _make_all_safe(self, documents: Iterable[Document]) -> Sequence[Document | None]:
        """Return *documents* safe to show; None for a forbidden one."""
        return self._make_safe([*documents], self._request.use == "push")

    def _is_clean(self, document: Document) -> bool:
        """Return whether a text is shown without removing anything."""
        [safe] = self._make_all_safe([document])
        return safe is not None and REMOVED not in safe.text

    def _make_hit(
        self,
        document: Document,
        terms: Sequence[Term],
        score: float,
        relevance: float,
        why: dict[str, Any],
    ) -> Hit:
        return Hit.of(
            document,
            snippet=_make_snippet(document, terms),
            score=score,
            why=why,
            relevance=relevance,
            label=self._label(relevance),
        )


def _order_by_engram(judged: Sequence[Judged]) -> list[Judged]:
    """Order the facts of *judged* by Engram's composite; other texts keep their places."""
    composites = {each.hit.candidate.id: score_by_engram(each.hit) for each in judged}
    facts = [each for each in judged if composites[each.hit.candidate.id] is not None]
    for each in facts:
        each.score = composites[each.hit.candidate.id] or 0.0
    ordered = iter(sorted(facts, key=lambda each: (-each.score, each.hit.candidate.id)))
    return [next(ordered) if each in facts else each for each in judged]


def _make_snippet(document: Document, terms: Sequence[Term]) -> str:
    """Return the snippet of a document; a title before the text of a fact is shown beside it."""
    text = document.text
    if document.store == "facts":
        text = text.removeprefix(f"{document.title}\n")
    return make_snippet(text, terms)


def _explain(judged: Judged, prepared: PreparedQuery, found: Found) -> dict[str, Any]:
    """Explain why a text was found."""
    candidate = judged.hit.candidate
    counted = zip(prepared.query.terms, candidate.counts, strict=False)
    why: dict[str, Any] = {
        "ranks": {
            name: ids.index(candidate.id) + 1
            for name, ids in found.lists.items()
            if candidate.id in ids
        },
        "terms": list(dict.fromkeys(term.text for term, count in counted if count)),
    }
    if judged.replaces:
        why["replaces"] = judged.replaces
    if prepared.query.corrections:
        why["corrections"] = dict(prepared.query.corrections)
    return why


def has_content(candidate: Candidate, least: int) -> bool:
    """Return whether a passage of a file has *least* words besides headings and template lines."""
    document = candidate.document
    if document.store != "memory":
        return True
    said = 0
    for line in document.text.splitlines():
        bare = line.strip()
        if not bare or bare[0] == "#" or set(bare) <= set("-=*_|: ") or bare in TEMPLATE_LINES:
            continue
        if bare.endswith(":") and len(bare.split()) <= MAX_LABEL_WORDS:
            continue
        said += sum(word[:1].isalnum() or word[1:2].isalnum() for word in bare.split(maxsplit=8))
        if said >= least or not bare.isascii():
            return True
    return False


def _mentions(document: Document, name: str) -> bool:
    return mentions(f"{document.title}\n{document.text}", document.labels, name)
