"""What the scanner found, by content: ``verdicts.sqlite``.

A text is scanned once, wherever it stands and however often it is shown. The file is derived:
without it texts are scanned again. Reading it needs no scanner.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from crewmem import __version__
from crewmem.config import Settings
from crewmem.context import Context
from crewmem.errors import CrewmemError, DamagedError, LockedError
from crewmem.security.findings import Finding, split_name
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

STORED_FIELDS = frozenset({"class_", "category", "rule", "first_line", "last_line", "start", "end"})


Key = tuple[bytes, bool]
"""The hash of a content, and whether it is an own tier's."""


class Whole(NamedTuple):
    """The file that a text is a passage of.

    Attributes:
        sha256: Of its content.
        read: Returns its text.
    """

    sha256: bytes
    read: Callable[[], str]


NO_WHOLES: Mapping[str, Whole] = {}


class Verdicts:
    """The verdicts of a workspace; of trees without a home those of the user's cache."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def rules(self) -> str:
        """By which rules texts are scanned now: other verdicts do not count."""
        return get_rules_version(self._context.settings)

    def scan(
        self,
        texts: Collection[str],
        *,
        own_tier: bool = False,
        wholes: Mapping[str, Whole] = NO_WHOLES,
    ) -> dict[str, list[Finding]]:
        """Return what the scanner finds in each of *texts*; what it has read is not read again.

        Nothing is passed over by `scan.allow`; lines are counted from the beginning of the text.

        Args:
            own_tier: Whether only attacks and secrets are looked for.
            wholes: Of texts that are passages.
        """
        if not texts:
            return {}
        digests = {text: (_digest(text, wholes), own_tier) for text in texts}
        known = self.load([digest for digest, _ in digests.values()])
        new = {
            digest: self._context.scanner.scan(
                text,
                own_tier=own_tier,
                read_whole=wholes[text].read if text in wholes else None,
            )
            for text, digest in digests.items()
            if digest not in known
        }
        self.save(new)
        known |= new
        return {text: known[digest] for text, digest in digests.items()}

    def find_bad_names(self, names: Iterable[str]) -> set[str]:
        """Return the names of files that are attacks: they are shown with the texts."""
        words = {name: split_name(name) for name in names}
        found = self.scan(set(words.values()), own_tier=True)
        return {
            name
            for name, said in words.items()
            if any(finding.class_ == "attack" for finding in found[said])
        }

    def load(self, wanted: Collection[bytes] | None = None) -> dict[Key, list[Finding]]:
        """Return all findings, or those of the hashes *wanted*.

        Findings that an operator may have released are not among them.
        """
        source = "verdicts"
        if wanted is not None:
            source = "json_each(:wanted) join verdicts on sha256 = unhex(value)"
        try:
            rows = self._db.all(
                f"select sha256, own_tier, findings from {source} where rules = :rules",
                {
                    "wanted": json.dumps([each.hex() for each in wanted or ()]),
                    "rules": self.rules,
                },
            )
        except DamagedError:
            self._discard()
            return {}
        pairs = [((digest, bool(own)), findings) for digest, own, findings in rows]
        loaded: dict[Key, list[Finding]] = {key: [] for key, text in pairs if text == NOTHING}
        found = {key: text for key, text in pairs if text != NOTHING}
        if found and not self._context.list_released():  # it reads the review queue: once for all
            for key, text in found.items():
                loaded[key] = [Finding(**each) for each in json.loads(text)]
        return loaded

    def save(self, verdicts: Mapping[Key, list[Finding]]) -> None:
        """Remember findings, as `load` returns them; those by other rules are forgotten."""
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


def _stored_fields(finding: Finding) -> dict[str, str | int]:
    """Return a finding without words of the text, which may be erased."""
    return {name: value for name, value in finding._asdict().items() if name in STORED_FIELDS}


def _digest(text: str, wholes: Mapping[str, Whole]) -> bytes:
    """Return what names a text; a passage is named with its file, by which it was judged."""
    own = text.encode("utf-8", "surrogatepass")
    return sha256(own + wholes[text].sha256 if text in wholes else own).digest()
