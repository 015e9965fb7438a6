"""The command `crewmem memory prompt`."""

from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.prompt.system_prompt import PromptBlock, build_prompt


@click.command(cls=Command, answer=PromptBlock)
@options.agent_option("Agent whose prompt it is; by default the acting agent.")
@options.crew_option("Home crew of the agent, if there is no registry.")
@click.option("--query", default="", metavar="TEXT", help="Sort topics by relevance to TEXT.")
@click.option("--opener", default="", metavar="USER", help="Add the profile of this person.")
@click.option("--session", default="", metavar="ID", help="Session of the agent program.")
@options.budget
@click.option("--max-total", type=options.BUDGET, help="Maximum size in total, as for --budget.")
@click.option("--nudge", is_flag=True, help="Advise to write memory if much has happened.")
@options.explain
@options.path
@pass_app
def prompt(app: App, agent: str | None, query: str, explain: bool, **arguments: Any) -> None:
    """Print an agent's memory for its system prompt."""
    home = app.home
    if agent is None:
        actor = home.context.access.actor
        if actor.is_operator:
            raise UsageError("name the agent with --agent", code="agent-missing")
        agent = actor.name
    text = app.read_text(query) if query else ""
    block = build_prompt(home, agent, query=text, **arguments)
    if explain:
        table = Table(
            block.sections,
            {
                "BLOCK": lambda each: each.block,
                "FILE": lambda each: each.file,
                "STATE": lambda each: each.state,
                "SIZE": lambda each: str(each.size),
                "REMOVED": lambda each: "; ".join(each.removed),
            },
        )
        app.show(block, table)
    else:
        app.show(block, [block.text.rstrip("\n")] if block.text else [])
