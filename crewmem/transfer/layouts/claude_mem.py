"""claude-mem's export: observations and summaries of sessions."""

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import Dump, FoundItems, cut_content, text_of, time_of, words_of

KINDS = {
    "decision": "decision",
    "discovery": "fact",
    "bugfix": "lesson",
    "feature": "context",
    "refactor": "context",
    "change": "context",
}
"""Types of observations."""

SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def is_record(item: Item) -> bool:
    """Tell whether an item is an observation or a summary."""
    signs = {"observations": {"narrative", "facts", "title"}, "summaries": set(SUMMARY)}
    return bool(signs.get(item.table, set()) & item.value.keys())


def read_items(items: Sequence[Item], options: ImportOptions) -> FoundItems:
    """Yield observations, and summaries of sessions."""
    for item in items:
        value = item.value
        if item.table == "observations":
            record = _read_observation(value)
        elif item.table == "summaries":
            record = _read_summary(value)
        else:
            yield item, f"it is of the {item.table}, not a memory"
            continue
        session = text_of(value, "memory_session_id", "sdk_session_id")
        moment = text_of(value, "created_at_epoch", "created_at")
        yield (
            item,
            record
            | {
                "id": f"{item.table} {session} {moment} {text_of(value, 'title')}",
                "content": cut_content(record["content"]),
                "session": session,
                "project": text_of(value, "project"),
                "created_at": time_of(value, "created_at", "created_at_epoch"),
            },
        )


def _read_observation(value: Mapping[str, Any]) -> dict[str, Any]:
    kind = text_of(value, "type")
    lines = [text_of(value, "narrative", "text") or text_of(value, "subtitle")]
    lines += [f"- {each}" for each in _list_statements(value.get("facts"))]
    return {
        "kind": KINDS.get(kind, "context"),
        "subtype": kind,
        "title": text_of(value, "title")[:200],
        "content": "\n".join(filter(None, lines)) or text_of(value, "title"),
        "tags": words_of(value, "concepts"),
    }


def _list_statements(value: object) -> list[str]:
    """Return statements from a list, or JSON of a list; commas do not separate them."""
    if isinstance(value, str):
        found = words_of({"x": value}, "x") if value.startswith("[") else [value]
        return [each for each in found if each.strip()]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _read_summary(value: Mapping[str, Any]) -> dict[str, Any]:
    parts = [f"{name.replace('_', ' ').capitalize()}: {text_of(value, name)}"
             for name in SUMMARY if text_of(value, name)]  # fmt: skip
    return {
        "kind": "summary",
        "title": text_of(value, "request").partition("\n")[0][:200],
        "content": "\n".join(parts),
    }


LAYOUT = Dump("claude-mem", is_record, read_items)
