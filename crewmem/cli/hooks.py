"""Commands of `crewmem hooks`, which connect and disconnect agent programs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.output import Table
from crewmem.errors import NotFoundError, UsageError
from crewmem.health.doctor import HookEntry
from crewmem.home import Home, create_home
from crewmem.hooks.agents import find_project_agents, make_agent, plan_agent
from crewmem.hooks.install import (
    CREATE,
    UPDATE,
    FileChange,
    apply_install,
    apply_remove,
    plan_install,
    plan_remove,
    show_install,
)
from crewmem.hooks.log import list_problems
from crewmem.hooks.programs import PROGRAMS, HookCommands, InstallLocation, Program
from crewmem.hooks.receipts import list_receipts
from crewmem.hooks.status import find_entries_home, list_entries
from crewmem.storage.programs import find_crewmem

SHARED_AGENT = "assistant"
"""Agent that is created when several programs share one memory."""


@dataclass(slots=True)
class Installation:
    """Result or plan of an installation in a program.

    Attributes:
        project: The project directory; "" for all projects of the user.
        made: The home, crew and agent that are created.
        notes: What the user has to know or do next.
        undo: The command that undoes it.
    """

    program: str
    project: str
    agent: str = ""
    made: list[str] = field(default_factory=list)
    files: list[FileChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    undo: str = ""


@dataclass(slots=True)
class HooksStatus:
    """The entries of crewmem in all agent programs.

    Attributes:
        problems: The newest lines of the hook log.
    """

    entries: list[HookEntry]
    problems: list[dict[str, Any]]


@click.group(cls=Group)
def hooks() -> None:
    """Connect agent programs: Claude Code, Codex, Gemini CLI, opencode, OpenClaw."""


program_argument = click.argument(
    "program", metavar="PROGRAM", type=click.Choice([*PROGRAMS, "all"])
)
project_option = click.option(
    "--project",
    type=options.PATH,
    metavar="DIR",
    help="Only this project, as the agent that works in it.",
)
user_option = click.option("--user", is_flag=True, help="All your projects (the default).")


@hooks.command(answer=list[Installation])
@program_argument
@options.agent_option("Agent whose memory it uses.", default="")
@project_option
@user_option
@click.option("--print", "print_only", is_flag=True, help="Print what would be installed.")
@options.dry_run
@options.yes
@pass_app
def install(
    app: App,
    program: str,
    agent: str,
    project: str | None,
    user: bool,
    print_only: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Connect an agent program to the memory of an agent.

    PROGRAM is claude, codex, gemini, opencode, openclaw, or all. Adds hooks, the MCP server and
    a skill to the program's own configuration. Existing entries stay; `crewmem hooks remove`
    removes what was added.
    """
    location = _make_location(app, project, user)
    if app.has_home:
        app.require_operator("connect agent programs")
    programs = _choose_programs(program, location, everything=print_only)
    answers = _plan_installations(app, programs, location, agent, print_only=print_only)
    is_done = not (print_only or dry_run)
    if is_done:
        wanted = [text for answer in answers for text in answer.made]
        if wanted:
            app.confirm(f"This creates {', '.join(wanted)}. Continue?", yes=yes)
        for each, answer in zip(programs, answers, strict=True):
            if not app.has_home:
                create_home(app.home_path, clock=app.clock)
                app.forget_home()
            make_agent(app.home.as_actor(app.person), answer.agent, location.project)
            apply_install(each, location, answer.files, app.home_path)
    lines = [line for answer in answers for line in _render(answer, done=is_done)]
    if is_done and not app.home.sessions.list(limit=1).sessions:
        lines += app.next_step(app.command("sessions sync"))  # the logs of earlier sessions
    app.show(answers, lines)


def _plan_installations(
    app: App,
    programs: Sequence[Program],
    location: InstallLocation,
    agent: str,
    *,
    print_only: bool,
) -> list[Installation]:
    """Return what installing would change in each program, and what it would create first."""
    home = app.home if app.has_home else None
    answers: list[Installation] = []
    new = programs[0].name if len(programs) == 1 else SHARED_AGENT
    for each in programs:
        try:
            slug, made = plan_agent(home, each, location.project, agent=agent, new=new)
        except UsageError:
            if not print_only:
                raise
            slug, made = "SLUG", []  # the user must choose an agent
        if home is None:
            made.insert(0, f"a home at {app.home_path}")
        planned = {text for answer in answers for text in answer.made}
        option = "--agent" if agent else "--fallback"
        # A project's agent is known by its directory, so another agent can take it over.
        chosen = () if location.project is not None and not agent else (option, slug)
        commands = HookCommands(_find_words(app), chosen)
        if print_only:
            changes = show_install(each, location, commands)
        else:
            changes = plan_install(each, location, commands, app.home_path)
        notes = [each.note]
        before = find_entries_home(each, location)
        if before and before.resolve() != app.home_path.resolve() and not print_only:
            notes.insert(0, f"This replaces the entries of the home {before}.")
        undo = app.command("hooks remove", each.name, *_name_project(app, location.project))
        answers.append(
            Installation(
                program=each.name,
                project=str(location.project or ""),
                agent=slug,
                made=[text for text in made if text not in planned],
                files=changes,
                notes=notes,
                undo=undo,
            )
        )
    return answers


@hooks.command(answer=list[Installation])
@program_argument
@project_option
@user_option
@options.dry_run
@pass_app
def remove(app: App, program: str, project: str | None, user: bool, dry_run: bool) -> None:
    """Remove what `hooks install` added to a program.

    PROGRAM is claude, codex, gemini, opencode, openclaw, or all. Home, agent and memory stay.
    For a project that was moved or deleted, name its old directory.
    """
    installed = {each.project for each in list_receipts(app.home_path)}
    location = _make_location(app, project, user, gone=installed)
    if app.has_home:
        app.require_operator("disconnect agent programs")
    names = {each.program for each in list_receipts(app.home_path)}
    programs = [each for name, each in PROGRAMS.items() if program in (name, "all")]
    if program == "all":
        programs = [each for each in programs if each.name in names]
    answers = []
    for each in programs:
        changes = plan_remove(each, location, HookCommands(_find_words(app), ()), app.home_path)
        if not dry_run:
            apply_remove(each, location, changes, app.home_path)
        again = app.command("hooks install", each.name, *_name_project(app, location.project))
        answers.append(
            Installation(each.name, str(location.project or ""), files=changes, undo=again)
        )
    lines = [
        f"{'would ' if dry_run else ''}{change.action} {change.path}"
        + (f": {change.reason}" if change.reason else "")
        for answer in answers
        for change in answer.files
    ]
    if location.project is not None and not location.project.is_dir():
        lines.append(f"{'would forget' if dry_run else 'forgot'} {location.project}, which is gone")
    everywhere = "" if location.project else " for all your projects"
    lines = lines or [f"There are no entries of crewmem{everywhere}."]
    if not dry_run:
        lines += app.next_step(*_list_removals(app, programs))
    app.show(answers, lines)


def _list_removals(app: App, programs: Sequence[Program]) -> list[str]:
    """Return the commands that remove the other installations of *programs*."""
    names = {each.name for each in programs}
    left = {(r.program, r.project) for r in list_receipts(app.home_path) if r.program in names}
    return [
        app.command("hooks remove", name, *_name_project(app, project))
        for name, project in sorted(left)
    ]


@hooks.command(answer=HooksStatus)
@pass_app
def status(app: App) -> None:
    """Test the entries of crewmem in the programs' configurations.

    For each entry it looks for the program, checks version and agent, and calls it once.
    """
    app.require_operator("see how agent programs are connected")
    entries = list_hooks(app, app.home)
    app.home.close()
    record = HooksStatus(entries, list_problems(app.home_path))
    table = Table(
        entries,
        {
            "PROGRAM": lambda each: each.program,
            "ENTRY": lambda each: each.entry,
            "STATE": lambda each: each.problem or "ok",
            "TIME": lambda each: "" if each.seconds is None else f"{each.seconds * 1000:.0f} ms",
            "FILE": lambda each: str(each.file),
        },
        "No program is connected.",
    )
    lines: list[str | Table] = [table]
    if not entries:
        lines += app.next_step(app.command("hooks install all"))
    lines += [f"fix: {hint}" for hint in dict.fromkeys(e.hint for e in entries if e.hint)]
    if record.problems:
        lines += ["", "Recent problems:"]
        lines += [
            f"  {' '.join(filter(None, map(each.get, ('at', 'program', 'event'))))}:"
            f" {each.get('problem', '')}"
            for each in record.problems
        ]
    app.show(record, lines)
    if any(each.problem for each in entries):
        app.exit(1)


def list_hooks(app: App, home: Home) -> list[HookEntry]:
    """Test the entries in the agent programs and return them."""
    return list_entries(
        app.home_path,
        user=Path.home(),
        variables=app.environ,
        limit=app.settings.span("hooks.time_limit"),
        agents={agent.slug: agent.memory for agent in home.registry.list_agents()},
        find_agents=lambda project: find_project_agents(home, project),
    )


def _make_location(
    app: App, project: str | None, user: bool, *, gone: Collection[str] = ()
) -> InstallLocation:
    """Return the location that the options name.

    Args:
        gone: Projects whose directory may be missing.

    Raises:
        NotFoundError: If there is no such directory.
    """
    if project is not None and user:
        raise UsageError("--project and --user cannot be combined", code="bad-option")
    directory = None if project is None else Path(project).resolve()
    if directory is not None and not directory.is_dir() and str(directory) not in gone:
        raise NotFoundError(f"there is no directory {project}", code="directory-not-found")
    return InstallLocation(Path.home(), directory, app.environ)


def _name_project(app: App, project: Path | str | None) -> tuple[str, ...]:
    """Return the options that name *project*, with the person as the actor; or all projects."""
    if not project:
        return ("--user",)
    return ("--project", str(project), "--as", str(app.person))


def _choose_programs(name: str, location: InstallLocation, *, everything: bool) -> list[Program]:
    if name != "all":
        return [PROGRAMS[name]]
    programs = [*PROGRAMS.values()]
    if everything:
        return programs
    installed = [each for each in programs if (location.user / each.directory).is_dir()]
    if not installed:
        raise NotFoundError(
            "no agent program is installed here",
            code="program-not-found",
            command="hooks install claude",
        )
    return installed


def _find_words(app: App) -> tuple[str, ...]:
    """Return the command with which an agent program calls crewmem on this home."""
    words = [*find_crewmem()]
    if app.option("home") or app.environ.get("CREWMEM_HOME"):
        words += ["--home", str(app.home_path)]
    if app.workspace != "default":
        words += ["--workspace", app.workspace]
    return tuple(words)


def _render(answer: Installation, *, done: bool) -> list[str]:
    title = PROGRAMS[answer.program].title
    lines = [f"{title}{' in ' + answer.project if answer.project else ''}, agent {answer.agent}:"]
    lines += [f"  {'created' if done else 'would create'} {text}" for text in answer.made]
    for change in answer.files:
        reason = f": {change.reason}" if change.reason else ""
        is_plan = not done and change.action in (CREATE, UPDATE)
        action = f"{'would ' if is_plan else ''}{change.action}"
        lines.append(f"  {action:{9 if done else 12}} {change.path}{reason}")
        lines += [f"    | {line}" for line in change.added.splitlines()]
    lines += [f"  Note: {note}" for note in answer.notes]
    if done:
        lines.append(f"  Undo: {answer.undo}")
    return lines
