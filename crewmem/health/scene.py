"""What checks may look at: facts that the command gathers, and memory directories."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from shlex import join
from time import perf_counter

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.contents import contents
from crewmem.files.folders import open_place
from crewmem.files.tiers import tier_of
from crewmem.records import NamedTuple
from crewmem.scope import Scope, reach_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime
    from pathlib import Path

    from crewmem.files.contents import Entry
    from crewmem.files.indexed import Access
    from crewmem.files.place import Place
    from crewmem.health.language import Language
    from crewmem.health.recall import Embedding
    from crewmem.registry.member import Agent, Crew, Workspace
    from crewmem.scope import Reach, Sight
    from crewmem.settings import Settings
    from crewmem.transcripts.standing import Stand

    Tell = Callable[[int, int], None]
    Progress = Callable[[str, str], AbstractContextManager[Tell | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the program runs on.

    Attributes:
        python: The version of Python, as (3, 11, 7).
        sqlite: The version of SQLite, as ``3.54.1``.
        lacking: What this SQLite cannot do and has to.
        zone: The variable TZ, "" if it is not set.
        user: The number of the user whose rights the process has.
        free_bytes: What can still be written where memory is; None if nobody knows.
        unwritable: What of the home this process cannot write.
    """

    python: tuple[int, ...]
    sqlite: str
    lacking: Sequence[str]
    zone: str
    user: int
    free_bytes: int | None
    unwritable: Sequence[str] = ()


class BadFile(NamedTuple):
    """A file of the model that runs in process, and what is wrong with it.

    Attributes:
        origin: Who says that it is there: ``model_dir``, ``home`` or ``package``.
    """

    path: str
    origin: str
    reason: str


class Timed(NamedTuple):
    """How long an embedder took for a short text.

    Attributes:
        trouble: Why it could not; "" if it could.
    """

    milliseconds: float
    trouble: str = ""


class Clockwork(NamedTuple):
    """What runs the jobs of the home.

    Attributes:
        scheduler: ``systemd`` or ``cron``; None: no timers are installed.
        alive: Of each job that has a timer, whether that waits for its time; None
            where nobody can tell.
        trouble: Why not all of it is known; "" if it is.
    """

    scheduler: str | None
    alive: Mapping[str, bool | None]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who is registered, in all workspaces that are looked at."""

    workspaces: Sequence[Workspace]
    crews: Sequence[Crew]
    agents: Sequence[Agent]

    def members(self) -> Iterator[Workspace | Crew | Agent]:
        """Return all of them."""
        yield from self.workspaces
        yield from self.crews
        yield from self.agents


class Tree:
    """A memory directory as checks look at it; it is listed once.

    Attributes:
        place: The directory and whose it is.
        hidden: Tiers that whoever asks may not know of.
    """

    def __init__(
        self, place: Place, sight: Sight, *, caps: Mapping[str, int], today: date
    ) -> None:
        self.place, self.hidden = place, place.hidden_tiers(sight)
        self._caps, self._today = caps, today

    @property
    def path(self) -> Path:
        """The directory."""
        return self.place.path

    @property
    def entries(self) -> Sequence[Entry]:
        """The files in it, by path; none if it cannot be listed."""
        return self._listed[0]

    @property
    def troubles(self) -> Sequence[str]:
        """What could not be listed, and why."""
        return self._listed[1]

    @property
    def is_open(self) -> bool:
        """Tell whether the directory itself can be listed."""
        return self._listed[2]

    def hides(self, file: str) -> bool:
        """Tell whether whoever asks may not know of *file*, a path below it."""
        workspace = self.place.scope is Scope.WORKSPACE
        return tier_of(file, workspace=workspace) in self.hidden

    @cached_property
    def _listed(self) -> tuple[Sequence[Entry], Sequence[str], bool]:
        try:
            entries, troubles = contents(
                self.place, caps=self._caps, today=self._today, hidden=self.hidden
            )
        except CrewmemError as error:
            return (), (str(error),), False
        return entries, troubles, True


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What checks may look at.

    Attributes:
        home: The home, whether it is there or not; None where a tree was named with
            ``--path``, and the home is not asked.
        base: The directory that memory was looked for in; None if there is none.
        trees: The memory directories that whoever asks may read.
        unread: What could not be looked into for more of them, and why.
        sight: What whoever asks may see; agents are told of what is theirs.
        settings: Those in force, or what of them can be read.
        settings_trouble: Why not all of them can be read; None if they can.
        settings_origin: Where they come from.
        workspace: The only one that is looked at; None for all of the home.
        roster: Who is registered; None if that is not known.
        roster_trouble: Why it is not known; None if it is, or nobody can be.
        access: How an index is brought up to date, and the system's clock.
        chain_key: What the journal is signed with; None for plain hashes.
        embedding: What embeds, or why nothing does.
        language: The language model that is set, and what it lacks.
        language_trouble: Asks its service whether it is there, which writes nothing;
            returns why it could not be asked, "" if it could.
        weights: Reads the files of the model that runs in process, and returns those
            that are not as they were published.
        timed: Asks what embeds, and returns how long it took; None without an embedder.
        timers: Asks what runs the jobs of the home.
        transcripts: Asks how far session logs are read, of each program and agent.
        progress: Shows how far something has come: what is done, and to what.
        timer: Seconds, of a clock that never goes back.
        program: How the program is called so that it works on the same home.
    """

    home: Path | None
    base: Path | None
    trees: Sequence[Tree]
    unread: Sequence[str]
    sight: Sight
    settings: Settings
    settings_trouble: CrewmemError | None
    settings_origin: str
    workspace: str | None
    roster: Roster | None
    roster_trouble: CrewmemError | None
    access: Access
    chain_key: bytes | None = field(repr=False)
    embedding: Embedding
    language: Language
    language_trouble: Callable[[], str]
    weights: Callable[[], Sequence[BadFile]]
    timed: Callable[[], Timed | None]
    timers: Callable[[], Clockwork]
    transcripts: Callable[[], Sequence[Stand]]
    progress: Progress
    host: Host
    now: datetime
    timer: Callable[[], float] = perf_counter
    program: Sequence[str] = ("crewmem",)

    def command(self, *words: object) -> str:
        """Spell a command of ours for a shell."""
        return join([*self.program, *map(str, words)])

    @property
    def is_operator(self) -> bool:
        """Tell whether a person asks."""
        return self.sight.actor.is_operator

    @property
    def now_ms(self) -> int:
        """The time in milliseconds since 1970."""
        return int(self.now.timestamp() * 1000)

    def is_meant(self, workspace: str) -> bool:
        """Tell whether *workspace* is looked at."""
        return self.workspace in {None, workspace}

    def reach(self, workspace: str) -> Reach:
        """Return which entries of *workspace* whoever asks may read."""
        return reach_of(self.sight, workspace)

    def workspace_of(self, tree: Tree) -> str | None:
        """Return the workspace that *tree* is of; None if it lies in no home."""
        if self.home is None or not tree.place.kept:
            return None
        above = self.home / "workspaces"
        if not tree.path.is_relative_to(above):
            return None
        return tree.path.relative_to(above).parts[0]

    def texts(
        self, tree: Tree, entries: Iterable[Entry]
    ) -> Iterator[tuple[Entry, str]]:
        """Yield *entries* of *tree* that can be read, each with what it says."""
        limit = self.settings.max_file_bytes
        with open_place(tree.place) as root:
            for each in entries:
                try:
                    content = disk.read(root, each.file, limit=limit)
                except CrewmemError:
                    continue  # files.odd says so
                yield each, content.decode("utf-8", "replace")

    def reading(self, tree: Tree, path: Path) -> str:
        """Spell the command that prints the file at *path*, of *tree*."""
        named = () if tree.place.kept else ("--path", tree.path)
        return self.command("memory", "read", path, *named)

    @property
    def open_trees(self) -> list[Tree]:
        """The trees that can be listed; `files.listed` tells of the others."""
        return [tree for tree in self.trees if tree.is_open]

    def tree_at(self, where: str) -> Tree:
        """Return the tree that a finding is about."""
        return next(tree for tree in self.trees if str(tree.path) == where)
