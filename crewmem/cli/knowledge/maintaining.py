"""Looking after shared knowledge, as ``knowledge maintain`` and the nightly job do."""

from __future__ import annotations

from crewmem.errors import DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.knowledge.step import Step
    from crewmem.memories.desk import Desk
    from crewmem.memories.likeness import Cosines, Known, Likeness
    from crewmem.memories.memory import Memory
    from crewmem.memories.similar import Tokenize


def maintained(app: App, *, dry_run: bool = False) -> list[Step]:
    """Promote what agents agree on, and let fade the rest; return what was done.

    With *dry_run* it is what would be done, and nothing is opened to be written.
    """
    from crewmem.cli.held import desk_there
    from crewmem.cli.progress import progress
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import taking_part
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.knowledge.maintain import Upkeep

    opened = desk_there(app, to_read=dry_run)
    if opened is None:
        return []
    tokenize = tokenizer(opened.memories.db)
    likeness = _likeness(app, opened, tokenize)
    with progress(app.out, doing="Comparing", unit="memories") as tick:
        return Upkeep(
            opened._replace(is_system=True),
            crews_of=taking_part(app),
            scan=scanner(app),
            tokenize=tokenize,
            promote=app.settings.knowledge_auto_promote,
            dry_run=dry_run,
            likeness=likeness,
            tick=tick,
        ).run()


def _likeness(app: App, desk: Desk, tokenize: Tokenize) -> Likeness:
    """Return what tells what says the same: compared before anything is locked."""
    from crewmem.cli.progress import progress
    from crewmem.knowledge.maintain import compared
    from crewmem.knowledge.promotion import ALIKE
    from crewmem.memories.likeness import Likeness
    from crewmem.memories.overlaps import Overlaps

    met: list[Known] = []
    with progress(app.out, doing="Reading", unit="memories") as tick:
        overlaps = Overlaps(_noted(compared(desk, tick), met), tokenize, ALIKE)
    near = _near(app, met)
    return Likeness(desk.memories, app.workspace, overlaps, near)


def _noted(memories: Iterable[Memory], met: list[Known]) -> Iterator[Memory]:
    """Yield *memories*, and note by what they are known: they are read but once."""
    from crewmem.memories.likeness import known

    for each in memories:
        met.append(known(each))
        yield each


def _near(app: App, memories: Sequence[Known]) -> Cosines | None:
    """Return how near *memories* are by their vectors; None if there are none.

    It takes no embedder.
    """
    from crewmem.vectors import FILE

    if not (app.home / FILE).exists():
        return None
    from crewmem.cli.remembered import stores_to_read
    from crewmem.knowledge.promotion import ALIKE
    from crewmem.memories.likeness import cosines
    from crewmem.memories.spaces import stored

    try:
        stores = stores_to_read(app)
        spaces = stored(stores.vectors.spaces(), app.workspace) if stores else []
        if not (stores and spaces):
            return None
        return cosines(stores.vectors, spaces[0].space, memories, ALIKE)
    except DataError as error:
        app.out.warn(f"compared by words alone: {error}")
        return {}
