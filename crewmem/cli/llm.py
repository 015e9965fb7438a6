"""The language model of a command: chosen from the settings, or named beside it."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.llm import Choice
    from crewmem.cli.app import App
    from crewmem.memories.remember import Scan
    from crewmem.memories.summarise import Summariser
    from crewmem.settings import Settings

OPTION = "--llm-command"

llm_command_option = option(
    OPTION,
    metavar="COMMAND",
    help="Program that writes the text, this time; '' for none.",
)


def summariser(app: App, command: str | None, scan: Scan) -> Summariser:
    """Return what writes summaries.

    Args:
        app: The world.
        command: What was given with `OPTION`; None leaves it to the settings.
        scan: What an answer has to pass.
    """
    from crewmem.memories.summarise import Summariser

    chosen = choice(app, command)
    return Summariser(chosen.model, chosen.otherwise, scan)


def choice(app: App, command: str | None) -> Choice:
    """Choose the language models to ask; why not the one that is set is a warning."""
    from crewmem.backends.llm import Means, choose

    chosen = choose(Means(_settings(app, command), app.world.environ))
    if chosen.why:
        app.out.warn(chosen.why)
    return chosen


def _settings(app: App, command: str | None) -> Settings:
    if command is None:
        return app.settings
    name = "command" if command.strip() else "none"
    try:
        loaded = app.loaded.with_option("llm_command", command, OPTION)
        return loaded.with_option("llm", name, OPTION).settings
    except SettingError as error:
        raise click.UsageError(str(error)) from error
