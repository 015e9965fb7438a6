"""What a sweep would do, counted by reading alone."""

from __future__ import annotations

from functools import partial

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.cli.sweeping.passes import Sweep
    from crewmem.cli.sweeping.plan import Plan


def foreseen(app: App, limit: int | None) -> Sweep:
    """Return what one pass over up to *limit* entries would come to.

    Raises:
        WorkspaceMissingError: If there is no workspace of the name that was given.
    """
    from crewmem.cli.embedding import choice
    from crewmem.cli.sweeping.passes import Sweep
    from crewmem.cli.sweeping.plan import planned

    plan = planned(app, app.now)
    files, chunks, versions = _directories(app, plan)
    done = Sweep(
        waiting=plan.waiting,
        files=files,
        versions=versions,
        left_out=plan.left_out,
        dry_run=True,
    )
    is_due = plan.is_due or any(plan.memories.values()) or chunks
    if not (is_due or (limit is None and (plan.is_worth_a_look or plan.memories))):
        return done
    chosen = choice(app, stored_model=plan.model)
    if chosen.embedder is None:
        return done._replace(why=chosen.why)
    model = chosen.embedder.model
    embedded, memories = _entries(app, plan, model, limit)
    return done._replace(
        model=model,
        embedded=embedded,
        memories=memories,
        chunks=chunks,
        waiting=max(plan.waiting - embedded, 0),
    )


def _entries(app: App, plan: Plan, model: str, limit: int | None) -> tuple[int, int]:
    """Count the entries and the memories that *model* would embed."""
    from crewmem.cli.remembered import all_stores_to_read
    from crewmem.episodes.spaces import models
    from crewmem.episodes.sweep import count_due
    from crewmem.memories.embed import count_due as count_memories
    from crewmem.memories.embedding_store import Embeddable

    if (opened := all_stores_to_read(app)) is None:
        return 0, 0
    kept, embedded, memories = opened.vectors.spaces(), 0, 0
    for name, off in plan.off.items():
        same = next((each for each in models(kept, name) if each.name == model), None)
        embedded += count_due(opened, same, name, now=app.now, limit=limit, without=off)
        if name in plan.memories:
            held = Embeddable(opened.journal.db, name, off)
            memories += count_memories(
                held, opened.vectors, model, now=app.now, limit=limit
            )
    return embedded, memories


def _directories(app: App, plan: Plan) -> tuple[int, int, int]:
    """Count files to be indexed, chunks to be embedded and versions to be recorded."""
    from crewmem.cli.access import access
    from crewmem.cli.recording import Recorder
    from crewmem.cli.sweeping.files import places_of
    from crewmem.files.foresee import foresee

    files = chunks = 0
    how, recorder = access(app), Recorder(app, plan.listings)
    for name, place in places_of(app, plan.off):
        try:
            look = partial(recorder.look, name, place)
            found = foresee(place, how, look=look, model=plan.model)
        except CrewmemError as error:
            app.out.warn(str(error))
            continue
        index = found.told
        files += index.added + index.changed + index.removed
        chunks += found.chunks
    recorder.miss(plan.off)
    return files, chunks, recorder.foresee()
