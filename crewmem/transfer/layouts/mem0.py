"""mem0's memories: what ``get_all`` and exports answer."""

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

NAME = "mem0"


def matches(source: Source) -> bool:
    """Tell whether its records have mem0's fields."""
    return any(
        "memory" in item.value and {"id", "hash", "user_id", "created_at"} & item.value.keys()
        for item in first_items(source)
    )


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its memories as facts; whose they are is noted."""
    contents = Contents(origin="external")
    for item in all_items(source, contents):
        value = item.value
        text = text_of(value, "memory", "data")
        if not text:
            contents.leave_out(item.source, "it has no memory", item.line)
            continue
        metadata = value.get("metadata")
        noted = {name: value[name] for name in ("user_id", "agent_id", "app_id") if value.get(name)}
        key = text_of(value, "id") or text
        record = {
            "id": make_id("mem0", f"{options.crew}/{options.agent}", key),
            "kind": "fact",
            "content": cut_content(text),
            "tags": words_of(value, "categories"),
            "metadata": {**(metadata if isinstance(metadata, dict) else {}), **noted},
            "session": text_of(value, "run_id") or None,
            "created_at": time_of(value, "created_at"),
            "updated_at": time_of(value, "updated_at"),
        }
        contents.facts.append(Record(item.source, item.line, drop_empty(record)))
    return contents
