"""JSON lines of facts."""

from collections.abc import Sequence

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import Dump, FoundItems, text_of


def is_record(item: Item) -> bool:
    """Tell whether an item has a content."""
    return bool(text_of(item.value, "content", "text"))


def read_items(items: Sequence[Item], options: ImportOptions) -> FoundItems:
    """Yield the fields as they are."""
    for item in items:
        yield item, {"content": text_of(item.value, "text"), **item.value}


LAYOUT = Dump("facts", is_record, read_items)
