"""Putting a tuned setting in force, and taking it back.

What is in force is a file of the home, for settings are read without a database. A row
says what is to be in it before it is written, so that whoever is killed in between
leaves the one or the other, and it is known which.
"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem import disk, ids
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.errors.evaluation import (
    AmbiguousRunError,
    NotInForceError,
    SnapshotMissingError,
    TunedByHandError,
)
from crewmem.evaluation import snapshot_store
from crewmem.evaluation.snapshot import APPLIED, BACK, BEGUN, FAILED, Snapshot
from crewmem.settings import config_file
from crewmem.settings.load import load
from crewmem.settings.tuned import FILE, spelled, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.evaluation.candidates import Candidate

MANY = 1_000
"""Snapshots that are looked at."""


def by_hand(app: App) -> set[str]:
    """Return the settings that a person has set: they are not tuned."""
    from crewmem.evaluation.candidates import KEYS
    from crewmem.settings import SETTINGS
    from crewmem.settings.load import TUNED

    origins = {key: app.loaded.origin(SETTINGS[key]) for key in KEYS}
    return {key for key, each in origins.items() if each not in {"default", TUNED}}


def said(app: App) -> str | None:
    """Return what the file of tuned settings says; None if there is none."""
    path = app.home / FILE
    return config_file.read(path).text if path.exists() else None


def settle(app: App) -> None:
    """Find out how ended what was begun: by what is in the file."""
    now = said(app)
    for each in snapshot_store.begun(app.truth):
        if now == each.after:
            _ended(app, each, APPLIED)
        else:
            _ended(app, each, FAILED)
    applied = snapshot_store.newest(app.truth, MANY, APPLIED)
    if not applied or now == applied[0].after:
        return
    back = next((at for at, each in enumerate(applied) if each.before == now), None)
    if back is not None:  # who took it back was killed before that was kept
        for each in applied[: back + 1]:
            _ended(app, each, BACK)


def apply(
    app: App,
    candidate: Candidate,
    reason: str,
    baseline: str | None = None,
    after_run: str | None = None,
) -> Snapshot:
    """Put *candidate* in force; what fails is taken back.

    Raises:
        CrewmemError: If it cannot be, and why.
    """
    snapshot = _begun(app, candidate, reason, baseline, after_run)
    try:
        _write(app, snapshot.after)
        _require_in_force(app, candidate)
    except CrewmemError as error:
        _write(app, snapshot.before)
        _ended(app, snapshot, FAILED, str(error))
        raise
    return _ended(app, snapshot, APPLIED)


def _begun(
    app: App,
    candidate: Candidate,
    reason: str,
    baseline: str | None,
    after_run: str | None,
) -> Snapshot:
    """Keep what is about to be written, so that it can be taken back."""
    before = said(app)
    path = app.home / FILE
    tuned = {
        key: value
        for key, value in values(before or "", path).items()
        if not isinstance(value, str)
    }
    snapshot = Snapshot(
        id=ids.new("c", os.urandom),
        at=app.now,
        workspace=app.workspace,
        actor=str(app.actor),
        key=candidate.key,
        old=candidate.old,
        new=candidate.new,
        before=before,
        after=spelled({**tuned, candidate.key: candidate.new}),
        reason=reason,
        baseline=baseline,
        candidate=after_run,
        state=BEGUN,
    )
    with app.journal.transaction():
        snapshot_store.keep(app.truth, snapshot)
    return snapshot


def _require_in_force(app: App, candidate: Candidate) -> None:
    from crewmem.settings import SETTINGS

    path = app.home / "config.toml"
    loaded = load(path, app.world.environ, app.home / FILE)
    if loaded.settings.value(SETTINGS[candidate.key]) != candidate.new:
        raise NotInForceError(candidate.key)


def _write(app: App, text: str | None) -> None:
    with disk.open_root(app.home) as root:
        if text is None:
            with suppress(PathMissingError):
                disk.remove(root, FILE)
        else:
            disk.write(root, FILE, text.encode())


def roll_back(app: App, name: str | None) -> list[Snapshot]:
    """Take back the snapshot that *name* begins, and all later ones; else the last.

    The file is made what it was before, byte for byte.

    Raises:
        SnapshotMissingError: If none is in force that is called so.
        AmbiguousRunError: If several are.
        TunedByHandError: If the file says something else than was put there.
    """
    applied = snapshot_store.newest(app.truth, MANY, APPLIED)
    if not applied:
        raise SnapshotMissingError(name or "of tuned settings")
    at = _named(applied, name) if name else 0
    if said(app) != applied[0].after:
        raise TunedByHandError(app.home / FILE)
    _write(app, applied[at].before)
    return [_ended(app, each, BACK) for each in applied[: at + 1]]


def _named(applied: list[Snapshot], name: str) -> int:
    several = [each.id for each in applied if each.id.startswith(name)]
    found = ids.meant(
        name,
        several,
        missing=lambda: SnapshotMissingError(name),
        several=lambda names: AmbiguousRunError(name, names),
    )
    return next(at for at, each in enumerate(applied) if each.id == found)


def _ended(app: App, snapshot: Snapshot, state: str, reason: str = "") -> Snapshot:
    """Keep how *snapshot* ended, and tell the journal; return it as it is now."""
    ended = None if state == APPLIED else app.now
    with app.journal.transaction():
        snapshot_store.settle(app.truth, snapshot.id, state, ended)
        _tell(app, snapshot, state, reason)
    return snapshot._replace(state=state, ended_at=ended)


def _tell(app: App, snapshot: Snapshot, state: str, reason: str) -> None:
    from crewmem.journal.entry import Draft

    change = f"{snapshot.key} {snapshot.old:g} → {snapshot.new:g}"
    kind = "tune.applied" if state == APPLIED else "tune.rolled_back"
    what = {APPLIED: "applied", BACK: "rolled back"}.get(state, "not applied")
    entry = Draft(
        kind,
        f"Tuned: {change} {what}" + (f": {reason}" if reason else ""),
        severity="notice",
        actor_type="user",
        actor_id=app.actor.name,
        payload={
            "snapshot": snapshot.id,
            "key": snapshot.key,
            "from": snapshot.old,
            "to": snapshot.new,
            "reason": reason or snapshot.reason,
            "baseline": snapshot.baseline,
            "candidate": snapshot.candidate,
        },
    )
    app.journal.append(app.workspace, [entry], now=app.now)
