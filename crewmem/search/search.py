"""Search over all stores: one query, one ranking, one estimate of relevance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.documents import Document
from crewmem.errors import CrewmemError, DamagedError, UsageError
from crewmem.search.candidates import OFFERED, Collector, Found, Read, VectorIndex
from crewmem.search.explain import explain_hit
from crewmem.search.features import Candidate, compute_features
from crewmem.search.hit import FoundHit
from crewmem.search.merge import Judged, keep_latest
from crewmem.search.names import mentions
from crewmem.search.query import Term
from crewmem.search.ranker import fuse_ranks, rank
from crewmem.search.relevance import RELATIVE_CUTOFF, compute_relevance, label_relevance
from crewmem.search.snippet import make_snippet
from crewmem.search.sources import Source
from crewmem.search.turns import rank_turns
from crewmem.text.tokens import is_unspaced, words
from crewmem.times import format_time

if TYPE_CHECKING:
    import numpy as np

    from crewmem.protocols import Embedder, SearchStore

STORES = ("memory", "facts", "journal", "sessions")
"""The stores in the order in which equal hits stand, as `--in` names them."""

LABELS = ("sure", "unsure", "weak")
"""In the order in which hits stand."""

REPAIRABLE = ("memory", "sessions")
"""Stores with an index of their own, which is derived."""

MODES = ("hybrid", "dense", "sparse")

DEFAULT_LIMIT, MAX_LIMIT = 10, 50

GOOD_FIT, BAD_FIT, LEAST_FIT = 2.0, 4.0, 0.1
"""Tokens a word of the model's tokenizer up to which it knows a language, from which it does not,
and the weight of its cosine then."""

CHARACTERS_A_WORD = 4
"""Characters of Chinese, Japanese, Korean or Thai that are taken for a word by `language_fit`."""

MIN_CONTENT = 2
"""Words that a passage needs besides headings and templates to be a hit."""


@dataclass(slots=True)
class Hit(FoundHit):
    """A search result of `Search`.

    Attributes:
        extra: Further fields of its store.
        text: The whole text, with attacks replaced.
        key: Row in the store's full text.
        cosine: Of query and text; None without vectors.
    """

    extra: Mapping[str, Any]
    text: str = ""
    key: int = 0
    cosine: float | None = None


@dataclass(slots=True)
class SearchResult:
    """The answer to a query.

    Attributes:
        mode: ``hybrid``, ``dense`` or ``sparse`` as it was really done, with ``+words`` when
            operators were run as plain words.
        hits: Best first.
        total: Texts that were searched.
        has_weak: Whether weak hits were left out.
        embedding_ms: Time that embedding the query took.
        search_ms: Time of everything.
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


class Options(NamedTuple):
    """How to search; the arguments of `Search.find`."""

    limit: int = DEFAULT_LIMIT
    mode: str = "hybrid"
    fusion: str = "score"
    use: str = "pull"
    min_relevance: float | None = None
    include_all: bool = False
    explain: bool = False
    entity: str = ""
    deadline: float | None = None
    cutoff: float = RELATIVE_CUTOFF


class Search:
    """Searches the stores of a home.

    Args:
        stores: By name, a function that opens the store.
        open_vectors: Returns the index of vectors, None when there is none.
        open_embedder: Returns the embedder, None when words alone are searched.
        make_safe: Returns documents as they may be shown: attacks replaced, secrets redacted; its
            second argument tells whether nobody asked (push).
    """

    def __init__(
        self,
        context: Context,
        stores: Mapping[str, Callable[[], SearchStore]],
        open_vectors: Callable[[], VectorIndex | None] = lambda: None,
        open_embedder: Callable[[], Embedder | None] = lambda: None,
        make_safe: Callable[[Sequence[Document], bool], Sequence[Document]] | None = None,
        find_mentions: Callable[[str], Mapping[str, Collection[int]]] | None = None,
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
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        filters: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> SearchResult:
        """Return what answers *query*, best first.

        Args:
            query: As typed; nothing is a syntax error.
            stores: Names out of `STORES`; all by default.
            since, until: Only texts of that time.
            as_of: As it was held then.
            filters: Of the stores: scope, agent, crew, kinds, tags, project, session, deep …
            options: See `Options`.

        Raises:
            UsageError: If a store or mode is unknown.
            DamagedError: If no store answered.
        """
        return self.find_many(
            [query],
            stores=stores,
            since=since,
            until=until,
            as_of=as_of,
            filters=filters,
            **options,
        )[0]

    def find_many(
        self,
        queries: Sequence[str],
        *,
        stores: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        filters: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> list[SearchResult]:
        """Return the answer to each of *queries*; they are embedded together. See `find`.

        A damaged index is made again, and then answers.
        """
        arguments: dict[str, Any] = {
            "stores": stores, "since": since, "until": until, "as_of": as_of, "filters": filters,
        }  # fmt: skip
        wanted = Options(**options)
        try:
            return self._find_many(queries, wanted, **arguments)
        except DamagedError as error:
            if not self._start_anew(error):
                raise
        return self._find_many(queries, wanted, **arguments)

    def _start_anew(self, error: DamagedError) -> bool:
        """Let each store discard its index where *error* is about it; tell whether one did."""
        repairable = [self.stores[name]() for name in REPAIRABLE if name in self.stores]
        return any(store.start_anew(error) for store in repairable)

    def _find_many(
        self,
        queries: Sequence[str],
        wanted: Options,
        *,
        stores: Sequence[str],
        since: datetime | None,
        until: datetime | None,
        as_of: datetime | None,
        filters: Mapping[str, Any] | None,
    ) -> list[SearchResult]:
        if wanted.mode not in MODES:
            raise UsageError(
                f"there is no mode '{wanted.mode}'; it is one of {', '.join(MODES)}",
                code="unknown-mode",
            )
        bound = dict(filters or {})
        if since:
            bound["since"] = format_time(since)
        if until:
            bound["until"] = format_time(until)
        if as_of:
            bound["as_of"] = format_time(as_of)
        sources = self._open_sources(stores, bound)
        if wanted.entity:
            self._narrow(sources, wanted.entity)
        sessions = next((each for each in sources if each.name == "sessions"), None)
        sources = [each for each in sources if each is not sessions]
        mode = "sparse" if as_of or not sources else wanted.mode  # text as of then has no vectors
        embedder = self._open_embedder(mode)
        vectors = self._open_vectors(embedder, sources)
        collector = self._make_collector(sources, vectors)
        reads = [self._read(collector, query, wanted) for query in queries]
        started = self.context.stopwatch()
        embedded = self._embed(embedder, [read.rest for read in reads], wanted.deadline)
        embedding_ms = (self.context.stopwatch() - started) * 1000.0 / max(len(queries), 1)
        if embedded is None:
            embedder = None
        results = []
        for at, read in enumerate(reads):
            started = self.context.stopwatch()
            vector = embedded[at] if embedded is not None and read.rest.strip() else None
            result = self._answer(collector, read, vector, embedder, mode, wanted)
            if sessions is not None and mode != "dense":
                self._add_turns(result, sessions, queries[at], wanted)
            result.embedding_ms = embedding_ms
            result.search_ms = (self.context.stopwatch() - started) * 1000.0
            results.append(result)
        return results

    def thresholds(self, options: Options) -> tuple[float, float]:
        """Return the pull and the push threshold; *options* may replace the one in use."""
        pull = float(self.context.settings["recall.min_relevance"])
        push = float(self.context.settings["hooks.min_relevance"])
        if options.min_relevance is not None:
            if options.use == "push":
                return min(pull, options.min_relevance), options.min_relevance
            return options.min_relevance, max(push, options.min_relevance)
        return pull, max(pull, push)

    # Opening

    def _open_sources(self, names: Sequence[str], filters: Mapping[str, Any]) -> list[Source]:
        """Open the stores; one that cannot be opened is a warning while others answer."""
        unknown = [name for name in names if name not in STORES]
        if unknown:
            raise UsageError(
                f"there is no store '{unknown[0]}'; stores are {', '.join(STORES)}",
                code="unknown-store",
            )
        wanted = [name for name in STORES if name in (names or self.stores) and name in self.stores]
        if filters.get("as_of") and "memory" in wanted and len(wanted) > 1:
            wanted.remove("memory")
            self.context.warn(
                "files-left-out", "memory files are left out: there is no text of them as of then"
            )
        sources: list[Source] = []
        errors: list[CrewmemError] = []
        for name in wanted:
            try:
                store = self.stores[name]()
                source = Source(
                    name,
                    store,
                    collection=(self.context.workspace, name),
                    filters=dict(filters),
                )
                try:
                    source.count()
                except DamagedError as error:
                    if not (name in REPAIRABLE and self._start_anew(error)):
                        raise
                    source.count()
            except CrewmemError as error:
                errors.append(error)
                self.context.warn(
                    "store-failed", f"{name} was not searched: {error.message}", error.hint
                )
            else:
                sources.append(source)
        if errors and not sources:
            raise errors[0]
        return sources

    def _narrow(self, sources: Sequence[Source], entity: str) -> None:
        """Let *sources* find only rows that mention a name, where the table of names is complete.

        Elsewhere what was found by words is looked through for the name.
        """
        mentioned = self.find_mentions(entity) if self.find_mentions else {}
        for source in sources:
            if source.name in mentioned:
                rows = source.keys_of_vectors(mentioned[source.name])
                declared = source.keys_of_entity(entity)
                source.among = frozenset(chain(declared, *rows.values()))

    def _open_embedder(self, mode: str) -> Embedder | None:
        if mode == "sparse":
            return None
        try:
            embedder = self.open_embedder()
        except CrewmemError as error:
            self._warn_degraded(error.message, error.hint)
            return None
        is_told = any(notice.code == "sparse-only" for notice in self.context.warnings)
        if embedder is None and not is_told and self.context.settings["embedder"] != "none":
            self.context.warn(
                "sparse-only",
                "searched by words only: there is no embedder",
                self.context.command("embedder install"),
            )
        return embedder

    def _open_vectors(
        self, embedder: Embedder | None, sources: Sequence[Source]
    ) -> VectorIndex | None:
        """Open the vectors; sources whose vectors are of another model are searched by words."""
        vectors = self.open_vectors() if embedder else None
        if vectors is None or embedder is None:
            return None
        others: set[str] = set()
        for source in sources:
            stored = vectors.find(source.collection)
            if (
                stored
                and stored.dim
                and (stored.model, stored.dim) != (embedder.model, embedder.dim)
            ):
                others.add(stored.model)
                source.collection = None
        if others:
            self._warn_degraded(
                f"vectors are of {', '.join(sorted(others))}, the embedder is {embedder.model}",
                self.context.command("embedder reembed"),
            )
        return vectors

    def _make_collector(self, sources: Sequence[Source], vectors: VectorIndex | None) -> Collector:
        actor = self.context.access.actor
        return Collector(
            sources,
            vectors,
            asker="" if actor.is_operator else actor.name,
            today=self.context.now.astimezone(self.context.zone).date(),
        )

    def _read(self, collector: Collector, query: str, options: Options) -> Read:
        text = query if query.strip() or not options.entity else options.entity
        return collector.read(text)

    def _embed(
        self, embedder: Embedder | None, texts: Sequence[str], deadline: float | None
    ) -> np.ndarray | None:
        """Embed *texts* in one go; None when there is no embedder, it fails or takes too long.

        Args:
            deadline: Moment of `time.perf_counter` after which words answer.
        """
        if embedder is None or not any(text.strip() for text in texts):
            return None
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
        if failure:
            self._warn_degraded(failure[0].message, failure[0].hint)
        elif not answer:
            self._warn_degraded("the embedder took too long")
        return answer[0] if answer else None

    def _warn_degraded(self, reason: str, hint: str = "") -> None:
        self.context.warn("vector-degraded", f"searched by words only: {reason}", hint)

    # Answering

    def _answer(
        self,
        collector: Collector,
        read: Read,
        vector: np.ndarray | None,
        embedder: Embedder | None,
        mode: str,
        options: Options,
    ) -> SearchResult:
        done = mode if vector is not None else "sparse"
        if read.query.misread:
            done += "+words"
        offered = max(OFFERED, 2 * options.limit)
        found = self._collect(collector, read, vector, mode, offered)
        if not found.offered and read.query.has_operators:
            read = collector.read(read.query.text, plain=True)
            found = self._collect(collector, read, vector, mode, offered)
            done += "+words"
        if options.entity:
            found = _only_entity(found, options.entity)
        fit = language_fit(embedder, read.rest) if vector is not None else 1.0
        model = embedder.model if embedder else ""
        judged = self._judge(collector, read, found, mode, options, fit, model)
        pull, push = self.thresholds(options)
        least = push if options.use == "push" else pull
        has_weak = any(each.relevance < pull for each in judged)
        if not options.include_all:
            best = max((each.relevance for each in judged), default=0.0)
            least = max(least, options.cutoff * best)
            judged = [each for each in judged if each.relevance >= least]
        if mode != "dense" and options.fusion == "score":
            judged.sort(key=lambda each: LABELS.index(label_relevance(each.relevance, pull, push)))
        shown = judged[: options.limit]
        documents = self._make_safe([each.hit.candidate.document for each in shown], options)
        hits = [
            self._make_hit(
                document,
                read.query.terms,
                score=each.score,
                relevance=each.relevance,
                why=_explain(each, read, found, fit, judged, options),
                options=options,
                cosine=each.hit.candidate.cosine,
            )
            for each, document in zip(shown, documents, strict=True)
        ]
        return SearchResult(done, hits, total=read.question.total, has_weak=has_weak)

    def _add_turns(
        self, result: SearchResult, sessions: Source, query: str, options: Options
    ) -> None:
        """Add turns of sessions to the hits; those of the same label stand behind the others.

        A fact or note says what was concluded, a turn where it was said.
        """
        pull, push = self.thresholds(options)
        least = push if options.use == "push" else pull
        turns = rank_turns(sessions, query, limit=options.limit, least=0.0)
        if options.entity:
            turns = [each for each in turns if _mentions(each.document, options.entity)]
        result.has_weak = result.has_weak or any(each.relevance < pull for each in turns)
        if not options.include_all:
            best = max((hit.relevance for hit in result.hits), default=0.0)
            least = max(least, options.cutoff * best)
            turns = [each for each in turns if each.relevance >= least]
        documents = self._make_safe([each.document for each in turns], options)
        result.hits += [
            self._make_hit(
                document,
                each.terms,
                score=each.score,
                relevance=each.relevance,
                why=each.why | ({"explain": each.explain()} if options.explain else {}),
                options=options,
            )
            for each, document in zip(turns, documents, strict=True)
        ]
        result.hits.sort(key=lambda hit: LABELS.index(hit.label))
        del result.hits[options.limit :]

    def _collect(
        self, collector: Collector, read: Read, vector: np.ndarray | None, mode: str, limit: int
    ) -> Found:
        try:
            return collector.collect(read, vector, mode=mode, limit=limit)
        except CrewmemError as error:
            if vector is None:
                raise
            self._warn_degraded(error.message, error.hint)
            return collector.collect(read, None, limit=limit)

    def _judge(
        self,
        collector: Collector,
        read: Read,
        found: Found,
        mode: str,
        options: Options,
        fit: float,
        model: str,
    ) -> list[Judged]:
        """Rank what was *found*, estimate its relevance, and leave out older versions."""
        offered = [each for each in found.offered if has_content(found.candidates[each])]
        features = compute_features(read.question, found.candidates, offered)
        ranked = rank(
            found.candidates,
            features,
            has_words=any(read.question.weights),
            fit=fit,
        )
        best = ranked[0].score if ranked else 0.0
        judged = [
            Judged(each, each.score, compute_relevance(each, read.question, best, fit, model))
            for each in ranked
        ]
        if mode == "dense":
            for each in judged:
                cosine = each.hit.candidate.cosine or 0.0
                each.score = cosine * each.hit.candidate.document.importance
            judged = [each for each in judged if each.hit.candidate.cosine is not None]
            judged.sort(key=lambda each: (-each.score, each.hit.candidate.id))
        elif options.fusion == "rrf":
            fused = fuse_ranks([*found.lists.values()])
            for each in judged:
                each.score = fused.get(each.hit.candidate.id, 0.0)
            judged.sort(key=lambda each: (-each.score, each.hit.candidate.id))
        return keep_latest(
            judged,
            read.question,
            threshold=self.thresholds(options)[0],
            content=collector.content,
            cosine=collector.compare,
        )

    def _make_safe(self, documents: Sequence[Document], options: Options) -> Sequence[Document]:
        """Return *documents* as they may be shown."""
        return self.make_safe(documents, options.use == "push") if self.make_safe else documents

    def _make_hit(
        self,
        document: Document,
        terms: Sequence[Term],
        *,
        score: float,
        relevance: float,
        why: dict[str, Any],
        options: Options,
        cosine: float | None = None,
    ) -> Hit:
        return Hit(
            ref=document.ref,
            store=document.store,
            scope=document.scope,
            owner=document.owner,
            title=document.title,
            snippet=make_snippet(document.text, terms),
            score=score,
            at=document.at,
            why=why,
            relevance=relevance,
            label=label_relevance(relevance, *self.thresholds(options)),
            origin=document.origin,
            kind=document.kind,
            extra=document.extra,
            text=document.text,
            key=document.key,
            cosine=cosine,
        )


def _explain(
    judged: Judged,
    read: Read,
    found: Found,
    fit: float,
    every: Sequence[Judged],
    options: Options,
) -> dict[str, Any]:
    """Return why a text was found."""
    candidate = judged.hit.candidate
    counted = zip(read.query.terms, candidate.counts, strict=False)
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
    if read.query.corrections:
        why["corrections"] = dict(read.query.corrections)
    if options.explain:
        best = max(each.hit.score for each in every)
        why["explain"] = explain_hit(judged.hit, read.question, best, fit)
    return why


def language_fit(embedder: Embedder | None, text: str) -> float:
    """Return how well *embedder* knows the language of *text*, from 0 to 1.

    A model that cuts a word into many tokens has hardly seen its language: MiniLM makes 1.2 tokens
    of an English word, 2.5 of a German, 5 of an Arabic and 6 of a Russian one.
    """
    typed = [word for word in words(text) if word.isalpha()]
    if embedder is None or not typed:
        return 1.0
    if typed[0].isascii() or not is_unspaced(typed[0]):
        many = embedder.count_tokens(" ".join(typed)) / len(typed)
    else:  # of Chinese a model that knows it makes less than a token a character
        many = embedder.count_tokens(text) / max(len(text), 1) * CHARACTERS_A_WORD
    over = (many - GOOD_FIT) / (BAD_FIT - GOOD_FIT)
    return max(LEAST_FIT, min(1.0, 1.0 - over * (1.0 - LEAST_FIT)))


def has_content(candidate: Candidate) -> bool:
    """Tell whether a passage of a file says anything besides headings and template lines."""
    document = candidate.document
    if document.store != "memory":
        return True
    said = 0
    for line in document.text.splitlines():
        bare = line.strip()
        if not bare or bare[0] == "#" or set(bare) <= set("-=*_|: ") or bare in TEMPLATE_LINES:
            continue
        if bare.endswith(":") and len(bare.split()) <= MAX_TEMPLATE_WORDS:
            continue
        said += sum(word[:1].isalnum() or word[1:2].isalnum() for word in bare.split(maxsplit=8))
        if said >= MIN_CONTENT or not bare.isascii():
            return True
    return False


TEMPLATE_LINES = frozenset(
    {"- [ ]", "- [x]", "-", "*", "TODO", "TBD", "n/a", "none", "None", "..."}
)
MAX_TEMPLATE_WORDS = 3


def _only_entity(found: Found, name: str) -> Found:
    offered = [each for each in found.offered if _mentions(found.candidates[each].document, name)]
    return found._replace(offered=offered)


def _mentions(document: Document, name: str) -> bool:
    return mentions(f"{document.title}\n{document.text}", document.labels, name)
