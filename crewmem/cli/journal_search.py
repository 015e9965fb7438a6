"""What `crewmem journal search` reads and prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crewmem.cli.context import App
from crewmem.cli.search import MARKS, show_result
from crewmem.errors import UsageError
from crewmem.search.hit import FoundHit
from crewmem.storage.json_lines import BadLineError, load_record, read_lines
from crewmem.times import format_age

if TYPE_CHECKING:  # imported when a search runs
    from typing import BinaryIO

    from crewmem.context import Context
    from crewmem.search.search import Hit, SearchResult


@dataclass(slots=True)
class JournalHit(FoundHit):
    """A search result of the journal.

    Attributes:
        cosine: Of query and entry; None without vectors.
        age: Such as ``12 d ago``.
        walked_from: The hit that it is similar to; "" for what was found itself.
    """

    entry_id: str = ""
    cosine: float | None = None
    age: str = ""
    summary: str = ""
    entry_type: str = ""
    agent_id: str | None = None
    payload: dict[str, Any] = field(default_factory=dict)
    walked_from: str = ""


@dataclass(frozen=True, slots=True)
class JournalSearch:
    """The answer to a search of the journal.

    Attributes:
        mode: ``hybrid``, ``dense`` or ``sparse`` as it was really done.
        total_indexed: Episodes that were searched.
    """

    mode: str
    hits: list[JournalHit]
    query_embedding_ms: float
    search_ms: float
    total_indexed: int


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """The answer to one of many queries, by its id."""

    query: str
    hits: list[JournalHit]


def show_hits(
    app: App,
    words: Sequence[str],
    result: SearchResult,
    *,
    limit: int,
    walk: int,
    explain: bool,
) -> None:
    """Print the hits of a search."""
    walked = list(walk_hits(app, result)) if walk else []
    hits = [*make_hits(app, result), *walked]
    data = JournalSearch(result.mode, hits, result.embedding_ms, result.search_ms, result.total)
    show_result(
        app,
        words,
        result,
        limit=limit,
        data=data,
        explain=explain,
        format_hit=lambda hit: format_hit(app, hit),
    )
    if app.output.is_human:
        for near in walked:
            app.output.write(f"~ {near.ref}  similar to {near.walked_from}: {near.summary}\n")


def walk_hits(app: App, result: SearchResult) -> Iterator[JournalHit]:
    """Yield the entries that are similar to hits and no hits themselves."""
    store = app.home.journal
    refs = {hit.key: hit.ref for hit in result.hits}
    near: dict[int, tuple[str, float]] = {}
    for key, other, cosine in store.similar([*refs]):
        if other not in refs and other not in near:
            near[other] = refs[key], cosine
    for document in app.home.guard(store.documents([*near])):
        source, cosine = near[document.key]
        common = FoundHit(
            ref=document.ref, store="journal", scope=document.scope, owner=document.owner,
            title=document.title, snippet=document.text[:240], score=0.0, at=document.at,
            why={"similar_to": source, "cosine": cosine}, relevance=0.0, label="weak",
            origin=document.origin, kind=document.kind,
        )  # fmt: skip
        yield make_hit(app, common, document.extra, walked_from=source)


def make_hits(app: App, result: SearchResult) -> list[JournalHit]:
    """Return hits with the fields of the journal."""
    return [make_hit(app, hit, hit.extra, cosine=hit.cosine) for hit in result.hits]


def make_hit(app: App, hit: FoundHit, extra: Mapping[str, Any], **further: Any) -> JournalHit:
    fields = {name: extra[name] for name in ("summary", "agent_id", "payload")}
    age = format_age(hit.at, app.now)
    return JournalHit.from_hit(
        hit, entry_id=hit.ref, entry_type=hit.kind, age=age, **fields, **further
    )


def format_hit(app: App, hit: Hit) -> list[str]:
    """Return a hit for people."""
    owner = f"  {hit.owner}" if hit.owner else ""
    return [
        f"{MARKS[hit.label]}{hit.ref}  {hit.kind}{owner}  {format_age(hit.at, app.now)}",
        f"    {hit.snippet}",
    ]


def read_queries(stream: BinaryIO, source: str, context: Context) -> list[tuple[str, str]]:
    """Read queries, (id, text), from JSON lines of the file *source*.

    A line that is not a query is a warning with its number.

    Raises:
        UsageError: If no line is a query.
    """
    queries, problems = [], []
    for number, line in read_lines(stream):
        try:
            record = load_record(line or b"")
            query_id, text = record.get("id"), record.get("text")
            if not isinstance(query_id, str | int) or not isinstance(text, str) or not text.strip():
                raise BadLineError("it needs id and text")
        except BadLineError as error:
            problems.append(f"{source}:{number}: {error}")
            continue
        queries.append((str(query_id), text))
    if problems and not queries:
        raise UsageError(problems[0], code="bad-line")
    for problem in problems:
        context.warn("bad-line", problem)
    return queries
