"""Finding logs below directories; links that lead out of them are refused."""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.records import NamedTuple
from crewmem.transcripts.source import COUNTS, PACKED, Refused, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DEPTH_MOST = 12
"""Directories in each other: days are three deep, and a project has five at most."""


class Root(NamedTuple):
    """A directory that logs are looked for in.

    Attributes:
        path: Where it is; links in it are followed, for a person put them there.
        harness: The program whose it is; "" if somebody named it.
        belongs: Tells whether a file, by its path below, may be a log.
        whose: Returns what the program calls the agent whose log it is.
    """

    path: str
    harness: str
    belongs: Callable[[str], bool]
    whose: Callable[[str], str]


class Found(NamedTuple):
    """What was found.

    Attributes:
        sources: The logs, oldest change first.
        refused: Links that lead elsewhere, and what could not be looked into.
        roots: The directories that are there.
    """

    sources: list[Source]
    refused: list[Refused]
    roots: list[str]


def find(roots: Iterable[Root], *, is_named: bool = False) -> Found:
    """Return the logs below *roots*, each once; a root that is not there has none.

    Raises:
        PathMissingError: If it *is named*, and not there.
    """
    found: dict[tuple[int, int], Source] = {}
    refused: list[Refused] = []
    there: list[str] = []
    for root in roots:
        path = os.path.realpath(root.path)
        try:
            opened = disk.open_root(path)
        except PathMissingError:
            if is_named:
                raise
            continue
        except CrewmemError as error:
            if is_named:
                raise
            refused.append(Refused(root.path, str(error)))
            continue
        there.append(path)
        with opened:
            for each in _walk(opened, path, "", refused):
                if root.belongs(each[0]):
                    source = _source(root, path, *each)
                    found.setdefault((source.device, source.inode), source)
    plain = {each.name for each in found.values() if not each.is_packed}
    ordered = sorted(found.values(), key=lambda one: (one.mtime_ns, one.file))
    # Where a log lies there twice the one that is not compressed is the newer.
    sources = [each for each in ordered if not (each.is_packed and each.name in plain)]
    return Found(sources, refused, there)


def _source(root: Root, path: str, below: str, stat: os.stat_result) -> Source:
    return Source(
        root=path,
        path=below,
        harness=root.harness,
        whose=root.whose(f"{path}/{below}"),
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        device=stat.st_dev,
        inode=stat.st_ino,
    )


def _walk(
    root: disk.Directory, top: str, below: str, refused: list[Refused]
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files below a directory with what the system says of them."""
    if below.count("/") >= DEPTH_MOST:
        refused.append(Refused(f"{top}/{below}", "it is nested too deep"))
        return
    try:
        here = disk.open_directory(root, below) if below else None
        with os.scandir(root if here is None else here) as entries:
            listed = sorted(entries, key=lambda each: each.name)
    except (OSError, CrewmemError) as error:
        refused.append(Refused(f"{top}/{below}", _why(error)))
        return
    try:
        for each in listed:
            path = f"{below}/{each.name}" if below else each.name
            try:
                if each.is_symlink():
                    _look_at_link(top, path, refused)
                elif each.is_dir(follow_symlinks=False):
                    yield from _walk(root, top, path, refused)
                elif each.is_file(follow_symlinks=False):
                    yield path, each.stat(follow_symlinks=False)
            except OSError as error:
                refused.append(Refused(f"{top}/{path}", _why(error)))
    finally:
        if here is not None:
            here.close()


def _look_at_link(top: str, path: str, refused: list[Refused]) -> None:
    """Refuse a link that leads out; what lies within is met where it is."""
    where = os.path.realpath(f"{top}/{path}")
    if not where.startswith(f"{top}/"):
        refused.append(Refused(f"{top}/{path}", "it is a link that leads elsewhere"))


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)


def is_log(path: str) -> bool:
    """Tell whether a file that somebody named may be a log of any program."""
    name = path.rpartition("/")[2]
    if name == COUNTS or name.endswith("openclaw-agent.sqlite"):
        return True
    stem = name.removesuffix(PACKED)
    return ".jsonl" in stem and not path.endswith((".lock", ".tmp", ".meta.json"))
