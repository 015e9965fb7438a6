"""The command `crewmem recall`."""

from pathlib import Path
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.prompt.recall import RecallBlock
from crewmem.storage.filesystem import find_working_directory

SEARCH_OPTIONS = {
    "limit": "--limit",
    "min_relevance": "--min-relevance",
    "kinds": "--kind",
    "min_importance": "--min-importance",
    "include_all": "--all",
    "mode": "--mode",
    "score": "--score",
    "since": "--since",
    "until": "--until",
    "as_of": "--as-of",
}
"""Options that need a question, by parameter."""


@click.command(cls=Command, answer=RecallBlock)
@click.argument("query", nargs=-1)
@click.option("--start", is_flag=True, help="Print the block for the start of a session.")
@options.budget
@click.option(
    "-n",
    "--limit",
    type=options.IntegerRange(1, 50),
    help="Maximum number of items; by default the setting recall.limit.",
)
@options.min_relevance
@options.kinds
@click.option(
    "--min-importance",
    type=options.IntegerRange(1, 5),
    help="Minimum importance, 1 to 5; only facts have one.",
)
@options.all_hits
@options.mode_option()
@options.score
@click.option(
    "--project",
    type=options.PATH,
    metavar="DIR",
    help="Project directory, to check paths in the text.",
)
@options.period
@options.as_of
@click.option(
    "--session", metavar="ID", default="", help="Leave out items that this session already got."
)
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

    Without a question it prints the block for the start of a session, which takes no filters. If
    nothing relevant is known, it prints nothing.
    """
    text = app.read_query(query)
    finding["min_importance"] = finding["min_importance"] or 0
    home = app.home
    if start or not text:
        if start and text:
            raise UsageError("--start takes no question", code="bad-option")
        if given := [flag for name, flag in SEARCH_OPTIONS.items() if options.is_given(name)]:
            needs = "needs" if len(given) == 1 else "need"
            raise UsageError(f"{' and '.join(given)} {needs} a question", code="bad-option")
        from crewmem.prompt.start import recall_start  # only without a question

        recalled = recall_start(
            home,
            budget=budget or f"{app.settings['hooks.max_bytes']}b",
            project=_find_project(app, project),
            session=session,
            include_restricted=finding["include_restricted"],
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
        if finding.get("as_of") is None:  # memory files are searched
            home.memory_index.warn_of_skipped()
    lines: list[str | Table] = [recalled.context] if recalled.context else []
    if explain:
        lines += [
            f"{item.ref} {item.label} {item.relevance:.2f}"
            f" {'shown' if item.shown else item.why.get('left_out', 'does not fit')}"
            for item in recalled.hits
        ]
    app.show(recalled, lines)
    if exit_code and not recalled.shown:
        app.exit(1)


def _find_project(app: App, project: str | None) -> Path | None:
    """Return the directory in which to check paths in texts; None if it is unknown.

    For an agent it is the current directory; a person may call from any directory.
    """
    if project:
        return Path(project)
    return None if app.home.context.access.is_operator else find_working_directory()
