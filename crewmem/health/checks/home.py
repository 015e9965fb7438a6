"""The home: is there one, or memory elsewhere?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "home.present"
CATEGORY = "home"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell where memory is."""
    home, base = scene.home, scene.base
    if home is None:
        return [skipped(f"{base} was named with --path; the home is not asked")]
    if home.is_dir():
        return [passed(f"the home is {home}", where=str(home))]
    if home.exists() or home.is_symlink():
        return [
            failed(f"{home} is no directory", expected="a directory", where=str(home))
        ]
    if base:
        return [passed(f"memory is in {base}; there is no home at {home}")]
    return [
        warned(
            f"there is no home at {home}, and no memory in the usual places",
            expected="a home, or a directory that is named with --path",
            repair=scene.command("init"),
            where=str(home),
        )
    ]
