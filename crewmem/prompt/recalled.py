"""What was found, as it is laid before a model. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.prompt.recalled_text import quoted
from crewmem.prompt.render import AGENTS, OWN, SHARED, Hint
from crewmem.recall.recall import is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from crewmem.episodes.hit import Hit as Episode
    from crewmem.files.hit import Hit as Chunk
    from crewmem.memories.hit import Hit as Memory
    from crewmem.recall.index import Line


def of_chunk(
    hit: Chunk,
    text: str,
    *,
    now: datetime,
    agent: str | None,
    program: str,
    tree: str = "",
) -> Hint:
    """Return a chunk of a memory file, which says *text*.

    Args:
        now: When it is laid before the model.
        agent: Whose recall it is; None: a person's.
        program: The command that reads it, up to its verb.
        tree: The directory that was named, if one was.
    """
    where = f" --path {quoted(tree)}" if tree else ""
    title = "" if hit.title == hit.file else f"{hit.title}: "
    return Hint(
        ref=hit.ref,
        kind=hit.tier,
        text=f"{title}{text}",
        group=group_of(hit, agent),
        about=(times.ago(hit.at, now),),
        read=f"{program} memory read{where} {quoted(hit.ref)}",
    )


def of_episode(hit: Episode, *, now: datetime, agent: str | None, program: str) -> Hint:
    """Return an episode, as `of_chunk` does."""
    along = (f"like {hit.why.along}",) if hit.why.along else ()
    group = group_of(hit, agent)
    # An agent looks at its own entries, unless it says otherwise.
    scope = " --scope crew" if group == SHARED else ""
    return Hint(
        ref=hit.ref,
        kind=hit.entry_type,
        text=hit.summary,
        group=group,
        about=(times.ago(hit.at, now), *along),
        read=f"{program} journal get{scope} {quoted(hit.ref)}",
    )


def of_memory(hit: Memory, *, now: datetime, agent: str | None, program: str) -> Hint:
    """Return a memory, as `of_chunk` does; a correction that is shared comes first."""
    votes = [("confirmed", hit.up), ("!contradicted", hit.down)]
    group = group_of(hit, agent)
    stale = (hit.status,) if hit.status == "stale" else ()
    return Hint(
        ref=hit.ref,
        kind=hit.kind,
        text=hit.content.strip(),
        group=group,
        about=(
            times.ago(hit.at, now),
            *(f"{said} {count}" for said, count in votes if count),
            *stale,
        ),
        read=f"{program} get {quoted(hit.ref)}",
        leads=group == SHARED and hit.kind == "correction",
    )


def group_of(hit: Chunk | Episode | Memory | Line, agent: str | None) -> str:
    """Return whose *hit* is, for *agent*; a person has no memory of its own."""
    if is_own(hit, agent):
        return OWN
    return AGENTS if agent is None and hit.scope == "agent" else SHARED


def of_line(
    line: Line, *, now: datetime, zone: tzinfo, agent: str | None, program: str
) -> Hint:
    """Return a line of an index, whose age is in days: it stays as it is all day."""
    days = (times.day(now, zone) - times.day(line.at, zone)).days
    verb = {"files": "memory read", "memories": "get"}.get(line.store, "journal get")
    return Hint(
        ref=line.ref,
        kind=line.kind,
        text=line.title,
        group=group_of(line, agent),
        about=("today" if days <= 0 else f"{days} d ago",),
        read=f"{program} {verb} {quoted(line.ref)}",
    )
