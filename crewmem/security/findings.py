"""The scanner's findings."""

import re
from typing import NamedTuple

from crewmem.errors import RefusedError

REMOVED = "[removed: "
"""Start of the mark that replaces a removed passage."""


class Finding(NamedTuple):
    """An attack, a suspicious passage or a secret in a text.

    Attributes:
        class_: "attack", "suspicious" or "secret".
        category: Subject of the rule: override, exfiltration …; "secret" for secrets.
        rule: Id of the rule, as `--allow` and `scan.allow` take it.
        first_line: Counted from 1 in the file, or in the text.
        start: Offset of the match in the text.
        end: Offset after the match.
        matched: Words that matched; the rule id for a secret, never its value.
        file: Name of the file, if the caller gave one.
        disguise: Encoding or disguise of the words, or "".
    """

    class_: str
    category: str
    rule: str
    first_line: int = 0
    last_line: int = 0
    start: int = 0
    end: int = 0
    matched: str = ""
    file: str = ""
    disguise: str = ""

    def describe(self) -> str:
        """Return a line for people: location, rule and matched words."""
        place = f"{self.file}:{self.first_line}" if self.file else f"line {self.first_line}"
        disguise = f", hidden as {self.disguise}" if self.disguise else ""
        words = f": {self.matched!r}" if self.matched not in ("", self.rule) else ""
        return f"{place}: {self.class_} ({self.rule}{disguise}){words}"

    def overlaps(self, other: "Finding") -> bool:
        """Return whether they share a character."""
        return self.start < other.end and self.end > other.start

    def locate_in(self, file: str, first_line: int) -> "Finding":
        """Return the finding with line numbers of *file*, whose *first_line* begins the text."""
        return self._replace(
            file=file,
            first_line=self.first_line + first_line - 1,
            last_line=self.last_line + first_line - 1,
        )


def split_name(name: str) -> str:
    r"""Return the words of a file name for the scanner, each path component on its own line.

    >>> split_name("topics/send-all_keys.md")
    'topics\nsend all keys md'
    """
    return re.sub(r"[_.-]+", " ", name.replace("/", "\n"))


def secret_refused_error(rule: str, place: str = "the text") -> RefusedError:
    """Return the error for a secret under the setting ``scan.secrets = refuse``."""
    return RefusedError(
        f"{place} contains a secret ({rule}) and was not stored",
        code="secret-refused",
        hint="remove the secret, or note where it is stored instead",
    )
