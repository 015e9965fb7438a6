"""How help is laid out; it is loaded when somebody asks for help.

click would import ``inspect`` for it, and break names at their hyphens.
"""

from __future__ import annotations

from textwrap import dedent

from crewmem.cli.command import GLOBALS, Argument, Group, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

HYPHEN = "\u2011"
"""Stands for a hyphen while lines are broken, for none is broken there: who copies an
option needs all of it."""

FOR_ALL = "Global options, before or after any verb"

IN_SHORT = (
    "--home, -w, --as, -F table|json|jsonl, --json, -q, -v, --now, …: "
    "see crewmem --help."
)


def help_of(command: click.Command, ctx: click.Context) -> str:
    """Return the help of *command*; global options are told at the root alone."""
    formatter = ctx.make_formatter()
    command.format_usage(ctx, formatter)
    first, _, rest = (command.help or "").partition("\n")
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(_unbroken(f"{first}\n{dedent(rest)}".strip()))
    own = [each for each in command.params if each not in GLOBALS]
    arguments = [each for each in own if isinstance(each, Argument)]
    rows = [(each.make_metavar(ctx), each.help or "") for each in arguments]
    _section(formatter, "Arguments", rows)
    options = [each for each in own if isinstance(each, Option)]
    _section(formatter, "Options", _records(options, ctx))
    if isinstance(command, Group):
        table = command.table.items()
        rows = [
            (name, told if isinstance(told, str) else told[0]) for name, told in table
        ]
        _section(formatter, "Commands", rows)
    if ctx.parent is None:
        _section(formatter, FOR_ALL, _records(GLOBALS, ctx))
    else:
        with formatter.section(FOR_ALL):
            formatter.write_text(_unbroken(IN_SHORT))
    return formatter.getvalue().rstrip("\n").replace(HYPHEN, "-")


def _unbroken(text: str) -> str:
    return text.replace("-", HYPHEN)


def _section(
    formatter: click.HelpFormatter, name: str, rows: Sequence[tuple[str, str]]
) -> None:
    if rows:
        with formatter.section(name):
            formatter.write_dl([(each, _unbroken(about)) for each, about in rows])


def _records(
    options: Sequence[click.Parameter], ctx: click.Context
) -> list[tuple[str, str]]:
    records = [each.get_help_record(ctx) for each in options]
    return [each for each in records if each]
