"""Dumps of other programs, whose records are imported as facts."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter
from typing import Any

from crewmem.facts.fact import MAX_CONTENT
from crewmem.ids import is_id
from crewmem.transfer.contents import Contents, ImportOptions, Layout
from crewmem.transfer.import_source import Source
from crewmem.transfer.records import Item, Record, truncate

SAMPLE_SIZE = 20
"""Number of records of each table by which a program's dump is recognised."""

ReadItems = Iterator[tuple[Item, dict[str, Any] | str]]
"""Items, each with the fields of a fact, or the reason why it is left out."""


def make_dump_layout(
    name: str,
    is_record: Callable[[Item], bool],
    read_items: Callable[[Sequence[Item], ImportOptions], ReadItems],
) -> Layout:
    """Return the format of a program's dump.

    Args:
        is_record: Tells whether an item is a record of this program.
        read_items: Yields the fields of items. Their id is the program's own; together with *name*
            it gives the same fact id in every import.
    """

    def matches(source: Source) -> bool:
        """Return whether *source* has records of this program, and is not mostly markdown."""
        if len(source.markdown()) > len(source.json_files()):
            return False
        return any(
            is_record(item)
            for items in source.items.values()
            for _, rows in groupby(items, key=attrgetter("table"))
            for item in islice(rows, SAMPLE_SIZE)
        )

    def read(source: Source, options: ImportOptions) -> Contents:
        """Return the facts of a dump."""
        items = [item for in_file in source.items.values() for item in in_file]
        contents = Contents(origin="external", left_out=list(source.bad_lines))
        for file in source.files.keys() - source.items.keys():
            contents.leave_out(file, "it is neither JSON nor JSON lines")
        for item, result in read_items(items, options):
            if isinstance(result, str):
                contents.leave_out(item.source, result, item.line)
            elif not (result.get("content") or result.get("purged")):
                contents.leave_out(item.source, "it has no text", item.line)
            else:
                fields = Record({k: v for k, v in result.items() if v not in (None, "", [], {})})
                text = fields.text("content")
                if (start := truncate(text)) != text:
                    fields["content"] = start
                    reason = f"only its first {MAX_CONTENT:,} bytes are imported"
                    contents.leave_out(item.source, reason, item.line)
                if "id" in fields and not is_id(str(fields["id"])):
                    fields["id"] = f"{name} {fields['id']}"  # other programs may use it too
                contents.facts.append(item._replace(value=fields))
        return contents

    return Layout(name, matches, read)
