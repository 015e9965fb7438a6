"""The scanner: can the rules and allowances of the settings be used?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed
from crewmem.threats.custom import MistakeError, configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "threats.rules"
CATEGORY = "threats"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell what is wrong with them: nothing is written before it is put right."""
    settings = scene.settings
    try:
        configured(settings.threats_allow, settings.threats_rules)
    except MistakeError as mistake:
        return [
            failed(
                f"{'.'.join(('threats', *mistake.keys))}: {mistake.reason}",
                expected="rules and allowances that can be used",
                look=scene.command("config", "path"),
            )
        ]
    own = "and those of the settings " if settings.threats_rules else ""
    return [passed(f"the rules of the scanner {own}can be used")]
