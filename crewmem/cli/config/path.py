"""``crewmem config path``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class ConfigPath(NamedTuple):
    """Where settings are kept.

    Attributes:
        path: The configuration file.
        exists: Whether it is there.
    """

    path: Path
    exists: bool


@verb
@pass_app
def path_command(app: App) -> None:
    """Print the path of the configuration file.

    It is printed whether the file is there or not: nothing needs it.
    """
    path = app.home / "config.toml"
    app.out.record(ConfigPath(path, path.is_file()), [str(path)])
