"""Failures of settings and of the file that they stand in."""

from __future__ import annotations

from crewmem.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class BadSettingError(SettingError):
    """A setting's value is not of its kind."""

    def __init__(self, origin: str, key: str, text: str, wanted: str) -> None:
        super().__init__(f"{origin}: {key} should be {wanted}, not {text!r}")
        self.origin, self.key, self.text, self.wanted = origin, key, text, wanted


class BadThreatRuleError(SettingError):
    """What the settings say to the scanner cannot be used."""

    def __init__(self, origin: str, keys: tuple[str, ...], reason: str) -> None:
        super().__init__(f"{origin}: {'.'.join(('threats', *keys))}: {reason}")
        self.origin, self.keys, self.reason = origin, keys, reason


class UnknownSettingError(SettingError):
    """There is no setting of that name."""

    def __init__(self, origin: str, key: str, nearest: str | None = None) -> None:
        super().__init__(f"{origin}: there is no setting {key!r}")
        self.origin, self.key, self.nearest = origin, key, nearest
        self.hint = (
            f"Did you mean {nearest}?" if nearest else "crewmem config list names all."
        )


class ConfigSyntaxError(SettingError):
    """The configuration file is not TOML."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is not valid TOML: {reason}")
        self.path, self.reason = path, reason


class ConfigShapeError(SettingError):
    """A setting stands in the file in a form that cannot be changed in place."""

    hint = "Edit the file by hand: crewmem config path."

    def __init__(self, path: Path | str, key: str) -> None:
        super().__init__(f"{path} holds {key} in a form that cannot be edited in place")
        self.path, self.key = path, key


class ConfigUnreadableError(SettingError):
    """The configuration file is there, and is no file that can be read."""

    hint = "crewmem config path names it; --home or CREWMEM_HOME names another home."

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason = path, reason
