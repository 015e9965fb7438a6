"""What the verbs that share have in common: with whom, and how it is told."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.knowledge.share import Shared
    from crewmem.memories.memory import Owner


def policies(app: App, owners: Sequence[Owner]) -> dict[str, str]:
    """Return ``crew_write`` of the crews among *owners*.

    Raises:
        CrewMissingError: If one is not registered.
    """
    from crewmem.errors.registry import CrewMissingError

    crews = [each.crew for each in owners if each.crew]
    registry = app.registry_to_read if app.home.is_dir() else None
    if registry is None:
        if crews:
            raise CrewMissingError(crews[0], app.workspace)
        return {}
    found = {name: registry.crew(app.workspace, name) for name in crews}
    return {name: str(each.settings["crew_write"]) for name, each in found.items()}


def tell_left_out(app: App, slugs: Sequence[str]) -> None:
    """Say of agents that they take no part, and how they would."""
    for slug in slugs:
        app.out.warn(
            f"{slug} takes no part: its memory is off "
            f"(crewmem agent set {slug} --memory on)"
        )


def taking_part(app: App) -> Callable[[str], Sequence[str]]:
    """Return what gives the crews of an agent: none of one whose memory is off.

    Whose that is, is said.
    """
    from crewmem.registry.crews_store import crews_of, without_memory

    db = app.truth_to_read or app.truth
    off = without_memory(db, app.workspace)
    tell_left_out(app, sorted(off))

    def crews(slug: str) -> Sequence[str]:
        return () if slug in off else crews_of(db, app.workspace, slug)

    return crews


def owner_of(text: str) -> Owner:
    """Read with whom something is to be shared: ``crew:NAME`` or ``workspace``."""
    from crewmem.ids import is_slug
    from crewmem.memories.memory import Owner

    if text == "workspace":
        return Owner("workspace")
    kind, colon, name = text.partition(":")
    if kind == "crew" and colon and is_slug(name):
        return Owner("crew", crew=name)
    raise click.UsageError(f"--to is crew:NAME or workspace, not {text!r}.")


def shared_lines(done: Sequence[Shared]) -> Iterator[Line]:
    """Yield what became of what was shared, for each with whom it was."""
    from crewmem.cli.memories.shown import changed_line

    said = {
        "created": "is shared with {}",
        "updated": "is rewritten for {}",
        "unchanged": "is known to {}",
        "confirmed": "is confirmed for {}",
    }
    for each in done:
        if each.memory:
            whom = each.memory.crew or "the workspace"
            yield changed_line(each.memory, said[each.action].format(whom))
        elif each.proposal:
            whom = (
                f"crew {each.proposal.crew}" if each.proposal.crew else "the workspace"
            )
            yield [
                ("bold", each.proposal.id),
                f" waits for approval, for {whom}: {each.proposal.title}",
            ]
