"""Options that say whose episodes are meant."""

from __future__ import annotations

from crewmem.cli.command import option
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.cli.typed import as_text
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.episodes.store import Episodes

    Function = Callable[..., Any]


class Whose(NamedTuple):
    """Whose episodes were asked for."""

    scope: str | None
    crew: str | None
    agent: str | None

    def owners(self, app: App, episodes: Episodes) -> list[int]:
        """Return the owners that are meant, within what the actor may read."""
        reach = app.reach(self.scope)
        return episodes.owners(reach, crew=self.crew, agent=self.agent)


def whose_options(function: Function) -> Function:
    """Add the options, handed on as ``whose``."""

    def run(
        *args: Any,
        scope: str | None,
        crew: str | None,
        agent: str | None,
        **values: Any,
    ) -> Any:
        return function(*args, whose=Whose(scope, crew, agent), **values)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for add in (
        option("--agent", metavar="SLUG", callback=as_text, help="Only of this agent."),
        option("--crew", metavar="NAME", callback=as_text, help="Only of this crew."),
        option(
            "-S",
            "--scope",
            type=ScopeChoice(),
            help="How far to look; an agent's default is agent, a lead's crew.",
        ),
    ):
        run = add(run)
    return run
