"""JSON lines of facts."""

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, Record
from crewmem.transfer.dumps import all_items, first_items, text_of

NAME = "facts"


def matches(source: Source) -> bool:
    """Tell whether its records have a content."""
    items = first_items(source)
    return bool(items) and any(text_of(item.value, "content", "text") for item in items)


def read(source: Source, options: ImportOptions) -> Contents:
    contents = Contents(origin="external")
    for item in all_items(source, contents):
        value = dict(item.value)
        if "content" not in value:
            value["content"] = text_of(value, "text")
        if value.get("purged") or value["content"]:
            contents.facts.append(Record(item.source, item.line, value))
        else:
            contents.leave_out(item.source, "it has no content", item.line)
    return contents
