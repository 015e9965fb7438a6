"""The command `crewmem completion`, with click's own completion."""

import os

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.main import make_root


@add_completion_class
class Bash(BashComplete):
    """Completion of words that contain a colon, such as ``crew:harbor/CREW.md``.

    Bash splits words at colons and replaces only the part after the last one. So this class reads
    the line up to the cursor, and answers with that part.
    """

    source_template = BashComplete.source_template.replace(
        '"${COMP_WORDS[*]}"',
        '"${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS"',
    )
    cut = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words of the line, and the incomplete one at the cursor."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        incomplete = "" if line[-1:].isspace() else words.pop()
        if ":" in os.environ.get("COMP_WORDBREAKS", ""):
            self.cut = incomplete[: incomplete.rfind(":") + 1]
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Return the text that replaces the part after the colon."""
        return f"{item.type},{item.value.removeprefix(self.cut)}"


def get_script(shell: str) -> str:
    completion_class = get_completion_class(shell)
    if completion_class is None:
        raise click.BadParameter(f"there is no completion for '{shell}'")
    completion = completion_class(make_root(), {}, "crewmem", "_CREWMEM_COMPLETE")
    return completion.source()


@click.command(cls=Command)
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
@pass_app
def completion(app: App, shell: str) -> None:
    """Print a completion script for a shell: bash, zsh or fish.

    For bash, add to ~/.bashrc: eval "$(crewmem completion bash)"
    """
    app.output.print(get_script(shell).rstrip("\n"))
