"""``crewmem generate``: what in the repository is made, not written."""

from __future__ import annotations

from pathlib import Path

import click

from crewmem import disk
from crewmem.cli.app import App, pass_app
from crewmem.cli.command import Group, argument, root, verb
from crewmem.cli.manual.json_page import json_page
from crewmem.cli.manual.page import name, page
from crewmem.cli.shells import FILES, GENERATED, script
from crewmem.cli.shells.tree import contexts, tree
from crewmem.threats.tabulate import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDERS = ("completions", "man")
"""Where all is generated."""

TABLE = "crewmem/threats/table.py"
"""The one module that is."""

READABLE = 0o644
"""Mode of a new file: it is everybody's, unlike memory."""


@verb
@argument(
    "to",
    metavar="ROOT",
    type=click.Path(exists=True, file_okay=False),
    help="Root of the repository.",
)
@pass_app
def generate_command(app: App, to: str) -> None:
    """Write what is generated: man/, completions/, the scanner's table.

    A page that was generated and whose command is gone is removed. Tests compare
    the files with what this would write.
    """
    wanted = dict(generated(root()))
    with disk.open_root(to) as opened:
        for folder in (*FOLDERS, TABLE.rpartition("/")[0]):
            disk.make_dirs(opened, folder, mode=0o755)
        for path, text in wanted.items():
            disk.write(opened, path, text.encode(), mode=READABLE)
        for path in _ours(Path(to)) - wanted.keys():
            disk.remove(opened, path)
    app.out.lines(sorted(wanted))


def _ours(to: Path) -> set[str]:
    """Return the files below *to* that were generated."""
    return {
        str(path.relative_to(to))
        for folder in FOLDERS
        for path in (to / folder).iterdir()
        if GENERATED in path.read_text("utf-8", "replace")
    }


def generated(program: Group) -> Iterator[tuple[str, str]]:
    """Yield every generated file of *program* as (path, content)."""
    commands = tree(program)
    for shell, file in FILES.items():
        yield f"completions/{file}", script(shell, commands)
    for ctx in contexts(click.Context(program, info_name="crewmem")):
        yield f"man/{name(ctx)}.1", page(ctx)
    yield "man/crewmem-json.5", json_page()
    yield TABLE, table()
