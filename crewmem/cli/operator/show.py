"""``crewmem operator show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.operator.persons import (
    directories,
    person,
    store_to_read,
    unnoted,
    user_option,
)
from crewmem.cli.places import as_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.files.place import Place
    from crewmem.prompt.operator_cards import Line as Said
    from crewmem.prompt.operator_show import Known


@verb
@user_option
@option("--crew", metavar="NAME", callback=as_slug, help="Only this crew's card.")
@option("--agent", metavar="SLUG", callback=as_slug, help="Only this agent's card.")
@option("--audit", is_flag=True, help="Show also who wrote, read or erased it.")
@pass_app
def show_command(
    app: App, *, user: str, crew: str | None, agent: str | None, audit: bool
) -> None:
    """Show what is known of a person, and what they said.

    Of every crew and agent of the workspace. That it was looked at is noted, where the
    home can be written. For operators.
    """
    from crewmem.errors.operators import PersonUnknownError
    from crewmem.prompt.operator_show import show

    subject = person(app, user, "see what is known of persons")
    places = _chosen(app, directories(app, complete=False), crew, agent)
    found = show(store_to_read(app), places, subject.slug)
    if found.is_nothing:
        raise PersonUnknownError(user, app.workspace)
    _note(app, found)
    app.out.record(found, _lines(app, found, user, audit=audit))


def _chosen(
    app: App, places: list[Place], crew: str | None, agent: str | None
) -> list[Place]:
    """Return those of *places* that were named; all, if nothing was.

    Raises:
        CrewMissingError: If there is no such crew.
        AgentMissingError: If there is no such agent.
    """
    from crewmem.errors.registry import AgentMissingError, CrewMissingError

    if crew and not any(place.crew == crew for place in places):
        raise CrewMissingError(crew, app.workspace)
    if agent and not any(place.agent == agent for place in places):
        raise AgentMissingError(agent, app.workspace)
    if crew is None and agent is None:
        return places
    return [
        place
        for place in places
        if (place.agent == agent if agent else place.agent is None)
        and crew in {None, place.crew}
    ]


def _note(app: App, found: Known) -> None:
    """Note that somebody looked."""
    from crewmem.errors import CrewmemError
    from crewmem.prompt.operator_store import OperatorStore

    if why := unnoted(app):
        app.out.warn(f"that this was read is not noted: {why}")
        return
    try:
        store = OperatorStore(app.truth, app.workspace)
        with store.transaction():
            store.note(found.slug, "read", actor=str(app.actor), now=app.now)
    except CrewmemError as error:
        app.out.warn(f"that this was read is not noted: {error}")


def _lines(app: App, found: Known, user: str, *, audit: bool) -> Iterator[Line]:
    from crewmem import times

    if found.opted_out:
        since = times.ago(found.opted_out_at, app.now) if found.opted_out_at else ""
        yield [("bold", user), f" opted out {since}: nothing is observed or kept."]
    for card in found.cards:
        yield [("path", card.ref), ("dim", f" ({card.bytes:,} bytes)")]
        for line in card.lines:
            yield ["  ", ("bold", line.field), f": {line.value}", _evidence(app, line)]
    for each in found.audit if audit else ():
        where = f" {each.card}" if each.card else ""
        fields = f" ({', '.join(each.fields)})" if each.fields else ""
        yield [
            ("dim", times.to_text(each.at)),
            f" {each.actor} {each.action}{where}{fields}",
        ]


def _evidence(app: App, line: Said) -> tuple[str, str]:
    from crewmem import times

    if line.quote is None or line.observed_at is None:
        return "dim", "  (written by hand, or by other means)"
    return "dim", f"  “{line.quote}”, {times.ago(line.observed_at, app.now)}"
