"""What the scanner found."""

import re
from typing import NamedTuple

from crewmem.errors import RefusedError


class Finding(NamedTuple):
    """Something that the scanner found.

    Attributes:
        class_: attack, suspicious or secret.
        category: What it is about: override, exfiltration …; of secrets `secret`.
        rule: Id of the rule, as `--allow` and `scan.allow` take it.
        first_line: Counted from 1 in the file (or text).
        start: Offset of the match in the text, *end* is behind it.
        matched: The words that matched; of a secret never more than its kind.
        file: Name of the file, if the caller gave one.
        disguise: What the words were hidden in, or "".
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
        """Return one line for people: where, which rule, which words."""
        place = f"{self.file}:{self.first_line}" if self.file else f"line {self.first_line}"
        disguise = f", hidden as {self.disguise}" if self.disguise else ""
        words = f": {self.matched!r}" if self.matched not in ("", self.rule) else ""
        return f"{place}: {self.class_} ({self.rule}{disguise}){words}"

    def placed(self, file: str, first_line: int) -> "Finding":
        """Return a finding of a text that begins at *first_line* of *file*."""
        return self._replace(
            file=file,
            first_line=self.first_line + first_line - 1,
            last_line=self.last_line + first_line - 1,
        )


def split_name(name: str) -> str:
    r"""Return the words of the name of a file, a line for each directory: it is scanned, too.

    >>> split_name("topics/send-all_keys.md")
    'topics\nsend all keys md'
    """
    return re.sub(r"[_.-]+", " ", name.replace("/", "\n"))


def secret_refused(rule: str, place: str = "the text") -> RefusedError:
    """Return the error for a secret where the setting ``scan.secrets`` refuses them."""
    return RefusedError(
        f"{place} holds a secret ({rule}), which is not stored",
        code="secret-refused",
        hint="leave it out, or name where it is kept",
    )
