"""The command `crewmem memory search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.output import Part, Passage
from crewmem.cli.search import MARKS, find, format_heading, format_result, show_result
from crewmem.files.tiers import find_tier
from crewmem.search.hit import FoundHit

if TYPE_CHECKING:
    from crewmem.search.search import Hit


@dataclass(slots=True)
class FileHit(FoundHit):
    """A chunk of a memory file that matches.

    Attributes:
        file: Reference of the file.
        first_line: Counted from 1, like *last_line*, which is included.
        heading: Path of headings above the chunk.
    """

    file: str = ""
    first_line: int = 0
    last_line: int = 0
    heading: str = ""


class FileSearchAnswer(NamedTuple):
    """The answer to a search of memory files.

    Attributes:
        mode: The mode really used: ``hybrid``, ``dense`` or ``sparse``.
    """

    mode: str
    hits: list[FileHit]


@click.command("search", cls=Command, answer=FileSearchAnswer)
@click.argument("query", nargs=-1)
@options.scope("agent", "crew", "workspace", "all")
@options.crew
@options.agent
@options.tiers
@options.tag
@options.period
@click.option("--no-refresh", is_flag=True, help="Do not check for changed files first.")
@options.path
@options.search_options(10, maximum=50)
@pass_app
def search(
    app: App,
    query: tuple[str, ...],
    tiers: tuple[str, ...],
    no_refresh: bool,
    exit_code: bool,
    **values: Any,
) -> None:
    """Search memory files.

    Any word matches; more and rarer words rank higher. "Quoted phrases", prefix*, AND, OR and NOT
    work. In a pipe each hit is FILE:LINE: snippet.
    """
    if no_refresh:
        app.home.memory_index.use_stale()
    for tier in tiers:
        find_tier(tier)
    text = app.read_query(query)
    result = find(app, text, stores=["memory"], kinds=tiers, **values)
    names = ("file", "first_line", "last_line", "heading")
    hits = [
        FileHit.from_hit(hit, **{name: hit.extra.get(name, "") for name in names})
        for hit in result.hits
    ]

    def format_hit(hit: Hit) -> list[Part]:
        if app.output.is_terminal:
            heading = format_heading(hit, app.now, hit.extra["heading"])
            return [heading, Passage(hit.snippet)]
        return _format_line(hit)

    show_result(
        app,
        text,
        result,
        lambda: format_result(result, format_hit, explain=values["explain"]),
        data=FileSearchAnswer(result.mode, hits),
        limit=values["limit"],
        exit_code=exit_code,
    )


def _format_line(hit: Hit) -> list[Part]:
    """Format a hit as editors expect it: path, line, text."""
    snippet = " ".join(hit.snippet.split())
    return [f"{hit.extra['file']}:{hit.extra['first_line']}: {MARKS[hit.label]}{snippet}"]
