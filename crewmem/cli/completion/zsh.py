"""``crewmem completion zsh``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.completion import show


@verb
@pass_app
def zsh_command(app: App) -> None:
    """Print the completion script for zsh.

    Put it into a directory of $fpath under the name _crewmem, once after each
    upgrade, and let compinit find it. TAB on a command or an option starts no
    program; only names of workspaces, crews, agents and memory files, and ids, are
    asked of crewmem.
    """
    show(app, "zsh")
