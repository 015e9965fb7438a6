"""The command `crewmem search`, and functions that all search commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, answer_type, pass_app
from crewmem.cli.output import Part, Passage
from crewmem.errors import UsageError
from crewmem.search.hit import FoundHit
from crewmem.text.wording import unmark
from crewmem.times import format_age

if TYPE_CHECKING:  # imported when a search runs
    from crewmem.search.search import Hit, SearchResult
    from crewmem.sessions.search import SessionSearch

MARKS = {"sure": "", "unsure": "? ", "weak": "~ "}
"""Prefix of a hit, by label."""


class SearchAnswer(NamedTuple):
    """The answer to a search.

    Attributes:
        mode: The mode really used: ``hybrid``, ``dense`` or ``sparse``.
    """

    mode: str
    hits: list[FoundHit]


def find(
    app: App,
    query: str,
    *,
    stores: Sequence[str] = (),
    **values: Any,
) -> SearchResult:
    """Search for *query*; without a query list the newest texts that pass the filters.

    Args:
        stores: Stores to search; all if empty.
        values: The options: filters, and other arguments of `Search.find`.

    Raises:
        UsageError: If there are neither a query nor filters.
    """
    filters, finding = options.split_filters(values)
    if query or values.get("entity"):
        result = app.home.search(query, stores=stores, filters=filters, **finding)
    elif filters or finding.get("since") or finding.get("until"):
        result = app.home.searcher.list_newest(stores=stores, filters=filters, **finding)
    else:
        raise UsageError("there is nothing to search for", code="empty-query")
    if not stores or "memory" in stores:
        app.home.memory_index.warn_of_skipped()
    for hit in result.hits:
        if rules := hit.extra.get("suspicious"):
            hit.snippet = f"[suspicious: {rules[0]}] {hit.snippet}"
    return result


def show_result(
    app: App,
    query: str,
    result: SearchResult | SessionSearch,
    human: Callable[[], Sequence[Part]],
    *,
    data: Any,
    limit: int,
    exit_code: bool,
) -> None:
    """Print the hits and log the search.

    Args:
        human: Returns the lines for people.
        data: The record for JSON; ``jsonl`` prints its hits.
        exit_code: Whether to end with status 1 if nothing relevant was found.
    """
    app.show(data, human, rows=data.hits)
    sys.stdout.flush()
    app.home.log_search(query, result, limit=limit)
    if exit_code and not result.has_relevant:
        app.exit(1)


def format_hit_lines(hit: Hit, now: datetime) -> list[Part]:
    """Format a hit for people: its reference, age, title and snippet."""
    plain = unmark(hit.snippet)
    is_told = plain.startswith(hit.title.removesuffix("…"))  # a title may be its beginning
    title = "" if is_told else hit.title
    if hit.store == "memory":  # the reference has the name of the file
        name = hit.ref.rpartition(":")[0].replace(":", "/").rpartition("/")[2]
        title = title.removeprefix(name).removeprefix(" > ")
    return [format_heading(hit, now, title), Passage(hit.snippet)]


def format_heading(hit: Hit, now: datetime, title: str) -> str:
    """Format the line above a snippet: reference, age and title."""
    age = format_age(hit.at, now) if hit.at else ""
    return MARKS[hit.label] + "  ".join(filter(None, [hit.ref, age, title]))


def format_result(
    result: SearchResult, format_hit: Callable[[Hit], list[Part]], *, explain: bool
) -> list[Part]:
    """Format the hits for people, with a legend of their marks."""
    if not result.hits:
        return [format_nothing(has_weak=result.has_weak)]
    lines: list[Part] = []
    for hit in result.hits:
        lines += format_hit(hit)
        if explain:
            lines += format_score(hit)
    return [*lines, *format_legend(result.hits)]


def format_nothing(*, has_weak: bool) -> str:
    """Say that nothing was found, or only weak hits, which are left out."""
    return "Nothing relevant was found." + (" --all shows weak matches." if has_weak else "")


def format_score(hit: FoundHit) -> list[str]:
    """Explain the relevance and the score of a hit."""
    from crewmem.search.explain import format_explanation  # only for --explain

    lines = [f"relevance {hit.relevance:.2f} ({hit.label}), score {hit.score:.3f}"]
    return [f"    {line}" for line in lines + format_explanation(hit.why)]


def format_legend(hits: Sequence[FoundHit]) -> list[str]:
    """Explain the marks of *hits*; return no line if there are none."""
    labels = {hit.label for hit in hits}
    legend = [f"{mark}{label}" for label, mark in MARKS.items() if mark and label in labels]
    return [f"({', '.join(legend)})"] if legend else []


@click.command(cls=Command, answer=answer_type("cli.search:SearchAnswer", "cli.report:WrittenPage"))
@click.argument("query", nargs=-1)
@options.names(
    "--in",
    "stores",
    help="Only these stores: memory, facts, journal, sessions; separated by commas.",
)
@options.scope("agent", "crew", "workspace", "all")
@options.agent
@options.crew
@options.kinds
@options.tag
@options.period
@options.as_of
@options.include_restricted
@options.entity
@click.option("--project", type=options.PATH, metavar="DIR", help="Only this project.")
@options.session
@click.option("--deep", is_flag=True, help="Include archived facts.")
@options.path
@options.html("crewmem-search.html")
@options.score
@options.search_options(10, maximum=50)
@pass_app
def search(
    app: App,
    query: tuple[str, ...],
    stores: tuple[str, ...],
    html: str | None,
    exit_code: bool,
    **values: Any,
) -> None:
    """Search everything you may see: memory files, facts, journal and sessions.

    Any word matches; more and rarer words rank higher. "Quoted phrases", prefix*, AND, OR and NOT
    work. A time, such as "yesterday" or "3 May 2026", finds texts of that time. Hits marked ? are
    unsure; --all also prints weak ones, marked ~. With filters alone, such as --tag, the newest
    texts are listed.
    """
    text = app.read_query(query)
    result = find(app, text, stores=stores, **values)
    if html is None:
        show_result(
            app,
            text,
            result,
            lambda: format_result(
                result, lambda hit: format_hit_lines(hit, app.now), explain=values["explain"]
            ),
            data=SearchAnswer(result.mode, [FoundHit.from_hit(hit) for hit in result.hits]),
            limit=values["limit"],
            exit_code=exit_code,
        )
        return
    from crewmem.cli.report import write_page  # only for --html
    from crewmem.report.result import make_result_page

    write_page(app, lambda home: make_result_page(home, text or values["entity"], result), html)
    if exit_code and not result.has_relevant:
        app.exit(1)
