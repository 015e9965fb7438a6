"""Letting episodes and memories fade, as ``decay --apply`` and the nightly job do."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


class Decayed(NamedTuple):
    """What a decay did.

    Attributes:
        episodes: How many were computed anew.
        memories: How many were delivered since the last time: from now on that counts
            for their rank.
        running: Whether another one was running, so that this did nothing.
    """

    episodes: int
    memories: int = 0
    running: bool = False


def decayed(app: App) -> Decayed:
    """Compute the importance of all episodes anew, and settle what was delivered.

    Of all workspaces, unless one was named. Done again it changes nothing.
    """
    from crewmem.db.truth import NAME
    from crewmem.episodes.decay import decay
    from crewmem.episodes.store import Episodes
    from crewmem.memories.accesses_store import settle
    from crewmem.scope import Reach

    if app.given.get("workspace"):
        if not app.journal_to_read:
            return Decayed(0)
        owners = Episodes(app.truth).owners(Reach(app.workspace))
        done = decay(Episodes(app.truth), now=app.now, owners=owners)
        return Decayed(done.episodes, settle(app.truth, app.workspace))
    if not (app.home / NAME).exists():
        return Decayed(0)
    done = decay(Episodes(app.truth), now=app.now)
    return Decayed(done.episodes, settle(app.truth))
