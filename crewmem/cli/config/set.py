"""``crewmem config set``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.config.stored import Stored
    from crewmem.settings.kinds import Setting


@verb
@argument("key", metavar="KEY", help="The setting, as config list names it.")
@argument("value", required=False, metavar="[VALUE]", help="What it is to be.")
@option("--unset", is_flag=True, help="Leave it to the default again.")
@pass_app
def set_command(app: App, *, key: str, value: str | None, unset: bool) -> None:
    """Set a setting in the configuration file.

    Only its line changes: comments and order stay as they are. The home has to be
    there; its file is made. A VALUE that begins with a hyphen follows a --. For
    operators only.
    """
    from crewmem.cli.config.stored import store
    from crewmem.scope import require_operator
    from crewmem.settings import find

    if (value is None) != unset:
        raise click.UsageError("Give a VALUE, or --unset.")
    require_operator(app.actor, "change settings")
    setting = find(key, "config set")
    new = None if value is None else setting.parse(value, "config set")
    stored = store(app.home, setting, new, timeout=_timeout(app))
    if app.world.environ.get(setting.variable):
        app.out.warn(f"{setting.variable} is set, and wins over the file")
    app.out.record(stored, [f"{key}: {_spelled(stored, setting)}", str(stored.path)])


def _timeout(app: App) -> float:
    """Return how long to wait for a lock, also when the file has to be mended."""
    from crewmem.errors import SettingError
    from crewmem.settings import Settings

    try:
        return app.settings.busy_timeout
    except SettingError:
        return Settings().busy_timeout


def _spelled(stored: Stored, setting: Setting) -> str:
    default = f"{setting.default} (default)"
    old = default if stored.old is None else str(stored.old)
    new = default if stored.new is None else str(stored.new)
    return f"{old} → {new}"
