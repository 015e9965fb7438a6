"""What the scanner found, by content: ``verdicts.sqlite``.

A text is scanned once, wherever it stands and however often it is shown. The file is derived:
without it texts are scanned again. Reading it needs no scanner.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from crewmem import __version__
from crewmem.config import Settings
from crewmem.context import Context
from crewmem.errors import CrewmemError, DamagedError, LockedError
from crewmem.storage.sqlite import (
    VERDICTS_SCHEMA,
    Database,
    discard_database,
    open_derived,
    open_in_memory,
    write_unless_busy,
)

VERDICTS_FILE = "verdicts.sqlite"

SCANNER_DATA = Path(__file__).with_name("data")
"""The scanner's rules and weights."""

NOTHING = "[]"
"""The findings of a clean text, as they are stored."""


class Verdicts:
    """The verdicts of a workspace; of trees without a home those of the user's cache."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def rules(self) -> str:
        """By which rules texts are scanned now: other verdicts do not count."""
        return get_rules_version(self._context.settings)

    def find_clean(self, texts: Collection[str], *, own_tier: bool = False) -> set[str]:
        """Return those of *texts* in which the scanner is known to find nothing.

        Args:
            own_tier: Whether only attacks and secrets were looked for.
        """
        if not texts:
            return set()
        by_digest = {_digest(text): text for text in texts}
        try:
            rows = self._db.all(
                "select sha256 from json_each(?) as wanted join verdicts on sha256 = unhex(value)"
                " where own_tier = ? and rules = ? and findings = ?",
                (json.dumps([each.hex() for each in by_digest]), own_tier, self.rules, NOTHING),
            )
        except DamagedError:
            self._discard()
            return set()
        return {by_digest[digest] for (digest,) in rows}

    def remember_clean(self, texts: Iterable[str], *, own_tier: bool = False) -> None:
        """Remember *texts* in which nothing was found."""
        self.save({(_digest(text), own_tier): NOTHING for text in texts})

    def has_attack(self, text: str) -> bool:
        """Tell whether a passage of *text* is an attack; what is clean is scanned once."""
        if self.find_clean([text], own_tier=True):
            return False
        found = self._context.scanner.scan(text, own_tier=True)
        if not found:
            self.remember_clean([text], own_tier=True)
        return any(each.cls == "attack" for each in found)

    def load(self) -> dict[tuple[bytes, bool], str]:
        """Return all findings, as JSON, by hash of the content and whether it is an own tier's."""
        try:
            rows = self._db.all(
                "select sha256, own_tier, findings from verdicts where rules = ?", (self.rules,)
            )
        except DamagedError:
            self._discard()
            return {}
        return {(digest, bool(own)): findings for digest, own, findings in rows}

    def save(self, verdicts: Mapping[tuple[bytes, bool], str]) -> None:
        """Remember findings, as `load` returns them; those by other rules are forgotten."""
        rows = [(digest, own, self.rules, found) for (digest, own), found in verdicts.items()]
        if rows:
            insert = (
                "insert or replace into verdicts (sha256, own_tier, rules, findings)"
                " values (?, ?, ?, ?)"
            )
            outdated = "delete from verdicts where rules != ?"
            write_unless_busy(self._db, (outdated, [(self.rules,)]), (insert, rows))

    def close(self) -> None:
        """Close the database."""
        db = self.__dict__.pop("_db", None)
        if db is not None:
            db.close()

    @cached_property
    def _db(self) -> Database:
        """The database: in memory where it cannot be stored or read."""
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

    def _discard(self) -> None:
        """Begin anew: the file is damaged."""
        path, may_delete = self._db.path, not self._db.read_only
        self.close()
        if may_delete and isinstance(path, Path):
            discard_database(path)
        else:
            self.__dict__["_db"] = open_in_memory(VERDICTS_SCHEMA)


def get_rules_version(settings: Settings) -> str:
    """Return what changes when the scanner's rules or weights do, or what is allowed."""
    parts = [__version__, *settings["scan.allow"]]
    further = settings.file("scan.rules")
    for file in [*sorted(SCANNER_DATA.iterdir()), *([further] if further else [])]:
        try:
            status = file.stat()
            parts.append(f"{file.name} {status.st_size} {status.st_mtime_ns}")
        except OSError:  # a further file that is gone: every text is scanned, which says so
            parts.append(f"no {file.name}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
