"""``crewmem crew set``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import (
    as_pairs,
    described,
    require_change,
    settings_of,
    to_change,
)
from crewmem.cli.typed import as_text


@verb
@argument("name", help="Which crew.")
@argument(
    "pairs",
    nargs=-1,
    metavar="[KEY=VALUE]...",
    callback=as_pairs,
    help="Settings to change; KEY= is the default again.",
)
@option("--lead", metavar="SLUG", help="Agent that leads it; '' for nobody.")
@option("--add-member", metavar="SLUG", multiple=True, help="Agent that joins it.")
@option("--remove-member", metavar="SLUG", multiple=True, help="Agent that leaves it.")
@option(
    "--description",
    metavar="TEXT",
    callback=as_text,
    help="What it is for; '' for nothing.",
)
@pass_app
def set_command(
    app: App,
    *,
    name: str,
    pairs: dict[str, str],
    lead: str | None,
    add_member: tuple[str, ...],
    remove_member: tuple[str, ...],
    description: str | None,
) -> None:
    """Change a crew: its lead, members and settings.

    A lead belongs to its crew from then on. A member keeps its home crew, where its
    files are, and may read this crew's as well. All is changed, or nothing.

    Settings: crew_write=proposal|lead|members says who may share knowledge with the
    crew. consolidate_policy=auto|review says whether what consolidate run learns is
    applied, or waits for an operator; setting, the default, is what the setting
    consolidate.policy says.
    """
    from crewmem.cli.members import show
    from crewmem.errors.registry import CrewMissingError
    from crewmem.registry.change import change_crew
    from crewmem.registry.choices import CREW_SETTINGS
    from crewmem.scope import require_operator

    require_operator(app.actor, "change crews")
    require_change(
        pairs=pairs,
        lead=lead,
        join=add_member,
        leave=remove_member,
        description=description,
    )
    settings = settings_of(pairs, CREW_SETTINGS)
    with to_change(app, CrewMissingError(name, app.workspace)) as registry:
        changed = change_crew(
            registry,
            app.workspace,
            name,
            lead=lead,
            join=add_member,
            leave=remove_member,
            description=described(app, description),
            settings=settings,
        )
    show(app, changed)
