"""Finding passages of memory files, over one directory or many, in one ranking."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime

from crewmem import times
from crewmem.errors import CrewmemError
from crewmem.errors.database import DatabaseDamagedError
from crewmem.files.folders import joined
from crewmem.files.hit import Answer, Hit, Why
from crewmem.files.opening import opened
from crewmem.files.ranking import ranked
from crewmem.files.sections import blanked
from crewmem.files.skipped import LOSSY, skipped, told
from crewmem.files.tiers import prior
from crewmem.files.words_store import Filter
from crewmem.records import NamedTuple
from crewmem.retrieval import query as queries
from crewmem.retrieval.fusion import Ranking, fused
from crewmem.retrieval.gate import nearness, relevance
from crewmem.retrieval.marked import MARK, marked, unmarked
from crewmem.retrieval.matches import matches
from crewmem.retrieval.snippet import line_of, past_heading
from crewmem.retrieval.terms import is_identifier
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.files.dense import Senses
    from crewmem.files.indexed import Access, Passage
    from crewmem.files.opening import Opened
    from crewmem.files.place import Place
    from crewmem.files.ranking import Ranked
    from crewmem.retrieval.matches import Match
    from crewmem.retrieval.query import Query
    from crewmem.retrieval.terms import Term
    from crewmem.scope import Sight

SNIPPET_CHARS = 200
"""Most characters of a snippet, marks not counted: two lines of a terminal."""

VECTORS = 0.6
"""Share of the cosine in a hybrid search, each list scaled to [0, 1] by its own.

Of one piece of text a file (development halves, R@10 and nDCG@10) this gave SciFact
.862 and .740 for .816 and .685 by words, Cranfield .445 and .430 for .395 and .378.
"""

SCOPES = (Scope.AGENT, Scope.CREW, Scope.WORKSPACE)
"""In which order equals are shown."""


class Wanted(NamedTuple):
    """What is asked for.

    Attributes:
        limit: Most hits, over all directories together.
        tiers: Only of these tiers; None for all.
        since: Only of files that were changed then or later.
        until: Only of files that were changed before then.
        senses: What embeds the question; None: words alone are asked.
    """

    text: str
    limit: int
    tiers: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    senses: Senses | None = None


def search(
    places: Sequence[Place], wanted: Wanted, sight: Sight, access: Access
) -> Answer:
    """Return the chunks in *places* that best match, best first.

    Raises:
        NothingReadError: If every one of several places failed; of one alone, its
            own failure.
    """
    try:
        return _search(places, wanted, sight, access)
    except DatabaseDamagedError as error:
        if access.distrust:
            raise
        again = _search(places, wanted, sight, access._replace(distrust=True))
        return again._replace(warnings=[str(error), *again.warnings])


def _search(
    places: Sequence[Place], wanted: Wanted, sight: Sight, access: Access
) -> Answer:
    with ExitStack() as stack:
        sources, warnings = _opened(places, access, stack)
        for source in sources:
            warnings += source.notes
            warnings += _left_out(source, sight)
        if not sources:
            return Answer("words", [], warnings)
        asked = _Asked(sources, wanted, sight)
        hits = asked.hits(asked.ranking())
        warnings = [*asked.notes, *warnings]
        return Answer(asked.mode, hits, warnings, [each.how for each in sources])


def _opened(
    places: Sequence[Place], access: Access, stack: ExitStack
) -> tuple[list[Opened], list[str]]:
    sources: list[Opened] = []
    failures: list[CrewmemError] = []
    for place in places:
        try:
            sources.append(stack.enter_context(opened(place, access)))
        except CrewmemError as error:
            failures.append(error)
    if failures and not sources:
        raise joined(failures)
    return sources, [str(error) for error in failures]


def _left_out(source: Opened, sight: Sight) -> list[str]:
    """Say which files of *source* are not searched."""
    hidden = source.place.hidden_tiers(sight)
    left = [
        each
        for each in skipped(source.memory, source.found, hidden=hidden)
        if each.reason != LOSSY
    ]
    return [f"not searched in {source.place.path}: {told(left)}"] if left else []


class _Asked:
    """One question to several indexes.

    Attributes:
        mode: How it was asked, as in `Answer`.
        notes: What a person should know of that.
    """

    def __init__(self, sources: Sequence[Opened], wanted: Wanted, sight: Sight) -> None:
        self.sources, self.wanted = sources, wanted
        self.mode, self.notes = "words", list[str]()
        self._words = [source.memory.words for source in sources]
        self._filters = [_filter(source, wanted, sight) for source in sources]
        self._tokenize = self._words[0].tokenizer()
        self._terms: tuple[Term, ...] = ()

    def ranking(self) -> list[Ranked]:
        """Ask as it was meant; if that fails or finds nothing, as plain words."""
        if len(self.wanted.text.strip()) > queries.MOST_CHARS:
            self.notes.append(
                f"the query is long; its first {queries.MOST_CHARS:,} characters were "
                "searched for"
            )
        meant, misread = queries.understood(self.wanted.text, self._tokenize)
        if misread:
            self._fall_back(
                f"the query could not be read with its operators: {misread}"
            )
        if meant:
            self.mode = str(meant.mode)
            if found := self._ranked(meant):
                return found
            self._fall_back("nothing matches the query with its operators")
        return self._ranked(queries.plain(self.wanted.text, self._tokenize))

    def _fall_back(self, reason: str) -> None:
        self.mode = "fallback"
        self.notes.append(f"{reason}; its words were searched for")

    def _ranked(self, query: Query) -> list[Ranked]:
        self._terms = query.terms
        return ranked(self._words, self._filters, query)

    def hits(self, ranking: Sequence[Ranked]) -> list[Hit]:
        """Return the best of *ranking* and of what is near, ties in a fixed order."""
        chunks = {(each.source, each.chunk): each for each in ranking}
        words = {key: each.score * each.file for key, each in chunks.items()}
        lists = [Ranking("words", 1.0, words)]
        cosines = self._cosines(ranking)
        if cosines:
            from crewmem.files.dense import filled
            from crewmem.files.ranking import unmatched

            self.mode = "hybrid" if self.mode == "words" else self.mode
            chunks |= {key: unmatched(*key) for key in cosines if key not in chunks}
            lists = [
                Ranking("words", 1 - VECTORS, words),
                Ranking("vectors", VECTORS, filled(words, cosines)),
            ]
        elif not self._terms:
            self.notes.append("the query holds no word that can be searched for")
        passages = self._passages([*chunks.values()])
        found = [(each.score, each.ranks, chunks[each.key]) for each in fused(lists)]
        found.sort(key=lambda item: self._order(item[0], item[2], passages))
        return [
            self._hit(
                score,
                ranks,
                each,
                passages[each],
                cosines.get((each.source, each.chunk)),
            )
            for score, ranks, each in found[: self.wanted.limit]
        ]

    def _cosines(self, ranking: Sequence[Ranked]) -> dict[tuple[int, int], float]:
        """Return how near what is found is to the question; nothing without vectors.

        Who asks with operators means words, and so does who names what is there: what
        is near to an identifier is so by chance.
        """
        senses, text = self.wanted.senses, self.wanted.text
        if senses is None or self.mode == "syntax" or not self._terms:
            return {}
        if ranking and is_identifier(text, self._tokenize):
            return {}
        memories = [source.memory for source in self.sources]
        if not any(memory.has_vectors for memory in memories):
            return {}
        from crewmem.files.dense import Senser

        senser = Senser(text, senses)
        near = [
            senser.near(
                memory,
                self.sources[at].place.path,
                self._filters[at],
                _of(ranking, at),
            )
            if memory.has_vectors
            else {}
            for at, memory in enumerate(memories)
        ]
        self.notes += dict.fromkeys(senser.notes)
        return {
            (at, chunk): cosine
            for at, cosines in enumerate(near)
            for chunk, cosine in cosines.items()
        }

    def _passages(self, ranking: Sequence[Ranked]) -> dict[Ranked, Passage]:
        found: dict[Ranked, Passage] = {}
        for at, index in enumerate(self._words):
            mine = [each for each in ranking if each.source == at]
            passages = index.passages([each.chunk for each in mine])
            found |= {each: passages[each.chunk] for each in mine}
        return found

    def _order(
        self, score: float, each: Ranked, passages: Mapping[Ranked, Passage]
    ) -> tuple[float, int, str, str, int]:
        passage = passages[each]
        place = self.sources[each.source].place
        scope = SCOPES.index(place.scope)
        weighed = score * prior(passage.tier)
        return -weighed, scope, place.owner, passage.file, passage.first

    def _hit(
        self,
        score: float,
        ranks: dict[str, int],
        each: Ranked,
        passage: Passage,
        cosine: float | None,
    ) -> Hit:
        place = self.sources[each.source].place
        lines = f"{passage.first}-{passage.last}"
        changed = datetime.fromtimestamp(passage.mtime_ns / 1e9, UTC)
        factor = prior(passage.tier)
        body, start = _shown(blanked(passage.body))
        found = matches(body, self._terms, self._tokenize)
        text, places, below = _snippet(body, found, start)
        parts = round(each.score, 6), round(each.file, 6), factor
        near = None if cosine is None else nearness(cosine)
        return Hit(
            ref=f"{place.ref(passage.file)}:{lines}",
            store="files",
            scope=place.scope,
            owner=place.owner,
            title=passage.heading.rpartition(" > ")[2] or passage.file,
            snippet=text,
            matches=places,
            score=round(score * factor, 6),
            at=changed,
            why=Why(
                ranks if near is not None else _of_words(ranks),
                [*each.terms],
                *parts,
                None if cosine is None else round(cosine, 6),
                round(each.coverage, 6),
            ),
            relevance=round(relevance(each.coverage, near), 6),
            path=place.path / passage.file,
            file=passage.file,
            first_line=passage.first,
            last_line=passage.last,
            line=passage.first + below,
            heading=" > ".join(filter(None, (passage.file, passage.heading))),
            tier=passage.tier,
            updated_at=changed,
        )


def _of_words(ranks: Mapping[str, int]) -> dict[str, int]:
    """Return the place among the words alone: what has no vector has no other."""
    return {name: rank for name, rank in ranks.items() if name == "words"}


def _of(ranking: Sequence[Ranked], source: int) -> list[int]:
    return [each.chunk for each in ranking if each.source == source]


def _shown(body: str) -> tuple[str, int]:
    """Return the text that a snippet of *body* is taken from, and from where on."""
    if not body.startswith("---\n"):
        return body, past_heading(body)
    from crewmem.files.front_matter import shown

    return shown(body)


def _snippet(
    body: str, found: Sequence[Match], start: int
) -> tuple[str, list[tuple[int, int]], int]:
    """Return a snippet of *body*, where its matches stand, and the line of the first.

    Lines are counted from 0, that of the body's first.
    """
    text, places = marked(body, found, start=start, width=SNIPPET_CHARS)
    if not places:
        return text, places, 0
    before = text[: places[0][0] - len(MARK)]
    return text, places, line_of(body, start, unmarked(text, places), before)


def _filter(source: Opened, wanted: Wanted, sight: Sight) -> Filter:
    return Filter(
        tiers=wanted.tiers,
        hidden=tuple(source.place.hidden_tiers(sight)),
        since_ns=times.nanoseconds(wanted.since) if wanted.since else None,
        until_ns=times.nanoseconds(wanted.until) if wanted.until else None,
    )
