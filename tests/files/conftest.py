"""A home with two crews, and what makes a `Memory` for any actor."""

from datetime import UTC, datetime

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.files.memory import Memory
from crewmem.files.memory_index import MemoryIndex
from crewmem.journal.writing import JournalWriter
from crewmem.review.store import ReviewStore
from crewmem.storage.sqlite import HOME_SCHEMA, open_database

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


class Setup:
    """A home on disk; `memory(actor)` opens its memory files as that actor."""

    def __init__(self, home):
        self.home = home
        self.now = NOW
        self.opened = []
        for crew, agents in (("harbor", ("winch", "crane")), ("yard", ("rivet",))):
            for where in ("shared", *(f"agents/{agent}" for agent in agents)):
                (self.root / "crews" / crew / where / ".memory").mkdir(parents=True)
        (self.root / ".memory").mkdir()
        open_database(home / "crewmem.db", HOME_SCHEMA, create=True).close()

    @property
    def root(self):
        return self.home / "workspaces" / "default"

    def path(self, reference):
        kind, _, rest = reference.partition(":")
        if kind == "workspace":
            return self.root / ".memory" / rest
        crew, _, rest = rest.partition("/")
        if kind == "crew":
            return self.root / "crews" / crew / "shared" / ".memory" / rest
        agent, _, rest = rest.partition("/")
        return self.root / "crews" / crew / "agents" / agent / ".memory" / rest

    def put(self, reference, text):
        path = self.path(reference)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def context(self, actor="operator:kim", **settings):
        who = Actor.parse(actor) if actor != "system" else Actor("system", "job")
        crew = {"winch": "harbor", "crane": "harbor", "rivet": "yard"}.get(who.name)
        crews = None if who.is_operator else frozenset({crew})
        led = frozenset({crew}) if who.kind == "lead" else frozenset()
        return Context(
            home=self.home,
            workspace="default",
            access=Access(who, "default", home_crew=crew, crews=crews, led=led),
            settings=load_settings(None, overrides={"timezone": "UTC", **settings}),
            clock=lambda: self.now,
        )

    def memory(self, actor="operator:kim", **settings):
        context = self.context(actor, **settings)
        index = MemoryIndex(context)
        memory = Memory(index, lambda: JournalWriter(context), lambda: ReviewStore(context))
        self.opened.append(memory)
        return memory

    def review(self):
        """Return the queue of what waits."""
        return ReviewStore(self.memory().context)


@pytest.fixture
def home(tmp_path):
    setup = Setup(tmp_path / "home")
    yield setup
    for memory in setup.opened:
        memory.index.close()
        if "db" in memory.context.__dict__:
            memory.context.db.close()


def _make_tree(path, scope=None, **options):
    """Return the memory of a directory without a home, as an operator sees it."""
    context = Context(
        home=None,
        workspace="default",
        access=Access(Actor.parse(options.pop("actor", "operator:kim")), "default"),
        settings=load_settings(None, overrides={"timezone": "UTC"}),
        clock=lambda: NOW,
        read_only=True,
        **options,
    )
    return Memory(MemoryIndex(context, root=path, scope=scope))


@pytest.fixture
def make_tree():
    return _make_tree
