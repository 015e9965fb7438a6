"""``crewmem completion fish``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.completion import show


@verb
@pass_app
def fish_command(app: App) -> None:
    """Print the completion script for fish.

    Put it where fish looks for it, once after each upgrade:
    crewmem completion fish > ~/.config/fish/completions/crewmem.fish

    TAB on a command or an option starts no program; only names of workspaces,
    crews, agents and memory files, and ids, are asked of crewmem.
    """
    show(app, "fish")
