"""Options that several commands share. An option has the same name and meaning everywhere."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from crewmem.access import Scope
from crewmem.cli.command import get_invocation, require_text
from crewmem.cli.completers import complete_agent, complete_crew, complete_kind, complete_session
from crewmem.errors import CrewmemError, UsageError
from crewmem.origins import ORIGINS
from crewmem.times import SPAN, add_span, parse_span

if TYPE_CHECKING:
    from crewmem.cli.app import App

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class ParsedType(click.ParamType[Any]):
    """A value that a function parses; the function raises UsageError for a bad one."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the value."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except CrewmemError as error:
            self.fail(error.message, param, ctx)


class IntegerRange(click.IntRange):
    """A range of integers, with a name that errors and help can use."""

    name = "integer"


class NumberRange(click.FloatRange):
    """A range of numbers that rejects NaN, which click's comparisons accept."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Parse the number."""
        number = float(super().convert(value, param, ctx))
        if isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


def _get_app() -> "App":
    return get_invocation(click.get_current_context()).app


def _parse_expiry(text: str) -> datetime:
    """Parse a time, or a span from now."""
    app = _get_app()
    try:
        if SPAN.fullmatch(text.strip().lower()):
            return add_span(app.now, parse_span(text))
        return app.parse_when(text, end=True)
    except CrewmemError as error:
        raise UsageError(
            f"'{text}' is not a time: use 2026-05-01T09:30:00Z, a date, 'tomorrow', or a span"
            " from now such as 90m, 7d or 1y",
            code="bad-time",
        ) from error


def _check_budget(text: str) -> str:
    from crewmem.prompt.budget import Budget  # it counts tokens

    Budget.parse(text.strip().lower())
    return text.strip().lower()


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(_get_app().read_text(text))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it is not JSON: {error}", code="bad-json") from error
    if not isinstance(value, dict):
        raise UsageError("it is not a JSON object", code="bad-json")
    return value


WHEN = ParsedType("TIME", lambda text: _get_app().parse_when(text))
END = ParsedType("TIME", lambda text: _get_app().parse_when(text, end=True))
"""A time that ends a range; a date means the end of its day."""

SPAN_TYPE = ParsedType("SPAN", parse_span)
EXPIRY = ParsedType("TIME|SPAN", _parse_expiry)
BUDGET = ParsedType("N[t|c|b]", _check_budget)
JSON_OBJECT = ParsedType("JSON|-", _parse_object)
PATH = click.Path(readable=False)
"""A path, for which the shell offers files. Commands check what is there."""


def is_given(name: str) -> bool:
    """Return whether an option was given, on the command line or by a variable."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def exclude(*given: tuple[str, object]) -> None:
    """Raise UsageError if more than one of these options was given.

    Args:
        given: Names of options with their values.
    """
    names = [name for name, value in given if value]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names[:2])} cannot be combined", code="bad-combination")


def combine(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Combine decorators into one; the help lists them in this order."""

    def decorate(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def choice(
    name: str,
    choices: Sequence[str],
    *,
    field: str | None = None,
    default: str | None = None,
    **attributes: Any,
) -> Decorator[Any]:
    """Add an option that takes one of *choices*; its help shows the default."""
    names = [name] if field is None else [name, field]
    kind = click.Choice(choices)
    return click.option(
        *names, type=kind, default=default, show_default=default is not None, **attributes
    )


def limit(
    default: int, *, maximum: int, help: str = "Maximum number of results."
) -> Decorator[Any]:
    """Add ``-n/--limit``."""
    return click.option(
        "-n",
        "--limit",
        type=IntegerRange(1, maximum),
        default=default,
        show_default=True,
        help=help,
    )


def names(option: str, field: str, choices: Sequence[str] = (), *, help: str) -> Decorator[Any]:
    """Add an option that takes comma-separated words, each one of *choices* if there are any."""

    def split(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
        words = tuple(word.strip() for word in value.split(",") if word.strip())
        for word in words:
            if choices and word not in choices:
                raise click.BadParameter(f"'{word}' is not one of {', '.join(choices)}", ctx, param)
        return words

    metavar = ",".join(choices) or "A,B"
    return click.option(option, field, metavar=metavar, default="", callback=split, help=help)


def _store_path(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        require_text(ctx, param, value)
        get_invocation(ctx).options["path"] = value


path = click.option(
    "-p",
    "--path",
    type=PATH,
    metavar="DIR",
    expose_value=False,
    callback=_store_path,
    is_eager=True,
    help="Use a directory of markdown instead of the home.",
)
"""``--path``, which makes ``app.home`` a tree."""


def store_name(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Store the name of a crew or an agent in the invocation."""
    if value and param.name is not None:
        get_invocation(ctx).given_names[param.name] = value
    return value


def agent_option(help: str, **attributes: Any) -> Decorator[Any]:
    """Add ``--agent``."""
    return click.option(
        "--agent", metavar="SLUG", shell_complete=complete_agent, help=help, **attributes
    )


def crew_option(help: str, **attributes: Any) -> Decorator[Any]:
    """Add ``--crew``."""
    return click.option(
        "--crew", metavar="NAME", shell_complete=complete_crew, help=help, **attributes
    )


agent = agent_option("Only this agent.", callback=store_name)
crew = crew_option("Only this crew.", callback=store_name)


def _check_period(
    ctx: click.Context, param: click.Parameter, value: datetime | None
) -> datetime | None:
    """Reject a period that ends before it starts; the option parsed last sees both values."""
    since, until = ({**ctx.params, param.name: value}.get(name) for name in ("since", "until"))
    if since is not None and until is not None and until < since:
        raise UsageError("--until is before --since", code="bad-period")
    return value


since = click.option("--since", type=WHEN, callback=_check_period, help="Only items since TIME.")
period = combine(
    since, click.option("--until", type=END, callback=_check_period, help="Only items until TIME.")
)
as_of = click.option("--as-of", type=END, help="Show the state at TIME.")
tag = click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag.")
kinds = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    shell_complete=complete_kind,
    help="Only this kind.",
)
tiers = click.option("--tier", "tiers", multiple=True, metavar="TIER", help="Only this tier.")
entity = click.option("--entity", metavar="NAME", default="", help="Only texts that mention NAME.")
include_restricted = click.option(
    "--include-restricted", is_flag=True, help="Include restricted facts that you may see."
)
reason = click.option("--reason", metavar="TEXT", default="", help="Reason, for the record.")


required_reason = click.option(
    "--reason",
    metavar="TEXT",
    required=True,
    callback=require_text,
    help="Reason, for the record.",
)
expires = click.option(
    "--expires", type=EXPIRY, help="Expiry: a time, or a duration from now, such as 7d."
)
allow = click.option(
    "--allow",
    multiple=True,
    metavar="RULE",
    help="Accept text that this rule of the scanner refuses. For operators; it is recorded.",
)
explain = click.option("--explain", is_flag=True, help="Show how the result came about.")
dry_run = click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
yes = click.option("--yes", is_flag=True, help="Do not ask.")
after = click.option("--after", metavar="CURSOR", help="Show the page after CURSOR.")
session = click.option(
    "--session", metavar="ID", shell_complete=complete_session, help="Only this session."
)
kind = click.option("--kind", metavar="KIND", default="", help="Only this kind.")
budget = click.option(
    "--budget", type=BUDGET, help="Size: 2000t, 8000c or 1800b; a number alone is tokens."
)
min_relevance = click.option(
    "--min-relevance", type=NumberRange(0, 1), help="Minimum relevance of shown hits."
)
all_hits = click.option(
    "--all", "include_all", is_flag=True, help="Include weak hits and older versions."
)
exit_code = click.option(
    "--exit-code", is_flag=True, help="End with status 1 if nothing relevant is found."
)


def mode_option(default: str = "hybrid") -> Decorator[Any]:
    """Add ``--mode``."""
    return choice(
        "--mode",
        ["hybrid", "dense", "sparse"],
        default=default,
        help="Search by words and meaning, meaning alone, or words alone.",
    )


def search_options(default: int, *, maximum: int, mode: str = "hybrid") -> Decorator[Any]:
    """Add the options of every search; their argument names are those of `Search.find`.

    Args:
        default: Default of ``--limit``.
        maximum: Maximum of ``--limit``.
        mode: Default of ``--mode``.
    """
    results = limit(default, maximum=maximum)
    return combine(exit_code, explain, all_hits, min_relevance, mode_option(mode), results)


score = choice(
    "--score",
    ["usual", "engram"],
    default="usual",
    help="What orders facts; engram is Engram's composite.",
)


FILTERS = (
    "scope", "agent", "crew", "kinds", "tags", "project", "session", "deep", "include_restricted",
)  # fmt: skip
"""Filters that search commands share."""


def split_filters(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the options of a search into non-empty filters and the others."""
    filters = {name: value for name, value in values.items() if name in FILTERS and value}
    return filters, {name: values[name] for name in values if name not in FILTERS}


def _check_page(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and value != "-" and not value.endswith(".html"):
        raise click.BadParameter(f"'{value}' is neither - nor a FILE.html", ctx, param)
    return value


def html(default: str) -> Decorator[Any]:
    """Add ``--html``, which writes the file *default* if no file is named."""
    return click.option(
        "--html",
        metavar="[FILE.html]",
        is_flag=False,
        flag_value=default,
        callback=_check_page,
        help="Write an HTML page instead, by default in this directory; - is standard output.",
    )


strict = click.option("--strict", is_flag=True, help="End with status 1 if a part failed.")
origin = choice("--origin", ORIGINS, help="Give the text a lower origin class.")


def scope(*scopes: str) -> Decorator[Any]:
    """Add ``--scope`` with some of agent, crew, workspace, session and all."""

    def convert(ctx: click.Context, param: click.Parameter, value: str | None) -> Scope | None:
        scope = None if value is None else Scope(value)
        get_invocation(ctx).options["scope"] = scope  # needed to open a tree
        return scope

    return click.option(
        "--scope",
        type=click.Choice(scopes),
        callback=convert,
        help="Scope: whose memory to use.",
    )
