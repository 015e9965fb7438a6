"""Commands of `crewmem workspace`, `crewmem crew` and `crewmem agent`: one implementation."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.command import Group, pass_app
from crewmem.cli.context import App
from crewmem.cli.output import Table
from crewmem.registry.members import CONSOLIDATION, ROLES, SHARING, Agent, Crew, Workspace

DESCRIPTION = click.option("--description", metavar="TEXT", help="What it is for.")

CREW_OPTIONS = (
    click.option("--lead", metavar="SLUG", help='Agent that leads it; "" for none.'),
    click.option("--add-member", "add_members", multiple=True, metavar="SLUG", help="New member."),
    click.option("--sharing", type=click.Choice(SHARING), help="When a member shares a fact."),
    click.option(
        "--consolidation", type=click.Choice(CONSOLIDATION), help="Apply plans, or review them."
    ),
)

AGENT_OPTIONS = (
    click.option("--crew", metavar="NAME", help="Home crew, where its files are."),
    click.option("--role", type=click.Choice(ROLES), help="Role in its home crew."),
    click.option("--project", metavar="DIR", help='Directory that it works in; "" for none.'),
    click.option("--memory", type=click.Choice(["on", "off"]), help="Use its memory, or not."),
)


class Kind(NamedTuple):
    """One of the three groups.

    Attributes:
        name: Of the group, and in the methods of the registry.
        options: Of `add` and `set`.
        set_options: Of `set` alone.
        columns: Heading and cell of each column of the listing; *drop* may be left out.
    """

    name: str
    title: str
    record: type
    options: Sequence[Callable[[Any], Any]]
    set_options: Sequence[Callable[[Any], Any]]
    columns: dict[str, Callable[[Any], str]]
    drop: Sequence[str]


KINDS = (
    Kind(
        "workspace",
        "Manage workspaces.",
        Workspace,
        (),
        (),
        {
            "WORKSPACE": lambda each: each.name,
            "CREWS": lambda each: ", ".join(each.crews),
            "DESCRIPTION": lambda each: each.description,
        },
        ("DESCRIPTION",),
    ),
    Kind(
        "crew",
        "Manage crews.",
        Crew,
        CREW_OPTIONS,
        (
            click.option(
                "--remove-member",
                "remove_members",
                multiple=True,
                metavar="SLUG",
                help="Agent that leaves.",
            ),
        ),
        {
            "CREW": lambda each: each.name,
            "LEAD": lambda each: each.lead,
            "AGENTS": lambda each: ", ".join((*each.agents, *each.members)),
            "DESCRIPTION": lambda each: each.description,
        },
        ("DESCRIPTION", "LEAD"),
    ),
    Kind(
        "agent",
        "Manage agents.",
        Agent,
        AGENT_OPTIONS,
        (),
        {
            "AGENT": lambda each: each.slug,
            "ROLE": lambda each: each.role,
            "CREWS": lambda each: ", ".join(each.crews),
            "MEMORY": lambda each: "on" if each.memory else "off",
            "PROJECT": lambda each: each.project,
            "DESCRIPTION": lambda each: each.description,
        },
        ("DESCRIPTION", "PROJECT", "MEMORY"),
    ),
)


def make_group(kind: Kind) -> click.Group:
    """Return the group of commands for workspaces, crews or agents."""
    metavar = "SLUG" if kind.name == "agent" else "NAME"
    plural = f"{kind.name}s"

    @click.group(kind.name, cls=Group, help=kind.title)
    def group() -> None:
        pass

    def add_options(command: Callable[..., None], *more: Callable[[Any], Any]) -> Any:
        for option in reversed((*kind.options, *more, DESCRIPTION)):
            command = option(command)
        return click.argument("name", metavar=metavar)(command)

    def add(app: App, name: str, **values: Any) -> None:
        app.require_operator("change the registry")
        if "add_members" in values:
            values["members"] = values.pop("add_members")
        added = getattr(app.home.registry, f"add_{kind.name}")(name, **convert_options(values))
        lines = [f"Added {kind.name} {name}.", *format_record(added)]
        if values.get("lead") and not added.lead:  # the agent is not registered yet
            command = app.home.context.command("agent add", values["lead"], "--crew", name)
            lines.append(f"Next: {command}")
        app.output.show(added, lines)

    def set_(app: App, name: str, **values: Any) -> None:
        app.require_operator("change the registry")
        given = convert_options(values)
        if not any(value is not None and value != () for value in given.values()):
            raise click.UsageError("say what to change")
        changed = getattr(app.home.registry, f"set_{kind.name}")(name, **given)
        app.output.show(changed, [f"Changed {kind.name} {name}.", *format_record(changed)])

    def list_(app: App, **filters: str | None) -> None:
        app.require_operator("read the registry")
        records = getattr(app.home.registry, f"list_{plural}")(**filters)
        rows = [[cell(record) for cell in kind.columns.values()] for record in records]
        none = [f"There are no {plural}. Add one: {app.command(f'{kind.name} add')} {metavar}"]
        app.output.show(records, Table(list(kind.columns), rows, drop=kind.drop) if rows else none)

    def show(app: App, name: str) -> None:
        app.require_operator("read the registry")
        record = getattr(app.home.registry, f"get_{kind.name}")(name)
        app.output.show(record, format_record(record))

    def remove(app: App, name: str) -> None:
        app.require_operator("change the registry")
        removed = getattr(app.home.registry, f"remove_{kind.name}")(name)
        again = app.command(f"{kind.name} add", name)
        app.output.show(
            removed, [f"Removed {kind.name} {name}. Its files stay; bring it back with: {again}"]
        )

    an = "an agent" if kind.name == "agent" else f"a {kind.name}"
    argument = click.argument("name", metavar=metavar)
    listed: Any = options.crew(list_) if kind.name == "agent" else list_
    for name, function, answer, text in (
        ("add", add_options(pass_app(add)), kind.record, f"Add {an}, or bring back a removed one."),
        ("list", pass_app(listed), list[kind.record], f"List {plural}."),  # type: ignore[name-defined]
        ("show", argument(pass_app(show)), kind.record, f"Show {an}."),
        ("set", add_options(pass_app(set_), *kind.set_options), kind.record, f"Change {an}."),
        (
            "remove",
            argument(pass_app(remove)),
            kind.record,
            f"Take {an} out of the registry; its files stay.",
        ),
    ):
        group.command(name, answer=answer, help=text)(function)
    return group


def convert_options(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a command line as the registry takes them."""
    if values.get("memory") is not None:
        values["memory"] = values["memory"] == "on"
    return values


def format_record(record: Workspace | Crew | Agent) -> list[str]:
    """Return a record for people, a field a line."""
    lines = []
    for field in fields(record):
        value = getattr(record, field.name)
        if value in ("", ()) or field.name == "workspace":
            continue
        if isinstance(value, tuple):
            value = ", ".join(value)
        elif isinstance(value, bool):
            value = "on" if value else "off"
        lines.append(f"  {field.name.replace('_', ' '):14}{value}")
    return lines


workspace, crew, agent = (make_group(kind) for kind in KINDS)
