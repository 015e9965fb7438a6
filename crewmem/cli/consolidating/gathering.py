"""What consolidation reads with: directories, language model, embedder."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    import apsw

    from crewmem.backends.embed import Embedder
    from crewmem.cli.app import App
    from crewmem.consolidation.item import Gathered, Outcome
    from crewmem.consolidation.sources import Sources


def gathering(
    app: App,
    db: apsw.Connection,
    crew: str,
    *,
    agent: str | None,
    since: datetime | None,
    llm_command: str | None,
) -> tuple[Callable[[], Gathered], Callable[[Gathered, Outcome], None]]:
    """Return what gathers what is new of *crew*, and what keeps how far that was."""
    from crewmem.cli.progress import waiting
    from crewmem.consolidation.gather import gather
    from crewmem.consolidation.keep import keep

    sources = _sources(app, db, crew, llm_command)

    def gathered() -> Gathered:
        with waiting(app.out, f"Reading what is new of {crew} …"):
            return gather(sources, crew, agent=agent or "", since=since, now=app.now)

    def kept(found: Gathered, outcome: Outcome) -> None:
        keep(db, found, outcome, app.now)

    return gathered, kept


def _sources(
    app: App, db: apsw.Connection, crew: str, llm_command: str | None
) -> Sources:
    from crewmem.cli.llm import choice
    from crewmem.cli.scanner import scanner
    from crewmem.consolidation.sources import Sources
    from crewmem.files.locate import in_home
    from crewmem.journal.tokenizer import stemmer
    from crewmem.registry.crews_store import without_memory

    return Sources(
        db=db,
        workspace=app.workspace,
        places=in_home(app.home, app.workspace, None, crew=crew),
        off=without_memory(db, app.workspace),
        scan=scanner(app),
        stems=stemmer(db),
        zone=app.zone,
        limit=app.settings.max_file_bytes,
        model=choice(app, llm_command).model,
        embed=lambda: _embedder(app),
    )


def _embedder(app: App) -> Embedder | None:
    """Return what compares by meaning, of the model that the store has; None: nothing.

    It is asked for when there is something to compare, for loading one takes long.
    """
    from crewmem.cli.embedding import embedder, is_none, stored_model

    if is_none(app):
        return None
    return embedder(app, stored_model=stored_model(app))
