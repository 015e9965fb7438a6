"""Home and Tree: the one object that front ends, jobs and Python programs call.

A part (facts, journal, memory files …) is imported and opened when it is first used, so that
a command pays only for what it needs.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar, Unpack
from weakref import WeakSet

from crewmem.access import Access, Actor, Scope
from crewmem.config import Settings, find_home_directory, load_settings
from crewmem.context import (
    DATABASE_FILE,
    SESSIONS_FILE,
    VECTORS_FILE,
    Context,
    format_command,
    system_clock,
)
from crewmem.errors import ConflictError, CrewmemError, NotFoundError
from crewmem.registry.membership import find_access
from crewmem.storage.filesystem import make_directory, move_files
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import (
    HOME_SCHEMA,
    Database,
    checkpoint,
    discard_database,
    open_database,
    transaction,
)
from crewmem.text.records import list_texts

if TYPE_CHECKING:  # the parts are imported when they are first used
    from crewmem.consolidation.run import Consolidation
    from crewmem.documents import Document
    from crewmem.embeddings.choose import EmbedderChoice, EmbedderStatus
    from crewmem.embeddings.embed_report import EmbedReport
    from crewmem.embeddings.store import Vectors
    from crewmem.evaluation.evaluation import Evaluation
    from crewmem.facts.reading import FactReader
    from crewmem.facts.source import FactSource
    from crewmem.facts.store import Facts
    from crewmem.facts.table import FactTable
    from crewmem.files.directories import FileOwner
    from crewmem.files.index import RefreshReport
    from crewmem.files.memory import Memory
    from crewmem.files.memory_index import MemoryIndex
    from crewmem.files.reading import MemoryReader
    from crewmem.files.status import MemoryStatus
    from crewmem.health.doctor import HookEntry
    from crewmem.health.doctor import Report as DoctorReport
    from crewmem.health.history import HealthMonitor
    from crewmem.health.status import Status
    from crewmem.jobs.last_runs import LastRun
    from crewmem.jobs.runner import JobRunner
    from crewmem.jobs.sweep import SweepReport
    from crewmem.jobs.timers import Timers
    from crewmem.journal.import_export import ImportResult
    from crewmem.journal.reading import JournalReader
    from crewmem.journal.source import EpisodeSource
    from crewmem.journal.store import Journal
    from crewmem.journal.writing import JournalWriter
    from crewmem.llm.client import LanguageModel
    from crewmem.operators.operators import Operators
    from crewmem.prompt.recall import RecallBlock, RecallOptions
    from crewmem.protocols import Embedder, SearchStore, VectorSource
    from crewmem.purging import Purging
    from crewmem.registry.store import Registry
    from crewmem.review.handlers import Handler
    from crewmem.review.queue import Review
    from crewmem.review.store import ReviewStore
    from crewmem.search.mentions import MentionTable
    from crewmem.search.request import SearchOptions
    from crewmem.search.search import Search, SearchResult
    from crewmem.security.verdicts import EnclosingFile
    from crewmem.sessions.search import SessionSearch
    from crewmem.sessions.store import Sessions

T = TypeVar("T")

MENTION_READS = 2_000
"""Maximum new texts that a search for a name reads for mentions. The next sweep reads the rest."""

LANGUAGE_SAMPLE = 50
"""Texts of each store from which its language is detected."""


def open(  # noqa: A001 - crewmem.open, as in gzip.open
    home: str | Path | None = None,
    *,
    workspace: str = "default",
    actor: str | Actor | None = None,
    settings: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = system_clock,
    read_only: bool = False,
) -> "Home":
    """Open a home.

    Args:
        home: Its directory; by default the platform's data directory.
        actor: ``agent:SLUG``, ``lead:SLUG`` or ``operator:NAME``; by default an operator.
        settings: Settings, as text, that override those of the home.

    Raises:
        NotFoundError: If there is no such home, workspace or agent.
    """
    path = find_home_directory(home)
    if isinstance(actor, str):
        actor = Actor.parse(actor)
    actor = actor or Actor("operator", "python")
    if not (path / DATABASE_FILE).is_file():
        raise NotFoundError(
            f"there is no home at {path}",
            code="home-not-found",
            hint=format_command(["crewmem", "--home", str(path)], "init"),
        )
    context = Context(
        home=path,
        workspace=workspace,
        access=Access(actor, workspace),
        settings=load_settings(path, overrides=settings),
        clock=clock,
        read_only=read_only,
        command_prefix=("crewmem", "--home", str(path)),
        attach_store=attach_store,
    )
    context.access = find_access(context, actor)
    return Home(context)


def create_home(path: Path | str, *, clock: Callable[[], datetime] = system_clock) -> None:
    """Create a home with the workspace ``default``.

    Raises:
        ConflictError: If there is one already.
        RefusedError: If the directory cannot be created.
    """
    path = Path(path)
    unfinished = path / f"{DATABASE_FILE}.new"
    _check_absent(path)
    for name in ("", "models", "versions", "sessions", "incidents", "logs", "locks", "workspaces"):
        make_directory(path / name)
    with lock(path / "locks" / "init.lock"):
        _check_absent(path)
        discard_database(unfinished)  # left by an interrupted command
        context = Context(
            home=path,
            workspace="default",
            access=Access(Actor("system", "init"), "default"),
            settings=load_settings(None),
            clock=clock,
        )
        try:
            context.db = open_database(unfinished, HOME_SCHEMA, create=True)
            home = Home(context)
            with transaction(context.db):
                home.registry.add_workspace("default")
            checkpoint(context.db)
            home.close()
        except BaseException:
            discard_database(unfinished)
            raise
        move_files(path, {unfinished.name: DATABASE_FILE})


def _check_absent(path: Path) -> None:
    if (path / DATABASE_FILE).exists():
        raise ConflictError(
            f"{path} is already a home",
            code="home-exists",
            hint=format_command(["crewmem", "--home", str(path)], "status"),
        )


def attach_store(context: Context, db: Database) -> None:
    """Make *db* a mirror of the shared store that the settings name, and update it."""
    from crewmem.hosts.store import attach_store  # only with a shared store

    attach_store(context, db)


class Home:
    """A workspace of a home, as an actor sees it.

    Attributes:
        context: The home's location, the actor, the clock and the settings.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        context.list_released = self._list_released
        self._derived: WeakSet[Home] = WeakSet()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.context.settings

    def close(self) -> None:
        """Close the databases, also of homes made from this one; the next use opens them again.

        A home that `as_actor` made leaves the databases that it shares open.
        """
        for home in list(self._derived):
            home.close()
        for name in ("searcher", "fact_source", "episodes", "mentions"):
            vars(self).pop(name, None)  # they hold databases
        for name in ("sessions", "vectors", "memory_index"):
            if name in vars(self):
                getattr(self, name).close()
        self.context.close()

    def __repr__(self) -> str:
        context = self.context
        place = context.home or context.tree
        return f"<{type(self).__name__} {place}, {context.workspace}, as {context.access.actor}>"

    def _list_released(self) -> frozenset[str]:
        return self.review_items.list_released() if self.context.has_db else frozenset()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Stores

    @cached_property
    def registry(self) -> "Registry":
        """Workspaces, crews and agents."""
        from crewmem.registry.store import Registry

        return Registry(self.context, self._move_agent_files)

    def _move_agent_files(self, slug: str, crew: str, new_crew: str, undo: ExitStack) -> None:
        """Move the files of an agent, and let all that names them by its crew name them anew."""
        from crewmem.consolidation.store import CandidateStore
        from crewmem.files.relocation import move_agent_files
        from crewmem.operators.store import ProfileStore

        CandidateStore(self.context).rename_agent(slug, crew, new_crew)
        self.review_items.rename_agent(slug, crew, new_crew)
        ProfileStore(self.context).rename_agent(slug, crew, new_crew)
        move_agent_files(self.context, slug, crew, new_crew, undo)

    @cached_property
    def journal(self) -> "Journal":
        """The journal of what happened."""
        from crewmem.journal.store import Journal

        return Journal(self.context, lambda: self.review_items)

    @cached_property
    def journal_reader(self) -> "JournalReader":
        """The part of `journal` that reads. It is imported much faster than the whole."""
        from crewmem.journal.reading import JournalReader

        return JournalReader(self.context)

    @cached_property
    def journal_writer(self) -> "JournalWriter":
        """The part of `journal` that appends. It is imported much faster than the whole."""
        from crewmem.journal.writing import JournalWriter

        return JournalWriter(self.context)

    @cached_property
    def episodes(self) -> "EpisodeSource":
        """The journal entries worth recalling, for search and jobs."""
        from crewmem.journal.source import EpisodeSource

        return EpisodeSource(self.context)

    @cached_property
    def review_items(self) -> "ReviewStore":
        """The store of review items."""
        from crewmem.review.store import ReviewStore

        return ReviewStore(self.context)

    @cached_property
    def facts(self) -> "Facts":
        """Structured statements: add, find and change them."""
        from crewmem.facts.store import Facts

        return Facts(self.fact_table)

    @cached_property
    def fact_reader(self) -> "FactReader":
        """The part of `facts` that reads. It is imported much faster than the whole."""
        from crewmem.facts.reading import FactReader

        return FactReader(self.fact_table)

    @cached_property
    def fact_table(self) -> "FactTable":
        """The rows of facts, without checking access."""
        from crewmem.facts.table import FactTable

        return FactTable(
            self.context,
            lambda: self.journal_writer,
            lambda: self.journal,
            lambda: self.review_items,
        )

    @cached_property
    def fact_source(self) -> "FactSource":
        """The facts, for search and jobs."""
        from crewmem.facts.source import FactSource

        return FactSource(self.context)

    @cached_property
    def memory(self) -> "Memory":
        """Memory files."""
        from crewmem.files.memory import Memory

        return Memory(self.memory_index, lambda: self.journal_writer, lambda: self.review_items)

    @cached_property
    def memory_reader(self) -> "MemoryReader":
        """The part of `memory` that reads. It is imported much faster than the whole."""
        from crewmem.files.reading import MemoryReader

        return MemoryReader(self.memory_index)

    @cached_property
    def memory_index(self) -> "MemoryIndex":
        """The index of the memory files."""
        from crewmem.files.memory_index import MemoryIndex

        return MemoryIndex(self.context)

    # Search

    @cached_property
    def vectors(self) -> "Vectors":
        """The vectors of all texts."""
        from crewmem.embeddings.store import Vectors

        return Vectors(self.context)

    @cached_property
    def embedder(self) -> "Embedder | None":
        """The embedder of the settings; None when search uses words only.

        Raises:
            NotFoundError: If the embedder that the settings name is not installed.
        """
        return self.embedder_choice.open()

    @cached_property
    def embedder_choice(self) -> "EmbedderChoice":
        """Which embedder is in use, and why."""
        from crewmem.embeddings.choose import EmbedderChoice

        return EmbedderChoice(self.context, self.vectors, self.find_languages)

    def describe_embedder(self) -> "EmbedderStatus":
        """Describe the embedder in use, and why it was chosen."""
        return self.embedder_choice.describe()

    def find_languages(self) -> list[str]:
        """Detect the languages of a sample of the stored texts, the most common first."""
        from crewmem.text.tokens import detect_language

        if not self.context.has_db:
            return []
        counts: Counter[str] = Counter()
        for source in self.text_sources.values():
            for text in source.sample_texts(LANGUAGE_SAMPLE):
                counts[detect_language(text)] += 1
        counts.pop("?", None)
        return [language for language, _ in counts.most_common()]

    @cached_property
    def searcher(self) -> "Search":
        """Search over all stores."""
        from crewmem.search.safe_hits import SafeHits
        from crewmem.search.search import Search

        stores: dict[str, Callable[[], SearchStore]] = {"memory": lambda: self.memory_index.source}
        if self.context.has_db:
            stores["facts"] = lambda: self.fact_source
            stores["journal"] = lambda: self.episodes
            stores["sessions"] = lambda: self.sessions.source
        return Search(
            self.context,
            stores,
            open_vectors=lambda: self.vectors if self.vectors.exists else None,
            open_embedder=self._open_query_embedder,
            find_mentions=self.find_mentions,
            make_safe=SafeHits(self.context, self._find_enclosing_file),
        )

    def _find_enclosing_file(self, document: "Document") -> "EnclosingFile":
        return self.memory_index.find_enclosing_file(document)

    def make_safe(self, record: T) -> T:
        """Return *record*, or a list of records, safe to show to a model or a person.

        In each text, attacks are replaced, secrets redacted and suspicious passages marked. No
        passage is suspicious in a fact that may contain instructions.
        """
        records = record if isinstance(record, list) else [record]
        instructions = set(
            list_texts([each for each in records if getattr(each, "may_instruct", False)])
        )
        return self.context.verdicts.make_record_safe(record, instructions=instructions)

    def _open_query_embedder(self) -> "Embedder | None":
        """Open the embedder for questions; None when there are no vectors to compare with."""
        if self.settings["embedder"] == "none":
            return None
        if self.context.home is None:
            self.context.warn(
                "sparse-only", "searched by words only: a directory without a home has no vectors"
            )
            return None
        embedder = self.embedder
        if embedder is None:
            missing, command = self.embedder_choice.explain_missing()
        elif not self.vectors.exists:
            missing, command = "nothing is embedded yet", self.context.command("sweep --all")
        else:
            return embedder
        self.context.warn("sparse-only", f"searched by words only: {missing}", command)
        return None

    @cached_property
    def mentions(self) -> "MentionTable":
        """The table of the names that each text mentions."""
        from crewmem.search.mentions import MentionTable

        home = self if self.context.tree else self.as_system()
        return MentionTable(home.memory_index.load().db, home.named_sources)

    @property
    def text_sources(self) -> "dict[str, VectorSource]":
        """The stores whose texts are embedded."""
        sources: dict[str, VectorSource] = {"memory": self.memory_index.source}
        if self.context.has_db:
            sources |= {"facts": self.fact_source, "journal": self.episodes}
        return sources

    @property
    def named_sources(self) -> "dict[str, VectorSource]":
        """The stores that are searched for mentions of names: `text_sources` and sessions."""
        sources = self.text_sources
        home = self.context.home
        if self.context.has_db and home is not None and (home / SESSIONS_FILE).is_file():
            from crewmem.sessions.source import SessionNames

            index = self.sessions.open_index()
            if index is not None:
                sources["sessions"] = SessionNames(index, self.context.access)
        return sources

    def memory_status(self, **owner: "Unpack[FileOwner]") -> "MemoryStatus":
        """Return the state of the memory files, their index and their vectors.

        Args:
            owner: ``scope``, ``agent`` and ``crew`` of the files; by default of all readable files.
        """
        status = self.memory_index.status(**owner)
        if self.context.home is None:
            return status
        vectors = 0
        if (self.context.home / VECTORS_FILE).is_file():
            vectors = self.vectors.count((self.context.workspace, "memory"))
        is_hybrid = vectors > 0 and self.settings["embedder"] != "none"
        return replace(status, vectors=vectors, mode="hybrid" if is_hybrid else "sparse")

    def find_mentions(self, name: str) -> dict[str, set[int]]:
        """Return the vector keys of the texts that mention *name*, by store.

        Stores with many changes since the last sweep are left out. So are sessions: the table of
        mentions has whole sessions, but a search returns single turns.
        """
        self.mentions.refresh(limit=MENTION_READS)
        found = self.mentions.find(name)
        found.pop("sessions", None)
        return found

    def search(
        self,
        query: str,
        *,
        stores: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        limit: int = 10,
        **options: "Unpack[SearchOptions]",
    ) -> "SearchResult":
        """Search the stores for *query* and return the best hits first.

        Args:
            stores: Some of memory, facts, journal and sessions; all by default.
            filters: Values by name; the names are `search.request.FILTERS`.
            options: See `search.request.SearchOptions`.
        """
        from crewmem.search.relevance import LIST_CUTOFF

        options.setdefault("cutoff", LIST_CUTOFF)
        return self.searcher.find(query, stores=stores, filters=filters, limit=limit, **options)

    def recall(self, query: str, **options: "Unpack[RecallOptions]") -> "RecallBlock":
        """Return what is known about *query* as one block for a model.

        Args:
            options: See `prompt.recall.RecallOptions`.
        """
        from crewmem.prompt.recall import recall

        return recall(self, query, **options)

    def log_search(self, query: str, result: "SearchResult | SessionSearch", *, limit: int) -> None:
        """Log a query and its hits; call it after printing the answer.

        A search by filters alone is not logged.
        """
        if not self.context.has_db or not query.strip():
            return
        from crewmem.prompt.recall_log import log_recall

        hits = [hit for hit in result.hits if hit.label != "weak"]
        sure = [hit.ref for hit in hits if hit.label == "sure"]
        log_recall(
            self.context, query, use="search", mode=result.mode, k=limit, hits=hits, injected=sure
        )

    # Indexing and embedding

    def reindex(self, *, full: bool = False) -> "RefreshReport":
        """Refresh the index of memory files, and record outside changes of them as versions.

        Args:
            full: Whether to rebuild the index.
        """
        report = self.memory_index.refresh(full=full)
        if not self.memory_index.has_unrecorded():  # most runs need not import what records
            return report
        return report._replace(recorded=len(self.memory.record_outside_changes()))

    def sweep(
        self, *, limit: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> "SweepReport":
        """Embed new texts, refresh indexes, and record outside changes."""
        from crewmem.jobs.sweep import sweep

        return sweep(self.as_system(), limit=limit, progress=progress)

    def reembed(self) -> "list[EmbedReport]":
        """Discard all vectors and embed every text with the embedder of the settings.

        Raises:
            NotFoundError: If the embedder is missing; the vectors are kept.
        """
        from crewmem.jobs.sweep import reembed

        return reembed(self.as_system())

    def embed_new_facts(self) -> None:
        """Embed the newest facts now, if the model runs in this process.

        With a service the next sweep does it, so that adding a fact never waits for the network.
        """
        from crewmem.jobs.sweep import embed_new_facts

        embed_new_facts(self.as_system())

    def import_entries(
        self, lines: BinaryIO, *, progress: Callable[[int, int], None] | None = None
    ) -> "ImportResult":
        """Add journal entries from JSON lines; existing entries stay unchanged."""
        from crewmem.journal.import_export import import_entries

        return import_entries(self.journal, lines, progress=progress)

    def with_context(self, context: Context) -> "Home":
        """Return this home or tree with another context."""
        return Home(context)

    def as_system(self, name: str = "crewmem") -> "Home":
        """Return this home with the full rights of a job, on the same database."""
        if self.context.access.actor.kind == "system":
            return self
        return self.as_actor(Actor("system", name))

    def as_actor(self, actor: str | Actor) -> "Home":
        """Return this home as *actor* sees it, with the same database and warnings.

        Raises:
            UsageError: If *actor* is not ``agent:SLUG``, ``lead:SLUG`` or ``operator:NAME``.
            NotFoundError: If the agent is not registered.
        """
        if isinstance(actor, str):
            actor = Actor.parse(actor)
        home = Home(self.context.derive(access=find_access(self.context, actor)))
        self._derived.add(home)
        return home

    # Work

    @cached_property
    def purging(self) -> "Purging":
        """Erasure of texts: of facts, entries, versions of files, and sessions."""
        from crewmem.purging import Purging

        return Purging(self)

    @cached_property
    def llm(self) -> "LanguageModel | None":
        """The language model of the settings; None when there is none."""
        from crewmem.llm.client import open_llm

        return open_llm(self.context)

    @cached_property
    def sessions(self) -> "Sessions":
        """The session logs of agent programs."""
        from crewmem.sessions.store import Sessions

        return Sessions(self)

    @cached_property
    def consolidation(self) -> "Consolidation":
        """Promotion of statements that recur in notes, journal and sessions."""
        from crewmem.consolidation.run import Consolidation

        return Consolidation(self)

    @property
    def reviewed_facts(self) -> "Facts":
        """The facts with full rights, for review: a lead may change its agents' facts."""
        return self.facts if self.context.access.is_operator else self.as_system().facts

    @cached_property
    def health(self) -> "HealthMonitor":
        """Metrics of the stored memory's quality, and their history."""
        from crewmem.health.history import HealthMonitor

        return HealthMonitor(self)

    def status(self) -> "Status":
        """Return counts, the state of each part, and the most useful next command."""
        from crewmem.health.status import make_status

        return make_status(self)

    @cached_property
    def timers(self) -> "Timers":
        """The systemd or cron timers that run the jobs."""
        from crewmem.jobs.timers import Timers

        return Timers(self)

    def doctor(
        self,
        *,
        only: Collection[str] = (),
        fix: bool = False,
        dry_run: bool = False,
        error: CrewmemError | None = None,
        settings_error: CrewmemError | None = None,
        list_hooks: "Callable[[], Sequence[HookEntry]] | None" = None,
    ) -> "DoctorReport":
        """Run the checks; with *fix*, make the repairs that are safe.

        Args:
            only: Ids of the checks to run; all by default.
            dry_run: Whether to plan repairs without making them.
            error: Error from opening the home.
            settings_error: Error from reading its settings.
            list_hooks: Tests the hook entries of agent programs and returns them.
        """
        from crewmem.health.doctor import ExaminedHome, examine

        subject = ExaminedHome(
            self, error=error, settings_error=settings_error, list_hooks=list_hooks
        )
        return examine(subject, only=only, fix=fix, dry_run=dry_run)

    @cached_property
    def jobs(self) -> "JobRunner":
        """The jobs of the workspace; they act as the system."""
        from crewmem.jobs.actions import make_actions
        from crewmem.jobs.runner import JobRunner

        home = self.as_system()
        return JobRunner(home.context, home.journal_writer, make_actions(home))

    @property
    def last_runs(self) -> "dict[str, LastRun]":
        """The last run of each job that ever ran, by name."""
        from crewmem.jobs.last_runs import load_last_runs

        return load_last_runs(self.context)

    @cached_property
    def operators(self) -> "Operators":
        """Profiles of people."""
        from crewmem.operators.operators import Operators

        return Operators(self)

    @cached_property
    def evaluation(self) -> "Evaluation":
        """Measurement and tuning of recall."""
        from crewmem.evaluation.evaluation import Evaluation

        return Evaluation(self)

    def make_temporary(self, path: Path) -> "Home":
        """Create an empty home with the settings and the model of this one, with full rights."""
        create_home(path, clock=self.context.clock)
        context = replace(
            self.context,
            home=path,
            workspace="default",
            access=Access(Actor("system", "eval"), "default"),
            read_only=False,
            model_directory=self.embedder_choice.find_model_directory(),
            warnings=[],
        )
        return Home(context)

    @cached_property
    def review(self) -> "Review":
        """Decisions on review items."""
        from crewmem.review.queue import Review

        return Review(self, self._make_handler)

    def _make_handler(self, kind: str) -> "Handler":
        """Return the handler for review items of *kind*, importing only its module."""
        if kind == "skill":
            from crewmem.consolidation.skills import SkillHandler

            return SkillHandler(self)
        if kind == "import":
            from crewmem.transfer.importer import ImportHandler

            return ImportHandler(self)
        if kind in ("merge", "outbox"):
            from crewmem.hosts.merge import MergeHandler, OutboxHandler

            return MergeHandler(self) if kind == "merge" else OutboxHandler(self)
        from crewmem.review.handlers import HANDLERS

        return HANDLERS[kind](self)


class Tree(Home):
    """A directory of memory files without a home, or a copy of a home; read-only.

    Only ``memory.write`` works, on a directory without a database, and changes the named file only.
    """

    def __init__(
        self, path: str | Path, context: Context | None = None, *, scope: Scope | None = None
    ) -> None:
        """Open a directory.

        Args:
            scope: ``all`` includes the crew's files in an agent's directory.
        """
        self.path = Path(path).expanduser().absolute()
        self._scope = scope
        super().__init__(
            context
            or Context(
                home=self.path if (self.path / DATABASE_FILE).is_file() else None,
                workspace="default",
                access=Access(Actor("operator", "python"), "default"),
                settings=load_settings(None),
                read_only=True,
                tree=self.path,
            )
        )

    def with_context(self, context: Context) -> Home:
        return Tree(self.path, context, scope=self._scope)

    @cached_property
    def memory(self) -> "Memory":
        """The memory files below the directory; a write is recorded nowhere."""
        from crewmem.files.memory import Memory

        return Memory(self.memory_index)

    @cached_property
    def memory_index(self) -> "MemoryIndex":
        """The index of the memory files below the directory."""
        from crewmem.files.memory_index import MemoryIndex

        return MemoryIndex(self.context, root=self.path, scope=self._scope)
