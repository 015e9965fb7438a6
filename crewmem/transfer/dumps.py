"""Dumps of other programs, whose records are imported as facts."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.facts.fact import KIND_SYNONYMS, KINDS, MAX_CONTENT
from crewmem.ids import is_id
from crewmem.times import format_time, normalize_time
from crewmem.transfer.archive import Item, Source
from crewmem.transfer.contents import Contents, ImportOptions

# Fields of records


def get_text(record: Mapping[str, Any], *names: str) -> str:
    """Return the first text or number among the fields *names*, as text; "" for none."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return ""


def get_labels(record: Mapping[str, Any], *names: str) -> list[str]:
    """Return the labels in the fields *names*: lists, JSON lists, or comma-separated words."""
    all_labels: list[str] = []
    for name in names:
        labels = record.get(name)
        if isinstance(labels, str):
            try:
                labels = json.loads(labels) if labels.startswith("[") else labels.split(",")
            except ValueError:
                labels = [labels]
        if isinstance(labels, list):
            texts = [each for each in labels if isinstance(each, str)]
            all_labels += [" ".join(text.split())[:100] for text in texts]
    return list(dict.fromkeys(label for label in all_labels if label))


def get_time(record: Mapping[str, Any], *names: str) -> str | None:
    """Return the first time among the fields *names*: text, Unix seconds or milliseconds."""
    for name in names:
        value = record.get(name)
        try:
            if isinstance(value, str) and value.strip():
                return normalize_time(value)
            if isinstance(value, int | float) and not isinstance(value, bool) and value:
                seconds = value / 1000 if abs(value) > 1e11 else value
                return format_time(datetime.fromtimestamp(seconds, UTC))
        except (ValueError, OverflowError, OSError, CrewmemError):
            continue
    return None


def get_number(record: Mapping[str, Any], name: str, default: float) -> float:
    """Return the field *name* as a finite number, or *default*."""
    value = record.get(name)
    try:
        number = float(value) if value is not None and not isinstance(value, bool) else default
    except (TypeError, ValueError, OverflowError):
        return default
    return number if isfinite(number) else default


def map_kind(word: str, default: str = "fact") -> tuple[str, str]:
    """Map another program's kind to a fact kind and a subtype.

    >>> map_kind("bugfix", "context")
    ('context', 'bugfix')
    """
    kind = word.strip().lower().replace("-", "_").replace(" ", "_")
    if not kind or kind in KINDS:
        return kind or default, ""
    return KIND_SYNONYMS.get(kind, default), kind[:60]


def make_topic_key(text: str) -> str | None:
    """Convert a key of another program to a topic key; None if nothing remains."""
    key = "".join(each if each.isalnum() or each in "_./-" else "-" for each in text.strip())
    return key.strip("-/")[:120] or None


def truncate_content(text: str) -> str:
    """Truncate a text to the maximum length of a fact."""
    encoded = text.encode("utf-8", "replace")
    return (
        text
        if len(encoded) <= MAX_CONTENT
        else encoded[: MAX_CONTENT - 4].decode("utf-8", "ignore")
    )


# Layouts


ReadItems = Iterator[tuple[Item, dict[str, Any] | str]]
"""Items, each with the fields of a fact, or the reason why it is left out."""


@dataclass(frozen=True, slots=True)
class Dump:
    """The format of a program's dump.

    Attributes:
        NAME: Name of the format in plans.
        is_record: Tells whether an item is a record of this program.
        read_items: Yields the fields of items. Their id is the program's own; together with NAME
            it gives the same fact id in every import.
    """

    NAME: str
    is_record: Callable[[Item], bool]
    read_items: Callable[[Sequence[Item], ImportOptions], ReadItems]

    def matches(self, source: Source) -> bool:
        """Return whether *source* has records of this program, and is not mostly markdown."""
        if len(source.markdown()) > len(source.json_files()):
            return False
        sample = (item for items in list(source.items.values())[:20] for item in items[:20])
        return any(map(self.is_record, sample))

    def read(self, source: Source, options: ImportOptions) -> Contents:
        """Return the facts of a dump."""
        items = [item for in_file in source.items.values() for item in in_file]
        contents = Contents(origin="external", left_out=list(source.bad_lines))
        for name in source.files.keys() - source.items.keys():
            contents.leave_out(name, "it is neither JSON nor JSON lines")
        for item, result in self.read_items(items, options):
            if isinstance(result, str):
                contents.leave_out(item.source, result, item.line)
            elif not (result.get("content") or result.get("purged")):
                contents.leave_out(item.source, "it has no text", item.line)
            else:
                fields = {k: v for k, v in result.items() if v not in (None, "", [], {})}
                if "id" in fields and not is_id(str(fields["id"])):
                    fields["id"] = f"{self.NAME} {fields['id']}"  # other programs may use it too
                contents.facts.append(item._replace(value=fields))
        return contents
