"""The settings in force, from every place that may set one.

Later wins: default, what was tuned, variable of an older system, file, variable,
option.
"""

from __future__ import annotations

from crewmem.settings import SETTINGS, Settings, config_file, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crewmem.settings.config_file import ConfigFile
    from crewmem.settings.kinds import Setting, Value


TUNED = "tuned"
"""The origin of what `tune` found."""


class Loaded:
    """The settings in force, and where each value came from.

    Attributes:
        settings: The values.
    """

    __slots__ = ("_config", "_origins", "settings")

    def __init__(
        self, settings: Settings, origins: Mapping[str, str], config: ConfigFile
    ) -> None:
        """Hold *settings*.

        Args:
            settings: The values.
            origins: Where those came from that are neither defaults nor of the
                file, by key; those of the file are "".
            config: The file.
        """
        self.settings, self._origins, self._config = settings, origins, config

    def origin(self, setting: Setting) -> str:
        """Name where the value of *setting* came from.

        That is ``default``, ``tuned``, a file and a line of it, a variable, or an
        option.
        """
        origin = self._origins.get(setting.key, "default")
        return origin or self._config.origin(setting.path)

    def place(self, setting: Setting, *below: str) -> str:
        """Name where what is *below* the value of *setting* was set, as `origin`."""
        if self._origins.get(setting.key, "default"):
            return self.origin(setting)
        return self._config.origin((*setting.path, *below))

    def with_option(self, key: str, text: str, option: str) -> Loaded:
        """Return these settings with *key* as *option* of the command line has it.

        Raises:
            SettingError: If there is no such setting, or it may not be that.
        """
        setting = find(key, option)
        values = self.settings.given() | {key: setting.parse(text, option)}
        origins = {**self._origins, key: option}
        return Loaded(Settings(values), origins, self._config)

    def listed(self) -> list[tuple[Setting, Value, str]]:
        """Return every setting with its value and origin, as declared."""
        return [
            (each, self.settings.value(each), self.origin(each))
            for each in SETTINGS.values()
        ]


def load(
    config: Path | str | None,
    environ: Mapping[str, str],
    tuned: Path | str | None = None,
) -> Loaded:
    """Read the file at *config*, where there is one, and the variables in *environ*.

    A variable that is set to nothing counts as not set. Below all of them is what
    the file at *tuned* says, where there is one.

    Raises:
        SettingError: If the file cannot be read, or says what no setting may be, or
            a variable does.
    """
    file = config_file.read(config) if config else config_file.ConfigFile("", "")
    values = _tuned(tuned) if tuned else {}
    origins = dict.fromkeys(values, TUNED)
    said = file.values()
    values |= said
    origins |= dict.fromkeys(said, "")
    for setting in SETTINGS.values():
        older = "" if setting.key in said else setting.fallback
        for variable in filter(environ.get, (setting.variable, older)):
            values[setting.key] = setting.parse(environ[variable], variable)
            origins[setting.key] = variable
            break
    return Loaded(Settings(values), origins, file)


def _tuned(path: Path | str) -> dict[str, Value]:
    text = config_file.read(path).text
    if not text:
        return {}
    from crewmem.settings.tuned import values  # for those who have some

    return values(text, path)
