"""Persons who do not want to be known, as bundles carry that along."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.cli.app import App


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
