"""Commands that a person is told to type, so that they work on the same memory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


OF_HOME = "crewmem doctor --only home"
"""A command that says nothing of a tree that was named."""


def spelled(text: str, given: Mapping[str, Any], tree: str | None = None) -> str:
    """Return *text* with the home and workspace in its commands that were *given*.

    Those of the environment and of the settings hold for the next command as well.
    Where a *tree* was named, doctor is to look at that.
    """
    if tree and OF_HOME in text:
        from shlex import quote

        return text.replace(OF_HOME, f"crewmem doctor --path {quote(tree)}")
    home, workspace = given.get("home"), given.get("workspace")
    if not (home or workspace) or "crewmem " not in text:
        return text
    import re
    from shlex import join

    from crewmem.cli.table import TABLE

    options = ["--home", str(home)] if home else []
    options += ["-w", str(workspace)] if workspace else []
    verbs = "|".join(map(re.escape, TABLE))
    named = rf"(?<![\w/.-])crewmem (?=(?:{verbs})(?![\w-]))"
    return re.sub(named, lambda _: f"crewmem {join(options)} ", text)
