"""With what persons are erased."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.files.written import Means


def means(app: App) -> Means:
    """Return what cards anywhere in the home are rewritten with."""
    from crewmem.cli.writing import means as means_of
    from crewmem.files.place import Place
    from crewmem.scope import Scope

    anywhere = Place(app.home, Scope.WORKSPACE, kept=True)
    return means_of(app, anywhere)
