"""What the commands of the quarantine share."""

from __future__ import annotations

from crewmem.scope import require_operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.cli.places import Chosen
    from crewmem.files.place import Place
    from crewmem.files.quarantine import Refused

SHORT = 12
"""Digits of a hash that are shown: enough to name it, and to tell it from others."""


def asked(app: App, chosen: Chosen, what: str) -> list[Place]:
    """Return the directories that are meant; refuse who is no operator.

    Raises:
        OutOfScopeError: If the actor is an agent or a lead.
    """
    from crewmem.cli.places import places

    actor = app.sight_of_path.actor if chosen.path else app.actor
    require_operator(actor, what)
    return places(app, chosen)[0]


def named(app: App, chosen: Chosen, name: str, what: str) -> tuple[Place, str]:
    """Return where the text *name* is, and its whole hash.

    Raises:
        QuarantineMissingError: If it is nowhere.
    """
    from crewmem.files.quarantine import find

    return find(asked(app, chosen, what), name)


def told(refused: Refused) -> str:
    """Say in a line what was refused, and never what it says."""
    meant = f"for {refused.ref}" if refused.ref else "which is damaged"
    return f"{refused.id[:SHORT]} {meant}"
