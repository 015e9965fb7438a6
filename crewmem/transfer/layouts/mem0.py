"""Memories of mem0, from ``get_all`` or an export."""

from collections.abc import Sequence

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import ReadItems, make_dump_layout
from crewmem.transfer.records import Item


def is_record(item: Item) -> bool:
    """Return whether an item has the fields of a mem0 memory."""
    return "memory" in item.value and bool(
        {"id", "hash", "user_id", "created_at"} & item.value.keys()
    )


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of memories; their owners become metadata."""
    for item in items:
        record = item.value
        owners = {name: record.get(name) for name in ("user_id", "agent_id", "app_id")}
        fields = {
            "id": record.text("id"),
            "content": record.text("memory", "data"),
            "tags": record.labels("categories"),
            "metadata": {
                **record.object("metadata"),
                **{name: owner for name, owner in owners.items() if owner},
            },
            "session": record.text("run_id"),
            "created_at": record.time("created_at"),
            "updated_at": record.time("updated_at"),
        }
        yield item, fields


LAYOUT = make_dump_layout("mem0", is_record, read_items)
