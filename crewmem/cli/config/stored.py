"""Changing a setting in the configuration file of a home."""

from __future__ import annotations

from crewmem import disk
from crewmem.errors.disk import PathMissingError
from crewmem.errors.registry import HomeMissingError
from crewmem.records import NamedTuple
from crewmem.settings import config_file
from crewmem.settings.change import changed
from crewmem.settings.unset import unset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.settings.kinds import Setting, Value

FILE = "config.toml"

LOCK = "locks/config"
"""Held while the file is read, changed and replaced, so that no change is lost."""


class Stored(NamedTuple):
    """What was changed in the configuration file.

    Attributes:
        key: The setting.
        old: What the file said before; null if it said nothing.
        new: What it says now; null if it says nothing.
        path: The file.
    """

    key: str
    old: object
    new: Value | None
    path: Path


def store(home: Path, setting: Setting, new: Value | None, *, timeout: float) -> Stored:
    """Make the file of *home* say *new* of *setting*, or nothing if that is None.

    Raises:
        HomeMissingError: If there is no home.
        SettingError: If the file is not TOML, or *setting* stands in it in a form
            that cannot be changed in place.
        LockBusyError: If another process changes it for longer than *timeout*.
    """
    path = home / FILE
    try:
        root = disk.open_root(home)
    except PathMissingError as error:
        raise HomeMissingError(home) from error
    with root:
        disk.make_dirs(root, "locks")
        with disk.lock(root, LOCK, timeout=timeout):
            text = config_file.read(path).text
            old = _said(config_file.parsed(text, path), setting.path)
            after = _changed(text, setting, new, path)
            if after != text:
                disk.write(root, FILE, after.encode())
    return Stored(key=setting.key, old=old, new=new, path=path)


def _changed(text: str, setting: Setting, new: Value | None, path: Path) -> str:
    if new is None:
        return unset(text, setting.key, path=path)
    return changed(text, setting.key, new, path=path)


def _said(data: object, path: tuple[str, ...]) -> object:
    """Return what *data* says at *path*; None if it says nothing."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data
