"""``crewmem completion bash``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.completion import show


@verb
@pass_app
def bash_command(app: App) -> None:
    """Print the completion script for bash.

    Put it where bash-completion looks for it, once after each upgrade:
    crewmem completion bash > ~/.local/share/bash-completion/completions/crewmem

    Without bash-completion, source that file in ~/.bashrc. TAB on a command or an
    option starts no program; only names of workspaces, crews, agents and memory
    files, and ids, are asked of crewmem.
    """
    show(app, "bash")
