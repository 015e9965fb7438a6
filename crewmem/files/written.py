"""What a write is done with, and what it comes to. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from crewmem.files.caps import Caps
    from crewmem.files.history import History
    from crewmem.files.indexed import Access
    from crewmem.journal.store import Journal
    from crewmem.scope import Scope, Sight
    from crewmem.threats.rule import Scan


class Means(NamedTuple):
    """What a write is done with.

    Attributes:
        by: Who writes, as text.
        scan: What looks for attacks and secrets.
        history: Where versions are kept; None where the directory is not in the home.
        allow: Rules of the scanner that an operator lets pass.
        journal: The journal of that history.
        workspace: Whose journal it is.
        off: Agents whose memory is switched off.
        indexes: Whether each write is followed by bringing the index up to date; who
            writes many files does that once, at the end.
    """

    sight: Sight
    by: str
    now: datetime
    caps: Caps
    access: Access
    scan: Scan
    history: History | None = None
    allow: frozenset[str] = frozenset()
    journal: Journal | None = None
    workspace: str = ""
    off: frozenset[str] = frozenset()
    indexes: bool = True


class Written(NamedTuple):
    """What became of a memory file.

    Attributes:
        ref: Its name, whatever directory is asked.
        scope: Agent, crew or workspace.
        owner: Whose it is, as ``crew/agent``; "" if unknown.
        path: The file on disk.
        file: The file below its memory directory.
        tier: What kind of memory file it is.
        operation: append, replace, restore, import, observe, consolidate or release.
        changed: Whether it says something else now; if not, nothing was written.
        dry_run: Whether all of this is only what would become of it.
        bytes: What it has now.
        before_bytes: What it had.
        cap: Most bytes of a file of its tier; None if it has none.
        usage: The bytes and the cap, as 3900 of 4000 bytes, 97%.
        share: Of the cap; None without a cap.
        sha256: The hash of what it holds, for --expect.
        version: The id of its version; None where none was recorded.
        parent: The id of the version before; None if there is none.
        recorded: Whether there is a version and an entry in the journal.
        indexed: Whether a search finds what it says without looking at it first.
        notes: What was not done, and why.
        findings: What looks suspicious in it, and was written.
        allowed: Rules that an operator let pass.
        projected: From 80 % of the cap on its bytes, as a refusal has them.
        current_entries: From 80 % of the cap on what it says, to be tidied up.
        advice: How to do that, at once; "" below.
    """

    ref: str
    scope: Scope
    owner: str
    path: Path
    file: str
    tier: str
    operation: str
    changed: bool
    dry_run: bool
    bytes: int
    before_bytes: int
    cap: int | None
    usage: str
    share: float | None
    sha256: str
    version: str | None
    parent: str | None
    recorded: bool
    indexed: bool
    notes: tuple[str, ...]
    findings: tuple[str, ...]
    allowed: tuple[str, ...]
    projected: int | None
    current_entries: str | None
    advice: str
