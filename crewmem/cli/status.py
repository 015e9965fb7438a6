"""``crewmem status``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import apsw

    from crewmem.cli.output import Line
    from crewmem.files.place import Place
    from crewmem.health.glance import Glance
    from crewmem.health.holding import Holding
    from crewmem.health.overview import Overview
    from crewmem.health.recall import Embedding, Recall, Step
    from crewmem.health.remembered import Remembered
    from crewmem.scope import Sight

SOURCES = {
    "home": "the home",
    "mount": "the crew of this container",
    "own": "the agent's own",
    "path": "as named",
}


UNQUOTED = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
)
"""Characters that mean themselves to a shell, as shlex has it."""

SEARCHES = {"words": "by words", "hybrid": "by words and vectors"}


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
    recalled, what should be otherwise, and the one command that helps most. It looks
    at names, stamps and counts, not into files, asks no service and writes nothing;
    doctor looks closer.
    """
    overview, embedding, recall = _overview(app, path)
    app.out.record(overview, _lines(overview, embedding, recall))


def _overview(
    app: App, path: str | None
) -> tuple[Overview, Embedding | None, Recall | None]:
    from crewmem.health.advice import advice
    from crewmem.health.holding import NOTHING
    from crewmem.health.overview import overview
    from crewmem.health.remembered import Remembered

    source, base = _base(app, path)
    found, sight = _places(app, source, base)
    trouble, kept, held = "", Remembered(), NOTHING
    if source == "home":
        trouble, kept, held = _database(app, found)
    embedding, recall, steps = _recall(app, kept) if source == "home" else _NO_RECALL
    glances = _glances(app, found, sight)
    words, why = advice(
        glances,
        has_base=base is not None,
        writable=_writable(found),
        trouble=trouble,
        steps=steps,
    )
    seen = overview(
        glances,
        source=source,
        path=base,
        home=app.home,
        workspace=app.workspace if source in {"home", "none"} else None,
        trouble=trouble,
        kept=kept,
        held=held,
        recall=recall,
        steps=steps,
        step=_command(app, words, base if source == "path" else None),
        why=why,
    )
    return seen, embedding, recall


def _base(app: App, path: str | None) -> tuple[str, Path | None]:
    """Return where memory is, and how it was found."""
    from crewmem.cli.places import looked_in

    base = looked_in(app, path)
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
    from crewmem.cli.recalled import embedding
    from crewmem.health.recall import recall, steps

    embeds = embedding(app, kept.vectors.model)
    seen = recall(kept, embeds)
    todo = steps(kept, seen, embeds) if app.actor.is_operator else ()
    return embeds, seen, [*todo]


def _database(app: App, found: Sequence[Place]) -> tuple[str, Remembered, Holding]:
    """Return what is wrong with the database, what it keeps of events, and holds.

    It is looked at once. That there is none is wrong only where there are crews.
    """
    from crewmem.db.examine import examine
    from crewmem.db.migrate import version
    from crewmem.db.truth import NAME, newer
    from crewmem.errors import CrewmemError
    from crewmem.errors.disk import PathMissingError
    from crewmem.health.holding import NOTHING, holding
    from crewmem.health.remembered import Remembered, remembered, vectors_of

    path, timeout = app.home / NAME, app.settings.busy_timeout
    has_crews = any(place.crew for place in found)
    reach = app.reach(None)
    vectors = vectors_of(app.home, app.workspace, busy_timeout=timeout)

    def look(db: apsw.Connection) -> tuple[int, Remembered, Holding]:
        held = holding(db, app.workspace, app.sight)
        return version(db), remembered(db, reach, vectors), held

    try:
        schema, kept, held = examine(path, look, busy_timeout=timeout)
    except PathMissingError:
        missing = f"there is no {path}: nobody is registered" if has_crews else ""
        return missing, Remembered(vectors=vectors), NOTHING
    except CrewmemError as error:
        return str(error), Remembered(vectors=vectors), NOTHING
    if not schema and has_crews:
        return f"{path} is empty: nobody is registered", kept, held
    return newer(path, schema), kept, held


def _glances(app: App, found: Sequence[Place], sight: Sight) -> list[Glance]:
    from crewmem.cli.recalled import embeds
    from crewmem.health.glance import glance

    settings, caps, can_embed = app.settings, app.settings.caps, embeds(app)
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


def _lines(
    seen: Overview, embedding: Embedding | None, recall: Recall | None
) -> Iterator[Line]:
    """Yield what a person reads."""
    from crewmem.cli.shown import percent, size
    from crewmem.health.advice import counted

    if seen.path is None:
        yield [*_label("memory"), f"none found; the home would be {seen.home}"]
    else:
        where = SOURCES[seen.source]
        yield [*_label("memory"), ("path", str(seen.path)), f" ({where})"]
        if whose := _whose(seen):
            yield [*_label("workspace"), whose]
        folders = counted(seen.directories, "directory", "directories")
        text = f"{seen.files:,} ({size(seen.bytes)}) in {folders}"
        if seen.files:
            text += f"; the fullest at {percent(seen.share, seen.bytes)} of its cap"
        yield [*_label("files"), text]
        indexes = [f"{count} {word}" for word, count in seen.indexes.items() if count]
        yield [*_label("index"), ", ".join(indexes) or "none"]
        yield [*_label("search"), SEARCHES[seen.mode]]
        if embedding and recall:
            yield [*_label("journal"), counted(seen.entries, "entry", "entries")]
            yield [*_label("recall"), _recalled(seen, embedding, recall)]
        if told := _held(seen):
            yield [*_label("memories"), told]
    told = "; ".join(seen.problems)
    yield [*_label("problems"), ("warn", told) if told else ("good", "none")]
    yield [*_label("next"), ("bold", seen.next), ("dim", f"  # {seen.why}")]


def _recalled(seen: Overview, embedding: Embedding, recall: Recall) -> str:
    """Say how events are recalled, why it is no better, and how much there is."""
    from crewmem.health.advice import counted
    from crewmem.health.recall import AUTO, DEGRADED

    parts = []
    if seen.episodes:
        parts.append(counted(seen.episodes, "episode"))
    if seen.waiting and recall.model:
        parts.append(f"{seen.waiting:,} waiting")
    if seen.failed:
        parts.append(f"{seen.failed:,} failed")
    hint = f" ({recall.hint})" if recall.hint else ""
    why = f": {recall.why}" if not any(recall.why in p for p in seen.problems) else ""
    if recall.model:
        how = f"by words and vectors ({recall.model})"
        how += f", degraded{why}{hint}" if recall.state == DEGRADED else ""
    elif embedding.setting == AUTO and why:
        how = f"by words: no embedder{hint}"
    else:
        how = f"by words{why}{hint}"
    return "; ".join([how, ", ".join(parts)] if parts else [how])


def _held(seen: Overview) -> str:
    """Say how much is held to be true, and what waits for a person."""
    from crewmem.health.advice import counted

    waits = []
    if seen.quarantined:
        waits.append(f"{seen.quarantined:,} quarantined")
    if seen.proposals:
        waits.append(f"{counted(seen.proposals, 'proposal')} waiting")
    if not (seen.memories or waits):
        return ""
    held = f"{seen.memories:,} active"
    return f"{held}; {', '.join(waits)}" if waits else held


def _whose(seen: Overview) -> str:
    from crewmem.health.advice import counted

    counts = [counted(seen.crews, "crew"), counted(seen.agents, "agent")]
    if seen.workspace:
        return f"{seen.workspace}: {', '.join(counts)}"
    return counts[1] if seen.agents else ""


def _label(name: str) -> list[tuple[str, str]]:
    return [("dim", f"{name:11}")]
