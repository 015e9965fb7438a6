"""Names that only some file systems tell apart: by case, or by how accents are made."""

from __future__ import annotations

import os
from unicodedata import normalize

from crewmem import disk
from crewmem.errors.disk import PathMissingError
from crewmem.errors.files import BadKeyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.target import Target


def require_alone(root: disk.Directory, target: Target) -> None:
    """Refuse a file that is new where another has its name but for case.

    It was meant, most likely; and where the tree is copied to a disk that does not
    tell them apart, one of the two is lost.

    Raises:
        BadKeyError: If there is one; names it.
    """
    folder, _, name = target.file.rpartition("/")
    wanted = _alike(name)
    for each in sorted(_names(root, folder)):
        if each != name and _alike(each) == wanted:
            stem = each.rpartition(".")[0]
            reason = f"{each} is there, and differs in case alone: --key {stem}"
            raise BadKeyError(target.tier, name.rpartition(".")[0], reason)


def _alike(name: str) -> str:
    return normalize("NFC", normalize("NFC", name).casefold())


def _names(root: disk.Directory, folder: str) -> list[str]:
    if not folder:
        return os.listdir(root)  # noqa: PTH208 - of a descriptor
    try:
        with disk.open_directory(root, folder) as directory:
            return os.listdir(directory)  # noqa: PTH208 - of a descriptor
    except PathMissingError:
        return []
