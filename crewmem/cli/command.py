"""Commands, groups and options that are cheap to make, and what all of them accept.

click reads help texts with ``inspect`` when an option is made; ours are one line
already, so they are set as they are, and ``inspect`` is never imported.
"""

from __future__ import annotations

from importlib import import_module

import click

from crewmem.cli.table import ALIASES, HIDDEN, HIDDEN_OF, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from click.shell_completion import CompletionItem

    Function = TypeVar("Function", bound=Callable[..., Any])

GIVEN = "crewmem.given"
"""Where in a context's ``meta`` the global options that were given are kept."""

FEW = 5
"""Choices that are shown beside an option; more are in its help."""

MODULES = {"import": "import_"}
"""Modules that cannot be called as their command is: Python has the word."""

CONTEXT = {"max_content_width": 88, "help_option_names": ["-h", "--help"]}


class _Completed(click.Parameter):
    """A parameter that names of workspaces, crews, agents and files complete."""

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Return what may stand here and begins with *incomplete*."""
        from click.shell_completion import CompletionItem

        from crewmem.cli.names import kind_of, offered

        if kind_of(ctx, self) is None:
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(each) for each in offered(ctx, self, incomplete)]


class Option(_Completed, click.Option):
    """An option whose help is one line."""

    def __init__(self, *args: Any, help: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.help = help

    @property
    def choices(self) -> list[str]:
        """All that it takes, where there are so few."""
        return [*map(str, getattr(self.type, "choices", ()))]

    def make_metavar(self, ctx: click.Context) -> str:
        """Return what stands for its value: the choices, or where many its name."""
        if len(self.choices) > FEW and not self.metavar:
            return self.human_readable_name.upper()
        return super().make_metavar(ctx)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return its spelling and its help, which names choices where they are many."""
        record = super().get_help_record(ctx)
        if record and len(self.choices) > FEW:
            return record[0], f"{record[1]} One of {', '.join(self.choices)}."
        return record


class Argument(_Completed, click.Argument):
    """An argument with a line of help."""

    def __init__(self, *args: Any, help: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.help = help


def option(*names: str, **attrs: Any) -> Callable[[Function], Function]:
    """Return a decorator that adds an option to a command."""
    return click.option(*names, cls=Option, **attrs)


def argument(*names: str, **attrs: Any) -> Callable[[Function], Function]:
    """Return a decorator that adds an argument to a command."""
    return click.argument(*names, cls=Argument, **attrs)


def verb(function: Callable[..., Any]) -> Command:
    """Make *function* a command; it is called ``<verb>_command``."""
    made: Command = click.command(cls=Command)(function)
    return made


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value is not None and value is not False:
        ctx.meta.setdefault(GIVEN, {})[param.name] = value


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from crewmem import __version__

        _print(ctx, f"crewmem {__version__}")
        ctx.exit()


def _help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        _print(ctx, ctx.get_help())
        ctx.exit()


def _print(ctx: click.Context, text: str) -> None:
    from crewmem.cli.output import Output

    Output(stdout=getattr(ctx.obj, "stdout", None)).text(f"{text}\n")


def _global(*names: str, help: str, **attrs: Any) -> Option:
    attrs.setdefault("callback", _keep)
    return Option(names, help=help, expose_value=False, **attrs)


GLOBALS: list[click.Parameter] = [
    _global(
        "--home",
        metavar="DIR",
        help="Directory of crewmem.db and workspaces.",
    ),
    _global("-w", "--workspace", metavar="NAME", help="Workspace to work in."),
    _global(
        "--as",
        "acting",
        metavar="ACTOR",
        help="Act as agent:SLUG, lead:SLUG or operator:NAME.",
    ),
    _global(
        "-F",
        "--format",
        type=click.Choice(["table", "json", "jsonl"]),
        help="How to answer; a table on a terminal, else plain text.",
    ),
    _global("--json", is_flag=True, help="Short for --format json."),
    _global("-q", "--quiet", is_flag=True, help="Say nothing beside the answer."),
    _global("-v", "--verbose", is_flag=True, help="Say more of what was done."),
    _global("--debug", is_flag=True, help="Show the traceback of a failure."),
    _global("--no-color", is_flag=True, help="Print without colours."),
    _global("--now", metavar="TIME", help="The clock, for replays."),
    _global(
        "--version",
        is_flag=True,
        is_eager=True,
        callback=_version,
        help="Print the version.",
    ),
    _global(
        "-h",
        "--help",
        is_flag=True,
        is_eager=True,
        callback=_help,
        help="Print this help.",
    ),
]
"""Accepted before and after the verb."""


def is_text(word: str) -> bool:
    """Tell whether *word*, which begins with a hyphen, can only be text.

    No name of an option begins with a space, and a rule of hyphens names nothing.
    """
    return word.lstrip("-")[:1] in {"", " ", "\t", "\n"}


class _Explained(click.Command):
    """What commands and groups have in common: global options, and a short help."""

    def __init__(self, *args: Any, **attrs: Any) -> None:
        attrs["add_help_option"] = False
        attrs.setdefault("context_settings", CONTEXT)
        super().__init__(*args, **attrs)
        self.params += GLOBALS

    def make_parser(self, ctx: click.Context) -> click.parser._OptionParser:
        """Return the parser, which knows short options at the first look.

        click takes ``-p`` for a long option first, and before it thinks of short
        ones has searched for similar names, by modules that cost 4 ms to import.
        And it takes an item of a list, as ``- who is on call``, for an option: that is
        what agents write all day.
        """
        parser = super().make_parser(ctx)
        parser._long_opt.update(parser._short_opt)  # noqa: SLF001 - there is no other way
        process = parser._process_opts  # noqa: SLF001 - as above

        def process_or_keep(word: str, state: click.parser._ParsingState) -> None:
            if is_text(word):
                state.largs.append(word)
            else:
                process(word, state)

        parser._process_opts = process_or_keep  # type: ignore[assignment, method-assign]  # noqa: SLF001
        return parser

    def get_help(self, ctx: click.Context) -> str:
        """Return the help."""
        from crewmem.cli.help import help_of

        return help_of(self, ctx)


class Command(_Explained):
    """A command."""


class Group(_Explained, click.Group):
    """A group whose commands are imported when they are asked for."""

    def __init__(
        self, name: str, about: str, table: dict[str, Any], room: str = "crewmem.cli"
    ) -> None:
        super().__init__(name, help=about, subcommand_metavar="VERB [ARGS]...")
        self.table, self.room = table, room

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as in click
        """Name the commands in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the module that holds *name*."""
        name = self._meant(name)
        entry = self.table.get(name) or self._hidden(name, ctx)
        if entry is None:
            return None
        if isinstance(entry, tuple):
            return Group(name, entry[0], entry[1], f"{self.room}.{name}")
        function = name.replace("-", "_")
        module = import_module(f"{self.room}.{MODULES.get(name, function)}")
        loaded: click.Command = getattr(module, f"{function}_command")
        return loaded

    def _hidden(self, name: str, ctx: click.Context) -> str | None:
        """Return the help of a command that no help tells of."""
        if not ctx.parent:
            return HIDDEN.get(name)
        return HIDDEN_OF.get(f"{self.name} {name}")

    def _meant(self, name: str) -> str:
        """Return the command that *name* is a word for."""
        return ALIASES.get(f"{self.name} {name}", name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of one that is not there, suggest the nearest."""
        known = args and self._hidden(args[0], ctx)
        if args and self._meant(args[0]) not in self.table and not known:
            from crewmem.cli.unknown import UnknownCommandError

            raise UnknownCommandError(args[0], self.table, ctx)
        return super().resolve_command(ctx, args)


def root() -> Group:
    """Return the whole program."""
    about = (
        "Look after the memory of crews of AI agents.\n\n"
        "Memory is markdown under .memory/ directories and a SQLite database, worked "
        "on directly: there is no server. Every command answers in JSON with --json; "
        "exit statuses are in the manual page."
    )
    return Group("crewmem", about, TABLE)
