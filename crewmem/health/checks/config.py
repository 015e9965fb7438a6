"""Settings: can all of them be read?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "config.settings"
CATEGORY = "config"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell what was wrong when the settings were read; the rest uses defaults."""
    if trouble := scene.settings_trouble:
        expected = "settings that can be read; until then defaults hold"
        return [
            failed(
                str(trouble),
                expected=f"{expected}. {trouble.hint}".removesuffix(". "),
                look=scene.command("config", "path"),
            )
        ]
    return [passed(scene.settings_origin)]
