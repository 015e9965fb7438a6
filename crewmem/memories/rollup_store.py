"""What summaries of days and weeks are made of: found without reading what it says."""

from __future__ import annotations

from crewmem import times
from crewmem.db.connect import explained, fetch
from crewmem.db.where import Where, listed
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.periods import AGING, COLD, WARM
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime, timedelta

    import apsw

WHEN = "max(created_at, coalesce(occurred_at, ''))"
"""From when on a memory ages, as `periods.when` says."""

AGES = f"""
    (kind in {(*sorted(AGING),)}
     or (kind = 'action_item' and state in ('done', 'dropped')))
    and scope = 'agent' and topic_key is null and pin = 'none'
"""
"""Whether a memory is put away with time: details of one agent that nobody holds fast
by a topic or a pin. A test has the same without SQL."""

PUT_AWAY = f"status = 'archived' and expires_at is null and {AGES} and {WHEN} < ?"
"""Whether a memory was put away for its age by now: it takes when that began."""

IS_SUMMED_UP = f"""
    exists (select 1
              from memory_edges e
              join memories told on told.seq = e.src
             where e.dst = memories.seq and e.relation = 'derived_from'
               and told.kind = 'summary'
               and told.status in {LIVE})
"""
"""Whether a summary that can be read holds a memory: one that was refused does not."""


class Aging(NamedTuple):
    """A memory that a summary holds, and that is old enough to stand behind it.

    Attributes:
        status: What it is: active or warm.
        wanted: What it is to be: warm or archived.
    """

    seq: int
    id: str
    title: str
    status: str
    wanted: str


def dated(db: apsw.Connection, workspace: str) -> Iterator[tuple[int, str, str]]:
    """Yield where what is summed up is, whose it is, and from when on it ages.

    Oldest first; "" is the workspace's. What a crew holds is for its members alone,
    what is restricted for its owner, and what has an end is not to be told after it:
    they are in no summary.
    """
    where = _summed_up(workspace)
    where.any_of("status", LIVE)
    sql = f"select seq, agent_id, {WHEN} from memories {where} order by seq"
    with explained(db):
        yield from db.execute(sql, tuple(where.values))


def lines(db: apsw.Connection, seqs: Collection[int]) -> list[str]:
    """Return a line of each of the memories at *seqs*: another if it says another."""
    sql = """
        select id || ' ' || content_hash || ' ' || coalesce(state, 'None')
          from memories
         where seq in (select value from json_each(?))
    """
    return [line for (line,) in fetch(db, sql, (f"[{listed(seqs)}]",))]


def emptied(
    db: apsw.Connection, workspace: str, now: datetime, off: Sequence[str]
) -> list[tuple[int, str]]:
    """Return the place and the topic of each summary that tells nothing any more.

    All of which it was made was forgotten, superseded or closed to others since; what
    was put away for its age stays told. What agents hold that are *off* is left.
    """
    told = Where()
    told.equal("workspace_id", workspace)
    told.any_of("status", LIVE)
    told.holds("kind = 'summary' and origin = 'rollup' and pin = 'none'")
    for slug in off:
        told.holds("agent_id <> ?", slug)
    left = _summed_up(workspace)
    left.holds(f"(status in {LIVE} or ({PUT_AWAY}))", _before(now, COLD))
    sql = f"""
        select seq, topic_key from memories {told}
           and not exists (select 1 from memory_edges e
                            where e.src = memories.seq and e.relation = 'derived_from'
                              and exists (select 1 from memories {left}
                                             and seq = e.dst))
         order by seq
    """
    return fetch(db, sql, (*told.values, *left.values))


def put_away(db: apsw.Connection, seq: int, now: datetime) -> list[int]:
    """Return what the summary at *seq* holds that was put away for its age."""
    sql = f"""
        select seq from memories
         where seq in (select dst from memory_edges
                        where src = ? and relation = 'derived_from')
           and {PUT_AWAY}
         order by seq
    """
    return [each for (each,) in fetch(db, sql, (seq, _before(now, COLD)))]


def aging(
    db: apsw.Connection, workspace: str, now: datetime, off: Sequence[str]
) -> list[Aging]:
    """Return what a summary holds and is to stand behind it by now, oldest first.

    What agents hold that are *off* is left as it is.
    """
    cold = _before(now, COLD)
    where = _summed_up(workspace)
    where.holds("status in ('active', 'warm')")
    where.holds(AGES)
    where.holds(f"{WHEN} <= ?", _before(now, WARM))
    where.holds(f"(status = 'active' or {WHEN} < ?)", cold)
    where.holds(IS_SUMMED_UP)
    for slug in off:
        where.holds("agent_id <> ?", slug)
    sql = f"""
        select seq, id, title, status, iif({WHEN} < ?, 'archived', 'warm')
          from memories
        {where}
         order by seq
    """
    return [Aging(*row) for row in fetch(db, sql, (cold, *where.values))]


def _summed_up(workspace: str) -> Where:
    where = Where()
    where.equal("workspace_id", workspace)
    where.holds("kind <> 'summary'")
    where.holds("sensitivity <> 'restricted'")
    where.holds("scope <> 'crew'")
    where.holds("expires_at is null")
    return where


def _before(now: datetime, span: timedelta) -> str:
    """Return the instant a *span* before *now*; before all, where there is none."""
    try:
        return times.to_text(now - span)
    except OverflowError:
        return ""
