"""The files that an installation writes, and what is filled into them."""

from pathlib import Path

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
    return Target(skills / "crewmem" / "SKILL.md", text=text)
