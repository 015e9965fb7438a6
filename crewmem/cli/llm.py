"""The language model of a command: chosen from the settings, or named beside it."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.llm import Choice, LanguageModel, Material
    from crewmem.cli.app import App
    from crewmem.cli.output import Output
    from crewmem.health.language import Language
    from crewmem.memories.remember import Scan
    from crewmem.memories.summarise import Summariser
    from crewmem.settings import Settings

OPTION = "--llm-command"

llm_command_option = option(
    OPTION,
    metavar="COMMAND",
    help="Program that is the language model, this time; '' for none.",
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
    """Choose the language models to ask; why not the one that is set is a warning.

    A person at a terminal sees that one is asked, which may take minutes.
    """
    from crewmem.backends.llm import Means, choose

    settings = _settings(app, command)
    chosen = choose(Means(settings, app.world.environ))
    if chosen.why:
        app.out.warn(chosen.why)
    if chosen.model.is_extract:
        return chosen
    return chosen._replace(model=Watched(chosen.model, app.out, settings.llm_timeout))


class Watched:
    """A language model, and a line on stderr while it is asked."""

    def __init__(self, model: LanguageModel, out: Output, seconds: float) -> None:
        """Ask *model*, which may take so many *seconds* each time."""
        self.name, self.model = model.name, model.model
        self.is_extract = model.is_extract
        self._asked, self._out, self._seconds = model, out, seconds
        self._number = 0

    def answer(self, instruction: str, material: Material, /, *, most: int) -> str:
        """Return what the model says."""
        from crewmem.cli.progress import waiting

        self._number += 1
        limit = f"{self._seconds:g} s at most"
        said = f"Asking {self.model} for answer {self._number}, {limit} …"
        with waiting(self._out, said):
            return self._asked.answer(instruction, material, most=most)


def language(app: App) -> Language:
    """Return which language model is set, and what it lacks; none is asked."""
    from crewmem.health.language import Language

    setting = app.settings.llm
    if not Language(setting).is_wanted:  # and nothing is loaded for it
        return Language(setting)
    from crewmem.backends.llm import Means, kind

    means, module = Means(app.settings, app.world.environ), kind(setting)
    about, lack = module.about(means), module.lack(means)
    return Language(
        setting=setting,
        model=about.model,
        where=about.where,
        keys=about.keys,
        lack=lack.what if lack else "",
        hint=lack.hint if lack else "",
    )


def language_trouble(app: App) -> str:
    """Return why the model that is set could not be asked just now, "" if it could.

    It is one that lacks nothing. A service is asked, and no program is run.
    """
    from crewmem.backends.llm import Means, kind
    from crewmem.cli.progress import waiting

    with waiting(app.out, f"Asking whether {app.settings.llm} is there …"):
        means = Means(app.settings, app.world.environ)
        return kind(app.settings.llm).trouble(means)


def _settings(app: App, command: str | None) -> Settings:
    if command is None:
        return app.settings
    name = "command" if command.strip() else "none"
    try:
        loaded = app.loaded.with_option("llm_command", command, OPTION)
        return loaded.with_option("llm", name, OPTION).settings
    except SettingError as error:
        raise click.UsageError(str(error)) from error
