"""The commands `crewmem recall` and `crewmem memory prompt`."""

from pathlib import Path
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.command import Command, pass_app
from crewmem.cli.context import App
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.prompt.context import PromptBlock
from crewmem.prompt.recall import Recalled


@click.command(cls=Command, answer=Recalled)
@click.argument("query", nargs=-1)
@click.option("--start", is_flag=True, help="The block for the start of a session.")
@options.budget
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 50),
    help="Maximum number of items; by default the setting recall.limit.",
)
@options.min_relevance
@options.kinds
@click.option(
    "--min-importance",
    type=click.IntRange(0, 5),
    default=0,
    help="Minimum importance of facts, 1 to 5.",
)
@options.all_hits
@options.mode
@click.option("--project", metavar="DIR", help="Project directory, to check paths in the text.")
@options.since
@options.until
@options.as_of
@click.option("--session", metavar="ID", default="", help="Leave out what it was given already.")
@options.include_restricted
@options.explain
@options.exit_code
@options.path
@pass_app
def recall(
    app: App,
    query: tuple[str, ...],
    start: bool,
    budget: str | None,
    project: str | None,
    session: str,
    explain: bool,
    exit_code: bool,
    **finding: Any,
) -> None:
    """Print what is known about a question, as a block for a model.

    Without a question, the block for the start of a session. When nothing relevant is known,
    nothing is printed.
    """
    text = " ".join(query).strip()
    home = app.home
    if start or not text:
        if start and text:
            raise UsageError("--start takes no question", code="bad-option")
        recalled = home.recall_start(
            budget=budget or f"{app.settings['hooks.max_bytes']}b", session=session
        )
    else:
        recalled = home.recall(
            text,
            budget=budget,
            project=_find_project(app, project),
            session=session,
            explain=explain,
            count=not explain,
            **finding,
        )
    lines: list[str | Table] = [recalled.context] if recalled.context else []
    if explain:
        lines += [
            f"{item.ref} {item.label} {item.relevance:.2f}"
            f" {'shown' if item.shown else item.why.get('left_out', 'no room')}"
            for item in recalled.hits
        ]
    app.show(recalled, lines)
    if exit_code and not recalled.shown:
        app.exit(1)


def _find_project(app: App, project: str | None) -> Path | None:
    """Return the directory where paths in the text are checked; None when nobody knows it.

    An agent works in its project; a person may ask from anywhere.
    """
    if project:
        return Path(project)
    return None if app.home.context.access.is_operator else Path.cwd()


@click.command(cls=Command, answer=PromptBlock)
@click.option(
    "--agent", metavar="SLUG", help="Agent whose prompt it is; by default the acting agent."
)
@click.option("--crew", metavar="NAME", help="Home crew of the agent, where there is no registry.")
@click.option("--query", default="", metavar="TEXT", help="Order topics by relevance to it.")
@click.option("--opener", default="", metavar="USER", help="Add what is known of this person.")
@click.option("--session", default="", metavar="ID", help="Session of the agent program.")
@options.budget
@click.option(
    "--max-total", type=click.IntRange(0), default=0, help="Maximum number of characters in total."
)
@click.option("--nudge", is_flag=True, help="Add advice to write when much happened.")
@options.explain
@options.path
@pass_app
def prompt(app: App, agent: str | None, explain: bool, **wanted: Any) -> None:
    """Print an agent's memory for its system prompt."""
    home = app.home
    if agent is None:
        actor = home.context.access.actor
        if actor.is_operator:
            raise UsageError("name the agent with --agent", code="agent-missing")
        agent = actor.name
    block = home.build_prompt(agent, **wanted)
    if explain:
        rows = [
            [part.block, part.file, part.state, str(part.size), "; ".join(part.removed)]
            for part in block.sections
        ]
        human: list[str | Table] = [Table(["BLOCK", "FILE", "STATE", "SIZE", "REMOVED"], rows)]
    else:
        human = [block.text.rstrip("\n")]
    app.show(block, human)
