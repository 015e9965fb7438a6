"""Whose memory is off, as a directory says itself.

In a home the registry says so. A container or a backup has none, so it stands in the
agent's directory as well, in a hidden file that names the agent.
"""

from __future__ import annotations

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.files.folders import open_place
from crewmem.files.place import MEMORY
from crewmem.ids import is_slug
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.place import Place

OFF = ".off"
"""The file; where it is, the memory is off."""

TEXT = "{0}\n\nThe memory of {0} is off: crewmem agent set {0} --memory on\n"
"""What it says: whose it is, and what a person should know who finds it."""

BELOW = 7
"""Names of an agent's directory that nobody gave: all that are below a home."""

MOST = 4096
"""Bytes of it that are read."""


def off(place: Place) -> str:
    """Return the agent whose memory is off, as *place* says; "" if it is on."""
    if place.scope is not Scope.AGENT:
        return ""
    try:
        with open_place(place) as root:
            content = disk.read(root, OFF, limit=MOST)
    except CrewmemError:  # whatever is in the way is told by who reads there
        return ""
    slug = content.partition(b"\n")[0].decode("ascii", "replace")
    return place.agent or (slug if is_slug(slug) else place.path.parent.name)


def own_of(place: Place, slug: str) -> Place:
    """Return where *slug* has its own directory, in the crew of a shared *place*."""
    path = place.path.parent.parent / "agents" / slug / MEMORY
    return place._replace(path=path, scope=Scope.AGENT, agent=slug, below=3)


def switch(place: Place, *, on: bool) -> None:
    """Let *place* say that the memory of its agent is *on*, or off.

    Raises:
        NotWritableError: If nothing may be written there.
    """
    with open_place(place) as root:
        if not on:
            disk.write(root, OFF, TEXT.format(place.agent).encode(), mode=0o644)
            return
        try:
            disk.remove(root, OFF)
        except PathMissingError:
            return
