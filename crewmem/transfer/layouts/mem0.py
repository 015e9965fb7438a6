"""mem0's memories, from ``get_all`` or an export."""

from collections.abc import Sequence

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import Dump, FoundItems, cut_content, text_of, time_of, words_of


def is_record(item: Item) -> bool:
    """Tell whether an item has mem0's fields."""
    return "memory" in item.value and bool(
        {"id", "hash", "user_id", "created_at"} & item.value.keys()
    )


def read_items(items: Sequence[Item], options: ImportOptions) -> FoundItems:
    """Yield the memories; their owner is recorded."""
    for item in items:
        value = item.value
        metadata = value.get("metadata")
        noted = {name: value[name] for name in ("user_id", "agent_id", "app_id") if value.get(name)}
        yield (
            item,
            {
                "id": text_of(value, "id"),
                "content": cut_content(text_of(value, "memory", "data")),
                "tags": words_of(value, "categories"),
                "metadata": {**(metadata if isinstance(metadata, dict) else {}), **noted},
                "session": text_of(value, "run_id"),
                "created_at": time_of(value, "created_at"),
                "updated_at": time_of(value, "updated_at"),
            },
        )


LAYOUT = Dump("mem0", is_record, read_items)
