"""The time zone of days: is it one, or does everybody silently get UTC?"""

from __future__ import annotations

from crewmem import times
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "config.timezone"
CATEGORY = "config"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name the zone; a setting was checked when it was read, the variable TZ was not.

    Of a TZ that names no zone the C library makes UTC, and says nothing.
    """
    if name := scene.settings.timezone:
        return [passed(f"days are of {name}")]
    name = scene.host.zone.lstrip(":")
    if _is_area(name) and not _is_known(name):
        return [
            warned(
                f"TZ is {scene.host.zone}, which this system does not know",
                expected="a zone such as Europe/Berlin; until then days are of UTC",
                repair=scene.command("config", "set", "timezone", "AREA/CITY"),
            )
        ]
    return [passed(f"days are of the system's zone{_offset(scene.now)}")]


def _offset(now: datetime) -> str:
    """Name the system's zone as it is *now*; nothing at the ends of the calendar."""
    try:
        return now.astimezone(times.zone("")).strftime(", %Z %z")
    except (ValueError, OverflowError):
        return ""


def _is_area(name: str) -> bool:
    """Tell whether *name* is spelled like a zone; POSIX rules and paths are not."""
    return "/" in name and not name.startswith("/") and "," not in name


def _is_known(name: str) -> bool:
    try:
        times.zone(name)
    except ValueError:
        return False
    return True
