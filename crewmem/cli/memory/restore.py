"""``crewmem memory restore``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import file_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.memory.versions import Subject
    from crewmem.files.version import Version

REDACTED = "redacted"
"""What --allow lets pass beside rules of the scanner: that secrets are lacking."""


@verb
@file_argument
@argument("which", metavar="VERSION", help="An id or a hash, or how one begins.")
@option(
    "--expect", metavar="SHA", help="Only if the file is this now: 8 or more of sha256."
)
@option(
    "--allow",
    metavar="RULE",
    multiple=True,
    help="Let this rule of the scanner pass, or redacted; for operators, and recorded.",
)
@option("--dry-run", is_flag=True, help="Say what would be, and write nothing.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def restore_command(
    app: App,
    *,
    file: str,
    which: str,
    expect: str | None,
    allow: tuple[str, ...],
    dry_run: bool,
    strict: bool,
    chosen: Chosen,
) -> None:
    """Make a memory file what it was in a version.

    It is written as memory write does it, with its rules, caps and scan, by who may
    write the file. What it holds now becomes a version as well, if it is none yet, and
    what is restored is a new one: history is never rewritten. A file that is no longer
    there is made again; for operators its directory is, too. --dry-run tells what would
    be; memory diff FILE VERSION shows it.

    A version that was kept without the secrets of its file is not that file, and is
    refused; with --allow redacted it is restored with the names of rules where the
    secrets were.
    """
    from crewmem.cli.memory.versions import subject
    from crewmem.cli.writing import means, tell
    from crewmem.files.change import exact
    from crewmem.files.target import target_of
    from crewmem.files.write import write

    it = subject(app, chosen, file)
    found = it.version(which)
    content = _content(app, it, found, allow)
    rules = [rule for rule in allow if rule != REDACTED]
    written = write(
        target_of(it.place, it.file),
        exact(content),
        means(app, it.place, allow=rules, sight=it.sight, dry_run=dry_run),
        operation="restore",
        expect=expect,
        dry_run=dry_run,
    )
    tell(app, written)
    app.strictly(strict=strict)


def _content(app: App, it: Subject, found: Version, allow: tuple[str, ...]) -> bytes:
    """Return what is to be written.

    Raises:
        NothingKeptError: If the file was gone.
        RedactedError: If it lacks secrets, and nobody let that pass.
    """
    from crewmem.errors.versions import NothingKeptError, RedactedError
    from crewmem.scope import require_operator

    if found.kept is None:
        raise NothingKeptError(found.id, it.ref)
    if found.is_redacted:
        if REDACTED not in allow:
            raise RedactedError(found.id, it.ref)
        require_operator(app.actor, "restore what was kept without its secrets")
    return it.content(found)
