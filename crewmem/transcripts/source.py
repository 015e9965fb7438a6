"""A log that was found, and whose it is. Pure."""

from __future__ import annotations

from crewmem.ids import is_slug
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PACKED = ".zst"
"""The end of a log that is compressed: it is the same log without it."""

COUNTS = "sessions.json"
"""Where OpenClaw counts how often each session lost context: nothing is said in it."""

DATABASE = ".sqlite"
"""The end of a database that holds sessions."""


class Source(NamedTuple):
    """A log.

    Attributes:
        root: The directory that was looked in.
        path: Below it.
        harness: The program whose directory that is; "" if somebody named it.
        whose: What the program calls the agent; "" if it knows none.
        size: Bytes of it.
        mtime_ns: When it was last changed.
        device: With the next, by which the system knows it.
        inode: As above.
    """

    root: str
    path: str
    harness: str
    whose: str
    size: int
    mtime_ns: int
    device: int
    inode: int

    @property
    def file(self) -> str:
        """Where it is."""
        return f"{self.root}/{self.path}"

    @property
    def name(self) -> str:
        """By what it is known, whether it is compressed or not."""
        return self.file.removesuffix(PACKED)

    @property
    def is_packed(self) -> bool:
        """Tell whether it is compressed."""
        return self.path.endswith(PACKED)

    @property
    def is_database(self) -> bool:
        """Tell whether it is a database of sessions."""
        return self.path.endswith(DATABASE)

    @property
    def is_count(self) -> bool:
        """Tell whether it only counts how often sessions lost context."""
        return self.path.endswith(COUNTS)


class Refused(NamedTuple):
    """What was not looked into.

    Attributes:
        path: Where it is.
        why: Why.
    """

    path: str
    why: str


Owners = dict[str, str]
"""Slugs of agents by what names their logs: a program, a program and its agent as
openclaw/main, or a directory that is worked in."""


def owners(text: str, workspace: str, *, is_usual: bool) -> Owners:
    """Return whose logs are whose in *workspace*, of pairs as ``claude=winch``.

    A pair may name a workspace, as ``claude=lab/winch``; one that names none counts
    where that *is usual*. The last pair of a name counts.
    """
    found: Owners = {}
    for each in text.split():
        key, _, whom = each.rpartition("=")
        where, _, slug = whom.rpartition("/")
        if where == workspace or (not where and is_usual):
            found[key.rstrip("/") or "/"] = slug
    return found


def owner(
    harness: str, whose: str, project: str, known: Mapping[str, str]
) -> str | None:
    """Return whose a log is: the agent that was named for it, else nobody.

    The nearest directory above *project* counts most, then what the program calls its
    agent, then the program.
    """
    folder = project.rstrip("/")
    while folder.startswith("/"):
        if folder in known:
            return known[folder]
        folder = folder.rpartition("/")[0]
    if whose and f"{harness}/{whose}" in known:
        return known[f"{harness}/{whose}"]
    if harness in known:
        return known[harness]
    return whose.lower() if is_slug(whose.lower()) else None
