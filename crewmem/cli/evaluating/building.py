"""Building the corpus of a suite into a home that is thrown away.

It goes the way of everything else that is remembered: journal import, memories as they
are imported, memory files, and a sweep that embeds and indexes them.
"""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from pathlib import Path

import click

from crewmem.cli.app import App, World
from crewmem.cli.evaluating.corpus import CREW, FILES, JOURNAL, MEMORIES
from crewmem.errors import CrewmemError
from crewmem.errors.evaluation import BadCorpusError
from crewmem.registry import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import BinaryIO

    from crewmem.cli.evaluating.corpus import Corpus, Row
    from crewmem.journal.importing import Imported
    from crewmem.memories.taken import Taken

OURS = ("CREWMEM_HOME", "CREWMEM_ACTOR", "CREWMEM_AGENT", "CREWMEM_CHAIN_KEY")
"""Variables that say of another home what does not hold here."""


@contextmanager
def built(
    app: App, corpus: Path | str, now: datetime
) -> Iterator[tuple[App, Mapping[tuple[str, str], str]]]:
    """Yield the world of a home that holds *corpus*; it is gone afterwards.

    With it, by workspace and id, under which name recall answers with a row: a memory
    file is named by its place.

    Args:
        app: Whose settings are in force, and whose model embeds.
        corpus: A file, or the name of the sample crew's.
        now: When it is remembered.

    Raises:
        BadCorpusError: If it cannot be built.
    """
    from crewmem.cli.evaluating.corpus import read_corpus
    from crewmem.disk.temporary import temporary_root

    found = None if isinstance(corpus, str) else read_corpus(corpus)
    if found and found.blank:
        app.out.warn(f"{corpus}: rows without a text: {', '.join(found.blank[:5])}")
    outer = click.get_current_context()
    with temporary_root() as home, click.Context(outer.command, parent=outer) as inner:
        inner.obj = outer.obj
        world = _world(app, home, now)
        if found is None:
            _build_sample(_within(app, world, SAMPLE_WORKSPACE))
        else:
            for name in found.rows:
                _build(_within(app, world, name), found, corpus)
        whole = _within(app, world)
        _sweep(whole)
        yield whole, _names(found) if found else {}


def _names(corpus: Corpus) -> dict[tuple[str, str], str]:
    from crewmem.files.place import place_at

    names: dict[tuple[str, str], str] = {}
    for workspace, rows in corpus.rows.items():
        for row in rows:
            if row.store == FILES:
                place = place_at(Path("/", _folder(workspace, row), layout.MEMORY))
                names[workspace, row.id] = place.ref(str(row.path))
    return names


SAMPLE_WORKSPACE = "default"


def _world(app: App, home: Path, now: datetime) -> World:
    outer = app.world
    environ = {name: each for name, each in outer.environ.items() if name not in OURS}
    return World(
        environ={**environ, "CREWMEM_HOME": str(home)},
        clock=lambda: now,
        mount=str(home / "nowhere"),
        stdin=outer.stdin,
        stdout=outer.stdout,
        stderr=outer.stderr,
    )


def _within(app: App, world: World, workspace: str = "") -> App:
    """Return the throw-away world with the settings of *app*, and its model.

    Without a *workspace* all of them are meant.
    """
    from crewmem.backends.embed.weights import places

    given = {"acting": "operator:eval"}
    if workspace:
        given["workspace"] = workspace
    inner = App(world, given)
    name = workspace or SAMPLE_WORKSPACE
    loaded = app.loaded.with_option("workspace", name, "--workspace")
    models = places(app.settings.model_dir, str(app.home))
    if model := next((each for each in models if each.is_complete), None):
        loaded = loaded.with_option("model_dir", model.path, "model_dir")
    vars(inner).update(out=app.out, now=world.clock(), loaded=loaded)
    return inner


def _sweep(app: App) -> None:
    from crewmem.cli.sweeping.passes import Sweeper

    Sweeper(app, None).sweep(app.now)


# The sample crew


def _build_sample(app: App) -> None:
    from crewmem.registry.init import init, init_sample, make_home

    make_home(app.home)
    init(app.registry, app.home, app.workspace, now=app.now)
    init_sample(
        app.registry,
        app.home,
        app.workspace,
        now=app.now,
        add_journal=lambda lines: _add_entries(app, lines).added,
        add_memories=lambda lines: _add_memories(app, lines).added,
        begun=lambda _: None,  # the sweep records versions
    )


def _add_entries(app: App, lines: BinaryIO) -> Imported:
    from crewmem.journal.importing import import_entries

    return import_entries(app.journal, app.workspace, lines, now=app.now)


def _add_memories(app: App, lines: BinaryIO) -> Taken:
    from crewmem.cli.held import desk
    from crewmem.memories.importing import import_memories

    return import_memories(desk(app), lines)


# A corpus


def _build(app: App, corpus: Corpus, file: Path | str) -> None:
    """Build what *corpus* has of the workspace of *app*."""
    rows = corpus.rows[app.workspace]
    try:
        _register(app, corpus)
        _add_files(app, [each for each in rows if each.store == FILES])
    except CrewmemError as error:
        raise BadCorpusError(file, str(error)) from error
    for store, spell, add in (
        (JOURNAL, _entry, _add_entries),
        (MEMORIES, _memory, _add_memories),
    ):
        mine = [each for each in rows if each.store == store]
        lines = "\n".join(json.dumps(spell(each)) for each in mine)
        done = add(app, io.BytesIO(lines.encode())) if mine else None
        if done and done.added < len(mine):
            why = next((each.reason for each in done.troubles), "others say the same")
            many = f"{len(mine) - done.added:,} rows of {store} were not taken in"
            raise BadCorpusError(file, f"{many}: {why}")


def _register(app: App, corpus: Corpus) -> None:
    from crewmem.registry.add import add_agent, add_crew
    from crewmem.registry.init import init, make_home
    from crewmem.registry.member import new_agent, new_crew

    make_home(app.home)
    init(app.registry, app.home, app.workspace, now=app.now)
    for name in corpus.crews(app.workspace):
        crew = new_crew(app.workspace, name, lead=None, now=app.now)
        add_crew(app.registry, app.home, crew)
    for slug, name in corpus.agents(app.workspace).items():
        agent = new_agent(app.workspace, slug, crew=name, role="agent", now=app.now)
        add_agent(app.registry, app.home, agent)


def _entry(row: Row) -> Mapping[str, object]:
    told = {
        "id": row.id,
        "summary": row.text,
        "entry_type": row.kind or "peer.conversation",
        "ts": row.at,
        "crew_id": row.crew,
        "agent_id": row.agent,
        "actor_id": row.speaker or row.agent,
        "actor_type": "agent",
        "trace_id": row.session,
        "refs": {"episodic": True},
    }
    return {name: value for name, value in told.items() if value is not None}


def _memory(row: Row) -> Mapping[str, object]:
    told = {
        "id": row.id,
        "title": row.title,
        "content": row.text,
        "kind": row.kind,
        "agent": row.agent,
        "crew": None if row.agent else row.crew,
        "created_at": row.at,
        "session": row.session,
        "origin": "eval",
    }
    return {name: value for name, value in told.items() if value is not None}


def _folder(workspace: str, row: Row) -> str:
    """Return above which directory of memory files *row* is, below the home."""
    folder = f"{layout.WORKSPACES}/{workspace}"
    if row.agent:
        return f"{folder}/crews/{row.crew or CREW}/agents/{row.agent}"
    return f"{folder}/crews/{row.crew}/shared" if row.crew else folder


def _add_files(app: App, rows: Sequence[Row]) -> None:
    from crewmem import disk

    with disk.open_root(app.home) as root:
        for row in rows:
            path = f"{_folder(app.workspace, row)}/{layout.MEMORY}/{row.path}"
            disk.make_dirs(root, path.rpartition("/")[0])
            disk.write(root, path, row.text.encode())
