"""``crewmem completion``: the completion script of a shell."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


class Script(NamedTuple):
    """A completion script.

    Attributes:
        shell: The shell that it is for.
        script: Its text.
    """

    shell: str
    script: str


def show(app: App, shell: str) -> None:
    """Answer with the completion script of *shell*.

    It is written anew from the commands, so it is that of this very version.
    """
    from crewmem.cli.command import root
    from crewmem.cli.shells import script
    from crewmem.cli.shells.tree import tree

    text = script(shell, tree(root()))
    if app.out.is_json:
        app.out.record(Script(shell, text), [])
    else:
        app.out.text(text)
