"""The configuration file, as it was read: what it sets, and in which line.

TOML's reader and the search for lines load only when there is something to read.
"""

from __future__ import annotations

import os
import stat

from crewmem.settings import SETTINGS, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crewmem.errors.settings import ConfigUnreadableError
    from crewmem.settings.kinds import Value
    from crewmem.settings.places import Place

MOST_BYTES = 256 << 10
"""A file of settings over a quarter of a megabyte is some other file."""

MARK = "\ufeff"
"""What some editors put before a text in UTF-8; it means nothing there."""

TABLES = frozenset(each.table for each in SETTINGS.values() if each.table)
"""The tables that the file may have."""


class ConfigFile:
    """A configuration file that was read.

    Attributes:
        path: Where it stands.
        text: What it says; empty where there is none.
    """

    __slots__ = ("path", "text")

    def __init__(self, path: Path | str, text: str) -> None:
        self.path, self.text = path, text

    def values(self) -> dict[str, Value]:
        """Return what the file sets, by key.

        Raises:
            SettingError: If it is not TOML, or sets what there is not, or to what
                that may not be. The first mistake in the file is named.
        """
        if _is_blank(self.text):
            return {}
        return dict(map(self._checked, _leaves(parsed(self.text, self.path))))

    def origin(self, path: tuple[str, ...]) -> str:
        """Name the file, and the line of it where the keys *path* are set."""
        place = self._place(path)
        return f"{self.path}:{place.line(self.text)}" if place else f"{self.path}"

    def _checked(self, leaf: tuple[tuple[str, ...], object]) -> tuple[str, Value]:
        from crewmem.errors.settings import BadSettingError, UnknownSettingError

        path, value = leaf
        key = ".".join(f'"{part}"' if "." in part else part for part in path)
        if key in TABLES:
            wanted = f"a table: [{key}]"
            raise BadSettingError(self.origin(path), key, self._raw(path), wanted)
        if (setting := SETTINGS.get(key)) is None:
            raise UnknownSettingError(self.origin(path), key, nearest(key))
        try:
            return key, setting.checked(value)
        except ValueError as error:
            is_text = isinstance(setting.default, str) and isinstance(value, str)
            text = str(value) if is_text else self._raw(path)
            raise setting.bad(text, self.origin(path)) from error

    def _raw(self, path: tuple[str, ...]) -> str:
        """Return the value of *path* as the file spells it, if it does in one piece."""
        place = self._place(path)
        if place is None or place.path != path or place.is_header:
            return "a table"
        return self.text[place.start : place.end]

    def _place(self, path: tuple[str, ...]) -> Place | None:
        from crewmem.settings import places  # to explain only

        return places.find(self.text, path)


def read(path: Path | str) -> ConfigFile:
    """Read the file at *path*; one that is not there is empty.

    Raises:
        ConfigUnreadableError: If something else stands there, it is not to be read
            by us, or it is far too large.
        ConfigSyntaxError: If it is not UTF-8.
    """
    try:
        content = _content(path)
    except (FileNotFoundError, NotADirectoryError):
        return ConfigFile(path, "")
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    try:
        return ConfigFile(path, content.decode())
    except UnicodeDecodeError as error:
        from crewmem.errors.settings import ConfigSyntaxError

        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigSyntaxError(path, f"line {line} is not UTF-8") from error


def parsed(text: str, path: Path | str) -> dict[str, object]:
    """Return what *text*, which stands at *path*, says.

    Raises:
        ConfigSyntaxError: If it is not TOML.
    """
    import tomllib  # 5 ms, and 13 for what it imports

    from crewmem.errors.settings import ConfigSyntaxError

    try:
        return tomllib.loads(text.removeprefix(MARK))
    except RecursionError as error:
        raise ConfigSyntaxError(path, "it is nested too deeply") from error
    except ValueError as error:
        raise ConfigSyntaxError(path, str(error)) from error


def _content(path: Path | str) -> bytes:
    # O_NONBLOCK, so that a FIFO does not hang; what is read is regular.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unreadable(path, "it is not a regular file")
        content = b""
        while more := os.read(descriptor, MOST_BYTES + 1 - len(content)):
            content += more
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        raise _unreadable(path, f"it is over {MOST_BYTES:,} bytes")
    return content


def _unreadable(path: Path | str, reason: str) -> ConfigUnreadableError:
    from crewmem.errors.settings import ConfigUnreadableError

    return ConfigUnreadableError(path, reason)


def _is_blank(text: str) -> bool:
    lines = text.removeprefix(MARK).splitlines()
    return all(line.lstrip()[:1] in ("", "#") for line in lines)


def _leaves(data: dict[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, value in data.items():
        if key in TABLES and isinstance(value, dict):
            yield from (((key, inner), each) for inner, each in value.items())
        else:
            yield (key,), value
