"""Cache of scan results, keyed by the hash of the content: ``verdicts.sqlite``.

Each text is scanned once, however often it occurs or is shown. The file is derived: without it,
texts are scanned again. Reading it needs no scanner.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

from crewmem import __version__
from crewmem.config import Settings
from crewmem.context import Context
from crewmem.errors import CrewmemError, DamagedError, LockedError
from crewmem.security.findings import Finding, split_name
from crewmem.security.safe_text import make_record_safe
from crewmem.storage.sqlite import (
    VERDICTS_SCHEMA,
    Database,
    discard_database,
    open_derived,
    open_in_memory,
    write_unless_busy,
)
from crewmem.text.records import list_texts

T = TypeVar("T")

VERDICTS_FILE = "verdicts.sqlite"

SCANNER_DATA = Path(__file__).with_name("data")
"""Directory of the scanner's rules and weights."""

NO_FINDINGS = "[]"
"""Stored findings of a clean text."""

STORED_FIELDS = frozenset({"class_", "category", "rule", "first_line", "last_line", "start", "end"})


Key = tuple[bytes, bool]
"""Hash of the content, and whether it was scanned as an agent's own tier."""


class EnclosingFile(NamedTuple):
    """The file from which a passage was taken. It sets the threshold for the passage.

    Attributes:
        sha256: Hash of its content.
        read: Returns its text.
    """

    sha256: bytes
    read: Callable[[], str]


NO_FILES: Mapping[str, EnclosingFile] = {}


class Verdicts:
    """Scan results of a workspace; for a tree without a home, those in the user's cache."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def rules(self) -> str:
        """Version of the current rules. Results of other versions are ignored."""
        return get_rules_version(self._context.settings)

    def scan(
        self,
        texts: Collection[str],
        *,
        own_tier: bool = False,
        enclosing_files: Mapping[str, EnclosingFile] = NO_FILES,
    ) -> dict[str, list[Finding]]:
        """Return the findings of each of *texts*, scanning only those not in the cache.

        `scan.allow` is not applied. Lines are counted from the beginning of each text.

        Args:
            own_tier: Whether to report only attacks and secrets.
            enclosing_files: For each text that is a passage, its file.
        """
        if not texts:
            return {}
        digests = {text: (_hash_text(text, enclosing_files), own_tier) for text in texts}
        known = self.load([digest for digest, _ in digests.values()])
        new = {
            digest: self._context.scanner.scan(
                text,
                own_tier=own_tier,
                read_file=enclosing_files[text].read if text in enclosing_files else None,
            )
            for text, digest in digests.items()
            if digest not in known
        }
        self.save(new)
        known |= new
        return {text: known[digest] for text, digest in digests.items()}

    def find_bad_names(self, names: Iterable[str]) -> set[str]:
        """Return the file names with an attack or a secret. Names are shown beside texts."""
        words = {name: split_name(name) for name in names}
        found = self.scan({*words, *words.values()}, own_tier=True)
        return {
            name
            for name, text in words.items()
            if any(finding.class_ == "attack" for finding in found[text])
            or any(finding.class_ == "secret" for finding in found[name])
        }

    def make_record_safe(self, record: T, *, instructions: Collection[str] = ()) -> T:
        """Make *record*, or a list of records, safe to show to a model or a person.

        Args:
            instructions: Texts of it that may contain instructions: only attacks and secrets
                count in them.
        """
        found = self.scan(set(list_texts(record)).difference(instructions))
        found |= self.scan(instructions, own_tier=True)
        allowed = self._context.settings["scan.allow"]
        counted = {text: self.drop_allowed(text, each, allowed) for text, each in found.items()}
        return make_record_safe(record, counted)

    def drop_allowed(
        self, text: str, found: Sequence[Finding], allowed: Collection[str]
    ) -> Sequence[Finding]:
        """Return what was *found* in *text* without *allowed* rules, see `Scanner.drop_allowed`."""
        if not any(finding.rule in allowed for finding in found):
            return found
        return self._context.scanner.drop_allowed(text, found, allowed)

    def load(self, digests: Collection[bytes]) -> dict[Key, list[Finding]]:
        """Return the cached findings of contents, given by their hashes.

        Texts with findings are left out if an operator has released any passage: they must be
        scanned again.
        """
        try:
            rows = self._db.all(
                "select sha256, own_tier, findings from json_each(:digests)"
                " join verdicts on sha256 = unhex(value) where rules = :rules",
                {"digests": [each.hex() for each in digests], "rules": self.rules},
            )
        except DamagedError:
            path, may_delete = self._db.path, not self._db.read_only
            self.close()
            if may_delete and isinstance(path, Path):
                discard_database(path)
            return {}
        if (
            any(findings != NO_FINDINGS for _, _, findings in rows)
            and self._context.list_released()
        ):
            rows = [row for row in rows if row[2] == NO_FINDINGS]
        return {
            (digest, bool(own_tier)): [Finding(**each) for each in json.loads(findings)]
            for digest, own_tier, findings in rows
        }

    def save(self, verdicts: Mapping[Key, list[Finding]]) -> None:
        """Store findings in the form that `load` returns; delete those of other rules."""
        rows = [
            (digest, own, self.rules, json.dumps([_stored_fields(each) for each in found]))
            for (digest, own), found in verdicts.items()
        ]
        if rows:
            insert = (
                "insert or replace into verdicts (sha256, own_tier, rules, findings)"
                " values (?, ?, ?, ?)"
            )
            outdated = "delete from verdicts where rules != ?"
            write_unless_busy(self._db, (outdated, [(self.rules,)]), (insert, rows))

    def close(self) -> None:
        """Close the database."""
        db = vars(self).pop("_db", None)
        if db is not None:
            db.close()

    @cached_property
    def _db(self) -> Database:
        """The database; in memory if the file can be neither written nor read."""
        context = self._context
        is_home = context.home is not None and context.tree is None
        directory = context.workspace_dir if is_home else context.cache
        if directory is None:
            return open_in_memory(VERDICTS_SCHEMA)
        path = directory / VERDICTS_FILE
        try:
            if not (is_home and context.read_only):
                return open_derived(path, VERDICTS_SCHEMA)[0]
            if path.exists():
                return context.open_database(path, VERDICTS_SCHEMA)
        except LockedError:
            raise
        except (CrewmemError, OSError):
            pass
        return open_in_memory(VERDICTS_SCHEMA)


def get_rules_version(settings: Settings) -> str:
    """Return a hash that changes with the scanner's rules, its weights and `scan.allow`."""
    parts = [__version__, *settings["scan.allow"]]
    further = settings.file("scan.rules")
    for file in [*sorted(SCANNER_DATA.iterdir()), *([further] if further else [])]:
        try:
            status = file.stat()
            parts.append(f"{file.name} {status.st_size} {status.st_mtime_ns}")
        except OSError:  # scan.rules names a missing file: the scanner reports it
            parts.append(f"no {file.name}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _stored_fields(finding: Finding) -> dict[str, str | int]:
    """Return the fields of a finding, without words of the text: the text may be erased later."""
    return {name: value for name, value in finding._asdict().items() if name in STORED_FIELDS}


def _hash_text(text: str, enclosing_files: Mapping[str, EnclosingFile]) -> bytes:
    """Return the hash of a text. For a passage it includes its file, which sets its threshold."""
    content = text.encode("utf-8", "surrogatepass")
    if text in enclosing_files:
        content += enclosing_files[text].sha256
    return sha256(content).digest()
