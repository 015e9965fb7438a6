"""How memories are shown to a person."""

from __future__ import annotations

from crewmem import times
from crewmem.cli.output import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.cli.output import Line, Output
    from crewmem.memories.held import Held, History
    from crewmem.memories.hit import Hit
    from crewmem.memories.memory import Memory


def memories_table(listed: Sequence[Held], names: Mapping[str, str]) -> Table:
    """Return a row for each memory; *names* are prefixes of ids that suffice."""
    return Table(
        ("ID", "KIND", "IMP", "CONF", "OWNER", "STATUS", "CHANGED", "TITLE"),
        [
            (
                names.get(each.memory.id, each.memory.id),
                each.memory.kind,
                str(each.memory.importance),
                f"{each.trust.confidence:.2f}",
                str(each.memory.owner),
                _status(each.memory),
                times.to_text(each.memory.updated_at)[:10],
                each.memory.title,
            )
            for each in listed
        ],
        right=frozenset({"IMP", "CONF"}),
    )


def _status(memory: Memory) -> str:
    status = memory.state or memory.status
    return status if memory.pin == "none" else f"{status} ({memory.pin})"


def memory_lines(each: Held, now: datetime) -> Iterator[Line]:
    """Yield everything that there is to know of a memory."""
    memory, trust = each.memory, each.trust
    yield [("bold", memory.id), f"  [{memory.kind}] {memory.title}"]
    if memory.content.strip() != memory.title:
        yield from (f"  {line}" for line in memory.content.strip().splitlines())
    votes = f" ({trust.up} for, {trust.down} against)" if trust.up + trust.down else ""
    facts = {
        "owner": f"{memory.scope} {memory.owner}"
        if memory.scope != "workspace"
        else "workspace",
        "status": memory.status,
        "state": memory.state,
        "pinned": None if memory.pin == "none" else memory.pin,
        "trust": f"{trust.confidence:.2f}{votes}",
        "quality": None if each.quality is None else f"{each.quality:.2f}",
        "weight": f"importance {memory.importance}, {each.retention:.0%} left",
        "topic": memory.topic_key,
        "tags": ", ".join(memory.tags) or None,
        "about": ", ".join(memory.entities) or None,
        "happened": _time(memory.occurred_at),
        "expires": _time(memory.expires_at),
        "for": "restricted" if memory.sensitivity == "restricted" else None,
        "replaced": memory.superseded_by,
        "said in": ", ".join(map(_said_in, memory.source_spans)) or None,
        "written": f"{times.ago(memory.created_at, now)} by {memory.created_by}",
    }
    for name, value in facts.items():
        if value is not None:
            yield [("dim", f"  {name:9}"), f" {value}"]


def _said_in(span: Mapping[str, object]) -> str:
    return f"{span.get('file', '?')}:{span.get('line', '?')}"


def hit_lines(
    out: Output, hit: Hit, now: datetime, *, explain: bool = False
) -> Iterator[Line]:
    """Yield a memory that was found, for a terminal, or as ``id: snippet``."""
    from crewmem.cli.hits import pieces, unmarked

    if out.format != "table":
        yield f"{hit.ref}: {unmarked(hit)}"
    else:
        yield [
            ("path", hit.ref),
            ("dim", f"  {hit.owner or hit.scope}  {times.ago(hit.at, now)}"),
            ("bold", f"  {hit.kind}  {hit.title}"),
        ]
        yield ["  ", *pieces(hit)]
    if explain:
        why = hit.why
        yield [
            ("dim", f"    score {hit.score:.3f}  relevance {hit.relevance:.2f}  "),
            ("dim", f"words {why.words:.3f}  prior {why.prior:.3f}  "),
            ("dim", f"engram {why.engram:.3f}  terms {', '.join(why.terms) or '-'}"),
        ]


def _time(instant: datetime | None) -> str | None:
    return times.to_text(instant) if instant else None


def history_lines(told: History, now: datetime) -> Iterator[Line]:
    """Yield what became of a memory, the latest last."""
    yield [("bold", told.memory.id), f"  [{told.memory.kind}] {told.memory.title}"]
    for revision in told.revisions:
        age = times.ago(revision.replaced_at, now)
        why = f": {revision.reason}" if revision.reason else ""
        yield [("dim", f"  said before, up to {age}, {revision.replaced_by}{why}")]
        yield from (f"    {line}" for line in revision.content.strip().splitlines())
    for vote in told.votes:
        style, word = ("good", "for") if vote.is_up else ("bad", "against")
        why = f": {vote.reason}" if vote.reason else ""
        age = times.ago(times.from_text(vote.at), now)
        yield ["  ", (style, f"{word:8}"), f"{vote.actor}, {age}{why}"]
    for edge in told.edges:
        weight = f" ({edge.weight:.2f})" if edge.relation == "similar" else ""
        yield f"  {edge.source} {edge.relation} {edge.target}{weight}"
    yield ["  ", ("dim", "now     "), told.memory.state or told.memory.status]


def changed_line(memory: Memory, said: str) -> Line:
    """Return the line that says what became of *memory*."""
    return [("bold", memory.id), f" {said}: {memory.title}"]
