"""What every command is handed: settings, a clock, stores, a way to answer."""

from __future__ import annotations

import os
import sys
from functools import cached_property, update_wrapper

import click

from crewmem.cli.command import GIVEN
from crewmem.cli.late import import_pathlib
from crewmem.cli.output import Output
from crewmem.errors import CrewmemError, SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, tzinfo
    from pathlib import Path
    from typing import Any, TextIO

    import apsw

    from crewmem.journal.store import Journal
    from crewmem.registry.store import Registry
    from crewmem.scope import Actor, Reach, Sight
    from crewmem.settings import Settings
    from crewmem.settings.load import Loaded
    from crewmem.vectors.store import VectorStore


def _system_clock() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)


class World:
    """What lies outside the program; tests hand in their own.

    Attributes:
        mount: Where a container has its crew.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = _system_clock,
        mount: str = "/crew",
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self.clock, self.mount = clock, mount
        self.stdin = stdin or sys.stdin
        self.stdout, self.stderr = stdout or sys.stdout, stderr or sys.stderr


class App:
    """The world as commands see it; parts are made when first asked for.

    Attributes:
        held: Vectors that are asked whatever is written meanwhile, and with them the
            indexes of files as they are; None: as they are by then.
    """

    held: VectorStore | None = None

    def __init__(self, world: World, given: Mapping[str, Any]) -> None:
        self.world, self.given = world, given
        import_pathlib()  # before anything else does

    # The answer

    @cached_property
    def out(self) -> Output:
        """Where the answer goes."""
        return output(self.world, self.given)

    def conclude(self, *, ok: bool) -> None:
        """End with status 1 when what was checked is not *ok*."""
        if not ok:
            click.get_current_context().exit(1)

    def strictly(self, *, strict: bool) -> None:
        """End with status 1 when something was warned of and *strict* was asked."""
        self.conclude(ok=not (strict and self.out.warnings))

    def clamped(self, name: str, given: int | None, usual: int, most: int) -> int:
        """Return how many are wanted, within 1 and *most*; a clamp is a warning."""
        if given is None:
            return min(usual, most)
        within = max(1, min(given, most))
        if within != given:
            self.out.warn(f"{name} {given} is out of range; it was taken as {within}")
        return within

    def instant(self, name: str, text: str | None) -> datetime | None:
        """Read a time that was typed for option *name*."""
        if text is None:
            return None
        from crewmem import times

        try:
            return times.read(text, now=self.now, zone=self.zone)
        except ValueError as error:
            raise click.UsageError(f"{name}: {error}") from error

    # The world

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone of days."""
        from crewmem import times

        return times.zone(self.settings.timezone)

    @cached_property
    def sight_of_path(self) -> Sight:
        """What the actor may read in a tree that was named: there is no registry."""
        from crewmem.scope import Sight

        return Sight(actor=self._acting(home="", mount=""))

    @cached_property
    def now(self) -> datetime:
        """The time, or the time that was given for it."""
        text = self.given.get("now") or self.world.environ.get("CREWMEM_NOW")
        if not text:
            return self.world.clock()
        from datetime import UTC

        from crewmem import times

        try:
            return times.read(text, now=self.world.clock(), zone=UTC)
        except ValueError as error:
            raise click.UsageError(f"--now: {error}") from error

    @property
    def is_home_named(self) -> bool:
        """Tell whether the home was chosen, rather than the usual one."""
        return bool(self.given.get("home") or self.world.environ.get("CREWMEM_HOME"))

    @cached_property
    def home(self) -> Path:
        """The home, whether it is there or not."""
        from pathlib import Path

        environ = self.world.environ
        if named := self.given.get("home") or environ.get("CREWMEM_HOME"):
            return Path(named).absolute()
        if sys.platform == "linux":
            from crewmem.cli.user import linux_data_path

            return Path(linux_data_path(environ))
        from platformdirs import user_data_path

        return user_data_path("crewmem", appauthor=False)

    @cached_property
    def loaded(self) -> Loaded:
        """The settings with their origins."""
        from crewmem.settings.load import load

        try:
            config, tuned = self.home / "config.toml", self.home / "tuned.toml"
            loaded = load(config, self.world.environ, tuned)
        except SettingError as error:
            from crewmem.errors.settings import ConfigUnreadableError

            if self.is_home_named or not isinstance(error, ConfigUnreadableError):
                raise
            # Whoever looks into a container need not be able to enter a home.
            self.out.warn(str(error))
            loaded = load(None, self.world.environ)
        if workspace := self.given.get("workspace"):
            try:
                loaded = loaded.with_option("workspace", workspace, "--workspace")
            except SettingError as error:
                raise click.UsageError(str(error)) from error
        return loaded

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.loaded.settings

    @property
    def workspace(self) -> str:
        """The workspace that is worked in."""
        return self.settings.workspace

    @cached_property
    def actor(self) -> Actor:
        """Who is asking."""
        environ = self.world.environ
        return self._acting(home=environ.get("HOME", ""), mount=self.world.mount)

    def _acting(self, *, home: str, mount: str) -> Actor:
        from crewmem.cli.user import login
        from crewmem.scope import acting

        given, environ = self.given.get("acting"), self.world.environ
        try:
            return acting(given, environ, home=home, mount=mount, login=login(environ))
        except CrewmemError as error:
            from crewmem.errors.values import BadActorError

            if given is not None and isinstance(error, BadActorError):
                raise click.UsageError(f"--as: {error}. {error.hint}") from error
            raise

    # What is kept

    @cached_property
    def truth(self) -> apsw.Connection:
        """The home's database, to be changed; it is made if there is none."""
        from crewmem.db.truth import open_to_write

        db = open_to_write(self.home, busy_timeout=self.settings.busy_timeout)
        click.get_current_context().call_on_close(db.close)
        return db

    @cached_property
    def truth_to_read(self) -> apsw.Connection | None:
        """The home's database as it can be read; None if there is none."""
        if "truth" in self.__dict__:
            return self.truth
        from crewmem.db.truth import open_to_read

        timeout = self.settings.busy_timeout
        db = open_to_read(self.home, busy_timeout=timeout, warn=self.out.warn)
        if db:
            click.get_current_context().call_on_close(db.close)
        return db

    @cached_property
    def registry(self) -> Registry:
        """Who works here, to be changed."""
        from crewmem.registry.store import Registry

        return Registry(self.truth)

    @cached_property
    def registry_to_read(self) -> Registry | None:
        """Who works here, as it can be read; None if there is no database."""
        if self.truth_to_read is None:
            return None
        from crewmem.registry.store import Registry

        return Registry(self.truth_to_read)

    @cached_property
    def journal(self) -> Journal:
        """What happened, to be added to; the first write makes home and workspace."""
        from crewmem.cli.journals import open_journal

        return open_journal(self)

    @cached_property
    def journal_to_read(self) -> Journal | None:
        """What happened, as it can be read; None if there is no database."""
        from crewmem.cli.journals import open_journal_to_read

        return open_journal_to_read(self)

    def reach(self, scope: str | None) -> Reach:
        """Return which entries of the journal the actor reads with *scope*."""
        from crewmem.scope import Scope, reach_of

        return reach_of(self.sight, self.workspace, Scope(scope) if scope else None)

    @cached_property
    def sight(self) -> Sight:
        """What the actor may read; without a database, directories tell its crews."""
        from crewmem.scope import Sight

        if self.actor.is_operator:
            return Sight(actor=self.actor)
        slug, workspace = self.actor.name, self.workspace
        if (db := self.truth_to_read) is None:
            from crewmem.registry.folders import crews_with

            in_home = (self.home / "workspaces").is_dir()
            crews = crews_with(self.home, workspace, slug) if in_home else None
            return Sight(actor=self.actor, crews=crews)
        from crewmem.errors.registry import AgentMissingError
        from crewmem.registry.crews_store import crews_of, led_by
        from crewmem.registry.sight import sight_of

        crews_known, led = crews_of(db, workspace, slug), led_by(db, workspace, slug)
        try:
            return sight_of(self.actor, workspace, crews=crews_known, led=led)
        except AgentMissingError as error:
            from crewmem.registry.folders import crews_with

            if crew := min(crews_with(self.home, workspace, slug), default=""):
                register = f"crewmem agent add {slug} --crew {crew}"
                error.hint = f"It has a directory, and is not registered: {register}"
            raise


def output(world: World, given: Mapping[str, Any]) -> Output:
    """Decide how to answer."""
    environ = world.environ
    on_terminal = world.stdout.isatty()
    wanted = "json" if given.get("json") else given.get("format")
    return Output(
        format=wanted or ("table" if on_terminal else "plain"),
        color=(
            on_terminal
            and not given.get("no_color")
            and not environ.get("NO_COLOR")
            and environ.get("CLICOLOR") != "0"
            and environ.get("TERM") != "dumb"
        ),
        quiet=bool(given.get("quiet")),
        verbose=bool(given.get("verbose")),
        stdout=world.stdout,
        stderr=world.stderr,
        given=given,
        environ=environ,
    )


def pass_app(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the `App` to a command as its first argument."""

    def run(*args: Any, **values: Any) -> Any:
        ctx = click.get_current_context()
        app = App(ctx.find_object(World) or World(), ctx.meta.get(GIVEN, {}))
        try:
            return function(app, *args, **values)
        except CrewmemError as error:
            if error.hint:
                from crewmem.cli.spelled import spelled

                chosen = values.get("chosen")
                tree = values.get("path") or getattr(chosen, "path", None)
                error.hint = spelled(error.hint, app.given, tree)
            raise

    return update_wrapper(run, function)
