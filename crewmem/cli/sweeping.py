"""One sweep of a home: what is new in its journals, then its memory directories.

What is to be done is found by reading alone, so that a sweep that finds nothing
imports neither numpy nor an embedder, and writes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from crewmem.errors import CrewmemError, NotFoundError, UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.backends.embed import Embedder
    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.episodes.stores import Stores
    from crewmem.episodes.sweep import Swept
    from crewmem.files.place import Place


class Sweep(NamedTuple):
    """What a sweep did.

    Attributes:
        model: What embeds; None if nothing does, or nothing had to be embedded.
        why: Why nothing embeds what waits; "" otherwise.
        embedded: Episodes that have a vector now and had none.
        failed: Episodes that could not be embedded; they are tried again later.
        linked: Relations ``similar`` that were found.
        waiting: Episodes that have no vector yet.
        files: Memory files that were brought in, changed or taken out of an index.
        chunks: Chunks of memory files that have a vector now and had none.
    """

    model: str | None = None
    why: str = ""
    embedded: int = 0
    failed: int = 0
    linked: int = 0
    waiting: int = 0
    files: int = 0
    chunks: int = 0

    @property
    def is_news(self) -> bool:
        """Tell whether anything was done, or could not be."""
        done = (self.embedded, self.failed, self.linked, self.files, self.chunks)
        return any(done) or bool(self.why)

    def with_swept(self, swept: Swept) -> Sweep:
        """Return the sum of this and what was done in one workspace."""
        return self._replace(
            embedded=self.embedded + swept.embedded,
            failed=self.failed + swept.failed,
            linked=self.linked + swept.linked,
        )

    def then(self, later: Sweep) -> Sweep:
        """Return the sum of this pass and a *later* one."""
        return Sweep(
            model=later.model or self.model,
            why=later.why,
            embedded=self.embedded + later.embedded,
            failed=self.failed + later.failed,
            linked=self.linked + later.linked,
            waiting=later.waiting,
            files=self.files + later.files,
            chunks=self.chunks + later.chunks,
        )


def sweep_once(app: App, limit: int, *, everything: bool = False) -> Sweep:
    """Make one pass over the workspaces that are meant, or do all of *everything*."""
    names = workspaces(app)
    entries = _entries(app, names, limit, everything=everything)
    files, chunks = _directories(app, names)
    return entries._replace(files=files, chunks=chunks)


def workspaces(app: App) -> list[str]:
    """Return the workspaces to sweep: the one that was named, else all of the home."""
    from crewmem import disk
    from crewmem.registry.folders import Folders

    if app.given.get("workspace"):
        return [app.workspace]
    with disk.open_root(app.home) as root:
        found = {*Folders(root).workspaces()}
    if registry := app.registry_to_read:
        found.update(each.name for each in registry.workspaces())
    return sorted(found)


def _entries(app: App, names: Sequence[str], limit: int, *, everything: bool) -> Sweep:
    from crewmem.cli.remembered import all_stores, all_stores_to_read
    from crewmem.episodes.backlog import backlog
    from crewmem.episodes.spaces import models

    done = Sweep()
    if (reading := all_stores_to_read(app)) is None:
        return done
    stored = models(reading.vectors.spaces())
    model = stored[0] if stored else None
    left = {name: backlog(reading, name, model, app.now) for name in names}
    if not any(each.is_due for each in left.values()):
        return done._replace(waiting=sum(each.waiting for each in left.values()))
    from crewmem.cli.embedding import choice

    waiting = sum(each.waiting for each in left.values())
    chosen = choice(app, stored_model=model.name if model else None)
    if chosen.embedder is None:
        return done._replace(waiting=waiting, why=chosen.why)
    done = done._replace(model=chosen.embedder.model)
    opened, embedder = all_stores(app), chosen.embedder
    for name in names:
        done = _swept(app, opened, embedder, name, limit, done, everything=everything)
        if done.why:
            break
    return done._replace(waiting=max(0, waiting - done.embedded))


def _swept(
    app: App,
    opened: Stores,
    embedder: Embedder,
    workspace: str,
    limit: int,
    done: Sweep,
    *,
    everything: bool,
) -> Sweep:
    from crewmem.cli.progress import progress
    from crewmem.episodes.sweep import sweep

    with progress(app.out, doing="Embedding", unit="entries") as tick:
        try:
            found = sweep(
                opened,
                embedder,
                workspace,
                now=app.now,
                limit=None if everything else limit,
                tick=tick,
            )
        except UnreachableError as error:
            app.out.warn(f"{error}. {error.hint}")
            return done._replace(why=str(error))
    return done.with_swept(found)


def _directories(app: App, names: Sequence[str]) -> tuple[int, int]:
    """Bring indexes up to date; return how many files and chunks were brought in."""
    from crewmem.cli.places import access
    from crewmem.files.reindex import reindex

    files = chunks = 0
    how = access(app)
    for place in _places(app, names):
        try:
            done = reindex(place, how)
        except CrewmemError as error:
            app.out.warn(str(error))
            continue
        files += done.added + done.changed + done.removed
    return files, chunks


def _places(app: App, names: Sequence[str]) -> Iterator[Place]:
    """Yield the memory directories of the home whose agents want to be looked after."""
    from crewmem.files import locate

    registry = app.registry_to_read
    for name in names:
        off = (
            {each.slug for each in registry.agents(name) if not each.memory}
            if registry
            else set()
        )
        try:
            found = locate.in_home(app.home, name, None)
        except NotFoundError:
            continue
        for place in found:
            if place.agent in off:
                app.out.detail(f"{place.agent} is left out: its memory is off")
            else:
                yield place


def sweep_lines(done: Sweep) -> Iterator[Line]:
    """Yield what a person reads of a sweep: one line, and why more was not done."""
    from crewmem.health.advice import counted

    parts = [
        f"{counted(done.embedded, 'entry', 'entries')} embedded",
        f"{counted(done.linked, 'relation', 'relations')} found",
        f"{counted(done.files, 'file', 'files')} indexed",
        f"{counted(done.chunks, 'chunk', 'chunks')} embedded",
    ]
    counts = (done.embedded, done.linked, done.files, done.chunks)
    told = [part for part, count in zip(parts, counts, strict=True) if count]
    if done.failed:
        told.append(f"{counted(done.failed, 'entry', 'entries')} failed")
    if done.waiting:
        told.append(f"{done.waiting:,} waiting")
    yield ", ".join(told) if told else "Nothing new."
    if done.why and done.waiting:
        yield [("warn", f"Nothing is embedded: {done.why}")]
