"""Units of systemd: what is to be changed to have them, or to have none."""

from __future__ import annotations

from pathlib import Path

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.backends.systemctl import Systemctl
    from crewmem.cli.app import App
    from crewmem.jobs.units import Unit

FILE_MOST = 1 << 20
"""Bytes of a unit that is looked at: ours have two thousand."""

PUBLIC = 0o644
"""Mode of a unit: it holds paths, and no secret."""


class Plan(NamedTuple):
    """What is to be done to the units of a home.

    Attributes:
        write: Units that are new, or other than they should be.
        remove: Names of units of ours that should not be there.
        same: Names of units that are as they should be.
        before: What the units that are there hold, by their names.
    """

    write: list[Unit]
    remove: list[str]
    same: list[str]
    before: Mapping[str, str] = {}


def folder(app: App) -> Path:
    """Return where the units of a user are."""
    from crewmem.cli.user import user_home

    environ = app.world.environ
    config = environ.get("XDG_CONFIG_HOME", "")
    if not config.startswith("/"):
        config = f"{user_home(environ).rstrip('/')}/.config"
    return Path(config) / "systemd" / "user"


def planned(where: Path, tag: str, wanted: Sequence[Unit]) -> Plan:
    """Compare what is there with what is *wanted*.

    Raises:
        NotOursError: If a file of such a name is somebody else's.
    """
    from crewmem.errors.jobs import NotOursError
    from crewmem.jobs.units import is_ours, names

    there = {
        name: text for name in names(tag) if (text := _read(where, name)) is not None
    }
    for name, text in there.items():
        if not is_ours(text):
            raise NotOursError(where / name)
    by_name = {each.name: each for each in wanted}
    return Plan(
        [each for each in wanted if there.get(each.name) != each.text],
        [name for name in there if name not in by_name],
        [
            name
            for name in there
            if name in by_name and there[name] == by_name[name].text
        ],
        there,
    )


def _read(where: Path, name: str) -> str | None:
    from crewmem import disk
    from crewmem.errors.disk import PathMissingError

    try:
        with disk.open_root(where) as root:
            return disk.read(root, name, limit=FILE_MOST).decode("utf-8", "replace")
    except PathMissingError:
        return None


def apply(where: Path, plan: Plan, manager: Systemctl | None) -> None:
    """Do what is planned: stop what goes, write, let systemd read it, start what came.

    Args:
        where: The directory of units.
        plan: Of `planned`.
        manager: systemd; None where it does not answer: then files alone change.
    """
    from crewmem import disk

    gone = _timers(plan.remove)
    if manager and gone:
        manager.disable(gone)
    if plan.write or plan.remove:
        with disk.make_root(where) as root:
            for each in plan.write:
                disk.write(root, each.name, each.text.encode(), mode=PUBLIC)
            for name in plan.remove:
                disk.remove(root, name)
        if manager:
            manager.reload()
    if manager:
        _start(manager, plan)


def _start(manager: Systemctl, plan: Plan) -> None:
    changed = _timers([each.name for each in plan.write])
    every = [*changed, *_timers(plan.same)]
    shown = manager.shown(every)
    alive = {name for name, each in shown.items() if each.is_enabled and each.is_active}
    manager.enable([name for name in every if name not in alive])
    manager.restart([name for name in changed if name in alive])


def _timers(names: Sequence[str]) -> list[str]:
    return [name for name in names if name.endswith(".timer")]
