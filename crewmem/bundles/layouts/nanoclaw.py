"""NanoClaw's groups: a folder for each chat, and one that all of them share."""

from __future__ import annotations

from crewmem.bundles.layouts.gathered import (
    AGENT_FILE,
    CREW_FILE,
    NO_MARKDOWN,
    NOT_ENTERED,
    Gathering,
    is_markdown,
)
from crewmem.errors.cli import GroupNeededError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source

GROUPS = "groups/"

SHARED = "global"
"""The group that all others read."""

PAGE = "claude.md"


def fits(names: Collection[str], source: Source) -> bool:  # noqa: ARG001 - by names alone
    """Tell whether *names* are those of NanoClaw."""
    return any(
        name.startswith(GROUPS) and name.lower().rpartition("/")[2] == PAGE
        for name in names
    )


def read(source: Source, aim: Aim) -> Reading:
    """Return what one group of *source* holds, and what all of them share.

    Raises:
        GroupNeededError: If there are several, and none or another one was named.
    """
    groups = groups_of(source.sizes)
    if aim.group is not None and aim.group not in {*groups, SHARED}:
        raise GroupNeededError(aim.group, groups)
    if aim.group is None and len(groups) > 1:
        raise GroupNeededError(None, groups)
    wanted = aim.group or next(iter(groups), SHARED)
    gathering = Gathering(source, aim)
    for name in sorted(source.sizes):
        _take(gathering, name, wanted)
    return gathering.reading()


def groups_of(names: Collection[str]) -> list[str]:
    """Return the groups that *names* are in, but the shared one, in order."""
    found = {
        name.removeprefix(GROUPS).partition("/")[0]
        for name in names
        if name.startswith(GROUPS) and name.count("/") > 1
    }
    return sorted(found - {SHARED})


def _take(gathering: Gathering, name: str, wanted: str) -> None:
    group, _, page = name.removeprefix(GROUPS).partition("/")
    if not name.startswith(GROUPS) or not page:
        gathering.leave(name, "it is outside of the groups")
    elif group not in {wanted, SHARED}:
        gathering.leave(name, f"it is of the group {group}")
    elif not is_markdown(name):
        gathering.leave(name, NO_MARKDOWN)
    elif "/" in page:
        gathering.leave(name, NOT_ENTERED)
    elif group == SHARED:
        gathering.take(name, CREW_FILE, is_crew=True)
    else:
        gathering.take(name, AGENT_FILE)
