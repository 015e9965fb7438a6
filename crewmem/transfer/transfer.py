"""Moves memory between homes and from other tools (`home.transfer`)."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.exporter import Exporter, ExportReport
from crewmem.transfer.importer import Importer, ImportPlan
from crewmem.transfer.sync import ExchangeReport, Sync

if TYPE_CHECKING:
    from crewmem.home import Home


class Transfer:
    """Exports what the actor may read, imports from bundles and other tools, and syncs."""

    def __init__(self, home: "Home") -> None:
        self._home = home

    def export(
        self, path: Path, *, parts: Collection[str] = (), include_restricted: bool = False
    ) -> ExportReport:
        """Write a bundle of what the actor may read.

        Args:
            path: A directory, or an archive ``.tar.gz``.
            parts: ``files``, ``facts``, ``journal``, ``versions``; by default all.
            include_restricted: Whether to include restricted facts.

        Raises:
            ConflictError: If the directory contains something that is not a bundle.
        """
        return Exporter(self._home).write(path, parts=parts, include_restricted=include_restricted)

    def import_(
        self,
        path: Path,
        options: ImportOptions | None = None,
        *,
        apply: bool = False,
        data: bytes | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportPlan:
        """Plan an import, and with *apply* do it.

        Args:
            path: A directory, a file, or an archive.
            data: The content, if it was read from standard input.
            progress: Called with the number of written files and the total.
        """
        return Importer(self._home, options, progress).run(path, apply=apply, data=data)

    def trust(self, payload: Mapping[str, Any]) -> list[str]:
        """Give the texts of a bundle the origin classes that it records, after approval."""
        return Importer(self._home).trust(payload)

    def sync(self, place: str) -> ExchangeReport:
        """Exchange memory with a directory, a git repository or ``ssh://HOST/DIR``."""
        return Sync(self._home).run(place)
