"""Commands of `crewmem workspace`, `crewmem crew` and `crewmem agent`: one implementation."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from types import GenericAlias
from typing import Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.completers import Complete, complete_agent, complete_crew, complete_workspace
from crewmem.cli.output import Table, format_fields
from crewmem.registry.members import CONSOLIDATION, ROLES, SHARING, Agent, Crew, Workspace
from crewmem.registry.store import Registry

Decorator = Callable[[Any], Any]

DESCRIPTION = click.option("--description", metavar="TEXT", help="Its purpose.")

CREW_OPTIONS = (
    click.option("--lead", metavar="SLUG", help='Agent that leads it; "" for none.'),
    options.choice("--sharing", SHARING, help="What happens if a member shares a fact."),
    options.choice(
        "--consolidation", CONSOLIDATION, help="Whether plans are applied or wait in review."
    ),
    DESCRIPTION,
)


def _is_on(ctx: click.Context, param: click.Parameter, value: str | None) -> bool | None:
    return None if value is None else value == "on"


AGENT_OPTIONS = (
    options.crew_option("Home crew, where its files are."),
    options.choice("--role", ROLES, help="Role in its home crew."),
    click.option(
        "--project",
        "projects",
        multiple=True,
        type=options.PATH,
        metavar="DIR",
        callback=lambda ctx, param, value: [each for each in value if each] if value else None,
        help='Directory that it works in; repeat for several, "" for none.',
    ),
    options.choice("--memory", ["on", "off"], callback=_is_on, help="Turn its memory on or off."),
    DESCRIPTION,
)


def _member_option(name: str, field: str, help: str) -> Decorator:
    return click.option(name, field, multiple=True, metavar="SLUG", help=help)


class Kind(NamedTuple):
    """One of the three groups of commands.

    Attributes:
        methods: Methods of the registry, by command.
        columns: Heading and cell of each column of the listing; columns in *drop* are optional.
    """

    name: str
    record: type
    methods: dict[str, Callable[..., Any]]
    add_options: Sequence[Decorator]
    set_options: Sequence[Decorator]
    columns: dict[str, Callable[[Any], str]]
    drop: Sequence[str]
    complete: Complete


KINDS = (
    Kind(
        name="workspace",
        record=Workspace,
        methods={
            "add": Registry.add_workspace,
            "list": Registry.list_workspaces,
            "show": Registry.get_workspace,
            "set": Registry.set_workspace,
            "remove": Registry.remove_workspace,
        },
        add_options=(DESCRIPTION,),
        set_options=(DESCRIPTION,),
        columns={
            "WORKSPACE": lambda each: each.name,
            "CREWS": lambda each: ", ".join(each.crews),
            "DESCRIPTION": lambda each: each.description,
        },
        drop=("DESCRIPTION",),
        complete=complete_workspace,
    ),
    Kind(
        name="crew",
        record=Crew,
        methods={
            "add": Registry.add_crew,
            "list": Registry.list_crews,
            "show": Registry.get_crew,
            "set": Registry.set_crew,
            "remove": Registry.remove_crew,
        },
        add_options=(*CREW_OPTIONS, _member_option("--add-member", "members", "New member.")),
        set_options=(
            *CREW_OPTIONS,
            _member_option("--add-member", "add_members", "New member."),
            _member_option("--remove-member", "remove_members", "Agent that leaves."),
        ),
        columns={
            "CREW": lambda each: each.name,
            "LEAD": lambda each: each.lead,
            "AGENTS": lambda each: ", ".join((*each.agents, *each.members)),
            "DESCRIPTION": lambda each: each.description,
        },
        drop=("DESCRIPTION", "LEAD"),
        complete=complete_crew,
    ),
    Kind(
        name="agent",
        record=Agent,
        methods={
            "add": Registry.add_agent,
            "list": Registry.list_agents,
            "show": Registry.get_agent,
            "set": Registry.set_agent,
            "remove": Registry.remove_agent,
        },
        add_options=AGENT_OPTIONS,
        set_options=AGENT_OPTIONS,
        columns={
            "AGENT": lambda each: each.slug,
            "ROLE": lambda each: each.role,
            "CREWS": lambda each: ", ".join(each.crews),
            "MEMORY": lambda each: "on" if each.memory else "off",
            "PROJECTS": lambda each: " ".join(each.projects),
            "DESCRIPTION": lambda each: each.description,
        },
        drop=("DESCRIPTION", "PROJECTS", "MEMORY"),
        complete=complete_agent,
    ),
)


def make_group(kind: Kind) -> click.Group:
    """Return the group of commands for workspaces, crews or agents."""
    metavar = "SLUG" if kind.name == "agent" else "NAME"
    an = "an agent" if kind.name == "agent" else f"a {kind.name}"
    group = Group(kind.name, help=f"Manage {kind.name}s.")

    def command(
        name: str, help: str, decorators: Sequence[Decorator], answer: Any = kind.record
    ) -> Decorator:
        def decorate(function: Callable[..., None]) -> Any:
            made = pass_app(function)
            for each in reversed(decorators):
                made = each(made)
            return group.command(name, help=help, answer=answer)(made)

        return decorate

    def call(app: App, name: str, *args: str, **values: Any) -> Any:
        app.needs_workspace = kind.name != "workspace"
        if name in ("list", "show"):
            app.require_operator("read the registry")
        return kind.methods[name](app.home.registry, *args, **values)

    named = click.argument("name", metavar=metavar, shell_complete=kind.complete)

    @command("add", f"Add {an}, or restore a removed one.", [named, *kind.add_options])
    def add(app: App, name: str, **values: Any) -> None:
        added = call(app, "add", name, **values)
        lines = [f"Added {kind.name} {name}.", *format_record(added)]
        if values.get("lead") and not added.lead:  # the agent is not registered yet
            lines += app.next_step(app.command("agent add", values["lead"], "--crew", name))
        app.show(added, lines)

    is_listed_by_crew = [options.crew] if kind.name == "agent" else []

    @command("list", f"List {kind.name}s.", is_listed_by_crew, GenericAlias(list, (kind.record,)))
    def list_(app: App, **filters: str | None) -> None:
        records = call(app, "list", **filters)
        none = f"There are no {kind.name}s. Add one: {app.command(f'{kind.name} add')} {metavar}"
        app.show(records, Table(records, kind.columns, none, drop=kind.drop))

    @command("show", f"Show {an}.", [named])
    def show(app: App, name: str) -> None:
        record = call(app, "show", name)
        app.show(record, format_record(record))

    @command("set", f"Change {an}.", [named, *kind.set_options])
    def set_(app: App, name: str, **values: Any) -> None:
        if all(value in (None, ()) for value in values.values()):
            raise click.UsageError("give an option to change")
        changed = call(app, "set", name, **values)
        app.show(changed, [f"Changed {kind.name} {name}.", *format_record(changed)])

    @command("remove", f"Remove {an} from the registry; its files stay.", [named])
    def remove(app: App, name: str) -> None:
        removed = call(app, "remove", name)
        again = app.command(f"{kind.name} add", name)
        line = f"Removed {kind.name} {name}. Its files stay. To restore it: {again}"
        app.show(removed, [line])

    return group


def format_record(record: Workspace | Crew | Agent) -> list[str]:
    """Format a record for people, one field per line."""
    shown = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, tuple):
            value = ", ".join(value)
        elif isinstance(value, bool):
            value = "on" if value else "off"
        shown[field.name.replace("_", " ")] = value
    shown.pop("workspace", None)
    return format_fields(shown)


workspace, crew, agent = (make_group(kind) for kind in KINDS)
