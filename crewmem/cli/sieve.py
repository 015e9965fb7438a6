"""Options that say which memories count, of what a search or a recall finds."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.cli.journal.filters import OneOrMore
from crewmem.cli.typed import as_text, kinds_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any, TypeVar

    from crewmem.cli.app import App

    Function = TypeVar("Function", bound=Callable[..., Any])


class Sieve(NamedTuple):
    """Which memories count; by default all that are held and for everybody.

    Attributes:
        since: Changed then or later; this and the next hold for files and entries too.
        until: Changed before then.
        restricted: Whether one's own restricted ones do.
        expired: Whether those that have stopped to be true do.
        deep: Whether those that are archived do.
        is_shared: Whether only those that are shared do.
        by_engram: Whether Engram's composite ranks them.
    """

    kinds: tuple[str, ...] = ()
    min_importance: int | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    restricted: bool = False
    expired: bool = False
    deep: bool = False
    is_shared: bool = False
    by_engram: bool = False

    @property
    def is_of_memories(self) -> bool:
        """Tell whether only memories can be meant: nothing else has a kind."""
        return bool(self.kinds or self.project or self.min_importance)


ALL = Sieve()


def sieve_options(function: Function) -> Function:
    """Add the options, which `sieve` reads."""
    for add in reversed(OPTIONS):
        function = add(function)
    return function


OPTIONS = (
    option(
        "--score",
        type=click.Choice(["usual", "engram"]),
        default="usual",
        help="What ranks memories; engram is Engram's composite.  [usual]",
    ),
    option(
        "--kinds",
        "--kind",
        "kinds",
        type=OneOrMore(),
        metavar="KIND",
        help="Only memories of this kind; may be a list with commas.",
    ),
    option(
        "--min-importance",
        type=click.IntRange(1, 5),
        metavar="N",
        help="Only memories of this importance or more, 1 to 5.",
    ),
    option(
        "--project",
        metavar="NAME",
        callback=as_text,
        help="Only memories of this project.",
    ),
    option("--since", metavar="TIME", help="Only what is of then or later."),
    option("--until", metavar="TIME", help="Only what is of before then."),
    option(
        "--include-restricted", is_flag=True, help="Also one's own restricted memories."
    ),
    option("--expired", is_flag=True, help="Also memories that stopped to be so."),
    option("--deep", is_flag=True, help="Also memories that are archived."),
)


def sieve(app: App, given: Mapping[str, Any]) -> Sieve:
    """Return which memories are meant by what was *given*; by nothing, all."""
    return Sieve(
        kinds=kinds_of(given.get("kinds"), "--kinds"),
        min_importance=given.get("min_importance"),
        project=given.get("project"),
        since=app.instant("--since", given.get("since")),
        until=app.instant("--until", given.get("until")),
        restricted=bool(given.get("include_restricted")),
        expired=bool(given.get("expired")),
        deep=bool(given.get("deep")),
        by_engram=given.get("score") == "engram",
    )
