"""claude-mem's export: observations and summaries of sessions."""

from typing import Any

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, Record
from crewmem.transfer.dumps import (
    all_items,
    cut_content,
    drop_empty,
    first_items,
    make_id,
    text_of,
    time_of,
    words_of,
)

NAME = "claude-mem"

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


def matches(source: Source) -> bool:
    """Tell whether it has observations or summaries."""
    return any(
        (item.table == "observations" and {"narrative", "facts", "title"} & item.value.keys())
        or (item.table == "summaries" and set(SUMMARY) & item.value.keys())
        for item in first_items(source)
    )


def read(source: Source, options: ImportOptions) -> Contents:
    """Return observations, and summaries of sessions, as facts."""
    contents = Contents(origin="external")
    for item in all_items(source, contents):
        value = item.value
        if item.table == "observations":
            record = _read_observation(value)
        elif item.table == "summaries":
            record = _read_summary(value)
        else:
            contents.leave_out(item.source, f"it is of the {item.table}, not a memory", item.line)
            continue
        if not record["content"]:
            contents.leave_out(item.source, "it has no text", item.line)
            continue
        key = f"{item.table}\0{text_of(value, 'memory_session_id', 'sdk_session_id')}"
        key += f"\0{text_of(value, 'title')}\0{text_of(value, 'created_at_epoch', 'created_at')}"
        record |= {
            "id": make_id("claude-mem", f"{options.crew}/{options.agent}", key),
            "content": cut_content(record["content"]),
            "session": text_of(value, "memory_session_id", "sdk_session_id") or None,
            "project": text_of(value, "project") or None,
            "created_at": time_of(value, "created_at", "created_at_epoch"),
        }
        contents.facts.append(Record(item.source, item.line, drop_empty(record)))
    return contents


def _read_observation(value: dict[str, Any]) -> dict[str, Any]:
    kind = text_of(value, "type")
    lines = [text_of(value, "narrative", "text") or text_of(value, "subtitle")]
    lines += [f"- {each}" for each in words_list(value.get("facts"))]
    text = "\n".join(line for line in lines if line)
    return {
        "kind": KINDS.get(kind, "context"),
        "subtype": kind,
        "title": text_of(value, "title")[:200],
        "content": text or text_of(value, "title"),
        "tags": words_of(value, "concepts"),
    }


def words_list(value: object) -> list[str]:
    """Return statements: a list, or JSON of one; commas in them stay."""
    if isinstance(value, str):
        found = words_of({"x": value}, "x") if value.startswith("[") else [value]
        return [each for each in found if each.strip()]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _read_summary(value: dict[str, Any]) -> dict[str, Any]:
    parts = [f"{name.replace('_', ' ').capitalize()}: {text_of(value, name)}"
             for name in SUMMARY if text_of(value, name)]  # fmt: skip
    return {
        "kind": "summary",
        "title": text_of(value, "request").partition("\n")[0][:200],
        "content": "\n".join(parts),
    }
