"""Click classes that all commands share.

This module imports little of crewmem, because ``crewmem --help`` needs only this.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, reduce, update_wrapper
from importlib import import_module
from operator import or_
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from crewmem.cli.habits import find_alternatives
from crewmem.errors import UsageError, suggest

if TYPE_CHECKING:
    from crewmem.cli.app import App


class Invocation:
    """One run of the command line: its environment and options.

    Attributes:
        options: Values of the global options, ``--path`` and ``--scope``.
        given_names: Values of ``--agent`` and ``--crew``; opening the home warns about names that
            are not registered.
        arguments: The command line as typed.
    """

    def __init__(self, environ: Mapping[str, str], arguments: Sequence[str] = ()) -> None:
        self.environ = environ
        self.arguments = arguments
        self.options: dict[str, Any] = {}
        self.given_names: dict[str, str] = {}

    @cached_property
    def app(self) -> "App":
        """The application, made when the first command runs."""
        app: App = import_module("crewmem.cli.app").App(self)
        return app

    def close(self) -> None:
        """Close the home, if a command opened it."""
        if "app" in vars(self) and "home" in vars(self.app):
            self.app.home.close()


def get_invocation(context: click.Context) -> Invocation:
    """Return the invocation that a click context belongs to."""
    invocation = context.find_object(Invocation)
    assert invocation is not None
    return invocation


def pass_app(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the application as its first argument."""

    def call(*args: Any, **options: Any) -> Any:
        app = get_invocation(click.get_current_context()).app
        return function(app, *args, **options)

    return update_wrapper(call, function)


def require_text(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Return the value of an option, which may not be empty: a variable of a script may be."""
    if not value.strip():
        raise click.BadParameter("it is empty", context, parameter)
    return value


def _store_option(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Store the value of a global option in the invocation, if the option was given."""
    if context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT:
        if isinstance(value, str):
            require_text(context, parameter, value)
        get_invocation(context).options[parameter.name] = value
    return value


def _complete_with(name: str) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """Return the completer of that name; its module is imported when TAB is pressed."""

    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[Any]:
        completer = getattr(import_module("crewmem.cli.completers"), name)
        found: list[Any] = completer(context, parameter, typed)
        return found

    return complete


def _global_option(*names: str, **attributes: Any) -> click.Option:
    # Eager, because other options are read with them: `--since yesterday` needs --now, and --home
    # for its time zone.
    return click.Option(
        names, expose_value=False, callback=_store_option, is_eager=True, **attributes
    )


@cache
def make_global_options(*, hidden: bool) -> tuple[click.Parameter, ...]:
    """Return the options that every command takes, before or after its name."""
    return (
        _global_option(
            "--home",
            type=click.Path(readable=False),
            metavar="DIR",
            hidden=hidden,
            help="Home. Default: $CREWMEM_HOME, else the user's data directory.",
        ),
        _global_option(
            "-w",
            "--workspace",
            metavar="NAME",
            shell_complete=_complete_with("complete_workspace"),
            hidden=hidden,
            help="Workspace. Default: $CREWMEM_WORKSPACE, else default.",
        ),
        _global_option(
            "--as",
            metavar="ACTOR",
            shell_complete=_complete_with("complete_actor"),
            hidden=hidden,
            help="Act as agent:SLUG, lead:SLUG or operator:NAME.",
        ),
        _global_option(
            "-F",
            "--format",
            type=click.Choice(["table", "json", "jsonl"]),
            hidden=hidden,
            help="Output format.",
        ),
        _global_option(
            "--json", "format", flag_value="json", hidden=hidden, help="Short for --format json."
        ),
        _global_option(
            "-q",
            "--quiet",
            is_flag=True,
            hidden=hidden,
            help="Print only the answer: no warnings, progress or next step.",
        ),
        _global_option(
            "-v", "--verbose", count=True, hidden=hidden, help="Show all columns and all lines."
        ),
        _global_option("--debug", is_flag=True, hidden=hidden, help="Show tracebacks of errors."),
        _global_option("--no-color", is_flag=True, hidden=hidden, help="Do not use colour."),
        _global_option(
            "--now", metavar="TIME", hidden=hidden, help="Take TIME as the current time."
        ),
        _global_option(
            "--queue",
            is_flag=True,
            hidden=hidden,
            help="If the shared store cannot be reached, queue the command.",
        ),
    )


CONTEXT_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Command(click.Command):
    """A command that takes the global options and declares the type of its answer.

    Attributes:
        answer: Type of ``data`` in its JSON, or a function from `answer_type`; None if it prints
            no JSON.
    """

    def __init__(self, *args: Any, answer: Any = None, **attributes: Any) -> None:
        attributes.setdefault("context_settings", CONTEXT_SETTINGS)
        super().__init__(*args, **attributes)
        self.answer = answer
        self.params = [*self.params, *make_global_options(hidden=True)]


def answer_type(*places: str) -> Callable[[], Any]:
    """Return a function that imports the type of an answer, for manual pages and schemas.

    The command itself does not import the type, which would take time.

    Args:
        places: The possible types, as MODULE:NAME relative to `crewmem`, such as
            ``journal.priorities:EntryDetail``. A final ``[]`` means a list of them.
    """

    def load(place: str) -> Any:
        module, _, name = place.removesuffix("[]").partition(":")
        record = getattr(import_module(f"crewmem.{module}"), name)
        return GenericAlias(list, (record,)) if place.endswith("[]") else record

    return lambda: reduce(or_, map(load, places))


def at_first_level(command: click.Command, name: str, help: str) -> click.Command:
    """Return a copy of a group's command to use at the first level, with its own name and help."""
    copied = copy(command)
    copied.name, copied.help = name, help
    return copied


MAX_ALTERNATIVES = 3
"""Maximum suggested commands for a name that several groups have."""

TEXT_MARK = "\0"
"""Prefix that marks an argument as text while click parses. Real arguments contain no NUL."""


class TextCommand(Command):
    """A command whose argument is a text that may begin with a dash: ``- a line``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; one with a space is text, unless it is ``--option=VALUE``."""
        options = {name for parameter in self.params for name in parameter.opts}

        def is_text(word: str) -> bool:
            return word.startswith("-") and " " in word and word.partition("=")[0] not in options

        rest = super().parse_args(
            ctx, [TEXT_MARK + word if is_text(word) else word for word in args]
        )
        for name, value in ctx.params.items():
            if isinstance(value, str):
                ctx.params[name] = value.removeprefix(TEXT_MARK)
            elif isinstance(value, tuple):
                ctx.params[name] = tuple(word.removeprefix(TEXT_MARK) for word in value)
        return rest


class Group(click.Group):
    """A group of commands that takes the global options and suggests similar names.

    Attributes:
        lazy_commands: Commands that other modules define, as ``"log": "memory_versions:log"``: a
            module of `crewmem.cli` and its click object. They are imported when invoked.
    """

    command_class = Command

    def __init__(
        self, *args: Any, lazy_commands: Mapping[str, str] | None = None, **attributes: Any
    ) -> None:
        attributes.setdefault("context_settings", CONTEXT_SETTINGS)
        super().__init__(*args, **attributes)
        self.params = [*self.params, *make_global_options(hidden=True)]
        self.lazy_commands = dict(lazy_commands or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*self.commands, *self.lazy_commands])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; import its module if needed."""
        place = self.lazy_commands.get(cmd_name)
        if place is None:
            return self.commands.get(cmd_name)
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(f"crewmem.cli.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that *args* name.

        Raises:
            UsageError: With a suggestion, if there is no such command.
        """
        name = args[0]
        is_unknown = self.get_command(ctx, name) is None and not name.startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # completion prints no errors
            raise unknown_command(ctx, args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


Group.group_class = Group


def find_in_groups(ctx: click.Context, name: str) -> tuple[str, ...]:
    """Return the commands *name* of all groups, with their arguments; none if there are many."""
    assert isinstance(ctx.command, Group)
    found = []
    for group_name in ctx.command.list_commands(ctx):
        group = ctx.command.get_command(ctx, group_name)
        command = group.get_command(ctx, name) if isinstance(group, Group) else None
        if command is not None:
            arguments = [
                p.make_metavar(ctx) for p in command.params if isinstance(p, click.Argument)
            ]
            found.append(" ".join([group_name, name, *arguments]))
    return tuple(found) if len(found) <= MAX_ALTERNATIVES else ()


def unknown_command(ctx: click.Context, args: Sequence[str], known: Sequence[str]) -> UsageError:
    """Return the error for a command that does not exist, with the commands to type instead."""
    name, *rest = args
    path = ctx.command_path.removeprefix("crewmem").strip()
    typed = f"{path} {name}".strip()
    alternatives = find_alternatives(path, name, list(known))
    if name == "help":
        alternatives = (" ".join([*path.split(), *rest, "--help"]),)
    elif not alternatives and not path:
        alternatives = find_in_groups(ctx, name)
    if alternatives:
        app = get_invocation(ctx).app
        *others, last = [app.command(alternative) for alternative in alternatives]
        hint = f"{', '.join(others)} or {last}" if others else last
        return UsageError(f"there is no command '{typed}'", code="unknown-command", hint=hint)
    similar = suggest(name, known)
    return UsageError(
        f"there is no command '{typed}'" + (f"; did you mean '{similar}'?" if similar else ""),
        code="unknown-command",
        hint=f"{ctx.command_path} --help",
    )
