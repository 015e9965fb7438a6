"""Options that say which entries of the journal are meant."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.cli.typed import as_text, require_utf8
from crewmem.errors.values import BadCursorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import apsw

    from crewmem.cli.app import App
    from crewmem.journal.filter import Cursor, Filter

    Function = Callable[..., Any]

SEVERITIES = ("info", "notice", "warn", "error")
PRIORITIES = ("normal", "high", "pin", "permanent")
"""As in journal/entry.py, which is imported only when it is used; a test compares."""


WORDS_MOST, WORD_CHARS_MOST = 100, 200
"""Most globs and levels that are asked for, and characters of one: no type is longer,
and SQLite has an end to both."""


class OneOrMore(click.ParamType[tuple[str, ...]]):
    """Words joined by commas, each of a set where one is given."""

    name = "words"

    def __init__(self, choices: tuple[str, ...] = ()) -> None:
        self.choices = choices

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, ...]:
        """Return the words of *value*."""
        if isinstance(value, tuple):
            return value
        require_utf8(value, ctx, param)
        words = tuple(word for word in value.split(",") if word)
        for word in words:
            if len(word) > WORD_CHARS_MOST:
                self.fail(f"{word[:40]!r}... is too long.", param, ctx)
            if self.choices and word not in self.choices:
                wanted = ", ".join(self.choices)
                self.fail(f"{word!r} is not one of {wanted}.", param, ctx)
        return words


OPTIONS: tuple[Function, ...] = (
    option(
        "--type",
        "types",
        type=OneOrMore(),
        multiple=True,
        metavar="GLOB",
        help="Only of these types, as memory.*; several with commas.",
    ),
    option(
        "--exclude-type",
        "excluded",
        type=OneOrMore(),
        multiple=True,
        metavar="GLOB",
        help="Not of these types.",
    ),
    option(
        "--severity",
        "severities",
        type=OneOrMore(SEVERITIES),
        multiple=True,
        metavar="LEVEL",
        help="Only info, notice, warn or error; several with commas.",
    ),
    option(
        "--priority",
        "priorities",
        type=OneOrMore(PRIORITIES),
        multiple=True,
        metavar="LEVEL",
        help="Only normal, high, pin or permanent; several with commas.",
    ),
    option("--crew", metavar="NAME", callback=as_text, help="Only of this crew."),
    option("--agent", metavar="SLUG", callback=as_text, help="Only of this agent."),
    option("--since", metavar="TIME", help="Only what happened then or later."),
    option("--until", metavar="TIME", help="Only what happened then or earlier."),
    option(
        "--query", metavar="TEXT", callback=as_text, help="Only what holds these words."
    ),
    option(
        "-S",
        "--scope",
        type=ScopeChoice(),
        help="How far to look; an agent's default is agent, a lead's crew.",
    ),
    option(
        "--include-archive",
        "with_archive",
        is_flag=True,
        help="Also what compaction has archived.",
    ),
)


def filter_options(function: Function) -> Function:
    """Add the options of a filter, handed on as ``chosen``."""

    def run(*args: Any, **values: Any) -> Any:
        chosen = {name: values.pop(name) for name in NAMES}
        return function(*args, chosen=chosen, **values)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for add in reversed(OPTIONS):
        run = add(run)
    return run


NAMES = (
    "types",
    "excluded",
    "severities",
    "priorities",
    "crew",
    "agent",
    "since",
    "until",
    "query",
    "scope",
    "with_archive",
)


def filter_of(app: App, db: apsw.Connection, chosen: dict[str, Any]) -> Filter:
    """Return the filter that was asked for, within what the actor may read."""
    from crewmem.journal.filter import Filter

    return Filter(
        reach=app.reach(chosen["scope"]),
        **{name: _joined(chosen[name]) for name in NAMES[:4]},
        crew=chosen["crew"],
        agent=chosen["agent"],
        since=app.instant("--since", chosen["since"]),
        until=app.instant("--until", chosen["until"]),
        words=required_words(app, db, chosen["query"]),
        with_archive=chosen["with_archive"],
    )


def _joined(given: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return the words that were *given*, each once."""
    words = tuple(dict.fromkeys(word for words in given for word in words))
    if len(words) > WORDS_MOST:
        raise click.UsageError(f"At most {WORDS_MOST} types or levels can be named.")
    return words


def required_words(app: App, db: apsw.Connection, text: str | None) -> str | None:
    """Return the expression for what holds all words of *text*; None for no text."""
    if text is None:
        return None
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.retrieval.required import required

    expression, misread = required(text, tokenizer(db))
    if misread:
        app.out.warn(
            f"the query could not be read with its operators: {misread}; "
            "its words were looked for"
        )
    if not expression:
        app.out.warn("the query holds no word that can be looked for")
    return expression


def cursor_of(text: str | None) -> Cursor | None:
    """Read the cursor that was given for ``--after``."""
    if text is None:
        return None
    from crewmem.journal.filter import cursor

    try:
        return cursor(text)
    except BadCursorError as error:
        raise click.UsageError(f"--after: {error}") from error
