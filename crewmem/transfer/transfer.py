"""Moving memory between homes and from other tools (`home.transfer`)."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from crewmem.context import Context
from crewmem.errors import UsageError
from crewmem.facts.store import Facts
from crewmem.files.memory import Memory
from crewmem.journal.store import Journal
from crewmem.protocols import ReviewWriter
from crewmem.registry.store import Registry
from crewmem.security import redact
from crewmem.text.wording import count
from crewmem.transfer.exporter import Exporter, ExportReport
from crewmem.transfer.importer import Importer, ImportOptions, ImportPlan
from crewmem.transfer.manifest import PARTS


class Transfer:
    """Exports what the actor may read, and imports from bundles and other tools."""

    def __init__(
        self,
        context: Context,
        memory: Memory,
        facts: Facts,
        journal: Journal,
        registry: Registry,
        review: ReviewWriter,
    ) -> None:
        self._context = context
        self._stores = (context, memory, facts, journal, registry)
        self._journal = journal
        self._review = review

    def export(
        self, path: Path, *, parts: Collection[str] = (), include_restricted: bool = False
    ) -> ExportReport:
        """Write a bundle of what the actor may read.

        Args:
            path: A directory, or an archive ``.tar.gz``.
            parts: ``files``, ``facts``, ``journal``, ``versions``; by default all.
            include_restricted: Whether restricted facts are in it.

        Raises:
            ConflictError: If the directory holds something that is no bundle.
        """
        for part in parts:
            if part not in PARTS:
                raise UsageError(
                    f"'{part}' is no part of a bundle: use {', '.join(PARTS)}", code="bad-part"
                )
        exporter = Exporter(*self._stores)
        report = exporter.write(path, parts=parts, include_restricted=include_restricted)
        if not self._context.read_only:
            # By this entry the bundle is known when it comes back.
            where = redact(str(path))[0]
            self._journal.append(
                "memory.exported",
                f"memory exported to {where}: {count(report.files, 'file')},"
                f" {count(report.facts, 'fact')}, {count(report.entries, 'entry', 'entries')}",
                payload={"path": where, "sha256": report.sha256},
            )
        for file in report.redacted:
            self._context.warn("redacted", f"secrets in {file} are redacted in the bundle")
        return report

    def import_(
        self,
        path: Path,
        options: ImportOptions | None = None,
        *,
        apply: bool = False,
        data: bytes | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportPlan:
        """Plan an import, and with *apply* do it; see `importer.Importer.run`."""
        return self._importer.run(
            path, options or ImportOptions(), apply=apply, name=str(path), data=data,
            progress=progress,
        )  # fmt: skip

    def trust(self, payload: Mapping[str, Any]) -> list[str]:
        """Give the texts of a bundle the classes that it records, as review decided."""
        return self._importer.trust(payload)

    @property
    def _importer(self) -> Importer:
        return Importer(*self._stores, self._review)
