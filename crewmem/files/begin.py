"""Recording the pages that members of a crew are given, as versions of these files."""

from __future__ import annotations

from crewmem.digests import sha256
from crewmem.files.folders import open_place
from crewmem.files.homed import homed
from crewmem.files.place import MEMORY
from crewmem.files.put import present
from crewmem.files.tiers import tier_of
from crewmem.files.version import New, owner_of
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from crewmem.files.history import History
    from crewmem.files.place import Place

OPERATION = "add"
"""What the versions call it. There is no entry in the journal: nothing is said yet."""


def begin_all(
    home: Path,
    pages: Mapping[str, bytes],
    history_of: Callable[[str], History],
    *,
    by: str,
    now: datetime,
    again: bool = False,
) -> None:
    """Record that *pages* were made, by their paths below *home*, as `begin` does.

    *history_of* returns the versions of a workspace. What is in no memory directory
    is left out.
    """
    for path, page in pages.items():
        above, mark, file = path.partition(f"/{MEMORY}/")
        found = homed(home, home / above / MEMORY) if mark else None
        if found:
            history = history_of(found.workspace)
            begin(found.place, file, page, history, by=by, now=now, again=again)


def begin(
    place: Place,
    file: str,
    page: bytes,
    history: History,
    *,
    by: str,
    now: datetime,
    again: bool = False,
) -> None:
    """Record that *file* of *place* was made as *page*, if it is that and has none yet.

    *again* tells that it may have had some: it was lost, and is there anew.

    Raises:
        DiskError: If the disk is full or fails.
    """
    with open_place(place) as root:
        if present(root, file) != page:
            return
    tier = tier_of(file, workspace=place.scope is Scope.WORKSPACE)
    crew, agent = owner_of(place, tier)
    new = New(
        ref=place.ref(file),
        crew=crew,
        agent=agent,
        file=file,
        tier=tier,
        sha256=sha256(page),
        bytes=len(page),
        kept=history.keep_as_is(page),
        by=by,
        operation=OPERATION,
        at=now,
        is_event=False,
    )
    if again:
        history.record_changes([new])
    else:
        history.record_first(new)
