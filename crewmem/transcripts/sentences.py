"""What somebody said, sentence by sentence, without what is no speech. Pure."""

from __future__ import annotations

import re

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST, MOST = 12, 600
"""Characters of a sentence that may say something, and of one that is still one."""

SPEECH_MOST = 64 << 10
"""Characters of a turn that are looked at: more is a file that somebody pasted."""

FENCED = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)

QUOTED = re.compile(
    r"^[ \t]*(?:>|\$ |\+\+\+|---|@@|diff --git|Traceback).*$", re.MULTILINE
)
"""Lines that are quoted, typed into a shell, or of a difference."""

BREAK = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(\[]*[^\sa-z])|\n+|(?<=[。！？])")  # noqa: RUF001 - Chinese

LISTED = re.compile(r"^(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[[ xX]\])\s+")
"""What stands before an item of a list, or a heading."""

MARKS_MOST = 3
"""Marks before an item: a quote of a list of boxes has three."""

REASON = re.compile(
    r"(?i)^(?:because|since|so that|the reason|that way|this way|this is so|otherwise"
    r"|it(?:'s| is) because|reason:|why:)\b"
)
"""How a sentence begins that says why of the one before."""


class Sentence(NamedTuple):
    """A sentence.

    Attributes:
        text: In one line, without the mark of a list.
        reason: What follows it and says why; "" for nothing.
    """

    text: str
    reason: str = ""

    @property
    def whole(self) -> str:
        """The sentence with its reason."""
        return f"{self.text} {self.reason}" if self.reason else self.text


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of *text*; code, quotes and what is too long are none."""
    speech = QUOTED.sub("", FENCED.sub("\n", text[:SPEECH_MOST]))
    found = [_bare(each) for each in BREAK.split(speech)]
    found = [each for each in found if each]
    for at, each in enumerate(found):
        if not LEAST <= len(each) <= MOST or REASON.match(each):
            continue
        after = found[at + 1] if at + 1 < len(found) else ""
        reason = after if REASON.match(after) and len(after) <= MOST else ""
        yield Sentence(each, reason)


def _bare(line: str) -> str:
    bare = " ".join(line.split())
    for _ in range(MARKS_MOST):
        bare = LISTED.sub("", bare, count=1)
    return bare.strip("*_ ")
