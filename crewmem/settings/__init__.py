"""Every setting there is, declared once: default, use, bounds, variable.

What a declaration says is all that the variable, the file, `config list` and the
manual page need. `load` reads them, `config_file` changes the file.
"""

from __future__ import annotations

from crewmem.errors import UnknownSettingError
from crewmem.ids import is_slug
from crewmem.settings.kinds import Number, Setting, Text, Whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.settings.kinds import Value

BYTES_MOST = 1 << 30
"""Most bytes that a setting may allow: a file is held in memory whole."""


def _cap(default: int, what: str) -> Whole:
    return Whole(
        default, f"Most bytes of {what}.", least=1, most=BYTES_MOST, table="caps"
    )


def _is_zone(name: str) -> bool:
    from crewmem import times  # 5 ms, for those who set a zone only

    try:
        times.zone(name)
    except ValueError:
        return False
    return True


class Settings:
    """The settings in force, each an attribute. Frozen.

    A key of the file maps to its attribute with dots as underscores.
    """

    __slots__ = ("_values",)

    busy_timeout = Number(
        30.0,
        "Seconds to wait for a lock that another process holds.",
        least=0,
        most=3600,
    )
    workspace = Text(
        "default",
        "Workspace to work in.",
        check=is_slug,
        wanted="a slug: a-z, 0-9 and hyphens, at most 64, no hyphen first",
        fallback="ENGRAM_NAMESPACE",
    )
    timezone = Text(
        "",
        "Time zone of days, such as Europe/Berlin; empty is the system's.",
        check=_is_zone,
        wanted="a time zone that this system knows, as Europe/Berlin",
    )
    chunk_chars = Whole(1_000, "Most characters of a chunk.", least=200, most=10_000)
    search_limit = Whole(10, "Most results of a search.", least=1, most=50)
    max_file_bytes = Whole(
        8 << 20,
        "Files over this many bytes are skipped by the index, and reported.",
        least=1,
        most=BYTES_MOST,
    )
    directory_bytes = Whole(
        10_000_000,
        "Most bytes of memory files in one directory.",
        least=1,
        most=BYTES_MOST,
    )
    caps_agent = _cap(4_000, "AGENT.md")
    caps_persona = _cap(1_500, "PERSONA.md")
    caps_pins = _cap(8_000, "pins.md")
    caps_brief = _cap(4_000, "BRIEF.md")
    caps_lessons = _cap(64_000, "lessons.md")
    caps_daily = _cap(100_000, "a daily note")
    caps_peer = _cap(1_500, "a file under peers/")
    caps_crew = _cap(4_000, "CREW.md")
    caps_topic = _cap(16_000, "a file under topics/")
    caps_learned = _cap(64_000, "a file under learned/")
    caps_user = _cap(1_500, "a file under users/")
    caps_workspace = _cap(16_000, "a workspace's file")

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        """Hold *values*, by key; the others are their defaults."""
        self._values = dict(values or {})

    def given(self) -> dict[str, Value]:
        """Return the values that are not left to their defaults, by key."""
        return dict(self._values)

    def value(self, setting: Setting) -> Value:
        """Return the value of *setting*."""
        return self._values.get(setting.key, setting.default)

    @property
    def caps(self) -> dict[str, int]:
        """Most bytes of a file, by tier."""
        return {
            each.path[1]: each.__get__(self)
            for each in vars(Settings).values()
            if isinstance(each, Whole) and each.table == "caps"
        }


SETTINGS = {
    each.key: each for each in vars(Settings).values() if isinstance(each, Setting)
}
"""Every setting by its key, in the order of declaration."""


def find(key: str, origin: str) -> Setting:
    """Return the setting called *key*, which was met at *origin*.

    Raises:
        UnknownSettingError: If there is none; names the nearest there is.
    """
    if (setting := SETTINGS.get(key)) is None:
        raise UnknownSettingError(origin, key, nearest(key))
    return setting


def nearest(key: str) -> str | None:
    """Return the key that is spelled most like *key*, if one is."""
    from difflib import get_close_matches  # 4 ms, for a mistake only

    return next(iter(get_close_matches(key, SETTINGS, n=1)), None)
