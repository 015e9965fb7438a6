"""``crewmem memory show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import file_argument
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.version import Version


class Shown(NamedTuple):
    """A version with what it kept.

    Attributes:
        version: The version.
        text: What is kept of it; bytes that are not UTF-8 are replaced. "" where the
            file was gone.
    """

    version: Version
    text: str


@verb
@file_argument
@argument("which", metavar="VERSION", help="An id or a hash, or how one begins.")
@option("--raw", is_flag=True, help="Print what was kept as it is, whatever is in it.")
@place_options
@pass_app
def show_command(app: App, *, file: str, which: str, raw: bool, chosen: Chosen) -> None:
    """Print a version of a memory file.

    VERSION is what memory log prints, an id or a hash, or 6 or more characters that
    only one begins with. What is printed is byte for byte what was written, or it ends
    with 5: a content that is damaged is never shown. Secrets were left out before the
    version was kept, and a warning says so. On a terminal, control characters are made
    visible.

    Where hidden instructions are found, a line that says so stands for the text. With
    --raw all is printed as it is kept.
    """
    from crewmem.cli.memory.versions import harmless, subject
    from crewmem.errors.versions import NothingKeptError

    it = subject(app, chosen, file)
    found = it.version(which)
    if found.kept is None and not app.out.is_json:
        raise NothingKeptError(found.id, it.ref)
    content = harmless(app, it, it.content(found), raw=raw)
    if found.is_redacted:
        app.out.warn(f"{found.id} was kept without the secrets that the file held")
    if app.out.is_json:
        app.out.record(Shown(found, content.decode("utf-8", "replace")), [])
    else:
        app.out.document(content, raw=raw)
