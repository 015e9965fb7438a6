"""Names in a source, of which none is trusted. Pure."""

from __future__ import annotations

from crewmem.disk.names import components, printable
from crewmem.errors.disk import UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAME_MOST = 1_024
"""Most bytes of a name with all its directories: more than any of ours has."""

PART_MOST = 255
"""Most bytes of a name alone: what most file systems take."""


def trouble(name: str) -> str:
    """Return why a file called *name* cannot be taken, else ""."""
    try:
        printable(name)
        parts = components(name)
        spelled = name.encode()
    except UnsafePathError as error:
        return error.reason
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if "\\" in name:
        return "it holds a backslash"
    if len(spelled) > NAME_MOST or any(
        len(part.encode()) > PART_MOST for part in parts
    ):
        return "its name is too long"
    return ""


def hidden(name: str, *, but: str = "") -> str:
    """Return the first hidden part of *name* with what is above it, else "".

    A part that is called *but* is not hidden.
    """
    above = ""
    for part in name.split("/"):
        above = f"{above}/{part}" if above else part
        if part[:1] == "." and part not in {but, ".", ".."}:
            return above
    return ""


def alike(names: Iterable[str]) -> set[str]:
    """Return those of *names* that are there twice, or differ in case alone.

    Of which one is meant nobody can tell, and some file systems keep one of them.
    """
    from unicodedata import normalize

    found: dict[str, list[str]] = {}
    for name in names:
        key = name.lower() if name.isascii() else normalize("NFC", name).casefold()
        found.setdefault(key, []).append(name)
    return {name for some in found.values() if len(some) > 1 for name in some}


def common_folder(names: Sequence[str], *, but: frozenset[str]) -> str:
    """Return the one directory, with a slash, that all of *names* are in, else "".

    A directory that is one of *but* says what is in it, and is none.
    """
    tops = {name.partition("/")[0] for name in names}
    if len(tops) != 1 or not all("/" in name for name in names):
        return ""
    (top,) = tops
    return "" if top in but else f"{top}/"
