"""Exports of claude-mem: observations and summaries of sessions."""

from collections.abc import Sequence

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import ReadItems, make_dump_layout
from crewmem.transfer.records import Item

KINDS = {
    "decision": "decision",
    "discovery": "fact",
    "bugfix": "lesson",
    "feature": "context",
    "refactor": "context",
    "change": "context",
}
"""Fact kinds by type of observation."""

SUMMARIES = ("summaries", "session_summaries")
"""Names of the summaries: in an export, and of their table."""

SUMMARY_FIELDS = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def is_record(item: Item) -> bool:
    """Return whether an item is an observation or a summary."""
    if item.table in SUMMARIES:
        return not item.value.keys().isdisjoint(SUMMARY_FIELDS)
    is_observation = not item.value.keys().isdisjoint({"narrative", "facts", "title"})
    return item.table == "observations" and is_observation


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of observations and of summaries of sessions."""
    for item in items:
        record = item.value
        subtype, title = "", record.title("title")
        if item.table == "observations":
            subtype = record.text("type")
            kind = KINDS.get(subtype, "context")
            statements = record.get("facts")
            if isinstance(statements, str) and not statements.startswith("["):
                statements = [statements]  # one, with any commas
            elif not isinstance(statements, list):
                statements = record.labels("facts")
            lines = [record.text("narrative", "text", "subtitle")]
            lines += [f"- {each}" for each in statements if isinstance(each, str) and each]
            content = "\n".join(filter(None, lines)) or title
        elif item.table in SUMMARIES:
            kind, title = "summary", record.text("request").partition("\n")[0][:200]
            content = "\n".join(
                f"{name.replace('_', ' ').capitalize()}: {record.text(name)}"
                for name in SUMMARY_FIELDS
                if record.text(name)
            )
        else:
            yield item, f"it is a record of {item.table}, not a memory"
            continue
        session = record.text("memory_session_id", "sdk_session_id")
        time = record.text("created_at_epoch", "created_at")
        fields = {
            # Observations of one answer have the same session and time, and may have no title.
            "id": f"{item.table} {session} {time} {record.text('title')} {content}",
            "kind": kind,
            "subtype": subtype,
            "title": title,
            "content": content,
            "tags": record.labels("concepts"),
            "session": session,
            "project": record.text("project"),
            "created_at": record.time("created_at", "created_at_epoch"),
        }
        yield item, fields


LAYOUT = make_dump_layout("claude-mem", is_record, read_items)
