"""``crewmem search``."""

from __future__ import annotations

import time

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.sieve import sieve, sieve_options
from crewmem.cli.typed import words_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from crewmem.cli.output import Line
    from crewmem.cli.sieve import Sieve
    from crewmem.episodes.hit import Hit as Episode
    from crewmem.episodes.hit import Recalled
    from crewmem.files.hit import Answer
    from crewmem.files.hit import Hit as Chunk
    from crewmem.memories.hit import Answer as Held
    from crewmem.memories.hit import Hit as Memory

USUAL, MOST = 10, 100
"""Hits of a search, and at most."""

FILES_MOST = 50
"""Of which files give at most."""


@verb
@words_argument("query", help="What to find; - reads it.")
@option("-l", "--limit", type=int, metavar="N", help="Most hits, 1 to 100.  [10]")
@option("--explain", is_flag=True, help="Say below each hit why it was found.")
@option("--exit-code", is_flag=True, help="End with 1 when nothing is found.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@sieve_options
@place_options
@pass_app
def search_command(
    app: App,
    *,
    query: tuple[str, ...],
    limit: int | None,
    explain: bool,
    exit_code: bool,
    strict: bool,
    chosen: Chosen,
    **given: Any,
) -> None:
    """Find what memory files, the journal and memories hold, in one list.

    What is more likely to answer comes first, whatever store it is in. Of the journal
    it finds what is worth recalling; journal list --query looks at every entry.
    Nothing is held back: episodes recall has the gate. With --path, memory files alone
    are searched; with --kinds, --project or --min-importance memories alone, for
    nothing else has these.
    """
    from crewmem.cli.typed import read_text
    from crewmem.recall.search import search

    text = read_text(app) if query == ("-",) else " ".join(query)
    most = app.clamped("--limit", limit, USUAL, MOST)
    began = time.perf_counter()
    wanted = sieve(app, given)
    files = entries = held = None
    if not wanted.is_of_memories:
        files = _files(app, chosen, text, most, wanted)
        entries = None if chosen.path else _entries(app, chosen, text, most, wanted)
    if not chosen.path:
        held = _held(app, chosen, text, most, wanted)
    found = search(files, entries, most, held)
    for warning in found.warnings:
        app.out.warn(warning)
    lines = _lines(app, found.hits, explain=explain)
    app.out.found(found.mode, found.hits, lines)
    if not found.hits:
        app.out.note("Nothing found.")
    if entries or held:
        from crewmem.cli.searched import keep_search

        took = 1000 * (time.perf_counter() - began)
        keep_search(app, "search", text, found.mode, found.hits, most, took)
    app.strictly(strict=strict)
    app.conclude(ok=bool(found.hits) or not exit_code)


def _files(app: App, chosen: Chosen, text: str, limit: int, wanted: Sieve) -> Answer:
    """Ask memory files."""
    from crewmem.cli.memory.searching import search_files
    from crewmem.cli.recalling.asking import BY_WORDS

    answer, _ = search_files(
        app,
        chosen,
        text,
        min(limit, FILES_MOST),
        since=wanted.since,
        until=wanted.until,
        by_words=BY_WORDS,  # as of entries and memories: it is said once
    )
    return answer


def _entries(
    app: App, chosen: Chosen, text: str, limit: int, wanted: Sieve
) -> Recalled | None:
    """Ask the journal, if memory is looked for in a home that has one."""
    from crewmem.cli.episodes.recalling import ask
    from crewmem.cli.episodes.whose import Whose
    from crewmem.cli.places import root
    from crewmem.cli.remembered import stores_to_read
    from crewmem.episodes.recall import Policy

    if root(app, chosen) != app.home or (opened := stores_to_read(app)) is None:
        return None
    # As far as the actor may see: an agent has its crews' entries as well.
    usual = None if app.actor.is_operator else "crew"
    whose = Whose(chosen.scope or usual, chosen.crew, chosen.agent)
    policy = Policy(k=limit, min_relevance=None)
    recaller, (answer,) = ask(
        app, opened, whose, policy, [text], since=wanted.since, until=wanted.until
    )
    warnings = recaller.warnings if recaller else []
    return answer._replace(warnings=warnings)


def _held(
    app: App, chosen: Chosen, text: str, limit: int, wanted: Sieve
) -> Held | None:
    """Ask what is held to be true, if memory is looked for in a home."""
    from crewmem.cli.held import find_held
    from crewmem.cli.places import root

    if root(app, chosen) != app.home:
        return None
    return find_held(
        app,
        text,
        limit=limit,
        scope=chosen.scope,
        agent=chosen.agent,
        crew=chosen.crew,
        sieve=wanted,
    )


def _lines(
    app: App, hits: Sequence[Chunk | Episode | Memory], *, explain: bool
) -> Iterator[Line]:
    from crewmem.cli.episodes.shown import episode_lines
    from crewmem.cli.hits import hit_lines
    from crewmem.cli.memories.shown import hit_lines as memory_lines
    from crewmem.files.hit import Hit as Chunk
    from crewmem.memories.hit import Hit as Memory

    for number, hit in enumerate(hits):
        if number and app.out.format == "table":
            yield ""
        if isinstance(hit, Chunk):
            yield from hit_lines(app.out, [hit], explain=explain)
        elif isinstance(hit, Memory):
            yield from memory_lines(app.out, hit, app.now, explain=explain)
        else:
            yield from episode_lines(app.out, [hit], explain=explain)
