"""What jobs are made of: parts, of which one that fails holds up no other."""

from __future__ import annotations

import os

from crewmem.errors import CrewmemError
from crewmem.errors.database import DatabaseBusyError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from crewmem.cli.app import App

    Counts = Mapping[str, int]

TOLD = {
    "embedded": ("entry embedded", "entries embedded"),
    "failed": ("entry not embedded", "entries not embedded"),
    "linked": ("relation found", "relations found"),
    "memories": ("memory embedded", "memories embedded"),
    "files": ("file indexed", "files indexed"),
    "chunks": ("chunk embedded", "chunks embedded"),
    "versions": ("version recorded", "versions recorded"),
    "learned": ("memory learned", "memories learned"),
    "losses": ("context loss found", "context losses found"),
    "letters": ("part left to ask of", "parts left to ask of"),
    "answered": ("part asked of again", "parts asked of again"),
    "scratch": ("note dropped", "notes dropped"),
    "edges": ("edge dropped", "edges dropped"),
    "cursors": ("log that is gone forgotten", "logs that are gone forgotten"),
    "lacking": ("episode without a vector", "episodes without a vector"),
    "forgotten": ("retry dropped", "retries dropped"),
    "stale": ("stale vector dropped", "stale vectors dropped"),
    "summaries": ("summary written", "summaries written"),
    "aged": ("memory aged", "memories aged"),
    "condensed": ("summary of a group", "summaries of groups"),
    "applied": ("item learned", "items learned"),
    "proposed": ("item proposed", "items proposed"),
    "contradictions": ("contradiction to settle", "contradictions to settle"),
    "archived": ("note archived", "notes archived"),
    "seen_again": ("line seen again", "lines seen again"),
    "pinned": ("pin mirrored or taken back", "pins mirrored or taken back"),
    "compacted": ("entry archived", "entries archived"),
    "settled": ("delivery counted", "deliveries counted"),
    "steps": ("memory promoted or faded", "memories promoted or faded"),
    "signals": ("signal kept", "signals kept"),
    "measured": ("health measured", "healths measured"),
    "pruned": ("version pruned", "versions pruned"),
    "recalls": ("old recall dropped", "old recalls dropped"),
    "asked": ("case of recall asked", "cases of recall asked"),
    "missed": ("gate missed", "gates missed"),
    "incidents": ("incident written down", "incidents written down"),
    "tuned": ("setting tuned", "settings tuned"),
    "backups": ("backup written", "backups written"),
    "rotated": ("old backup removed", "old backups removed"),
}
"""What is counted, as it is told of one and of many."""


DATABASE = "crewmem.db"
"""As in db/truth.py, which an idle sweep does without here; a test compares."""

REASON_MOST = 1_000
"""Characters that are kept of why something failed."""


class Part(NamedTuple):
    """A part of a job.

    Attributes:
        name: What it is, for whoever reads that it failed.
        act: Does it, and returns what was done.
    """

    name: str
    act: Callable[[], Counts]


class Outcome(NamedTuple):
    """What a job came to.

    Attributes:
        counts: What was done, by name; those that are 0 are left out.
        failures: What failed, by part.
        parts: How many parts there were.
        is_news: Whether there is something to be kept of it.
    """

    counts: Mapping[str, int] = {}
    failures: Mapping[str, BaseException] = {}
    parts: int = 1

    @property
    def is_news(self) -> bool:
        """Tell whether anything was done, or failed."""
        return bool(self.counts or self.failures)

    @property
    def is_locked_out(self) -> bool:
        """Tell whether the database was locked: who waits for it again waits twice."""
        return any(map(is_locked_out, self.failures.values()))

    @property
    def result(self) -> str:
        """Say how it came out, in a word: ok, partial, failed or nothing."""
        if self.failures:
            is_whole = self.is_locked_out and not self.counts
            every = is_whole or len(self.failures) >= self.parts
            return "failed" if every else "partial"
        return "ok" if self.counts else "nothing"

    @property
    def reason(self) -> str:
        """Say what failed, in a line."""
        return "; ".join(f"{name}: {why(each)}" for name, each in self.failures.items())

    @property
    def line(self) -> str:
        """Say what was done, and what failed, in a line."""
        if not self.is_news:
            return "nothing to do"
        from crewmem.health.advice import counted

        told = [counted(count, *TOLD[name]) for name, count in self.counts.items()]
        if self.failures:
            told.append(f"failed: {', '.join(self.failures)}")
        return ", ".join(told)


def why(error: BaseException) -> str:
    """Say in a line why something failed; a name of a file may be no text."""
    known = isinstance(error, CrewmemError)
    said = str(error) if known else f"{type(error).__name__}: {error}"
    line = " ".join(said.split())[:REASON_MOST]
    return line.replace("\0", "").encode("utf-8", "backslashreplace").decode()


def is_locked_out(error: BaseException) -> bool:
    """Tell whether *error* says that somebody keeps crewmem.db locked."""
    return isinstance(error, DatabaseBusyError) and (
        os.path.basename(os.fspath(error.path)) == DATABASE  # noqa: PTH119 - a name
    )


def in_parts(parts: Iterable[Part]) -> Outcome:
    """Do *parts* in order. One that fails, for whatever reason, holds up no other.

    But where the database is locked that was waited for already, and what is left is
    not tried: it would wait as long.

    What is a mistake of ours is among the failures as well: who runs the job raises it
    when all is done and written down.
    """
    counts: dict[str, int] = {}
    failures: dict[str, BaseException] = {}
    count_of_parts = 0
    for part in parts:
        count_of_parts += 1
        try:
            done = part.act()
        except Exception as error:  # noqa: BLE001 - the others are done all the same
            failures[part.name] = error
            if is_locked_out(error):
                break
            continue
        for name, count in done.items():
            if count:
                counts[name] = counts.get(name, 0) + count
    return Outcome(counts, failures, count_of_parts)


def in_each(
    app: App, act: Callable[[App], Counts], *, folders: bool = False
) -> Outcome:
    """Do *act* in each workspace that is meant; the parts are called as they are.

    Args:
        app: The world.
        act: What is done, in the world of one workspace.
        folders: Whether those are meant as well that are nothing but directories.

    Raises:
        WorkspaceMissingError: If there is none of the name that was given.
    """
    return in_parts(
        Part(name, lambda name=name: act(within(app, name)))  # type: ignore[misc]
        for name in workspaces(app, folders=folders)
    )


def workspaces(app: App, *, folders: bool = False) -> list[str]:
    """Return the workspaces that are meant: the one that was named, or all there are.

    With *folders* that is also those of which the database knows nothing.

    Raises:
        WorkspaceMissingError: If there is none of the name that was given.
    """
    from crewmem.cli.sweeping.plan import folders as in_home
    from crewmem.errors.registry import WorkspaceMissingError
    from crewmem.journal import total_store
    from crewmem.registry import crews_store

    in_folders, found = {*in_home(app)}, set()
    if (db := app.truth_to_read) is not None:
        found = {*crews_store.workspaces(db), *total_store.workspaces(db)}
    every = found | in_folders
    if app.given.get("workspace") and app.workspace not in every:
        raise WorkspaceMissingError(app.workspace)
    wanted = every if folders else found
    return sorted(
        each
        for each in wanted
        if each == app.workspace or not app.given.get("workspace")
    )


def within(app: App, workspace: str) -> App:
    """Return *app* as it is with ``--workspace``: what is open is shared."""
    given: dict[str, Any] = {**app.given, "workspace": workspace}
    inner = type(app)(app.world, given)
    loaded = app.loaded.with_option("workspace", workspace, "--workspace")
    vars(inner).update(out=app.out, now=app.now, loaded=loaded)
    if app.truth_to_read is not None:  # else whoever writes first makes one
        vars(inner).update(truth=app.truth)
    return inner
