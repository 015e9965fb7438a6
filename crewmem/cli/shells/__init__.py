"""Completion scripts that carry the whole command tree, so that TAB starts no program.

A script is a template in its shell's own language with a few blanks; what fills
them is written here, from `tree`. Only names that are data are asked of crewmem.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.cli.shells.tree import Node

FILES = {"bash": "crewmem.bash", "zsh": "_crewmem", "fish": "crewmem.fish"}
"""What each shell's script is called below completions/, by the name of the shell."""

GENERATED = "Written by `crewmem generate` from the commands themselves; do not edit."
"""What every generated file says of itself."""


def script(shell: str, root: Node) -> str:
    """Return the completion script of *shell* for the commands below *root*."""
    blanks: Mapping[str, str] = import_module(f"{__name__}.{shell}").blanks(root)
    template = Path(__file__).with_name(f"template.{shell}").read_text("utf-8")
    return re.sub(
        "@([A-Z_]+)@",
        lambda blank: blanks[blank[1]],
        template.replace("@GENERATED@", f"# {GENERATED}"),
    )
