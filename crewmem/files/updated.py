"""The journal's entry of a version: what became of a memory file. Pure."""

from __future__ import annotations

from crewmem.files.tiers import PRIVATE
from crewmem.files.version import OUTSIDE, REMOVED, UNKNOWN
from crewmem.journal.entry import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.version import New, Version

TYPE = "memory.updated"

ACTOR_TYPES = {"agent": "agent", "lead": "agent", "operator": "user"}
"""Of the journal, by the role of an actor; whoever has none is the system."""


def updated(new: New, version: Version, before: Version | None) -> Draft:
    """Return the entry that tells of *version*, which came after *before*."""
    role, _, name = new.by.partition(":")
    payload: dict[str, object] = {
        "path": new.ref,
        "tier": new.tier,
        "sha256": new.sha256,
        "bytes": new.bytes,
        "operation": new.operation,
        "version_id": version.id,
        "parent": version.parent,
    }
    if new.allowed:
        payload["allowed"] = list(new.allowed)
    if new.secrets:
        payload["secrets"] = list(new.secrets)
    return Draft(
        entry_type=TYPE,
        summary=summary(new, before),
        crew_id=new.crew,
        agent_id=new.agent,
        severity="warn" if new.secrets else "info",
        actor_type=ACTOR_TYPES.get(role, "system"),
        actor_id=name or (new.by if new.by != UNKNOWN else None),
        payload=payload,
    )


def summary(new: New, before: Version | None) -> str:
    """Say in a line what became of the file, as "AGENT.md of mira: 312 bytes added".

    Of what is known of a person it says neither of whom nor how much it is: a summary
    is never erased.
    """
    if new.tier in PRIVATE:
        return f"{card(new.file)}: {_done(new, before)}"
    owner = new.agent if new.ref.startswith("agent:") else new.crew
    what = f"{new.file} of {owner}" if owner else new.file
    told = f"{what}: {_change(new, before)}"
    if new.secrets:
        told += f"; it holds secrets ({', '.join(new.secrets)})"
    return told


def card(file: str) -> str:
    """Call a *file* that is about a person, and name nobody."""
    return f"a card in {file.partition('/')[0]}/"


def _done(new: New, before: Version | None) -> str:
    if new.operation == REMOVED:
        return "removed by other means than crewmem"
    if new.operation == OUTSIDE:
        first = before is None
        return (
            "met for the first time" if first else "changed by other means than crewmem"
        )
    return VERBS.get(new.operation, new.operation)


def _change(new: New, before: Version | None) -> str:
    done = _done(new, before)
    if new.operation == REMOVED:
        return done
    if new.operation == OUTSIDE:
        return f"{done}, {_bytes(new.bytes)}{'' if before is None else ' now'}"
    more = new.bytes - (before.bytes if before else 0)
    if new.operation == "append" and more > 0:
        return f"{_bytes(more)} appended"
    return f"{done}, {_bytes(new.bytes)} now"


VERBS = {
    "append": "appended to",
    "replace": "replaced",
    "restore": "restored",
    "import": "imported",
    "observe": "noted",
    "consolidate": "consolidated",
    "archive": "put away",
    "release": "released from quarantine",
}
"""What was done, as it reads after a file."""


def _bytes(count: int) -> str:
    return f"{count:,} byte" if count == 1 else f"{count:,} bytes"
