"""Settings that were tuned, each time one of them, as it is kept and shown. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

BEGUN, APPLIED, FAILED, BACK = "begun", "applied", "failed", "rolled back"


class Snapshot(NamedTuple):
    """A setting that was tuned.

    Attributes:
        id: c_ and 12 characters.
        at: When.
        workspace: Whose journal tells of it; the setting is of the home.
        actor: Who tuned.
        key: The setting.
        old: What it was.
        new: What it became.
        before: The file of tuned settings before; null if there was none.
        after: The same after it.
        reason: What was better.
        baseline: The run that it was compared with; null if that was not kept.
        candidate: The run that it was applied for; null as well.
        state: begun, applied, failed or rolled back.
        ended_at: When it was rolled back, or failed; null if it was not.
    """

    id: str
    at: datetime
    workspace: str
    actor: str
    key: str
    old: float
    new: float
    before: str | None
    after: str
    reason: str
    baseline: str | None
    candidate: str | None
    state: str
    ended_at: datetime | None = None
