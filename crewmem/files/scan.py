"""Scanning files and directories by path: `crewmem memory scan`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import CrewmemError
from crewmem.files.decoding import decode
from crewmem.files.directories import MemoryDirectory
from crewmem.files.tiers import OWN_TIERS
from crewmem.files.tree import find_tree_directories
from crewmem.security.allowed import allowed_rules
from crewmem.security.findings import Finding
from crewmem.security.scanner import Scanner
from crewmem.storage.filesystem import SkippedFile, escape_name, read_file, walk_files


@dataclass(slots=True)
class ScanReport:
    """What was found.

    Attributes:
        files: Number of files that were read.
        findings: In order of file and line; those in the name of a file have line 0.
        skipped: Files that could not be read: name and reason.
    """

    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def count(self, cls: str) -> int:
        """Return the number of findings of a class."""
        return sum(finding.class_ == cls for finding in self.findings)


def scan_path(scanner: Scanner, path: Path, *, allow: Sequence[str] = ()) -> ScanReport:
    """Scan a file, or the markdown of a directory and of the memory directories hidden in it.

    Args:
        allow: Entries of the setting `scan.allow`.

    Raises:
        CrewmemError: If the file cannot be read; inside a directory it is skipped.
    """
    report = ScanReport()
    root = path.resolve()  # a link that the caller names is followed; those inside are not
    if not root.is_dir():
        _scan_file(
            scanner, report, root, path.name, allowed_rules(allow, path.name, path.absolute())
        )
        return report
    directories = find_tree_directories(root)
    hidden = [each.path for each in directories if each.path.name == MEMORY_DIRECTORY]
    for place in dict.fromkeys((root, *hidden)):
        below = f"{place.relative_to(root)}/" if place != root else ""
        for entry in walk_files(place):
            name = below + entry.relative
            if isinstance(entry, SkippedFile):
                report.skipped.append((name, entry.reason))
                continue
            file = place / entry.relative
            own_tier = _is_own_tier(file, directories)
            allowed = allowed_rules(allow, entry.relative, file)
            try:
                _scan_file(scanner, report, file, name, allowed, own_tier=own_tier)
            except CrewmemError as error:  # one unreadable file costs only itself
                report.skipped.append((escape_name(name), error.message))
    return report


def _is_own_tier(file: Path, directories: Sequence[MemoryDirectory]) -> bool:
    return any(
        file.is_relative_to(each.path)
        and each.tier_of(str(file.relative_to(each.path))) in OWN_TIERS
        for each in directories
    )


def _scan_file(
    scanner: Scanner,
    report: ScanReport,
    file: Path,
    name: str,
    allow: frozenset[str],
    *,
    own_tier: bool = False,
) -> None:
    text, problem = decode(read_file(file.parent, file.name))
    if problem and not text:
        report.skipped.append((escape_name(name), problem))
        return
    report.files += 1
    report.findings += scanner.scan_name(name, allow=allow)
    report.findings += scanner.scan(text, own_tier=own_tier, allow=allow, file=name)
