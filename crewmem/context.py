"""The context of an operation: the home's location, the actor, the clock and the settings."""

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.access import Access, Actor
from crewmem.config import Settings
from crewmem.errors import ConflictError, NotFoundError
from crewmem.storage.sqlite import HOME_SCHEMA, Database, Schema, open_database, open_read_only
from crewmem.times import EARLIEST, LATEST, format_time, get_zone

if TYPE_CHECKING:
    from crewmem.security.scanner import Scanner
    from crewmem.security.verdicts import Verdicts

DATABASE_FILE = "crewmem.db"
SESSIONS_FILE = "sessions.sqlite"
VECTORS_FILE = "vectors.sqlite"
INDEX_FILE = "index.sqlite"
MEMORY_DIRECTORY = ".memory"

LOCK_FILE = ".lock"
"""Lock of a memory directory, for containers that share the directory but not the home."""

CHANGED_SINCE = "changed-since-queued"
"""Code of the error of `Context.check_unchanged_since_queued`."""


class Notice(NamedTuple):
    """A warning, for ``warnings`` in JSON and for stderr."""

    code: str
    message: str
    hint: str = ""


def system_clock() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


def content_path(digest: str) -> str:
    """Return the path of a version's content, relative to the home."""
    return f"versions/{digest}.z"


def format_command(prefix: Iterable[str], head: str, *rest: str) -> str:
    """Return a command line, quoted for a shell: *prefix*, the words of *head*, the rest.

    >>> format_command(["crewmem", "--home", "my home"], "fact show", "f_w4xh8q")
    "crewmem --home 'my home' fact show f_w4xh8q"
    """
    return " ".join([*map(shlex.quote, prefix), head, *map(shlex.quote, rest)])


@dataclass(eq=False, repr=False)  # a repr would show the chain key and the environment
class Context:
    """The context of an operation.

    Attributes:
        home: The home; None for a tree without one.
        clock: Returns the current time.
        stopwatch: Returns seconds, to measure durations. With a fixed clock it is fixed, too, so
            that equal inputs give equal output.
        random: Returns the given number of random bytes.
        read_only: Whether writing is forbidden, including counters and indexes.
        reads_in_place: With *read_only*: whether databases are read in place, because the home
            belongs to the user.
        chain_key: Key of the hash chain; empty without one.
        cache: The user's cache directory, for indexes of trees; None keeps them in memory.
        model_directory: Directory that is searched first for model weights.
        environ: The process environment; it can name the log directories of agent programs.
        command_prefix: How the user calls crewmem, with ``--home`` if it was given.
        can_run: Returns whether the user can run a command, given as its words.
        tree: The directory that ``--path`` names; None in a home.
        warnings: Warnings to print with the result.
        list_released: Returns the hashes of passages that operators released in review.
        attach_store: Makes the database a mirror of the shared store that the settings name.
    """

    home: Path | None
    workspace: str
    access: Access
    settings: Settings
    clock: Callable[[], datetime] = system_clock
    stopwatch: Callable[[], float] = perf_counter
    random: Callable[[int], bytes] = os.urandom
    read_only: bool = False
    reads_in_place: bool = False
    chain_key: str = ""
    cache: Path | None = None
    model_directory: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    command_prefix: tuple[str, ...] = ("crewmem",)
    can_run: "Callable[..., bool]" = lambda context, *words: True
    tree: Path | None = None
    warnings: list[Notice] = field(default_factory=list)
    list_released: Callable[[], frozenset[str]] = frozenset
    attach_store: "Callable[[Context, Database], None] | None" = None
    _origin: "Context | None" = field(default=None, init=False)

    @property
    def now(self) -> datetime:
        """The current time, in UTC, within the years that every time zone has."""
        return min(max(self.clock().astimezone(UTC), EARLIEST), LATEST)

    @property
    def now_text(self) -> str:
        """The current time, in the stored format."""
        return format_time(self.now)

    @property
    def today(self) -> date:
        """The current day in the setting ``timezone``."""
        return self.now.astimezone(self.zone).date()

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone in which days begin and end."""
        return get_zone(self.settings["timezone"])

    @cached_property
    def scanner(self) -> "Scanner":
        """The scanner for attacks and secrets, with the additional rules of the settings."""
        # Most commands read only text that was scanned before.
        from crewmem.security.scanner import Scanner

        return Scanner(self.settings.file("scan.rules"), self.list_released)

    def make_safe(self, text: str) -> str:
        """Return *text* with attacks removed and secrets redacted, safe to leave the machine.

        A blank line replaces a removed passage, so that its neighbours stay separate.
        """
        allow = self.settings["scan.allow"]
        return self.scanner.make_safe(text, own_tier=True, allow=allow).text

    @cached_property
    def verdicts(self) -> "Verdicts":
        """Stored results of the scanner."""
        if self._origin is not None:
            return self._origin.verdicts
        from crewmem.security.verdicts import Verdicts  # it imports this module

        return Verdicts(self)

    @property
    def has_db(self) -> bool:
        """Whether there is a ``crewmem.db``."""
        return self.home is not None and (self.home / DATABASE_FILE).is_file()

    @cached_property
    def db(self) -> Database:
        """The database ``crewmem.db``, opened when first used.

        Raises:
            NotFoundError: If there is none.
        """
        if self.home is None:
            raise NotFoundError(
                "there is no home here, only a directory of memory files",
                code="home-not-found",
                hint="run it without --path",
            )
        path = self.home / DATABASE_FILE
        if not path.is_file():
            raise NotFoundError(
                f"there is no home at {self.home}",
                code="home-not-found",
                hint=self.command("init"),
            )
        db = self.open_database(path, HOME_SCHEMA)
        if self.settings["store"] and not self.read_only:
            if self.attach_store is None:
                raise RuntimeError("a context with a shared store needs attach_store")
            self.db = db
            self.attach_store(self, db)
        return db

    @property
    def place(self) -> Path:
        """The directory that ``--path`` names, or the home."""
        return self.tree or self.home or Path()

    def derive(self, **changes: Any) -> "Context":
        """Return a copy with *changes* that shares the databases."""
        derived = replace(self, **changes)
        if "db" in vars(self) or self.has_db:
            derived.db = self.db
        if derived.workspace == self.workspace:
            derived._origin = self
        return derived

    def close(self) -> None:
        """Close the databases, except those of the context that this one was derived from."""
        shared = vars(self._origin) if self._origin is not None else {}
        for name in ("verdicts", "db"):
            opened = vars(self).pop(name, None)
            if opened is not None and opened is not shared.get(name):
                opened.close()

    def as_system(self, name: str) -> "Context":
        """Return a context in which the part *name* of crewmem acts, with full rights."""
        if self.access.actor.kind == "system":
            return self
        return self.derive(access=Access(Actor("system", name), self.workspace))

    def open_database(self, path: Path, schema: Schema) -> Database:
        """Open a database of the home; read-only if the context is."""
        if self.read_only:
            return open_read_only(path, schema, in_place=self.reads_in_place)
        return open_database(path, schema)

    def warn(self, code: str, message: str, hint: str = "") -> None:
        """Add a warning unless it is there already."""
        notice = Notice(code, message, hint)
        if notice not in self.warnings:
            self.warnings.append(notice)

    def command(self, *words: str) -> str:
        """Return a command line as the user would type it: ``crewmem --home x fact show f_…``.

        It includes ``--path``. Returns "" if the user cannot run it here.

        Args:
            words: The command and its arguments; the first may consist of several words.
        """
        if not self.can_run(self, *words):
            return ""
        if self.tree is not None:
            words = (*words, "--path", str(self.tree))
        return format_command(self.command_prefix, *words)

    def check_unchanged_since_queued(self, name: str, changed_at: str) -> None:
        """Check that *name*, a text that a command replaces, did not change while it was queued.

        Raises:
            ConflictError: If it did: its user never saw the text.
        """
        shared = self.db.shared
        if shared is not None and shared.delivering and changed_at > self.now_text:
            raise ConflictError(
                f"{name} was changed at {changed_at}, after this was queued", code=CHANGED_SINCE
            )

    def check_actor(self) -> None:
        """Check that the acting agent was not removed since this context was made.

        Raises:
            NotFoundError: If it was.
        """
        actor = self.access.actor
        if actor.kind in ("agent", "lead") and self.db.one(
            "select 1 from agents where workspace_id = ? and slug = ? and removed_at is not null",
            (self.workspace, actor.name),
        ):
            raise NotFoundError(
                f"agent '{actor.name}' was removed from workspace '{self.workspace}'",
                code="agent-not-found",
            )

    # Paths

    @property
    def workspace_dir(self) -> Path:
        """The directory of the workspace."""
        if self.home is None:
            raise NotFoundError("there is no home here", code="home-not-found")
        return self.home / "workspaces" / self.workspace

    def crew_dir(self, crew: str) -> Path:
        """Return the directory of a crew."""
        return self.workspace_dir / "crews" / crew

    def agent_dir(self, crew: str, agent: str) -> Path:
        """Return the directory of an agent whose home crew is *crew*."""
        return self.crew_dir(crew) / "agents" / agent

    def agent_memory(self, crew: str, agent: str) -> Path:
        """Return the memory directory of an agent."""
        return self.agent_dir(crew, agent) / MEMORY_DIRECTORY

    def crew_memory(self, crew: str) -> Path:
        """Return the shared memory directory of a crew."""
        return self.crew_dir(crew) / "shared" / MEMORY_DIRECTORY

    def lock_path(self, name: str) -> Path:
        """Return the path of the lock file *name* of the home."""
        if self.home is None:
            raise NotFoundError("there is no home here", code="home-not-found")
        return self.home / "locks" / f"{name}.lock"

    def job_lock_path(self, job: str) -> Path:
        """Return the path of a job's lock file. The file exists once the job has run."""
        return self.lock_path(f"job-{self.workspace}-{job}")
