"""What was typed, or comes in on standard input, as a command can use it."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

import click

from crewmem.cli.command import argument, option
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO, TextIO, TypeVar

    from crewmem.cli.app import App
    from crewmem.errors.cli import InputTooLargeError
    from crewmem.errors.values import BadMemoryError, UnknownKindError
    from crewmem.prompt.budget import Budget

    Function = TypeVar("Function", bound=Callable[..., Any])

STDIN_MOST = 1 << 20
"""Most bytes of standard input, unless ``--max-input`` says otherwise."""

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
"""What may follow a number of bytes."""


class Input(NamedTuple):
    """What is read.

    Attributes:
        size: Its bytes.
    """

    stream: BinaryIO
    size: int


def as_text(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return *text* as it was typed, if the database can hold it."""
    require_utf8(text or "", ctx, param)
    return text


class Number(click.FloatRange):
    """A number within a range; what is no number, as nan, is in none."""

    name = "number"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the number that *value* is."""
        from math import isnan

        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


def of_option(error: BadMemoryError | UnknownKindError) -> click.UsageError:
    """Say of a value that no memory can have which option it was typed for."""
    from crewmem.errors.values import UnknownKindError

    if isinstance(error, UnknownKindError):
        return _of_kind("--kind", error)
    if error.name == "content":
        return click.UsageError(str(error))
    option = f"--{error.name.replace('_', '-')}"
    return click.UsageError(f"{option} should be {error.wanted}, not {error.text!r}")


def kinds_of(words: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Return the kinds of memories that *words*, typed for *option*, name.

    Raises:
        UsageError: If one of them names none.
    """
    from crewmem.errors.values import UnknownKindError
    from crewmem.memories.kinds import kind_of

    try:
        return tuple(kind_of(word)[0] for word in words or ())
    except UnknownKindError as error:
        raise _of_kind(option, error) from error


def _of_kind(option: str, error: UnknownKindError) -> click.UsageError:
    every = f" Kinds are {', '.join(error.kinds)}." if error.nearest else ""
    return click.UsageError(f"{option}: {error}{every}")


def as_words(
    ctx: click.Context, param: click.Parameter, words: tuple[str, ...]
) -> tuple[str, ...]:
    """Return *words* as they were typed, if the database can hold them."""
    require_utf8(" ".join(words), ctx, param)
    return words


def words_argument(name: str, *, help: str) -> Callable[[Function], Function]:
    """Return what adds an argument of one word or more, in which a - is to be read."""
    return argument(
        name,
        nargs=-1,
        required=True,
        metavar=f"{name.upper()}...",
        callback=as_words,
        help=help,
    )


def id_argument(function: Function) -> Function:
    """Add an argument that names what there is by its id."""
    add = argument(
        "id", metavar="ID", callback=as_text, help="Its id, or how that begins."
    )
    return add(function)


def file_argument(function: Function) -> Function:
    """Add an argument that names a memory file, there or no longer there."""
    add = argument(
        "file",
        metavar="FILE",
        callback=_as_file,
        help="As a search prints it, or a path.",
    )
    return add(function)


def _as_file(_: click.Context, __: click.Parameter, name: str) -> str:
    if not name:
        raise click.UsageError("FILE is empty.")
    return name


def reason_option(function: Function) -> Function:
    """Add the option that says why something is done, which `reason_of` reads."""
    add = option("--reason", metavar="TEXT", callback=as_text, help="Why; it is kept.")
    return add(function)


def restricted_option(function: Function) -> Function:
    """Add the flag by which an operator asks for what is its owner's alone."""
    add = option(
        "--include-restricted", is_flag=True, help="For operators: a restricted one."
    )
    return add(function)


def require_utf8(
    text: str, ctx: click.Context | None, param: click.Parameter | None
) -> None:
    """Refuse what is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise click.BadParameter("This is not UTF-8.", ctx, param) from error


def labels(text: str | None) -> list[str]:
    """Return the words of *text* that commas are between."""
    return [each.strip() for each in (text or "").split(",") if each.strip()]


def json_object(app: App, name: str, text: str | None) -> dict[str, object]:
    """Return the object that was typed for option *name*; - reads it.

    Raises:
        UsageError: If it is none.
    """
    if text is None:
        return {}
    from crewmem.journal.reading import BadLineError
    from crewmem.journal.reading import json_object as read

    try:
        return read((read_text(app).strip() if text == "-" else text).encode())
    except BadLineError as error:
        raise click.UsageError(f"{name}: {error}") from error


class Bytes(click.ParamType[int]):
    """A number of bytes, as 20M."""

    name = "size"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> int:
        """Return the number that *value* spells."""
        if isinstance(value, int):
            return value
        typed = str(value).strip().lower().removesuffix("b").removesuffix("i")
        digits = typed.rstrip("kmg")
        unit = typed[len(digits) :]
        short = (
            digits.isascii() and digits.isdigit() and len(digits) < len(str(1 << 62))
        )
        if not short or unit not in UNITS:
            self.fail(f"{value!r} is no number of bytes, as 500k or 20M.", param, ctx)
        return int(digits) * UNITS[unit]


def binary(stream: TextIO) -> BinaryIO:
    """Return the bytes that *stream*, standard input, is made of."""
    from io import BytesIO

    found: BinaryIO | None = getattr(stream, "buffer", None)
    # A stream of text alone is a test's: what it holds is a text.
    return found or BytesIO(stream.read().encode("utf-8", "surrogateescape"))


MORE = "--max-input SIZE lets more in."
"""The way out of a limit, where a command has that option."""


def read_bytes(app: App, *, most: int = STDIN_MOST, hint: str = "") -> bytes:
    """Return all of standard input.

    Raises:
        InputTooLargeError: If it is over *most* bytes, with *hint*.
    """
    content = binary(app.world.stdin).read(most + 1)
    if len(content) > most:
        raise _too_large("standard input", len(content), most, hint)
    return content


def _too_large(what: str, size: int, most: int, hint: str) -> InputTooLargeError:
    from crewmem.errors.cli import InputTooLargeError

    error = InputTooLargeError(what, size, most)
    error.hint = hint
    return error


def read_text(app: App) -> str:
    """Return all of standard input as text."""
    try:
        return read_bytes(app).decode()
    except UnicodeDecodeError as error:
        raise click.UsageError("Standard input is not UTF-8.") from error


@contextmanager
def opened(
    app: App, file: str, *, most: int | None, usual: int, hint: str = MORE
) -> Iterator[Input]:
    """Open *file*, or standard input for ``-``, to be read once.

    What is no regular file, as a pipe, is read first, so that too much of it is known
    before anything is done with it.

    Args:
        app: Whose standard input.
        file: What was typed.
        most: Most bytes, if that was said.
        usual: Most bytes, if it was not.
        hint: The way out where it is more.

    Raises:
        InputTooLargeError: If there is more.
        PathMissingError: If nothing is there.
    """
    from io import BytesIO

    limit = usual if most is None else most
    if file == "-":
        content = read_bytes(app, most=limit, hint=hint)
        yield Input(BytesIO(content), len(content))
        return
    with _open(file) as stream:
        size = os.fstat(stream.fileno())
        if stat.S_ISREG(size.st_mode):
            if size.st_size > limit:
                raise _too_large(file, size.st_size, limit, hint)
            yield Input(stream, size.st_size)
            return
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise _too_large(file, len(content), limit, hint)
    yield Input(BytesIO(content), len(content))


def _open(file: str) -> BinaryIO:
    from crewmem.disk.failures import failure, not_a_file
    from crewmem.errors.disk import UnsafePathError

    try:
        if stat.S_ISDIR(os.stat(file).st_mode):  # noqa: PTH116 - a string, as typed
            raise not_a_file(file, stat.S_IFDIR)
        return open(file, "rb")  # noqa: PTH123 - as above
    except OSError as error:
        raise failure(error, file, "read") from error
    except ValueError as error:
        raise UnsafePathError(file, "it holds a NUL character") from error


class BudgetType(click.ParamType["Budget"]):
    """How long a text for a model may be, as 2000t."""

    name = "n[t|c|b]"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Budget:
        """Return the budget that *value* spells."""
        from crewmem.prompt.budget import Budget

        if isinstance(value, Budget):
            return value
        try:
            return Budget.parse(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
