"""Bringing all-MiniLM-L6-v2 into a home: whole, checked, and on the disk."""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.backends.embed.weights import (
    HASHES,
    INSTALLED,
    SIZES,
    check,
    open_followed,
    packaged,
)
from crewmem.errors import NotFoundError
from crewmem.errors.backends import BadAnswerError, ModelDamagedError, ModelMissingError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.backends.fetch import Tick

    Source = Callable[[str], bytes]


class Installed(NamedTuple):
    """The model in a home.

    Attributes:
        path: The directory that it is in.
        source: Where it was brought from: a directory or a URL; null if it was there.
        files: The files that were written.
        size: Bytes that were written.
    """

    path: str
    source: str | None
    files: list[str]
    size: int


def install(
    home: str, *, named: str | None, url: str, tick: Tick | None = None
) -> Installed:
    """Bring the model into *home*, which must be there; a file that is whole stays.

    A name never stands for less than a whole file, and the weights come last: what is
    interrupted is not taken for a model, and goes on with what is missing.

    Args:
        home: The home.
        named: The directory to take it from, or a file in it; None takes it from the
            weights package if that is installed, else from *url*.
        url: Below which its files are.
        tick: Told how much of the weights is here, and of how much, in KiB.

    Raises:
        ModelMissingError: If it is not in the directory that was *named*.
        ModelDamagedError: If what is there is another model, or damaged.
        UnreachableError: If *url* cannot be reached.
        BadAnswerError: If what is there is something else.
    """
    wanted = [name for name in reversed(SIZES) if not _is_whole(home, name)]
    path = f"{home}/{INSTALLED}"
    if not wanted:
        return Installed(path, None, [], 0)
    source, read = _source(named, url, tick)
    with disk.open_root(home) as root:
        disk.make_dirs(root, INSTALLED)
        for name in wanted:
            disk.write(root, f"{INSTALLED}/{name}", read(name))
    return Installed(path, source, wanted, sum(SIZES[name] for name in wanted))


def _is_whole(home: str, name: str) -> bool:
    """Tell whether the home's file *name* is there and as it was published."""
    try:
        with open_followed(f"{home}/{INSTALLED}/{name}") as file:
            check(file, name)
    except (ModelDamagedError, NotFoundError):
        return False
    return True


def _source(named: str | None, url: str, tick: Tick | None) -> tuple[str, Source]:
    """Return where the model comes from, and what reads a file of it."""
    if directory := _directory(named) if named else packaged():
        return directory, lambda name: _read(directory, name)
    return url, lambda name: _fetched(url, name, tick)


def _directory(named: str) -> str:
    """Return the directory that *named* means.

    That is itself, the one it is a file in, or the folder ``model`` in it, as the
    weights package has it.
    """
    path = os.path.dirname(named) or "." if os.path.isfile(named) else named  # noqa: PTH113, PTH120 - as typed
    below = f"{path}/model"
    return below if os.path.isdir(below) else path  # noqa: PTH112 - as typed


def _read(directory: str, name: str) -> bytes:
    try:
        with open_followed(f"{directory}/{name}") as file:
            check(file, name)
            return file.read(SIZES[name])
    except NotFoundError as error:
        raise ModelMissingError(directory) from error


def _fetched(url: str, name: str, tick: Tick | None) -> bytes:
    from hashlib import sha256

    from crewmem.backends.fetch import fetch

    content = fetch(f"{url.rstrip('/')}/{name}", SIZES[name], tick=tick)
    if sha256(content).hexdigest() != HASHES[name]:
        raise BadAnswerError(url, f"its {name} is not the one that was published")
    return content
