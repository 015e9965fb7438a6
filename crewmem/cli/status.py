"""``crewmem status``."""

from __future__ import annotations

import os

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import apsw

    from crewmem.files.place import Place
    from crewmem.health.glance import Glance
    from crewmem.health.holding import Holding
    from crewmem.health.overview import Overview, Ran
    from crewmem.health.recall import Embedding, Recall, Step
    from crewmem.health.remembered import Remembered
    from crewmem.scope import Sight

    Kept = tuple[Remembered, Holding, Ran]
    """What there is in the database."""

DATABASE = "crewmem.db"
"""As in db/truth.py, which this does without; a test compares."""

UNQUOTED = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
)
"""Characters that mean themselves to a shell, as shlex has it."""


@verb
@option(
    "-p",
    "--path",
    metavar="DIR",
    help="Look at this memory directory or crew alone; needs no home.",
)
@pass_app
def status_command(app: App, *, path: str | None) -> None:
    """Show the state of the memory on one screen, and the next step.

    Where memory was found, how much there is, how the indexes stand, how events are
    recalled, what waits, how the last jobs came out, how healthy it is, what should be
    otherwise, and the one command that helps most. It looks at names, stamps and
    counts, not into files, asks no service and writes nothing; doctor looks closer.
    """
    seen, embedding, recall = _overview(app, path)
    if app.out.is_json:
        app.out.record(seen, [])
        return
    from crewmem.cli.status_shown import LABEL, lines

    app.out.record(seen, app.out.folded(lines(app, seen, embedding, recall), LABEL))


def _overview(
    app: App, path: str | None
) -> tuple[Overview, Embedding | None, Recall | None]:
    from crewmem.health.advice import advice
    from crewmem.health.holding import NOTHING
    from crewmem.health.overview import Known, Ran, Where, overview
    from crewmem.health.remembered import Remembered

    source, base = _base(app, path)
    found, sight = _places(app, source, base)
    trouble, kept, held, ran = "", Remembered(), NOTHING, Ran()
    if source == "home":
        trouble, (kept, held, ran) = _database(app, found)
    embedding, recall, steps = _recall(app, kept) if source == "home" else _NO_RECALL
    glances = _glances(app, found, sight, embedding)
    if source == "home" and app.actor.is_operator:
        first = _unwritable(app) or _full(app)  # else the others cannot be done
        steps = [*first, *steps, *_upkeep(app, kept, held, ran, glances, recall)]
    words, why = advice(
        glances,
        has_base=base is not None,
        writable=_writable(found),
        trouble=trouble,
        steps=steps,
    )
    workspace = app.workspace if source in {"home", "none"} else None
    seen = overview(
        glances,
        Where(source, base, app.home, workspace),
        Known(trouble, kept, held, ran, recall, steps),
        step=_command(app, words, base if source == "path" else None),
        why=why,
    )
    return seen, embedding, recall


def _upkeep(
    app: App,
    kept: Remembered,
    held: Holding,
    ran: Ran,
    glances: Sequence[Glance],
    recall: Recall | None,
) -> list[Step]:
    """Return what to do about jobs, health and what waits for a person."""
    from crewmem import disk
    from crewmem.health.upkeep import upkeep_steps

    found = upkeep_steps(
        kept,
        held,
        ran,
        refused=sum(each.refused for each in glances),
        has_embedder=bool(recall and recall.model),
        may_install=disk.is_writable(app.home),
    )
    return [*found]


def _full(app: App) -> list[Step]:
    """Return what to do about a disk on which the next write may fail."""
    from crewmem.health.recall import Step
    from crewmem.health.room import free_bytes, is_full, taken_bytes

    free = free_bytes(app.home)
    if free is None or not is_full(free, taken_bytes(app.home)):
        return []
    problem = f"{free / 1e6:,.0f} MB are free where the home is"
    return [Step(problem, "crewmem doctor --only home.space", "see what is needed")]


def _unwritable(app: App) -> list[Step]:
    """Return what to do about a home that cannot be written."""
    from crewmem import disk
    from crewmem.health.recall import Step

    if not app.home.is_dir() or disk.is_writable(app.home):
        return []
    problem = "the home cannot be written: nothing is remembered"
    return [Step(problem, "crewmem doctor --only home", "see why")]


def _base(app: App, path: str | None) -> tuple[str, Path | None]:
    """Return where memory is, and how it was found."""
    from crewmem.cli.places import looked_in

    base = looked_in(app, path)
    if base is None and os.path.lexists(app.home):
        from crewmem.errors.disk import NotADirectoryPathError

        raise NotADirectoryPathError(app.home)
    if base is None:
        return "none", None
    if path:
        return "path", base
    if base == app.home:
        return "home", base
    return ("mount" if str(base) == app.world.mount else "own"), base


def _places(app: App, source: str, base: Path | None) -> tuple[list[Place], Sight]:
    from crewmem.files import locate

    sight = app.sight_of_path if source in {"path", "none"} else app.sight
    if base is None:
        return [], sight
    if source != "home":
        found = locate.at_path(base, None)
        return locate.readable(found, sight, named=source == "path"), sight
    is_there = (base / "workspaces" / app.workspace).is_dir()
    if not is_there and not _is_chosen(app):
        return [], sight
    found = locate.in_home(base, app.workspace, None)
    return locate.readable(found, sight, named=False), sight


def _is_chosen(app: App) -> bool:
    """Tell whether somebody chose the workspace: then it has to be there."""
    from crewmem.settings import SETTINGS

    return app.loaded.origin(SETTINGS["workspace"]) != "default"


_NO_RECALL: tuple[Embedding | None, Recall | None, list[Step]] = (None, None, [])
"""Where no home is looked at: there is no journal."""


def _recall(app: App, kept: Remembered) -> tuple[Embedding, Recall, list[Step]]:
    """Return what embeds, how what is *kept* is recalled, and what to do about it."""
    from crewmem.cli.embedding.health import embedding
    from crewmem.health.recall import recall, steps

    embeds = embedding(app, kept.vectors.model)
    seen = recall(kept, embeds)
    todo = steps(kept, seen, embeds) if app.actor.is_operator else ()
    return embeds, seen, [*todo]


def _database(app: App, found: Sequence[Place]) -> tuple[str, Kept]:
    """Return what is wrong with the database, and what there is to say of all in it.

    It is looked at once. That there is none is wrong only where there are crews.
    """
    from crewmem.db.examine import examine
    from crewmem.db.migrate import version
    from crewmem.errors import CrewmemError
    from crewmem.errors.disk import PathMissingError
    from crewmem.health.holding import NOTHING, holding
    from crewmem.health.overview import Ran
    from crewmem.health.remembered import Remembered, remembered, vectors_of

    path, timeout = app.home / DATABASE, app.settings.busy_timeout
    has_crews = any(place.crew for place in found)
    reach, sight = app.reach(None), app.sight
    vectors = vectors_of(app.home, app.workspace, busy_timeout=timeout)

    def look(db: apsw.Connection) -> tuple[int, Kept]:
        schema = version(db)
        held = holding(db, schema, app.workspace, sight, vectors)
        kept = remembered(db, reach, vectors, schema)
        return schema, (kept, held, _ran(app, db, schema))

    known: Kept = (Remembered(vectors=vectors), NOTHING, Ran())
    try:
        schema, known = examine(path, look, busy_timeout=timeout)
    except PathMissingError:
        missing = f"there is no {path}: nobody is registered" if has_crews else ""
        return missing, known
    except CrewmemError as error:
        return str(error), known
    return _schema_trouble(path, schema, has_crews=has_crews), known


def _schema_trouble(path: Path, schema: int, *, has_crews: bool) -> str:
    """Return what is wrong with the database at *path* by its version; "": nothing."""
    from crewmem.db.migrate import TRUTH, newest
    from crewmem.health.remembered import COUNTED

    if not schema and has_crews:
        return f"{path} is empty: nobody is registered"
    if 0 < schema < COUNTED:
        return f"{path} is an older crewmem's: what is in it is not counted"
    if schema <= newest(TRUTH):
        return ""
    from crewmem.db.truth import newer

    return newer(path, schema)


def _ran(app: App, db: apsw.Connection, schema: int) -> Ran:
    """Return what *db* says of jobs and health, to operators, and of who is off."""
    from crewmem.health.overview import Ran
    from crewmem.health.remembered import COUNTED

    if schema < COUNTED:
        return Ran()
    from crewmem.registry.crews_store import without_memory

    off = without_memory(db, app.workspace)
    if not app.actor.is_operator:
        return Ran(off=tuple(off & {app.actor.name}))
    from crewmem.health.runs_store import runs
    from crewmem.health.snapshot_store import newest_score
    from crewmem.health.upkeep import is_worth_a_look

    known = runs(db, schema, str(app.home), app.now)
    score, day = newest_score(db, app.workspace) or (None, None)
    late = _overdue(app, db) if is_worth_a_look(known, app.now) else ()
    from crewmem.health.logs_store import logs

    seen = logs(db, schema, app.workspace)
    return Ran(known, late, score, day, tuple(sorted(off)), seen)


def _overdue(app: App, db: apsw.Connection) -> tuple[str, ...]:
    from crewmem.jobs.jobs_store import rows
    from crewmem.jobs.standing import OVERDUE, troubles

    kept = rows(db, lenient=True)  # doctor says what cannot be read
    found = troubles(app.home, kept, app.settings, app.now, app.zone)
    return tuple(each.job for each in found if each.state == OVERDUE)


def _glances(
    app: App, found: Sequence[Place], sight: Sight, embedding: Embedding | None
) -> list[Glance]:
    from crewmem.cli.embedding.health import embeds
    from crewmem.health.glance import glance

    settings, caps, can_embed = app.settings, app.settings.caps, embeds(app, embedding)
    return [
        glance(
            place,
            sight,
            caps=caps,
            directory_cap=settings.directory_bytes,
            busy_timeout=settings.busy_timeout,
            embeds=can_embed,
        )
        for place in found
    ]


def _writable(found: Sequence[Place]) -> frozenset[str]:
    from crewmem import disk

    return frozenset(str(each.path) for each in found if disk.is_writable(each.path))


def _command(app: App, words: Sequence[str], named: Path | None) -> str:
    """Spell a command so that it works on the same memory."""
    home = app.given.get("home")
    before = ["--home", str(home)] if home else []
    after = ["--path", str(named)] if named and "--path" not in words else []
    return _spelled(["crewmem", *before, *words, *after])


def _spelled(words: Sequence[str]) -> str:
    """Spell *words* for a shell; what spells the odd ones takes a while to import."""
    if all(word and UNQUOTED.issuperset(word) for word in words):
        return " ".join(words)
    from shlex import join

    return join(words)
