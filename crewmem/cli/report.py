"""The command `crewmem report`, and the function with which commands write a page."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.config import find_home_directory
from crewmem.errors import UsageError
from crewmem.home import Home
from crewmem.report.report import Report, make_report
from crewmem.report.texts import Selection
from crewmem.storage.filesystem import replace_file

DEFAULT_FILE = "crewmem-report.html"


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A page that was written.

    Attributes:
        path: The file; "-" for standard output.
        counts: Numbers of the items on the page, by section.
        notes: Sentences about what the page leaves out.
    """

    path: str
    bytes: int
    counts: dict[str, int]
    notes: list[str]


@click.command(cls=Command, answer=WrittenPage)
@click.option(
    "-o",
    "--out",
    "output",
    type=options.PATH,
    metavar="FILE",
    default=DEFAULT_FILE,
    show_default=True,
    help="File to write; - for standard output.",
)
@options.since
@options.agent
@options.crew
@options.path
@click.option("--open", "open_", is_flag=True, help="Open the page in a browser.")
@options.include_restricted
@pass_app
def report(app: App, output: str, open_: bool, **selection: Any) -> None:
    """Write one HTML page: what the crew knows, what changed, how well memory works.

    The page is self-contained: it needs no network and no other file. It is as private as the
    memory in it; only you can read the file.
    """
    write_page(app, lambda home: make_report(home, Selection(**selection)), output)
    if open_:
        open_page(app, output)


def write_page(app: App, make: Callable[[Home], Report], output: str) -> None:
    """Make a page and write it to a file or standard output.

    The commands on the page name home and workspace, so that they work in any shell.

    Raises:
        UsageError: If the page and the answer would both go to standard output.
    """
    if output == "-" and not app.output.is_human:
        raise UsageError(
            "the page and the JSON cannot both go to standard output: name a file with -o",
            code="output-twice",
        )
    home = app.home
    context = home.context
    words = ["crewmem"]
    if context.home not in (None, find_home_directory(None)):
        words += ["--home", str(context.home)]
    if context.workspace != "default":
        words += ["--workspace", context.workspace]
    context.command_prefix = tuple(words)
    made = make(home)
    if output == "-":
        sys.stdout.write(made.html)
        app.output.warn(home.context.warnings)
        return
    path = Path(output).expanduser().absolute()
    content = made.html.encode()
    replace_file(path, content)
    record = WrittenPage(str(path), len(content), made.counts, made.notes)
    counts = ", ".join(f"{name} {number:,}" for name, number in made.counts.items())
    app.show(
        record,
        [f"Wrote {path} ({len(content) / 1000:,.0f} kB): {counts}.", *made.notes],
    )


def open_page(app: App, output: str) -> None:
    """Open a written page in a browser."""
    path = Path(output).expanduser().absolute()
    if output == "-" or not webbrowser.open(path.as_uri()):
        app.home.context.warn("no-browser", f"no browser was opened; open it yourself: {path}")
        app.output.warn(app.home.context.warnings[-1:])
