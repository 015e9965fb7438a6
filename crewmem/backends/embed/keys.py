"""Keys of services: from the environment, or a file; never stored, never printed."""

from __future__ import annotations

from crewmem.errors import CrewmemError
from crewmem.errors.settings import ConfigUnreadableError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_BYTES = 65_536
"""Bytes of a file of keys: a longer one is something else."""


class Key(NamedTuple):
    """A key.

    Attributes:
        value: The key.
        origin: Where it is from: a variable, or the path of a file.
    """

    value: str
    origin: str

    def __repr__(self) -> str:
        return f"Key(origin={self.origin!r})"


def keys(environ: Mapping[str, str], variables: Sequence[str], file: str) -> list[Key]:
    """Return the keys in *variables*; if none of them is set, those in *file*.

    Args:
        environ: The environment.
        variables: Names, the best key first.
        file: A path, or "". A key is a line; empty ones and comments are none.

    Raises:
        ConfigUnreadableError: If the file cannot be read.
    """
    found = [
        Key(value, name) for name in variables if (value := _key(environ.get(name, "")))
    ]
    if found or not file:
        return found
    return [Key(value, file) for line in _lines(file) if (value := _key(line))]


def _key(text: str) -> str:
    """Return the key that *text* is, "" if it can be none."""
    text = text.strip()
    is_key = text.isascii() and text.isprintable() and not text.startswith("#")
    return text if is_key else ""


def _lines(path: str) -> list[str]:
    import os

    from crewmem import disk

    folder, name = os.path.split(os.path.realpath(os.path.expanduser(path)))  # noqa: PTH111
    try:
        with disk.open_root(folder) as root:
            return disk.read(root, name, limit=MOST_BYTES).decode().splitlines()
    except CrewmemError as error:
        raise ConfigUnreadableError(path, str(error)) from error
    except UnicodeDecodeError as error:
        raise ConfigUnreadableError(path, "it is not text") from error
