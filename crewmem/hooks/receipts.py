"""Receipts of installations, in ``<home>/hooks/``: the files they changed, and what was in them."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from crewmem.hooks.programs import InstallLocation, Program
from crewmem.storage.filesystem import make_directory, read_file, remove_file, replace_file

RECEIPTS = "hooks"
"""Directory of receipts in the home."""

MAX_CONFIGURATION = 50_000_000
"""Maximum bytes of a configuration file."""


@dataclass(slots=True)
class Receipt:
    """The record of a file that an installation changed.

    Attributes:
        project: Directory of the project; "" for all projects of the user.
        after: SHA-256 of the content that was written.
        existed: Whether the file existed before.
        directories: Directories that were created for the file, the innermost first.
    """

    program: str
    project: str
    path: str
    after: str
    existed: bool
    directories: list[str] = field(default_factory=list)

    def belongs_to(self, program: Program, location: InstallLocation) -> bool:
        """Return whether the file belongs to the installation of *program* in *location*."""
        return (self.program, self.project) == (program.name, str(location.project or ""))


def list_receipts(home: Path) -> list[Receipt]:
    """Return all readable receipts."""
    receipts = []
    for path in sorted((home / RECEIPTS).glob("*.json")):
        try:
            receipts.append(Receipt(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):
            continue
    return receipts


def find_receipt(home: Path, path: Path) -> Receipt | None:
    """Return the receipt of the file *path*."""
    return next((each for each in list_receipts(home) if each.path == str(path)), None)


def _receipt_name(path: Path) -> str:
    return sha256(str(path).encode()).hexdigest()[:16]


def write_receipt(home: Path, receipt: Receipt, original: bytes | None) -> None:
    """Store a receipt, and the previous content of its file; None if there was none."""
    make_directory(home / RECEIPTS)
    base = home / RECEIPTS / _receipt_name(Path(receipt.path))
    values = {name: getattr(receipt, name) for name in Receipt.__slots__}
    if original is not None:
        replace_file(base.with_suffix(".backup"), original)
    replace_file(base.with_suffix(".json"), (json.dumps(values, indent=1) + "\n").encode())


def read_original(home: Path, receipt: Receipt) -> bytes | None:
    """Return the content before the installation; None if the file did not exist."""
    if not receipt.existed:
        return None
    name = f"{_receipt_name(Path(receipt.path))}.backup"
    return read_file(home / RECEIPTS, name, max_bytes=MAX_CONFIGURATION)


def delete_receipt(home: Path, receipt: Receipt) -> None:
    """Delete a receipt and the previous content of its file."""
    base = home / RECEIPTS / _receipt_name(Path(receipt.path))
    for file in (base.with_suffix(".json"), base.with_suffix(".backup")):
        if file.exists():
            remove_file(file.parent, file.name)
