"""What is put in order every hour: what is over goes, what is derived is in step.

Memories that are over stay as they are: nothing finds them but who asks for them. What
could not be embedded is tried again by sweeps, each at its time; here goes what nobody
could try again, and comes what nobody would.
"""

from __future__ import annotations

from crewmem.cli.jobs.parts import Part, in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.cli.app import App
    from crewmem.cli.jobs.parts import Counts, Outcome
    from crewmem.episodes.store import Episodes
    from crewmem.vectors.space import Kept
    from crewmem.vectors.store import VectorStore

LOOKED_AT = 5_000
"""Episodes that are asked for together."""


def housekeeping(app: App) -> Outcome:
    """Do all of it."""
    parts = (
        Part("scratch", lambda: expired(app)),
        Part("edges", lambda: orphaned(app)),
        Part("vectors", lambda: out_of_step(app)),
        Part("cursors", lambda: left_behind(app)),
    )
    return in_parts(parts)


def _db(app: App) -> apsw.Connection | None:
    """Open the database to change it, if there is one: here none is made."""
    return None if app.truth_to_read is None else app.truth


def expired(app: App) -> Counts:
    """Drop notes of sessions that are over, whoever wrote them."""
    from crewmem import times
    from crewmem.db.connect import transaction
    from crewmem.memories.scratch_store import Scratch

    db, now = _db(app), times.to_text(app.now)
    if db is None:
        return {}
    scratch = Scratch(db)
    if not (count := scratch.expired(now)):
        return {}
    with transaction(db):
        scratch.drop_expired(now)
    return {"scratch": count}


def orphaned(app: App) -> Counts:
    """Drop edges that lead from or to what is not there."""
    from crewmem.db.connect import transaction
    from crewmem.episodes import relations_store
    from crewmem.memories import edges_store

    db, every = _db(app), (relations_store.links(), edges_store.links())
    if db is None or not any(each.orphans(db) for each in every):
        return {}
    with transaction(db):
        return {"edges": sum(each.drop_orphans(db) for each in every)}


def left_behind(app: App) -> Counts:
    """Forget how far session logs were read that are long gone."""
    from crewmem.transcripts.forget import forget_gone

    db = _db(app)
    return {} if db is None else {"cursors": forget_gone(db, app.now)}


def out_of_step(app: App) -> Counts:
    """Let vectors know what the journal knows: what is gone, and what lacks one."""
    from contextlib import closing

    from crewmem.episodes.anchor import drop_foreign, is_foreign
    from crewmem.episodes.spaces import ENTRIES
    from crewmem.episodes.store import Episodes
    from crewmem.vectors.store import VECTORS, VectorStore

    db = _db(app)
    if db is None or not (app.home / VECTORS.name).exists():
        return {}
    episodes = Episodes(db)
    timeout = app.settings.busy_timeout
    counts = {"stale": 0, "forgotten": 0, "lacking": 0}
    with closing(VectorStore.open_to_write(app.home, busy_timeout=timeout)) as vectors:
        for workspace in episodes.workspaces():
            if is_foreign(episodes, vectors.spaces(), workspace):
                counts["stale"] += drop_foreign(vectors, workspace)
        for kept in vectors.spaces():
            if kept.space.kind == ENTRIES:
                counts["forgotten"] += _forgotten(episodes, vectors, kept)
                counts["lacking"] += _lacking(app, episodes, vectors, kept)
    return counts


def _forgotten(episodes: Episodes, vectors: VectorStore, kept: Kept) -> int:
    """Drop the retries of what is no episode any more."""
    keys = [each.key for each in vectors.failures(kept.space)]
    there = episodes.owner_of(keys)
    gone = [key for key in keys if key not in there]
    if gone:
        vectors.forget(kept.space, gone)
    return len(gone)


def _lacking(app: App, episodes: Episodes, vectors: VectorStore, kept: Kept) -> int:
    """Leave to the next sweep what sweeps have passed, and has no vector."""
    from crewmem.registry.crews_store import without_memory
    from crewmem.scope import Reach
    from crewmem.vectors.retries import FIRST
    from crewmem.vectors.space import Failure

    space = kept.space
    off = without_memory(app.truth, space.workspace)
    owners = episodes.owners(Reach(space.workspace), without=off)
    known = {each.key for each in vectors.failures(space)}
    found: list[Failure] = []
    at = 0
    while page := episodes.after(at, owners, LOOKED_AT):
        passed = [seq for seq in page if seq <= kept.mark and seq not in known]
        there = vectors.has(space, passed) if passed else set()
        found += [Failure(seq, 0, 0, FIRST) for seq in passed if seq not in there]
        at = page[-1]
        if at > kept.mark:
            break
    if found:
        vectors.fail(space, found)
    return len(found)
