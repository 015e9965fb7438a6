"""Asking whether something is really to be done."""

from __future__ import annotations

from crewmem.cli.text import visible
from crewmem.errors.cli import ConfirmationMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


def confirmed(app: App, what: str, *, yes: bool) -> bool:
    """Tell whether *what*, as in "Removing crew 'harbor'", is to be done.

    Raises:
        ConfirmationMissingError: If nobody said *yes*, and there is nobody to ask.
    """
    if yes:
        return True
    world = app.world
    if not (world.stdin.isatty() and world.stderr.isatty()):
        raise ConfirmationMissingError(what)
    world.stderr.write(f"{visible(what)}: are you sure? [y/N] ")
    world.stderr.flush()
    return world.stdin.readline().strip().lower() in {"y", "yes"}
