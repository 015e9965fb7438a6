"""The command `crewmem mcp`."""

import os
import sys

import click

from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.errors import NotFoundError, UsageError
from crewmem.home import Home
from crewmem.mcp.server import serve


@click.command(cls=Command)
@click.option("--agent", metavar="SLUG", default="", help="Short for --as agent:SLUG.")
@click.option(
    "--fallback", metavar="SLUG", default="", help="Agent for directories outside of all projects."
)
@click.option("--read-only", is_flag=True, help="Offer no tools that write.")
@pass_app
def mcp(app: App, agent: str, fallback: str, read_only: bool) -> None:
    """Serve memory to one agent over standard input and output.

    Speaks the Model Context Protocol, 2024-11-05 to 2026-07-28. It ends when its input ends.
    """

    def open_home() -> Home:
        if not app.home_path.is_dir():  # it may also be removed later
            raise NotFoundError(
                f"there is no home at {app.home_path}",
                code="home-not-found",
                hint=app.command("init"),
            )
        home = app.open_agent_home(agent, fallback)
        if home is None:
            raise UsageError(
                "there is no agent to serve: name one with --agent",
                code="agent-missing",
                hint=app.command("mcp", "--agent", "SLUG"),
            )
        home.context.read_only = home.context.read_only or read_only
        return home

    open_home().close()
    # Standard output is for the protocol, so all other output goes to standard error.
    with os.fdopen(os.dup(1), "wb") as sink:
        os.dup2(2, 1)
        serve(sys.stdin.buffer, sink, open_home, read_only=read_only)
