"""Names: of which none leads out of a root, and those of temporary files. Pure."""

from __future__ import annotations

import os

from crewmem.errors.disk import UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    StrPath = str | os.PathLike[str]

SUFFIX = ".tmp"
"""What the name of a temporary file ends with."""

RANDOM_BYTES = 8
"""Of a temporary name: so many that nobody meets or guesses another's."""

NAME_BYTES = 100
"""Of the target's name in that of its temporary file; with the rest it is far
below the shortest limit in use (143 bytes, where file names are encrypted)."""


def components(relative: StrPath) -> list[str]:
    """Split *relative* into names, none of which leads up, out or nowhere."""
    text = os.fspath(relative)
    names = text.split("/")
    if reason := unspeakable(text) or _leading_out(text, names):
        raise UnsafePathError(text, reason)
    return names


def printable(relative: StrPath) -> str:
    """Return *relative*, to be made, if it has no control characters.

    Raises:
        UnsafePathError: If it has: such names are read and removed, not made.
    """
    text = os.fspath(relative)
    if any(sign < " " or "\x7f" <= sign < "\xa0" for sign in text):
        raise UnsafePathError(text, "it holds a control character")
    return text


def is_temporary(name: str) -> bool:
    """Tell whether *name* is that of a temporary file of ours.

    One that is older than any write takes was left by a process that was killed.
    """
    if not (name.startswith(".") and name.endswith(SUFFIX)):
        return False
    target, _, random = name[1 : -len(SUFFIX)].rpartition(".")
    return (
        bool(target)
        and len(random) == 2 * RANDOM_BYTES
        and not random.strip("0123456789abcdef")
    )


def temporary_name(name: str) -> str:
    """Return a new name for a temporary file beside *name*, hidden and short enough."""
    start = os.fsencode(name)[:NAME_BYTES].decode(errors="ignore") or "file"
    return f".{start}.{os.urandom(RANDOM_BYTES).hex()}{SUFFIX}"


def unspeakable(text: str) -> str:
    """Return why the system could not be asked for *text*, else ""."""
    if "\0" in text:
        return "it holds a NUL"
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return "it cannot be written as a file name"
    return ""


def _leading_out(text: str, names: Sequence[str]) -> str:
    """Return how *text*, which is made of *names*, is no way down, else ""."""
    if not text:
        return "it is empty"
    if text.startswith("/"):
        return "it is absolute"
    if ".." in names:
        return "it leads up, by '..'"
    if "" in names or "." in names:
        return "a name in it is empty or '.'"
    return ""
