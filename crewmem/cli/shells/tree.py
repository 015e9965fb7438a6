"""The commands as completion sees them: what may be typed where. Pure."""

from __future__ import annotations

from enum import StrEnum

import click

from crewmem.cli.names import kind_of, known
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Takes(StrEnum):
    """What a parameter takes."""

    NOTHING = "nothing"
    TEXT = "text"
    WORDS = "words"
    FILES = "files"
    DIRECTORIES = "directories"
    NAMES = "names"


class Slot(NamedTuple):
    """An option or an argument.

    Attributes:
        names: How the option is spelled, short ones first; empty for an argument.
        about: Its help.
        takes: What stands there, or after it.
        words: All that it takes, where there are so few.
        shown: What stands for the value in a synopsis, in lower case.
        many: Whether it may be given again.
    """

    names: tuple[str, ...]
    about: str
    takes: Takes
    words: tuple[str, ...] = ()
    shown: str = ""
    many: bool = False

    @property
    def taken(self) -> str:
        """What it takes as the scripts say it: words, or such as ``@files``."""
        return " ".join(self.words) or f"@{self.takes}"


class Node(NamedTuple):
    """A command or a group.

    Attributes:
        path: The words that lead to it, as ``memory search``; "" for the root.
        options: Its own; those that every command takes are the root's.
        nodes: The commands of a group.
    """

    path: str
    about: str
    options: tuple[Slot, ...]
    arguments: tuple[Slot, ...]
    nodes: tuple[Node, ...] = ()

    @property
    def name(self) -> str:
        """The last word that leads to it."""
        return self.path.rpartition(" ")[2]

    def walk(self) -> Iterator[Node]:
        """Yield it and all below it."""
        yield self
        for node in self.nodes:
            yield from node.walk()


def contexts(ctx: click.Context) -> Iterator[click.Context]:
    """Yield *ctx* and those of all commands below it that are not hidden."""
    yield ctx
    if isinstance(ctx.command, click.Group):
        for name in ctx.command.list_commands(ctx):
            below = ctx.command.get_command(ctx, name)
            if below is not None and not below.hidden:
                yield from contexts(click.Context(below, info_name=name, parent=ctx))


def tree(program: click.Group) -> Node:
    """Return what completion has to know of *program*."""
    return _node(click.Context(program, info_name="crewmem"), program.params)


def values(root: Node) -> Iterator[tuple[list[str], Slot]]:
    """Yield every option that takes a value, with where it does.

    That is a list of ``command:--option``, or of ``*:--option`` where all commands
    that have an option of this name agree on it.
    """
    every = [(node, each) for node in root.walk() for each in node.options]
    seen = set()
    for node, option in every:
        alike = {
            (each.takes, each.words)
            for _, each in every
            if not {*each.names}.isdisjoint(option.names)
        }
        place = "*" if len(alike) == 1 or not node.path else node.path
        patterns = tuple(f"{place}:{name}" for name in option.names)
        if option.takes is not Takes.NOTHING and patterns not in seen:
            seen.add(patterns)
            yield list(patterns), option


def arguments(root: Node) -> Iterator[tuple[str, str]]:
    """Yield each place of an argument with what is taken there.

    A place is a command and the number of the argument, as ``config set:1``, or a
    star for all the numbers.
    """
    for node in root.walk():
        if node.nodes:
            yield f"{node.path}:0", "@commands"
        for number, slot in enumerate(node.arguments):
            yield f"{node.path}:{'*' if slot.many else number}", slot.taken


def below(
    root: Node, case: Callable[[Node, Iterable[tuple[str, str]]], str]
) -> dict[str, str]:
    """Return the blanks that hold the commands and the options of each command.

    *case* spells those of one, each name with what it is about.
    """
    nodes = list(root.walk())
    return {
        "COMMANDS_OF": "\n".join(
            case(node, [(each.name, each.about) for each in node.nodes])
            for node in nodes
            if node.nodes
        ),
        "OPTIONS": "\n".join(
            case(node, spelled(node.options))
            for node in nodes
            if node.path and node.options
        ),
    }


def spelled(options: Iterable[Slot]) -> list[tuple[str, str]]:
    """Return each name of *options* with what it is about."""
    return [(name, option.about) for option in options for name in option.names]


def _node(ctx: click.Context, inherited: Sequence[click.Parameter]) -> Node:
    command, nodes = ctx.command, []
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            if below is not None and not below.hidden:
                inner = click.Context(below, info_name=name, parent=ctx)
                nodes.append(_node(inner, inherited))
    path = ctx.command_path.partition(" ")[2]
    own = [
        each for each in command.params if ctx.parent is None or each not in inherited
    ]
    return Node(
        path=path,
        about=command.get_short_help_str(limit=200),
        options=tuple(_slots(own, ctx, click.Option)),
        arguments=tuple(_slots(own, ctx, click.Argument)),
        nodes=tuple(nodes),
    )


def _slots(
    params: Sequence[click.Parameter], ctx: click.Context, kind: type[click.Parameter]
) -> Iterator[Slot]:
    for param in params:
        if isinstance(param, kind) and not getattr(param, "hidden", False):
            yield _slot(param, ctx)


def _slot(param: click.Parameter, ctx: click.Context) -> Slot:
    takes, words = _taken(param, ctx)
    is_option = isinstance(param, click.Option)
    metavar = param.make_metavar(ctx) if takes is not Takes.NOTHING else ""
    return Slot(
        names=tuple(sorted(param.opts, key=len)) if is_option else (),
        about=getattr(param, "help", None) or "",
        takes=takes,
        words=words,
        shown=metavar.strip("[]<>.").lower()
        if not words
        else param.human_readable_name,
        many=param.multiple or param.nargs == -1,
    )


def _taken(param: click.Parameter, ctx: click.Context) -> tuple[Takes, tuple[str, ...]]:
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        return Takes.NOTHING, ()
    if isinstance(param.type, click.Choice):
        return Takes.WORDS, tuple(map(str, param.type.choices))
    if kind := kind_of(ctx, param):
        words = known(kind)
        return (Takes.NAMES, ()) if words is None else (Takes.WORDS, words)
    if isinstance(param.type, click.Path) or param.metavar == "DIR":
        only = param.metavar == "DIR" or not getattr(param.type, "file_okay", True)
        return (Takes.DIRECTORIES if only else Takes.FILES), ()
    return Takes.TEXT, ()
