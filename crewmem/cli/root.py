"""Running a command line: the one place where failures meet the terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import pairwise
from types import MappingProxyType

import click
from click.exceptions import NoArgsIsHelpError

from crewmem.cli.app import World
from crewmem.cli.command import root
from crewmem.cli.output import SCHEMA
from crewmem.cli.text import visible
from crewmem.errors import CrewmemError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import TextIO

USAGE, BUG, INTERRUPTED, TERMINATED = 2, 70, 130, 143
"""Statuses that no family of `errors` ends with."""

COMPLETE = "_CREWMEM_COMPLETE"
"""The variable by which a completion script asks for names, as click has it."""


class Terminated(BaseException):
    """Somebody asked the process to end."""


def run(argv: Sequence[str], world: World | None = None) -> int:
    """Run the command line *argv* and return its exit status.

    Everything that was printed has left the process when this returns.
    """
    world = world or _system()
    try:
        return _ran(argv, world)
    except BrokenPipeError:
        return 0  # whoever read has read enough
    except (Exception, KeyboardInterrupt, Terminated) as error:  # noqa: BLE001 - told
        status = _told(_failure(argv, world, error), argv, world, error)
        return 0 if isinstance(error, Exception) and _is_hook(argv) else status


def _is_hook(argv: Sequence[str]) -> bool:
    """Tell whether *argv* is called by a hook, though it may not parse."""
    from crewmem.cli.hooks import is_for_hook

    return is_for_hook([*argv]) and not {"recall", "prime"}.isdisjoint(argv)


def _system() -> World:
    # What signal is, without the names of signals: 0.5 ms.
    import _signal as signal  # type: ignore[import-not-found]

    def end(_: int, __: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # as until now
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # Closed by the caller. No file that is opened may take its number; what
            # is written to it fails, as it should.
            os.open(os.devnull, os.O_RDONLY)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks is spelled out rather than a failure.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return World()


def _ran(argv: Sequence[str], world: World) -> int:
    program = root()
    if asked := world.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(program, {"obj": world}, "crewmem", COMPLETE, asked)
    done = None
    try:
        with program.make_context("crewmem", list(argv), obj=world) as ctx:
            done = program.invoke(ctx)
    except click.exceptions.Exit as ended:
        done = ended.exit_code
    _flush(world.stdout)
    return done if isinstance(done, int) else 0


def _flush(stdout: TextIO) -> None:
    try:
        stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from crewmem.errors.cli import UnprintedError

        raise UnprintedError(_reason(error)) from error


class Failure(NamedTuple):
    """Why there is no answer.

    Attributes:
        beside: What a person needs to read to do better.
    """

    code: str
    message: str
    status: int
    hint: str = ""
    details: Mapping[str, object] = MappingProxyType({})
    beside: str = ""


def _failure(argv: Sequence[str], world: World, error: BaseException) -> Failure:
    match error:
        case click.Abort() | KeyboardInterrupt():
            return Failure("interrupted", "interrupted", INTERRUPTED)
        case Terminated():
            return Failure("terminated", "terminated", TERMINATED)
        case click.ClickException():
            ctx = getattr(error, "ctx", None)
            hint = f"See {ctx.command_path} --help." if ctx else ""
            message = error.format_message()
            if isinstance(error, NoArgsIsHelpError):
                message = "Name a command."
            return Failure("usage", message, USAGE, hint)
        case CrewmemError():
            return _known(error)
        case OSError():
            return _known(_of_system(error))
    return _bug(argv, world, error)


def _of_system(error: OSError) -> CrewmemError:
    from crewmem.errors.disk import DiskError, WorkingDirectoryMissingError

    if not error.filename and _is_adrift():
        return WorkingDirectoryMissingError()
    where = str(error.filename or "a file")
    return DiskError(where, "use", _reason(error))


def _is_adrift() -> bool:
    """Tell whether the working directory is gone."""
    try:
        os.getcwd()  # noqa: PTH109 - a path of it is not needed
    except FileNotFoundError:
        return True
    return False


def _known(error: CrewmemError) -> Failure:
    return Failure(
        code=error.code,
        message=str(error),
        status=error.exit_code,
        hint=error.hint,
        details=error.details,
        beside=error.beside,
    )


def _bug(argv: Sequence[str], world: World, error: BaseException) -> Failure:
    from crewmem.cli.incident import report

    path = report(argv, world.environ, error)
    message = f"this is a bug in crewmem: {type(error).__name__}: {error}"
    hint = f"A report is in {path}." if path else "Run it with --debug to see more."
    return Failure("bug", message, BUG, hint, {"report": path})


def _told(
    failure: Failure, argv: Sequence[str], world: World, error: BaseException
) -> int:
    """Print why there is no answer, if anybody reads it; return the status."""
    with suppress(OSError):
        if "--debug" in argv:
            _trace(world.stderr, error)
        if isinstance(error, NoArgsIsHelpError) and not _wants_json(argv):
            world.stderr.write(f"{error.message}\n")  # the help, as it stands
        else:
            _tell(failure, argv, world.stderr)
        world.stderr.flush()
    return failure.status


def _tell(failure: Failure, argv: Sequence[str], stderr: TextIO) -> None:
    if _wants_json(argv):
        from crewmem.encode import encoded

        error = {
            "code": failure.code,
            "message": failure.message,
            "hint": failure.hint or None,
            "details": failure.details,
        }
        stderr.write(encoded({"schema": SCHEMA, "error": error}) + "\n")
    else:
        stderr.write(visible(f"crewmem: {failure.message}") + "\n")
        if failure.hint:
            stderr.write(visible(failure.hint) + "\n")
        if failure.beside:
            stderr.write(visible(failure.beside.rstrip("\n"), keep="\n\t") + "\n")


def _wants_json(argv: Sequence[str]) -> bool:
    """Tell whether JSON was asked for, of a command line that may not parse."""
    words = list(argv)
    if "--" in words:
        words = words[: words.index("--")]
    formats = {after for name, after in pairwise(words) if name in {"-F", "--format"}}
    attached = any(word.startswith(("-Fjson", "--format=json")) for word in words)
    return "--json" in words or attached or bool(formats & {"json", "jsonl"})


def _trace(stream: TextIO, error: BaseException) -> None:
    import traceback

    stream.write("".join(traceback.format_exception(error)))


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
