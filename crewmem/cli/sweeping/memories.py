"""The part of a sweep that gives memories their vectors."""

from __future__ import annotations

from crewmem.errors import BackendError, DataError, NotFoundError, RefusedError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from crewmem.backends.embed import Choice, Embedder
    from crewmem.cli.app import App
    from crewmem.cli.sweeping.plan import Plan
    from crewmem.episodes.stores import Stores

FAILURES = (BackendError, DataError, NotFoundError, RefusedError)
"""What may be wrong with an embedder, or with vectors: the rest is swept."""


class Looked(NamedTuple):
    """What was done.

    Attributes:
        memories: How many were embedded.
        lost: How many could not be.
        linked: Relations ``similar`` that were found.
        why: Why nothing embeds what waits; "" otherwise.
    """

    memories: int = 0
    lost: int = 0
    linked: int = 0
    why: str = ""


def sweep_memories(
    app: App,
    stores: Callable[[], Stores],
    plan: Plan,
    now: datetime,
    choose: Callable[[str | None], Choice],
    limit: int | None,
) -> Looked:
    """Embed up to *limit* memories of each workspace; None: all that have no vector."""
    due = [name for name, is_due in plan.memories.items() if is_due or limit is None]
    if not due:
        return Looked()
    from crewmem.cli.progress import progress

    chosen = choose(plan.model)
    if chosen.embedder is None:
        return Looked(why=chosen.why)
    try:
        with progress(app.out, doing="Embedding", unit="memories") as tick:
            return _swept(stores(), chosen.embedder, plan, due, now, limit, tick)
    except FAILURES as error:
        app.out.warn(f"{error}. {error.hint}" if error.hint else str(error))
        return Looked(why=str(error))


def _swept(
    stores: Stores,
    embedder: Embedder,
    plan: Plan,
    due: list[str],
    now: datetime,
    limit: int | None,
    tick: Callable[[int, int], None] | None,
) -> Looked:
    from crewmem.memories.embed import sweep
    from crewmem.memories.embedding_store import Embeddable

    looked = Looked()
    for name in due:
        embeddable = Embeddable(stores.journal.db, name, plan.off[name])
        found = sweep(
            embeddable, stores.vectors, embedder, name, now=now, limit=limit, tick=tick
        )
        looked = looked._replace(
            memories=looked.memories + found.embedded,
            lost=looked.lost + found.failed,
            linked=looked.linked + found.linked,
        )
    return looked
