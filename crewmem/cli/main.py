"""The command line: the table of commands, and the mapping of errors to exit statuses."""

import contextlib
import errno
import io
import os
import re
import shlex
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

from crewmem import __version__
from crewmem.cli.command import CONTEXT_SETTINGS, Group, Invocation, make_global_options
from crewmem.errors import CrewmemError, DamagedError, UsageError, not_utf8_error, suggest

INTERRUPTED, TERMINATED, BUG = 130, 143, 70
"""Exit statuses in addition to those of the error classes."""


OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)
"""Error numbers of writing to standard output. Errors of files have a file name or are
CrewmemErrors."""


class TopLevel(NamedTuple):
    """A first-level command: its module and object in `crewmem.cli`, and its help."""

    place: str
    help: str


SECTIONS: dict[str, dict[str, TopLevel]] = {
    "Find": {
        "search": TopLevel("search:search", "Search everything you may see."),
        "recall": TopLevel("recall:recall", "Print what is known about a question, for a prompt."),
        "status": TopLevel("status:status", "Show what is stored, its state, and the next step."),
        "report": TopLevel("report:report", "Write an HTML page of all memory."),
    },
    "Store": {
        "remember": TopLevel("fact:remember", "Store a fact."),
        "forget": TopLevel("fact_change:forget", "Forget a fact; it can be restored."),
        "note": TopLevel("memory:note", "Append a line to today's daily note."),
        "memory": TopLevel("groups:memory", "Search, read and write memory files."),
        "fact": TopLevel("groups:fact", "List and manage facts."),
        "journal": TopLevel("groups:journal", "Read and write the journal."),
        "sessions": TopLevel("sessions:sessions", "Search and learn from session logs."),
        "review": TopLevel("review:review", "List and decide on review items."),
        "operator": TopLevel("operator:operator", "Manage profiles of people."),
    },
    "Maintain": {
        "sweep": TopLevel("sweep:sweep", "Embed new texts and refresh indexes."),
        "consolidate": TopLevel("consolidate:consolidate", "Promote recurring statements."),
        "decay": TopLevel("decay:decay", "Show fading facts and episodes."),
        "timers": TopLevel("timers:timers", "Schedule jobs with systemd or cron."),
        "doctor": TopLevel("doctor:doctor", "Check everything; repair what is safe."),
        "eval": TopLevel("eval:eval_", "Measure and tune recall."),
        "embedder": TopLevel("embedder:embedder", "Manage the embedding model."),
    },
    "Set up": {
        "init": TopLevel("init:init", "Create a home."),
        "workspace": TopLevel("registry:workspace", "Manage workspaces."),
        "crew": TopLevel("registry:crew", "Manage crews."),
        "agent": TopLevel("registry:agent", "Manage agents."),
        "config": TopLevel("config:config", "Show and change settings."),
        "hooks": TopLevel("hooks:hooks", "Connect agent programs."),
        "hook": TopLevel("hook:hook", "Answer a hook of an agent program."),
        "mcp": TopLevel("mcp:mcp", "Serve memory to an agent over stdio."),
        "completion": TopLevel("completion:completion", "Print a completion script."),
    },
    "Move": {
        "export": TopLevel("transfer:export", "Write a bundle of memory."),
        "import": TopLevel("transfer:import_", "Read memory from bundles and other tools."),
        "sync": TopLevel("sync:sync", "Exchange memory with other hosts."),
    },
}

COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class Root(Group):
    """The group ``crewmem``: lists and completes its commands without importing their modules."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing the commands."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(name, help=entry.help)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the commands by section, without importing their modules."""
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.help) for name, entry in section.items()])


def make_root() -> Root:
    """Return the group of all commands."""
    root = Root(
        name="crewmem",
        help="Memory for crews of AI agents: files, facts, journal and sessions on disk.",
        context_settings=CONTEXT_SETTINGS,
        no_args_is_help=True,
        lazy_commands={name: entry.place for name, entry in COMMANDS.items()},
    )
    root.params = [
        *make_global_options(hidden=False),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_print_version,
            help="Print the version.",
        ),
    ]
    return root


class CalledCommand(NamedTuple):
    """The command that a command line calls.

    Attributes:
        names: The names of its groups and its own name.
        rest: The words after its name.
    """

    command: click.Command
    names: tuple[str, ...]
    rest: list[str]


def find_command(words: Sequence[str]) -> CalledCommand | None:
    """Find the command in a command line, even if its options precede it."""
    command: click.Command = make_root()
    context = click.Context(command, obj=Invocation({}))
    names, rest = [], list(words)
    while isinstance(command, click.Group):
        with_value = {
            name for option in command.params if takes_value(option) for name in option.opts
        }
        word = ""
        while rest and (word in with_value or command.get_command(context, rest[0]) is None):
            word = rest.pop(0)
        if not rest:
            return None
        names.append(rest.pop(0))
        command = command.get_command(context, names[-1]) or command
    return CalledCommand(command, tuple(names), rest)


def takes_value(parameter: click.Parameter) -> bool:
    """Return whether a parameter is an option that takes a value."""
    return isinstance(parameter, click.Option) and not (parameter.is_flag or parameter.count)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"crewmem {__version__}")
        ctx.exit()


class Terminated(BaseException):
    """SIGTERM arrived."""


def _terminate(signum: int, frame: FrameType | None) -> None:
    raise Terminated


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    environ = {name: _decode(value, "replace") for name, value in os.environ.items()}
    invocation = Invocation(environ, arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape only what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    if "_CREWMEM_COMPLETE" in os.environ:
        import_module("crewmem.cli.completion")  # replaces click's completion for bash
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _terminate)
    try:
        status = _invoke(invocation, arguments)
        sys.stdout.flush()
    except OSError as error:
        return _end_output(error)
    finally:
        invocation.close()
    return status


def _invoke(invocation: Invocation, arguments: Sequence[str]) -> int:
    try:
        result = make_root().main(
            _read_arguments(arguments), prog_name="crewmem", standalone_mode=False, obj=invocation
        )
        invocation.close()  # it indexes written files, and may be interrupted
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _fail(invocation, _usage_error(error), arguments)
    except CrewmemError as error:
        if error.code == "store-unreachable" and _queue(invocation, arguments, error):
            return 0
        return _fail(invocation, error, arguments)
    except click.Abort as error:
        if isinstance(error.__cause__, EOFError):  # click takes it for the end of the input
            return _report_bug(invocation, error.__cause__, arguments)
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Terminated:
        return TERMINATED
    except SystemExit as error:  # click's answer to a closed pipe
        raise BrokenPipeError from error
    except OSError as error:
        if _is_output_error(error):
            raise
        return _report_bug(invocation, error, arguments)
    except Exception as error:  # noqa: BLE001 - the last resort: a bug becomes a report
        return _report_bug(invocation, error, arguments)


def _is_output_error(error: OSError) -> bool:
    is_known = error.filename is None and error.errno in OUTPUT_ERRORS
    return is_known or isinstance(error, BrokenPipeError)


def _end_output(error: OSError) -> int:
    """Stop writing to standard output after *error*; return the exit status."""
    # Otherwise Python would report unwritten output at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0  # the reader closed the pipe because it has enough
    with contextlib.suppress(OSError):
        sys.stderr.write(f"crewmem: cannot write the output: {error.strerror}\n")
    return DamagedError.status


def _read_arguments(arguments: Sequence[str]) -> list[str]:
    """Decode *arguments* as UTF-8, whatever the locale.

    Raises:
        UsageError: If an argument is not UTF-8.
    """
    try:
        return [_decode(argument) for argument in arguments]
    except UnicodeDecodeError as error:
        raise not_utf8_error(f"the argument {error.object!r}") from error


def _decode(text: str, errors: str = "strict") -> str:
    """Decode *text* as UTF-8, although Python decoded it with another encoding."""
    return text if text.isascii() else os.fsencode(text).decode("utf-8", errors)


def _queue(invocation: Invocation, arguments: Sequence[str], error: CrewmemError) -> bool:
    """Queue a command that failed because the store is unreachable, if it may wait."""
    from crewmem.cli.outbox import queue_command  # only with a shared store

    item = queue_command(invocation, arguments, error)
    if item and not invocation.app.output.quiet:
        sys.stderr.write(
            f"crewmem: the shared store cannot be reached; queued as {item}, to run with the"
            " next command that reaches it\n"
        )
    return bool(item)


def _usage_error(error: click.ClickException) -> UsageError:
    context = getattr(error, "ctx", None)
    hint = f"{context.command_path} --help" if context is not None else ""
    if isinstance(error, click.NoSuchOption):
        # click compares the dashes, too
        word = error.option_name.lstrip("-")
        options = error.possibilities or ()
        similar = [option for option in options if suggest(word, [option.lstrip("-")])]
        error = click.NoSuchOption(error.option_name, possibilities=similar, ctx=error.ctx)
    message = " ".join(error.format_message().split()).replace("Choose from: ", "Choose from ")
    option = error.param if isinstance(error, click.MissingParameter) else None
    if context is not None and isinstance(option, click.Option):
        message = f"Missing option '{option.opts[0]} {option.make_metavar(context)}': {option.help}"
    return UsageError(message, code="usage", hint=hint)


WANTS_JSON = r"(?:^|\0)(?:--json|(?:-F|--format)[\0=]?jsonl?)(?:\0|$)"
"""Matches the options for JSON in a command line that could not be parsed, joined with NUL."""

ACTOR_CODES = frozenset({"operators-only", "leads-only", "review-not-allowed", "out-of-scope"})
"""Codes of errors that a person can avoid by naming the actor with ``--as``."""


def _fail(invocation: Invocation, error: CrewmemError, arguments: Sequence[str]) -> int:
    """Print *error* and return its status."""
    app = invocation.app
    if error.command:
        error.hint = app.command(error.command)
    if app.option("debug"):
        print_traceback(error)
    if error.code == "database-damaged" and not error.hint:
        error.hint = app.command("doctor")
    if error.code in ACTOR_CODES and app.is_agent_by_directory:
        error.message += " (this directory is that agent's)"
        error.hint = shlex.join(["crewmem", "--as", str(app.person), *arguments])
    if re.search(WANTS_JSON, "\0".join(arguments)) and "format" not in app.options:
        app.options["format"] = "json"  # parsing failed before this option
        vars(app).pop("output", None)
    app.output.error(error)
    return error.status


def _report_bug(invocation: Invocation, error: Exception, arguments: Sequence[str]) -> int:
    """Report an unexpected error: explain those of data and files, write a report of others."""
    from crewmem.cli.crash_report import explain_cause, write_report

    explained = explain_cause(error)
    if explained is not None:
        return _fail(invocation, explained, arguments)
    app = invocation.app
    if app.option("debug"):
        print_traceback(error)
    path = write_report(app, error, arguments)
    where = f"; a report is in {path}" if path else ""
    bug = CrewmemError(
        f"this is a bug in crewmem: {type(error).__name__}: {error}{where}",
        code="bug",
        hint="repeat the command with --debug to see where",
    )
    app.output.error(bug)
    return BUG


def print_traceback(error: Exception) -> None:
    """Print where *error* was raised, and redact secrets in its message."""
    import traceback  # only for --debug

    from crewmem.security.secrets import redact

    sys.stderr.write(redact("".join(traceback.format_exception(error))))
