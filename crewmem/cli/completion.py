"""The command `crewmem completion`, with click's own completion."""

import click
from click.shell_completion import get_completion_class

from crewmem.cli.command import Command, pass_app
from crewmem.cli.context import App


def get_script(shell: str) -> str:
    from crewmem.cli.main import make_root

    completion_class = get_completion_class(shell)
    if completion_class is None:
        raise click.BadParameter(f"there is no completion for '{shell}'")
    completion = completion_class(make_root(), {}, "crewmem", "_CREWMEM_COMPLETE")
    return completion.source()


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_app
def completion(app: App, shell: str) -> None:
    """Print a completion script for a shell.

    For bash, add to ~/.bashrc: eval "$(crewmem completion bash)"
    """
    app.output.print(get_script(shell).rstrip("\n"))
