"""Searching the memory files that a command is about."""

from __future__ import annotations

from contextlib import nullcontext

from crewmem.cli.access import access
from crewmem.cli.places import Chosen, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.cli.app import App
    from crewmem.files.hit import Answer

BY_WORDS = "the search goes by words alone: "


def search_files(
    app: App,
    chosen: Chosen,
    text: str,
    limit: int,
    *,
    tiers: tuple[str, ...] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    refresh: bool = True,
    by_words: str = BY_WORDS,
) -> tuple[Answer, int]:
    """Return what answers *text*, and how many directories were searched.

    That vectors cannot be asked is said as *by_words* begins.
    """
    from crewmem.files.search import Wanted, search

    found_in, sight = places(app, chosen)
    wanted = Wanted(
        text=text,
        limit=limit,
        tiers=tiers or None,
        since=since,
        until=until,
        senses=lambda model: senses(app, model, by_words),
    )
    how = access(app, refresh=refresh)
    with _progress(app) as tick:
        answer = search(found_in, wanted, sight, how._replace(tick=tick))
    return answer, len(found_in)


def senses(app: App, model: str, by_words: str) -> Embedder | None:
    """Return what embeds as *model* does; where nothing does it is said so."""
    from crewmem.cli.embedding import choice

    chosen = choice(app, stored_model=model)
    if chosen.embedder is None and app.settings.embedder != "none":
        app.out.warn(f"{by_words}{chosen.why}")
    return chosen.embedder


def _progress(app: App) -> AbstractContextManager[Callable[[int, int], None] | None]:
    """Return what is told how far an index is that has to be built, if it is."""
    if not app.out.stderr.isatty():
        return nullcontext()
    from crewmem.cli.progress import progress

    return progress(app.out)
