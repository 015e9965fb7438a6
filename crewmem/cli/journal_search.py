"""The command `crewmem journal search`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, answer_type, pass_app
from crewmem.cli.output import Part, Passage
from crewmem.cli.search import MARKS, format_result, show_result
from crewmem.errors import UsageError
from crewmem.search.hit import FoundHit
from crewmem.search.request import Request
from crewmem.search.search import Hit, SearchResult
from crewmem.storage.json_lines import BadLineError, load_record, read_lines
from crewmem.times import format_age

if TYPE_CHECKING:
    from typing import BinaryIO

    from crewmem.context import Context

MAX_REPEATED = 200
"""Maximum characters of a query that the next command repeats."""


@dataclass(slots=True)
class JournalHit(FoundHit):
    """A search result of the journal.

    Attributes:
        cosine: Similarity of query and entry; None without vectors.
        age: Age for people, such as ``12 d ago``.
        walked_from: The hit to which this entry is similar; "" for a hit itself.
    """

    entry_id: str = ""
    cosine: float | None = None
    age: str = ""
    summary: str = ""
    entry_type: str = ""
    agent_id: str | None = None
    payload: dict[str, Any] = field(default_factory=dict)
    walked_from: str = ""


class JournalSearch(NamedTuple):
    """The answer to a search of the journal.

    Attributes:
        mode: The mode really used: ``hybrid``, ``dense`` or ``sparse``.
        total_indexed: Number of episodes searched.
    """

    mode: str
    hits: list[JournalHit]
    query_embedding_ms: float
    search_ms: float
    total_indexed: int


class BatchAnswer(NamedTuple):
    """The answer to one of several queries.

    Attributes:
        query: Id of the query.
    """

    query: str
    hits: list[JournalHit]


@click.command(
    cls=Command,
    answer=answer_type(
        "cli.journal_search:JournalSearch",
        "prompt.recall:RecallBlock",
        "cli.journal_search:BatchAnswer[]",
    ),
)
@click.argument("query", nargs=-1)
@click.option(
    "--queries",
    type=options.PATH,
    metavar="FILE|-",
    help="Many queries: JSON lines with id and text.",
)
@options.search_options(5, maximum=1000)
@options.scope("agent", "crew", "workspace")
@options.agent
@options.crew
@options.names("--type", "kinds", help="Only these types.")
@options.session
@options.period
@options.as_of
@options.choice(
    "--fusion", ["score", "rrf"], default="score", help="How to combine words and meaning."
)
@click.option("--walk", type=options.IntegerRange(0, 1), default=0, help="1 adds similar entries.")
@click.option("--render", is_flag=True, help="Print a context block for a prompt.")
@options.budget
@click.option("--mark", is_flag=True, help="Count these results as used.")
@options.path
@pass_app
def search(
    app: App,
    query: tuple[str, ...],
    queries: str | None,
    exit_code: bool,
    walk: int,
    render: bool,
    budget: str | None,
    mark: bool,
    **values: Any,
) -> None:
    """Search episodes, the entries worth recalling.

    `journal list --query` searches all entries.
    """
    home = app.home
    for name, value in (
        ("QUERY", query),
        ("--render", render),
        ("--walk", walk),
        ("--exit-code", exit_code),
    ):
        options.exclude(("--queries", queries), (name, value))
    options.exclude(("--render", render), ("--walk", walk))
    if budget and not render:
        raise UsageError("--budget needs --render", code="bad-combination")
    if queries:
        with app.open_input(queries) as stream:
            parsed_queries = read_queries(stream, queries, home.context)
    else:
        parsed_queries = [("", app.read_query(query))]
    if not all(text for _, text in parsed_queries):
        raise UsageError("there is nothing to search for", code="empty-query")
    filters, finding = options.split_filters(values)
    texts = [text for _, text in parsed_queries]
    request = Request(stores=("journal",), filters=filters, **finding)
    results = home.searcher.find_many(texts, request)
    if mark:
        home.episodes.add_references({hit.key for result in results for hit in result.hits})
    if queries:
        _show_batch(app, [query_id for query_id, _ in parsed_queries], results)
        return
    (result,) = results
    if render:
        from crewmem.prompt.recall import render_hits  # only for --render

        block = render_hits(home, result.hits, budget, count=not (mark or finding["explain"]))
        app.show(block, [block.context] if block.context else [])
        if exit_code and not result.has_relevant:
            app.exit(1)
        return
    walked = list(walk_hits(app, result)) if walk else []
    all_entries: tuple[str, ...] = ()
    if not result.hits and len(texts[0]) <= MAX_REPEATED:
        all_entries = (app.command("journal list", "--query", texts[0]),)
    hits = [*make_hits(app, result), *walked]
    show_result(
        app,
        texts[0],
        result,
        lambda: [
            *format_result(result, lambda hit: format_hit(app, hit), explain=finding["explain"]),
            *(f"~ {each.ref}  similar to {each.walked_from}: {each.summary}" for each in walked),
            *app.next_step(*all_entries),
        ],
        data=JournalSearch(result.mode, hits, result.embedding_ms, result.search_ms, result.total),
        limit=finding["limit"],
        exit_code=exit_code,
    )


def _show_batch(app: App, query_ids: Sequence[str], results: Sequence[SearchResult]) -> None:
    """Show the answers to several queries."""
    answers = [
        BatchAnswer(query_id, make_hits(app, result))
        for query_id, result in zip(query_ids, results, strict=True)
    ]
    app.show(
        answers,
        lambda: [
            f"{each.query}  {hit.entry_id}  {hit.summary}" for each in answers for hit in each.hits
        ],
    )


def walk_hits(app: App, result: SearchResult) -> Iterator[JournalHit]:
    """Yield entries that are similar to hits and are not hits themselves."""
    store = app.home.episodes
    refs = {hit.key: hit.ref for hit in result.hits}
    near: dict[int, tuple[str, float]] = {}
    for key, other, cosine in store.similar([*refs]):
        if other not in refs and other not in near:
            near[other] = refs[key], cosine
    for document in app.home.make_safe(store.documents([*near])):
        source, cosine = near[document.key]
        hit = Hit.of(
            document,
            snippet=document.text[:240],
            score=0.0,
            why={"similar_to": source, "cosine": cosine},
            relevance=0.0,
            label="weak",
        )
        yield make_hit(app, hit, walked_from=source)


def make_hits(app: App, result: SearchResult) -> list[JournalHit]:
    """Convert search hits to hits of the journal."""
    return [make_hit(app, hit) for hit in result.hits]


def make_hit(app: App, hit: Hit, *, walked_from: str = "") -> JournalHit:
    """Convert a search hit to a hit of the journal."""
    return JournalHit.from_hit(
        hit,
        entry_id=hit.ref,
        cosine=hit.cosine,
        age=format_age(hit.at, app.now),
        entry_type=hit.kind,
        walked_from=walked_from,
        **{name: hit.extra[name] for name in ("summary", "agent_id", "payload")},
    )


def format_hit(app: App, hit: Hit) -> list[Part]:
    """Format a hit for people."""
    owner = f"  {hit.owner}" if hit.owner else ""
    return [
        f"{MARKS[hit.label]}{hit.ref}  {hit.kind}{owner}  {format_age(hit.at, app.now)}",
        Passage(hit.snippet),
    ]


def read_queries(stream: BinaryIO, source: str, context: Context) -> list[tuple[str, str]]:
    """Read queries, (id, text), from JSON lines.

    *source* names the file in warnings. A bad line becomes a warning with its number.

    Raises:
        UsageError: If no line is a query.
    """
    queries, problems = [], []
    for number, line in read_lines(stream):
        try:
            record = load_record(line)
            query_id, text = record.get("id"), record.get("text")
            if not isinstance(query_id, str | int) or not isinstance(text, str) or not text.strip():
                raise BadLineError("id and text are required")
        except BadLineError as error:
            problems.append(f"{source}:{number}: {error}")
            continue
        queries.append((str(query_id), text))
    if problems and not queries:
        raise UsageError(problems[0], code="bad-line")
    for problem in problems:
        context.warn("bad-line", problem)
    return queries
