"""Sweeps of a home: what is new in journals, memories, and memory directories.

What is to be done is found by reading alone, so that a sweep that finds nothing
imports neither numpy nor an embedder, and writes nothing.
"""

from __future__ import annotations

from functools import cached_property

from crewmem.errors import BackendError, NotFoundError, RefusedError
from crewmem.errors.database import ForeignDatabaseError, NotADatabaseError
from crewmem.records import NamedTuple
from crewmem.vectors import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.backends.embed import Choice, Embedder
    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.cli.sweeping.embedder import Asked
    from crewmem.cli.sweeping.plan import Plan
    from crewmem.episodes.stores import Stores

USUAL, MOST = 64, 10_000
"""Episodes of a pass, and at most."""

UNUSABLE = (NotADatabaseError, ForeignDatabaseError)
"""What may stand in the place of vectors, and is not crewmem's to replace."""


class Sweep(NamedTuple):
    """What a sweep did.

    Attributes:
        model: What embeds; None if nothing does, or nothing had to be embedded.
        why: Why nothing embeds what waits; "" otherwise.
        embedded: Episodes that have a vector now and had none.
        failed: Episodes, memories and chunks that could not be embedded; they are
            tried again later.
        linked: Relations ``similar`` that were found.
        waiting: Episodes that have no vector yet.
        memories: Memories that have a vector now and had none for what they say.
        files: Memory files that were brought in, changed or taken out of an index.
        chunks: Chunks of memory files that have a vector now and had none.
        versions: Versions that were recorded, of memory files that were changed by
            other means than crewmem, or met for the first time.
        left_out: Agents whose memory is off.
        running: Whether another sweep was running, so that this did nothing.
        dry_run: Whether nothing was written: it is what a sweep would do. Which
            relations it would find shows only when there are vectors.
    """

    model: str | None = None
    why: str = ""
    embedded: int = 0
    failed: int = 0
    linked: int = 0
    waiting: int = 0
    memories: int = 0
    files: int = 0
    chunks: int = 0
    versions: int = 0
    left_out: tuple[str, ...] = ()
    running: bool = False
    dry_run: bool = False

    @property
    def is_news(self) -> bool:
        """Tell whether anything was done, or was tried and failed."""
        told = (self.embedded, self.linked, self.memories)
        return any((self.failed, *told, self.files, self.chunks, self.versions))

    def then(self, later: Sweep) -> Sweep:
        """Return the sum of this pass and a *later* one."""
        return later._replace(
            model=later.model or self.model,
            embedded=self.embedded + later.embedded,
            failed=self.failed + later.failed,
            linked=self.linked + later.linked,
            memories=self.memories + later.memories,
            files=self.files + later.files,
            chunks=self.chunks + later.chunks,
            versions=self.versions + later.versions,
        )


class Sweeper:
    """Makes passes over the workspaces that are meant; they share what is opened."""

    def __init__(self, app: App, limit: int | None) -> None:
        """Embed up to *limit* entries of a workspace in a pass; None: all that wait."""
        self._app, self._limit = app, limit
        self._embedder: Asked | None = None

    def sweep(self, now: datetime) -> Sweep:
        """Make one pass.

        Raises:
            WorkspaceMissingError: If there is no workspace of the name that was given.
        """
        from crewmem.cli.sweeping.files import sweep_directories
        from crewmem.cli.sweeping.memories import sweep_memories
        from crewmem.cli.sweeping.plan import planned

        if self._embedder:
            self._embedder.again()
        plan = planned(self._app, now)
        try:
            done = self._entries(plan, now)
        except UNUSABLE as error:
            if error.path != self._app.home / FILE:
                raise
            self._app.out.warn(str(error))
            done = Sweep(waiting=plan.waiting, why=str(error))
        held = sweep_memories(
            self._app, lambda: self._stores, plan, now, self._chosen, self._limit
        )
        done = done._replace(
            memories=held.memories,
            failed=done.failed + held.lost,
            linked=done.linked + held.linked,
            why=done.why or held.why,
        )
        looked = sweep_directories(
            self._app, plan, now, lambda model: self._chosen(model).embedder
        )
        embedder = self._embedder
        done = done._replace(
            model=done.model or (embedder.model if embedder else None),
            files=looked.files,
            chunks=looked.chunks,
            versions=looked.versions,
            failed=done.failed + looked.lost,
            left_out=plan.left_out,
        )
        self._tell_failed(done.failed)
        return done

    def _tell_failed(self, failed: int) -> None:
        """Say why texts could not be embedded, where some could not."""
        if failed:
            trouble = self._embedder.trouble if self._embedder else ""
            self._app.out.warn(
                f"{failed:,} could not be embedded, and will be tried again"
                + (f": {trouble}" if trouble else "")
            )

    @cached_property
    def _stores(self) -> Stores:
        from crewmem.cli.remembered import all_stores

        return all_stores(self._app)

    def _chosen(self, model: str | None) -> Choice:
        """Choose the embedder; one that was used already is used again."""
        from crewmem.backends.embed import Choice
        from crewmem.cli.embedding import choice

        if self._embedder is None:
            chosen = choice(self._app, stored_model=model)
            if chosen.embedder is None:
                return chosen
            from crewmem.cli.sweeping.embedder import Asked

            self._embedder = Asked(chosen.embedder)
        return Choice(self._embedder, "")

    def _entries(self, plan: Plan, now: datetime) -> Sweep:
        done = Sweep(waiting=plan.waiting)
        if not (plan.is_due or (self._limit is None and plan.is_worth_a_look)):
            return done
        chosen = self._chosen(plan.model)
        if chosen.embedder is None:
            return done._replace(why=chosen.why)
        done = done._replace(model=chosen.embedder.model)
        for name, off in plan.off.items():
            done = self._swept(chosen.embedder, name, off, done, now)
            if done.why:
                break
        return done._replace(waiting=self._waiting(plan, now))

    def _waiting(self, plan: Plan, now: datetime) -> int:
        from crewmem.episodes.backlog import backlog
        from crewmem.episodes.spaces import models

        episodes, vectors = self._stores.episodes, self._stores.vectors
        found = models(vectors.spaces())
        model = found[0] if found else None
        return sum(
            backlog(episodes, vectors, name, model, now, without=off).waiting
            for name, off in plan.off.items()
        )

    def _swept(
        self,
        embedder: Embedder,
        workspace: str,
        off: frozenset[str],
        done: Sweep,
        now: datetime,
    ) -> Sweep:
        from crewmem.cli.progress import progress
        from crewmem.episodes.reached import keep_reached, keep_unreached
        from crewmem.episodes.sweep import sweep
        from crewmem.errors.backends import ModelDamagedError, UnreachableError

        out, vectors = self._app.out, self._stores.vectors
        with progress(out, doing="Embedding", unit="entries") as tick:
            try:
                found = sweep(
                    self._stores,
                    embedder,
                    workspace,
                    now=now,
                    limit=self._limit,
                    without=off,
                    tick=tick,
                )
            except (
                BackendError,
                ModelDamagedError,
                NotFoundError,
                RefusedError,
            ) as error:  # indexes are brought up to date all the same
                out.warn(f"{error}. {error.hint}" if error.hint else str(error))
                if isinstance(error, UnreachableError):
                    keep_unreached(vectors, embedder.model, str(error), now)
                return done._replace(why=str(error))
        keep_reached(vectors, embedder.model)
        return done._replace(
            embedded=done.embedded + found.embedded,
            failed=done.failed + found.failed,
            linked=done.linked + found.linked,
        )


def sweep_lines(done: Sweep) -> Iterator[Line]:
    """Yield what a person reads of a sweep: one line, and why more was not done."""
    from crewmem.health.advice import counted

    be = "to be " if done.dry_run else ""
    parts = [
        f"{counted(done.embedded, 'entry', 'entries')} {be}embedded",
        f"{counted(done.linked, 'relation', 'relations')} {be}found",
        f"{counted(done.memories, 'memory', 'memories')} {be}embedded",
        f"{counted(done.files, 'file', 'files')} {be}indexed",
        f"{counted(done.chunks, 'chunk', 'chunks')} {be}embedded",
        f"{counted(done.versions, 'version', 'versions')} {be}recorded",
    ]
    counts = (
        *(done.embedded, done.linked, done.memories),
        *(done.files, done.chunks, done.versions),
    )
    told = [part for part, count in zip(parts, counts, strict=True) if count]
    if done.failed:
        told.append(f"{done.failed:,} failed")
    if done.waiting:
        told.append(f"{done.waiting:,} waiting")
    yield ", ".join(told) if told else "Nothing new."
    if done.why and done.waiting:
        yield [("warn", f"Nothing is embedded: {done.why}")]
    if done.left_out:
        yield f"Left out, for their memory is off: {', '.join(done.left_out)}."
