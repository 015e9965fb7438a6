"""The manual pages of commands, written from the commands themselves. Pure."""

from __future__ import annotations

import inspect

import click

from crewmem.cli.command import FEW, GLOBALS, Option
from crewmem.cli.manual.program import root_sections
from crewmem.cli.manual.roff import bold, filled, italic, prose, section, term
from crewmem.cli.shells import GENERATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def page(ctx: click.Context) -> str:
    """Return the manual page of the command of *ctx*."""
    command = ctx.command
    about = inspect.cleandoc(command.help or "")
    own = [each for each in command.params if each not in GLOBALS]
    lines = [
        *head(name(ctx), about.partition("\n")[0]),
        *section("SYNOPSIS", _synopsis(ctx)),
        *section("DESCRIPTION", prose(about)),
        *section("ARGUMENTS", _params(ctx, own, click.Argument)),
        *section("OPTIONS", _params(ctx, own, click.Option)),
    ]
    if isinstance(command, click.Group):
        lines += section("COMMANDS", _commands(ctx))
    if ctx.parent is None:
        lines += section("GLOBAL OPTIONS", _params(ctx, GLOBALS, click.Option))
        lines += root_sections()
    else:
        lines += section("GLOBAL OPTIONS", _named_globals())
        lines += section("EXIT STATUS", ["See", ".BR crewmem (1)."])
    return "\n".join([*lines, *section("SEE ALSO", _see_also(ctx))]) + "\n"


def head(title: str, about: str, *, number: int = 1) -> list[str]:
    """Return how the page *title* begins. It has no date: a rebuild changes nothing.

    Args:
        title: What it is called.
        about: What it is about, in a line.
        number: Of the section of the manual that it is in.
    """
    said = about[:1].lower() + about[1:].rstrip(".")
    return [
        f'.\\" {GENERATED}',
        f'.TH {title.upper()} {number} "" crewmem "crewmem manual"',
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{title} \\-",
        *filled(said),
    ]


def name(ctx: click.Context) -> str:
    """Return what the page of the command of *ctx* is called."""
    return ctx.command_path.replace(" ", "-")


def _synopsis(ctx: click.Context) -> Iterator[str]:
    yield bold(ctx.command_path)
    pieces = ctx.command.collect_usage_pieces(ctx)
    yield " ".join(italic(piece) for piece in pieces).replace("...", "\\&...")


def _params(
    ctx: click.Context, params: Sequence[click.Parameter], kind: type[click.Parameter]
) -> Iterator[str]:
    for param in params:
        if isinstance(param, kind) and not getattr(param, "hidden", False):
            yield from term(_term(ctx, param), filled(_about(param)))


def _term(ctx: click.Context, param: click.Parameter) -> str:
    if not isinstance(param, Option):
        return italic(param.make_metavar(ctx))
    names = ", ".join(bold(each) for each in sorted(param.opts, key=len))
    if param.is_flag or param.count:
        return names
    if 0 < len(param.choices) <= FEW:
        return f"{names} {' | '.join(map(bold, param.choices))}"
    return f"{names} {italic(param.make_metavar(ctx))}"


def _about(param: click.Parameter) -> str:
    about = getattr(param, "help", None) or ""
    if isinstance(param, Option) and len(param.choices) > FEW:
        about += f" One of {', '.join(param.choices)}."
    return f"{about} It may be given again." if param.multiple else about


def _commands(ctx: click.Context) -> Iterator[str]:
    for below in _below(ctx):
        yield from term(
            bold(below.command_path), filled(below.command.get_short_help_str(200))
        )
        if isinstance(below.command, click.Group):
            verbs = below.command.list_commands(below)
            yield from filled(f"Its verbs are {', '.join(verbs)}.")


def _below(ctx: click.Context) -> Iterator[click.Context]:
    if isinstance(ctx.command, click.Group):
        for verb in ctx.command.list_commands(ctx):
            command = ctx.command.get_command(ctx, verb)
            if command is not None and not command.hidden:
                yield click.Context(command, info_name=verb, parent=ctx)


def _named_globals() -> Iterator[str]:
    names = [min(each.opts, key=len) for each in GLOBALS]
    yield from filled(
        f"{', '.join(names[:-1])} and {names[-1]} are accepted here, too."
    )
    yield "See"
    yield ".BR crewmem (1)."


def _see_also(ctx: click.Context) -> list[str]:
    near = [ctx.parent] if ctx.parent else []
    near += _below(ctx.parent) if ctx.parent and ctx.parent.parent else []
    near += _below(ctx)
    names = {name(each) for each in near} - {name(ctx)}
    pages = [
        f"{each} (1)" for each in sorted(names | ({"crewmem"} if ctx.parent else set()))
    ]
    pages.append("crewmem-json (5)")
    return [f".BR {each}{',' if each != pages[-1] else ''}" for each in pages]
