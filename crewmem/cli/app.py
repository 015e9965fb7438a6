"""The application object that commands get as their first argument."""

import contextlib
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from crewmem.access import Access, Actor
from crewmem.cli.command import Invocation
from crewmem.cli.hints import can_run, takes_path
from crewmem.cli.output import Human, Output, visible
from crewmem.config import Settings, find_home_directory, find_user_directory, load_settings
from crewmem.context import DATABASE_FILE, Context, format_command, system_clock
from crewmem.errors import (
    NotFoundError,
    RefusedError,
    SettingsError,
    UsageError,
    not_utf8_error,
    suggest,
)
from crewmem.storage import locks
from crewmem.storage.filesystem import find_working_directory, is_disk_full
from crewmem.times import get_zone, parse_when

if TYPE_CHECKING:
    from crewmem.home import Home

AGENT_PROGRAM_VARIABLES = ("CLAUDECODE", "CODEX_", "GEMINI_CLI", "OPENCODE", "OPENCLAW")
"""Prefixes of the environment variables that agent programs set."""

EARLIEST_NOW = 1970
"""Earliest year of ``--now``. Some systems know no UTC offset for earlier times."""

USER_VARIABLES = frozenset({
    "CODEX_HOME", "OPENCLAW_CONFIG_PATH", "OPENCLAW_STATE_DIR", "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
})  # fmt: skip
"""Variables that users set to configure a program. They do not show that it is running."""

MAX_INPUT = 16_000_000
"""Maximum bytes of a text on standard input; no text of a fact, entry or file is nearly as long."""

CONTAINER_MOUNT = "/crew"
"""Mount point of a crew in a container; ``agents/SLUG`` below it is an agent's directory."""


class App:
    """One run of the command line: its options, environment, and the home they name.

    Attributes:
        needs_workspace: Whether the named workspace must be registered.
    """

    def __init__(self, invocation: Invocation) -> None:
        self.environ = invocation.environ
        self.options = invocation.options
        self._invocation = invocation
        self.input = ""
        self.needs_workspace = True
        locks.on_wait = self._announce_wait

    def _announce_wait(self, what: str) -> None:
        if self.output.is_human and not self.output.quiet:
            sys.stderr.write(f"crewmem: waiting for {what}, which another process holds\n")

    def option(self, name: str, default: Any = None) -> Any:
        """Return the value of a global option, ``--path`` or ``--scope``."""
        value = self.options.get(name)
        return default if value is None else value

    @cached_property
    def output(self) -> Output:
        """The printer of the answer."""
        return Output(
            format=self.option("format", "table"),
            quiet=bool(self.option("quiet")),
            verbose=self.option("verbose", 0),
            color=not self.option("no_color") and not self.environ.get("NO_COLOR"),
        )

    # Time

    @cached_property
    def clock(self) -> Callable[[], datetime]:
        """The system clock, or the fixed time of ``--now``."""
        text = self.option("now")
        if text is None:
            return system_clock
        moment = parse_when(text, now=system_clock(), zone=self.settings_zone)
        if moment.year < EARLIEST_NOW:
            raise UsageError(f"--now must be in {EARLIEST_NOW} or later", code="bad-time")
        return lambda: moment

    @property
    def now(self) -> datetime:
        """The current time."""
        return self.clock()

    @cached_property
    def settings_zone(self) -> tzinfo:
        """The time zone in which days begin and end."""
        return get_zone(self.settings["timezone"])

    def parse_when(self, text: str, *, end: bool = False) -> datetime:
        """Parse a time as people type it."""
        return parse_when(text, now=self.now, zone=self.settings_zone, end=end)

    # Paths

    @cached_property
    def home_path(self) -> Path:
        """The directory of the home."""
        return find_home_directory(self.option("home") or self.environ.get("CREWMEM_HOME"))

    @property
    def has_home(self) -> bool:
        return (self.home_path / DATABASE_FILE).is_file()

    @property
    def tree_path(self) -> Path | None:
        """The directory that ``--path`` names."""
        text = self.option("path")
        return None if text is None else Path(text).expanduser().absolute()

    @cached_property
    def settings(self) -> Settings:
        """The settings of the home; with ``--path`` those of the scanner, and variables."""
        if self.tree_path is None:
            return load_settings(self.home_path, self.environ)
        try:
            return load_settings(self.home_path, self.environ, prefix="scan.")
        except SettingsError:  # a broken home must not prevent the reading of another directory
            return load_settings(None, self.environ)

    @property
    def workspace(self) -> str:
        return str(self.option("workspace") or self.environ.get("CREWMEM_WORKSPACE") or "default")

    @property
    def command_prefix(self) -> tuple[str, ...]:
        """How the user calls crewmem, for hints."""
        words = ["crewmem"]
        for option in ("home", "workspace"):
            if self.option(option):
                words += [f"--{option}", self.option(option)]
        return tuple(words)

    def command(self, *words: str) -> str:
        """Return a command line that works as printed; if it takes ``--path``, with that."""
        if self.tree_path is not None and takes_path(words[0]):
            words = (*words, "--path", str(self.tree_path))
        return format_command(self.command_prefix, *words)

    # Actor

    @property
    def in_agent_program(self) -> bool:
        """Whether the environment shows that an agent program runs this process."""
        return any(
            name.startswith(AGENT_PROGRAM_VARIABLES) and name not in USER_VARIABLES
            for name in self.environ
        )

    @contextlib.contextmanager
    def _naming_actor_variable(self) -> Iterator[None]:
        """Let an error about the actor name the variable that it comes from."""
        names = ("CREWMEM_ACTOR", "CREWMEM_AGENT")
        variable = next((name for name in names if self.environ.get(name)), "")
        try:
            yield
        except (UsageError, NotFoundError) as error:
            is_about_actor = error.code in ("bad-actor", "agent-not-found")
            if not (variable and is_about_actor) or self.option("as") is not None:
                raise
            message = f"${variable}: {error.message}"
            raise type(error)(message, code=error.code, hint=f"unset {variable}") from error

    def find_actor(self, find_agents: Callable[[Path], list[tuple[str, str]]]) -> Actor:
        """Return the actor of the command.

        Args:
            find_agents: Returns the agents whose directory or project contains a path, as
                (workspace, slug).
        """
        text = self.option("as")
        if text is not None:
            return Actor.parse(text)
        if text := self.environ.get("CREWMEM_ACTOR"):
            return Actor.parse(text)
        if slug := self.environ.get("CREWMEM_AGENT"):
            return Actor.parse(f"agent:{slug}")
        here = find_working_directory() or Path("/")
        slugs = [slug for workspace, slug in find_agents(here) if workspace == self.workspace]
        if len(slugs) == 1:
            return Actor.parse(f"agent:{slugs[0]}")
        parts = here.parts
        if str(here).startswith(f"{CONTAINER_MOUNT}/agents/") and len(parts) > 3:
            return Actor.parse(f"agent:{parts[3]}")
        return self.person

    @property
    def person(self) -> Actor:
        """The operator with the user's login name."""
        name = self.environ.get("USER") or self.environ.get("LOGNAME")
        if not name:
            import pwd  # most environments have one of these variables

            with contextlib.suppress(KeyError):
                name = pwd.getpwuid(os.geteuid()).pw_name
        return Actor("operator", name or "unknown")

    @property
    def is_agent_by_directory(self) -> bool:
        """Whether a person acts as an agent only because of the current directory."""
        named = self.option("as") or self.environ.get("CREWMEM_ACTOR")
        if named or self.environ.get("CREWMEM_AGENT") or self.in_agent_program:
            return False
        return self.has_home and not self.home.context.access.is_operator

    @cached_property
    def home(self) -> "Home":
        """The home, or with ``--path`` the tree, opened when first used.

        Raises:
            NotFoundError: If there is none.
        """
        from crewmem.home import Home, Tree  # some commands do not need it
        from crewmem.registry.membership import find_access, find_agents_in, warn_of_unknown

        path = self.tree_path
        if path is not None:
            context = self.make_context(path, read_only=True)
            with self._naming_actor_variable():
                actor = self.find_actor(lambda _: [])
                access = find_access(context, actor) if context.has_db else None
            if access is not None:
                context.access = self._complete_access(access)
                warn_of_unknown(context, self._invocation.given_names)
            else:
                context.home = None
                context.access = self._complete_access(Access(actor, self.workspace))
            return Tree(path, context, scope=self.option("scope"))
        if not self.has_home:
            raise self._home_missing()
        has_room = not is_disk_full(self.home_path)
        may_write = has_room and self._may_write_home()
        context = self.make_context(self.home_path, read_only=not may_write)
        if not has_room:
            context.warn(
                "disk-full",
                f"the disk of {self.home_path} is full: crewmem reads but does not write",
            )
        if self.settings["store"] and not may_write:
            context.warn(
                "mirror-as-it-is",
                f"{self.home_path} cannot be written: this answer comes from the mirror and lacks"
                " newer changes of the shared store",
            )
        with self._naming_actor_variable():
            actor = self.find_actor(lambda here: find_agents_in(context.db, self.home_path, here))
            access = find_access(context, actor, needs_workspace=self.needs_workspace)
        context.access = self._complete_access(access)
        warn_of_unknown(context, self._invocation.given_names)
        shared = context.db.shared
        if shared is not None and shared.has_queued:
            from crewmem.cli.outbox import deliver_commands  # only if commands are queued

            deliver_commands(self._invocation, context)
        return Home(context)

    def forget_home(self) -> None:
        """Drop the home and its settings, so that the next use opens them again."""
        for name in ("home", "settings"):
            vars(self).pop(name, None)

    def require_operator(self, what: str) -> None:
        """Raise RefusedError unless an operator acts."""
        self.home.context.access.require_operator(what)

    def _complete_access(self, access: Access) -> Access:
        """Add to *access* whether an agent program runs and whether ``--as`` named the actor."""
        is_named = self.option("as") is not None
        return access._replace(agent_program=self.in_agent_program, is_named=is_named)

    def open_agent_home(
        self, agent: str, fallback: str, *, directory: str = "", session: str = ""
    ) -> "Home | None":
        """Open the home as the acting agent; return None without a home or an agent.

        An operator is not an agent: the caller must name one or work in an agent's project.

        Args:
            agent: The acting agent; "" to detect it.
            fallback: Agent for directories outside of all projects.
            directory: The agent's working directory; by default the current directory.
            session: The program's id of the session, which keeps its agent in every directory.

        Raises:
            CrewmemError: If the home cannot be opened, the agent is not registered, or ``--as``
                names somebody else.
        """
        if not self.has_home:
            return None
        if agent:
            actor = f"agent:{agent}"
            if (named := self.option("as", actor)) != actor:
                raise UsageError(
                    f"--agent {agent} and --as {named} name two actors; leave one out",
                    code="bad-combination",
                )
            self.options["as"] = actor
        if directory:  # it may be gone, such as a build directory of the project
            path = Path(directory)
            os.chdir(next(each for each in (path, *path.parents, Path("/")) if os.path.isdir(each)))
        self.forget_home()
        home = self.home
        if not self.option("as"):
            slug, access = self._choose_agent(home, fallback, session), home.context.access
            if slug and (access.is_operator or slug != access.actor.name):
                home.close()
                self.options["as"] = f"agent:{slug}"
                self.forget_home()
                home = self.home
        if home.context.access.is_operator:
            home.close()
            return None
        home.context.access = home.context.access._replace(agent_program=True)
        return home

    def _choose_agent(self, home: "Home", fallback: str, session: str) -> str:
        """Return the agent with which the session began, or else *fallback*; "" for neither.

        An actor that the environment names comes before the agent of the session. *fallback* is for
        an operator, and not for a session or directory of agents of other workspaces.
        """
        from crewmem.registry.membership import find_agents_in  # only hooks need these
        from crewmem.sessions.hooked_agents import find_hooked_agent

        hooked = find_hooked_agent(home.context, session)
        is_named = self.environ.get("CREWMEM_ACTOR") or self.environ.get("CREWMEM_AGENT")
        if hooked and hooked.workspace == self.workspace and not is_named:
            return hooked.agent
        if not home.context.access.is_operator:
            return ""
        here = find_working_directory() or Path("/")
        agents = find_agents_in(home.context.db, self.home_path, here)
        workspaces = {hooked.workspace} if hooked else {workspace for workspace, _ in agents}
        return fallback if not workspaces or self.workspace in workspaces else ""

    def make_context(self, home: Path | None, *, read_only: bool = False) -> Context:
        """Return the context of a command; the caller sets its actor."""
        from crewmem.home import attach_store  # some commands do not need it

        model_directory = self.environ.get("CREWMEM_MODEL_DIR")
        return Context(
            home=home,
            workspace=self.workspace,
            access=Access(Actor("operator", "unknown"), self.workspace),
            settings=self.settings,
            clock=self.clock,
            stopwatch=perf_counter if self.option("now") is None else float,
            read_only=read_only,
            chain_key=self.environ.get("CREWMEM_CHAIN_KEY", ""),
            cache=find_user_directory("cache") if self.tree_path is not None else None,
            model_directory=Path(model_directory) if model_directory else None,
            environ=self.environ,
            command_prefix=self.command_prefix,
            can_run=can_run,
            attach_store=attach_store,
            tree=self.tree_path,
        )

    def _may_write_home(self) -> bool:
        """Return whether the user owns the home; other homes are only read."""
        try:
            is_own = (self.home_path / DATABASE_FILE).stat().st_uid == os.geteuid()
        except OSError:
            return False
        return is_own and os.access(self.home_path, os.W_OK)

    def _home_missing(self) -> NotFoundError:
        path = self.home_path
        similar = None
        if path.parent.is_dir():
            names = [p.name for p in path.parent.iterdir() if (p / DATABASE_FILE).is_file()]
            similar = suggest(path.name, names)
        message = f"there is no home at {path}"
        if similar:
            message += f"; did you mean {path.parent / similar}?"
        return NotFoundError(message, code="home-not-found", hint=self.command("init"))

    # Input and output

    def show(
        self,
        data: Any,
        human: Human | Callable[[], Human],
        *,
        next: str | None = None,
        rows: Iterable[Any] | None = None,
    ) -> None:
        """Print the answer, and the warnings of an open home; see `Output.show`."""
        has_opened = "home" in vars(self)
        self.output.show(
            data,
            human,
            next=next,
            more=self._format_next(next) if next is not None else "",
            rows=rows,
            warnings=self.home.context.warnings if has_opened else (),
        )

    def next_step(self, *commands: str) -> list[str]:
        """Return lines with the next commands; none with ``--quiet``."""
        return [] if self.output.quiet else [f"Next: {command}" for command in commands]

    def _format_next(self, cursor: str) -> str:
        """Return the typed command with ``--after`` set to *cursor*."""
        words = [word for word in self._invocation.arguments if not word.startswith("--after=")]
        if "--after" in words:
            position = words.index("--after")
            del words[position : position + 2]
        return shlex.join(["crewmem", *words, "--after", cursor])

    def read_text(self, words: Sequence[str] | str, *, exact: bool = False) -> str:
        """Return words joined by spaces; ``-`` alone is standard input.

        Args:
            exact: Whether to keep standard input byte for byte, and accept empty input.

        Raises:
            UsageError: If there is no text, or standard input is longer than `MAX_INPUT` or not
                UTF-8.
        """
        text = words if isinstance(words, str) else " ".join(words)
        is_input = text == "-"
        if is_input:
            encoding = ("utf-8", "surrogateescape") if exact else ("utf-8-sig", "strict")
            try:
                self.input = self.input or _read_standard_input().decode(*encoding)
            except UnicodeDecodeError as error:
                raise not_utf8_error("standard input") from error
            text = self.input
        if not text.strip() and not (exact and is_input):
            raise UsageError("the text is empty", code="empty-text")
        return text

    def read_query(self, words: Sequence[str]) -> str:
        """Return the words of a query, like `read_text`; "" when there are none."""
        return self.read_text(words).strip() if words else ""

    def open_input(self, file: str) -> contextlib.AbstractContextManager[BinaryIO]:
        """Open a file, or standard input for ``-``, for reading bytes."""
        try:
            return click.open_file(file, "rb")  # type: ignore[return-value]
        except OSError as error:
            raise NotFoundError(
                f"cannot read {file}: {error.strerror}", code="path-not-found"
            ) from error

    @contextlib.contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None] | None]:
        """Show a progress bar on a terminal's standard error.

        Yields:
            A function that takes the number of finished items and the total (0 if unknown); None
            without a terminal.
        """
        if not sys.stderr.isatty() or self.output.quiet:
            yield None
            return
        from rich.console import Console  # only on a terminal
        from rich.progress import Progress

        with Progress(transient=True, console=Console(stderr=True)) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total or None)

    def confirm(self, question: str, *, yes: bool, about: Iterable[str] = ()) -> None:
        """Ask for confirmation of something that cannot be undone.

        Args:
            question: The question to show.
            yes: Whether the user agreed beforehand.
            about: Lines to show before the question.

        Raises:
            UsageError: If there is no terminal and ``--yes`` was not given.
            RefusedError: If the answer is no.
        """
        if yes:
            return
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError(f"{question} Repeat it with --yes.", code="needs-yes")
        for line in about:
            click.echo(visible(line), err=True)
        if not click.confirm(question, err=True):
            raise RefusedError("nothing was changed", code="not-confirmed")

    def exit(self, status: int) -> None:
        """End the command with *status*; call it after printing the answer."""
        raise click.exceptions.Exit(status)


def _read_standard_input() -> bytes:
    content = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(content) > MAX_INPUT:
        raise UsageError(
            f"standard input has more than {MAX_INPUT // 1_000_000} MB", code="too-large"
        )
    return content
