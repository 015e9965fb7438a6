"""``crewmem recall``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option
from crewmem.cli.hooks import Hooked, deadline_option, hook_option
from crewmem.cli.places import Chosen, chosen_by
from crewmem.cli.sieve import sieve_options
from crewmem.cli.typed import BudgetType, Number, as_text, as_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Function = Callable[..., Any]


def laying_options(function: Function) -> Function:
    """Add the options of what is laid before a model, with or without a question."""
    for add in (
        deadline_option,
        hook_option,
        option("--mark", is_flag=True, help="Count what is shown, in any case."),
        option(
            "--explain", is_flag=True, help="Tell what was placed, cut and left out."
        ),
        option(
            "--budget",
            type=BudgetType(),
            metavar="N[t|c|b]",
            help="Most tokens, characters or bytes.  [2000t; 8000b without QUERY]",
        ),
    ):
        function = add(function)
    return function


def subject_options(function: Function) -> Function:
    """Add the options that say whose recall it is and where, as ``chosen``."""
    return chosen_by(
        function,
        option(
            "--agent",
            metavar="SLUG",
            callback=as_text,
            help="Recall for this agent, what it may see.",
        ),
        option("--crew", metavar="NAME", callback=as_text, help="Only of this crew."),
        scope="How far to look; by default as far as the one it is for may see.",
    )


@click.command(cls=Hooked)
@argument(
    "query",
    nargs=-1,
    metavar="[QUERY]...",
    callback=as_words,
    help="What to recall; - reads it.",
)
@option("-k", "--max-results", type=int, metavar="N", help="Most results.  [5]")
@option(
    "--min-relevance",
    type=Number(0, 1),
    metavar="R",
    help="Least relevance of an answer, 0 to 1.  [0.7]",
)
@option("--no-gate", is_flag=True, help="Take the best, however little it answers.")
@sieve_options
@laying_options
@subject_options
@pass_app
def recall_command(
    app: App, *, query: tuple[str, ...], chosen: Chosen, **given: Any
) -> None:
    """Lay before a model what is remembered of a question.

    It looks through memory files, the journal and memories, and prints the block that
    goes into a prompt, within its budget: whole entries, best first, what is shared at
    most half while there is some of one's own. What no memory answers prints nothing.

    Without a question it prints what a session starts with: a line each of the most
    important there is, of files, events and memories.

    What is printed counts as referenced, so that it fades later; --explain counts
    nothing unless --mark is given. An operator recalls for an agent with --agent, and
    sees what that agent would.

    With --hook it is the command of a hook, as crewmem recall --hook claude --agent
    SLUG. The question is read from the hook's JSON on standard input, unless it is
    named; at the start of a session there is none. The answer has at most 1,800 bytes;
    whatever is broken, it is empty then and the status is 0.
    """
    lay_before(app, query, chosen, given)


def lay_before(
    app: App, query: tuple[str, ...] | None, chosen: Chosen, given: dict[str, Any]
) -> None:
    """Answer a person or, with --hook, an agent's program; None asks nothing."""
    if given["hook"]:
        from crewmem.cli.recalling.hook import answer_hook as answer
    else:
        from crewmem.cli.recalling.run import run as answer
    answer(app, query, chosen, given)
