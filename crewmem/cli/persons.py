"""Persons who do not want to be known, as bundles carry that along."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import apsw

    from crewmem.bundles.restore import Told
    from crewmem.bundles.work import Work
    from crewmem.cli.app import App
    from crewmem.prompt.operator_store import Evidence


def opted_out(app: App) -> list[str]:
    """Return what stands for the persons of the workspace who opted out, in order."""
    from crewmem.prompt.operator_store import OperatorStore, has_tables

    db = app.truth_to_read if app.home.is_dir() else None
    if db is None or not has_tables(db):
        return []
    found = OperatorStore(db, app.workspace).consents()
    return sorted(slug for slug, consent in found.items() if consent.opted_out)


def opt_out(app: App, slugs: Iterable[str]) -> None:
    """Remember of each of *slugs* that the person opted out."""
    from crewmem.prompt.operator_store import OperatorStore

    store = OperatorStore(app.truth, app.workspace)
    new = sorted({*slugs} - {*opted_out(app)})
    if not new:
        return
    with store.transaction():
        for slug in new:
            store.decide(slug, opted_out=True, now=app.now)


def evidence_lines(
    db: apsw.Connection, workspace: str, includes: Callable[[str], bool]
) -> Iterator[str]:
    """Yield what persons said, as lines of a bundle, for cards that it *includes*."""
    from crewmem.prompt.operator_carried import evidence_line
    from crewmem.prompt.operator_store import OperatorStore, has_tables

    if not has_tables(db):
        return
    for each in OperatorStore(db, workspace).facts():
        if includes(each.card):
            yield evidence_line(each)


def bringing_evidence(
    app: App, todo: Work, *, apply: bool
) -> Callable[[], Told] | None:
    """Return what takes in what persons said of *todo*; None: it holds nothing."""
    from crewmem.bundles.manifest import PERSONS

    if not todo.with_parts or PERSONS not in todo.reading.parts:
        return None
    return lambda: _brought(app, todo, apply=apply)


def _brought(app: App, todo: Work, *, apply: bool) -> Told:
    """Keep what is said of lines that a card has; of who opted out nothing is kept."""
    from crewmem.bundles.manifest import PERSONS
    from crewmem.bundles.restore import Brought, Told
    from crewmem.prompt.operator_carried import read, slug_of

    with todo.source.opened(PERSONS) as stream:
        found, troubles = read(stream)
    out = {*opted_out(app), *todo.members.opted_out}
    kept = [(slug, each) for each in found if (slug := slug_of(each.card)) not in out]
    if refused := len(found) - len(kept):
        troubles.append(f"{refused:,} are of persons who do not want to be known")
    new = _kept(app, kept) if apply else _new(app, kept)
    total = len(found) + len(troubles) - bool(refused)
    known = len(kept) - new
    brought = Brought(total, new, known, total - new - known)
    return Told(brought, tuple(f"{PERSONS}, {each}" for each in troubles))


def _kept(app: App, found: list[tuple[str, Evidence]]) -> int:
    from crewmem.prompt.operator_store import OperatorStore

    store = OperatorStore(app.truth, app.workspace)
    with store.transaction():
        return store.bring(found)


def _new(app: App, found: list[tuple[str, Evidence]]) -> int:
    from crewmem.prompt.operator_store import OperatorStore, has_tables

    db = app.truth_to_read if app.home.is_dir() else None
    if db is None or not has_tables(db):
        return len(found)
    there = {
        (each.card, each.field) for each in OperatorStore(db, app.workspace).facts()
    }
    return sum((each.card, each.field) not in there for _, each in found)
