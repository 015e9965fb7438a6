"""``crewmem memory quarantine show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.memory.quarantine.shown import named
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.files.quarantine import Refused


@verb
@argument("name", metavar="ID", callback=as_text, help="As the list shows it.")
@option("--raw", is_flag=True, help="Show secrets as well.")
@place_options
@pass_app
def show_command(app: App, *, name: str, raw: bool, chosen: Chosen) -> None:
    """Show a text that was refused, and why.

    Secrets in it are left out, unless --raw. For operators.
    """
    from crewmem.cli.scanner import scanner
    from crewmem.files.quarantine import get
    from crewmem.files.version import without_secrets

    place, found = named(app, chosen, name, "look into the quarantine")
    refused, content = get(place, found)
    shown = content if raw else without_secrets(content, scanner(app))[0]
    text = shown.decode("utf-8", "replace")
    app.out.record({**refused._asdict(), "text": text}, _lines(refused, text))


def _lines(refused: Refused, text: str) -> Iterator[Line]:
    """Yield what a person reads of it: facts first, then what was refused."""
    how = "To be added to" if refused.mode == "append" else "To be the whole of"
    yield [f"{how} ", ("bold", refused.ref), f", by {refused.by}"]
    for finding in refused.findings:
        yield [("bad", "refused"), f" for {finding}"]
    yield ""
    yield from text.splitlines()
