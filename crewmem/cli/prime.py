"""``crewmem prime``: another name for ``crewmem recall`` without a question."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.hooks import Hooked
from crewmem.cli.recall import lay_before, laying_options, subject_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crewmem.cli.places import Chosen


@click.command(cls=Hooked)
@laying_options
@subject_options
@pass_app
def prime_command(app: App, *, chosen: Chosen, **given: Any) -> None:
    """Lay before a model what a session starts with, as recall does.

    Without a question that is a line each of the most important there is to remember.
    """
    lay_before(app, None, chosen, given)
