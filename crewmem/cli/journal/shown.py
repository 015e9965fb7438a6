"""How entries of the journal are shown to a person."""

from __future__ import annotations

from crewmem import times
from crewmem.cli.output import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crewmem.cli.output import Line
    from crewmem.journal.entry import Entry

SUMMARY_SHOWN = 100
"""Characters of a summary in a listing; `journal get` shows it whole."""

CUT = "what is behind the first 65,536 characters of a payload is not found by words"
"""Said where there is more. As many as journal/payload_text.py has; a test compares."""

STYLES = {"warn": "warn", "error": "bad"}
"""How a severity looks that should be seen."""


def entries_table(entries: Sequence[Entry], names: Mapping[str, str]) -> Table:
    """Return a row for each entry; *names* are prefixes of ids that suffice."""
    return Table(
        ("ID", "TIME", "SEVERITY", "PRIORITY", "AGENT", "TYPE", "SUMMARY"),
        [
            (
                names.get(each.id, each.id),
                times.to_text(each.ts),
                each.severity,
                "" if each.priority == "normal" else each.priority,
                each.agent_id or each.crew_id or "-",
                each.entry_type,
                cut(each.summary),
            )
            for each in entries
        ],
    )


def followed_line(entry: Entry) -> Line:
    """Return the line of an entry that has just come."""
    who = entry.agent_id or entry.crew_id or "-"
    return [
        ("dim", times.to_text(entry.ts)),
        f"  {entry.id}  ",
        (STYLES.get(entry.severity, ""), f"{entry.severity:6}"),
        f"  {who}  ",
        ("path", entry.entry_type),
        f"  {cut(entry.summary)}",
    ]


def entry_lines(entry: Entry) -> Iterator[Line]:
    """Yield everything that there is to know of an entry."""
    yield [("bold", entry.id), f"  {entry.summary}"]
    facts = {
        "type": entry.entry_type,
        "time": times.to_text(entry.ts),
        "severity": entry.severity,
        "priority": entry.priority,
        "crew": entry.crew_id,
        "agent": entry.agent_id,
        "mission": entry.mission_id,
        "actor": f"{entry.actor_type}:{entry.actor_id or '-'}",
        "session": entry.trace_id,
        "step": entry.span_id,
        "expires": times.to_text(entry.expires_at) if entry.expires_at else None,
        "archived": times.to_text(entry.archived_at) if entry.archived_at else None,
        "place": str(entry.seq),
        "hash": entry.entry_hash,
    }
    for name, value in facts.items():
        if value is not None:
            yield [("dim", f"  {name:9}"), f" {value}"]
    for name, record in (("payload", entry.payload), ("refs", entry.refs)):
        if record:
            yield [("dim", f"  {name}")]
            yield from _json_lines(record)


def _json_lines(record: Mapping[str, object]) -> Iterator[Line]:
    import json

    text = json.dumps(record, ensure_ascii=False, indent=2)
    yield from (f"    {line}" for line in text.splitlines())


def entries(count: int) -> str:
    """Return *count* with the word for it."""
    return "1 entry" if count == 1 else f"{count:,} entries"


def cut(text: str) -> str:
    """Return *text* in a line, as much of it as a listing shows."""
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_SHOWN else f"{line[: SUMMARY_SHOWN - 1]}…"
