"""Memories of mem0, from ``get_all`` or an export."""

from collections.abc import Sequence

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import Dump, ReadItems, get_labels, get_text, get_time, truncate_content


def is_record(item: Item) -> bool:
    """Return whether an item has the fields of a mem0 memory."""
    return "memory" in item.value and bool(
        {"id", "hash", "user_id", "created_at"} & item.value.keys()
    )


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of memories; their owners become metadata."""
    for item in items:
        value = item.value
        metadata = value.get("metadata")
        owner = {name: value[name] for name in ("user_id", "agent_id", "app_id") if value.get(name)}
        yield (
            item,
            {
                "id": get_text(value, "id"),
                "content": truncate_content(get_text(value, "memory", "data")),
                "tags": get_labels(value, "categories"),
                "metadata": {**(metadata if isinstance(metadata, dict) else {}), **owner},
                "session": get_text(value, "run_id"),
                "created_at": get_time(value, "created_at"),
                "updated_at": get_time(value, "updated_at"),
            },
        )


LAYOUT = Dump("mem0", is_record, read_items)
