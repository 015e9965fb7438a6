"""Exports of claude-mem: observations and summaries of sessions."""

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import Dump, ReadItems, get_labels, get_text, get_time, truncate_content

KINDS = {
    "decision": "decision",
    "discovery": "fact",
    "bugfix": "lesson",
    "feature": "context",
    "refactor": "context",
    "change": "context",
}
"""Fact kinds by type of observation."""

SUMMARY_FIELDS = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def is_record(item: Item) -> bool:
    """Return whether an item is an observation or a summary."""
    fields = {"observations": {"narrative", "facts", "title"}, "summaries": set(SUMMARY_FIELDS)}
    return bool(fields.get(item.table, set()) & item.value.keys())


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of observations and of summaries of sessions."""
    for item in items:
        value = item.value
        if item.table == "observations":
            record = _read_observation(value)
        elif item.table == "summaries":
            record = _read_summary(value)
        else:
            yield item, f"it is a record of {item.table}, not a memory"
            continue
        session = get_text(value, "memory_session_id", "sdk_session_id")
        time = get_text(value, "created_at_epoch", "created_at")
        yield (
            item,
            record
            | {
                "id": f"{item.table} {session} {time} {get_text(value, 'title')}",
                "content": truncate_content(record["content"]),
                "session": session,
                "project": get_text(value, "project"),
                "created_at": get_time(value, "created_at", "created_at_epoch"),
            },
        )


def _read_observation(value: Mapping[str, Any]) -> dict[str, Any]:
    kind = get_text(value, "type")
    lines = [get_text(value, "narrative", "text") or get_text(value, "subtitle")]
    lines += [f"- {each}" for each in _list_statements(value.get("facts"))]
    return {
        "kind": KINDS.get(kind, "context"),
        "subtype": kind,
        "title": get_text(value, "title")[:200],
        "content": "\n".join(filter(None, lines)) or get_text(value, "title"),
        "tags": get_labels(value, "concepts"),
    }


def _list_statements(value: object) -> list[str]:
    """Return the statements of a list, a JSON list, or a single text with any commas."""
    if isinstance(value, str):
        statements = get_labels({"x": value}, "x") if value.startswith("[") else [value]
        return [each for each in statements if each.strip()]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _read_summary(value: Mapping[str, Any]) -> dict[str, Any]:
    parts = [f"{name.replace('_', ' ').capitalize()}: {get_text(value, name)}"
             for name in SUMMARY_FIELDS if get_text(value, name)]  # fmt: skip
    return {
        "kind": "summary",
        "title": get_text(value, "request").partition("\n")[0][:200],
        "content": "\n".join(parts),
    }


LAYOUT = Dump("claude-mem", is_record, read_items)
