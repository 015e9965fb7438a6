"""The files that an installation writes, and what is filled into them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crewmem.hooks.programs.base import Target, Wiring


def fill_template(name: str, **values: str) -> str:
    """Return a template with ``@NAME@`` replaced by values."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def skill_target(skills: Path, wiring: Wiring) -> Target:
    """Return the skill file below the directory *skills*."""
    text = fill_template("SKILL.md", CREWMEM=wiring.shell)
    return Target(skills / "crewmem" / "SKILL.md", "own", text=text)


def to_toml(tables: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    r"""Return tables as TOML; values are texts, integers, and lists of texts.

    >>> to_toml([("[a]", {"b": "c", "d": ["e"]})])
    '[a]\nb = "c"\nd = ["e"]\n'
    """
    blocks = []
    for header, values in tables:
        # JSON's escapes of texts are TOML's too.
        lines = [header, *(f"{name} = {json.dumps(value)}" for name, value in values.items())]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)
