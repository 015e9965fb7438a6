"""Facts as JSON lines."""

from collections.abc import Sequence

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import ReadItems, make_dump_layout
from crewmem.transfer.records import Item

MESSAGE_FIELDS = {"role", "sessionId"}
"""Fields of messages in session logs, which `sessions` reads."""


def is_record(item: Item) -> bool:
    """Return whether an item has a text, and is not a message of a session log."""
    return bool(item.value.text("content", "text")) and not MESSAGE_FIELDS & item.value.keys()


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of each item unchanged; ``text`` is also accepted as ``content``."""
    for item in items:
        fields = item.value
        yield item, fields if "content" in fields else {**fields, "content": fields.text("text")}


LAYOUT = make_dump_layout("facts", is_record, read_items)
