"""Dumps of other programs, whose records become facts."""

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

# Values


def text_of(value: Mapping[str, Any], *names: str) -> str:
    """Return the first text among the named fields."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
    return ""


def words_of(value: Mapping[str, Any], *names: str) -> list[str]:
    """Return labels from a list, JSON of a list, or comma-separated words."""
    found: list[str] = []
    for name in names:
        labels = value.get(name)
        if isinstance(labels, str):
            try:
                labels = json.loads(labels) if labels.startswith("[") else labels.split(",")
            except ValueError:
                labels = [labels]
        if isinstance(labels, list):
            found += [" ".join(each.split())[:100] for each in labels if isinstance(each, str)]
    return list(dict.fromkeys(each for each in found if each))


def time_of(value: Mapping[str, Any], *names: str) -> str | None:
    """Return the first time among the named fields: text, seconds or milliseconds."""
    for name in names:
        found = value.get(name)
        try:
            if isinstance(found, str) and found.strip():
                return normalize_time(found)
            if isinstance(found, int | float) and not isinstance(found, bool) and found:
                seconds = found / 1000 if abs(found) > 1e11 else found
                return format_time(datetime.fromtimestamp(seconds, UTC))
        except (ValueError, OverflowError, OSError, CrewmemError):
            continue
    return None


def number_of(value: Mapping[str, Any], name: str, default: float) -> float:
    """Return a finite number, or *default*."""
    found = value.get(name)
    try:
        number = float(found) if found is not None and not isinstance(found, bool) else default
    except (TypeError, ValueError, OverflowError):
        return default
    return number if isfinite(number) else default


def kind_of(word: str, default: str = "fact") -> tuple[str, str]:
    """Return the fact kind for another program's word, and the word as the subtype.

    >>> kind_of("bugfix", "context")
    ('context', 'bugfix')
    """
    spelled = word.strip().lower().replace("-", "_").replace(" ", "_")
    if not spelled or spelled in KINDS:
        return spelled or default, ""
    return KIND_SYNONYMS.get(spelled, default), spelled[:60]


def topic_key_of(text: str) -> str | None:
    """Convert a key of another program to a topic key."""
    key = "".join(each if each.isalnum() or each in "_./-" else "-" for each in text.strip())
    return key.strip("-/")[:120] or None


def cut_content(text: str) -> str:
    """Cut a text to the maximum length of a fact."""
    encoded = text.encode("utf-8", "replace")
    return (
        text
        if len(encoded) <= MAX_CONTENT
        else encoded[: MAX_CONTENT - 4].decode("utf-8", "ignore")
    )


# Layouts


FoundItems = Iterator[tuple[Item, dict[str, Any] | str]]
"""Items, each with the fields of a fact, or the reason to leave it out."""


@dataclass(frozen=True, slots=True)
class Dump:
    """The format of a program's dump: records, which become facts.

    Attributes:
        NAME: The name of the format in plans.
        is_record: Tells whether an item is a record of this program.
        read_items: Yields the fields of items. An id is the program's own; together with NAME it
            gives the same fact id at every import.
    """

    NAME: str
    is_record: Callable[[Item], bool]
    read_items: Callable[[Sequence[Item], ImportOptions], FoundItems]

    def matches(self, source: Source) -> bool:
        """Tell whether *source* has records of this program, and is not mostly notes."""
        if len(source.markdown()) > len(source.json_files()):
            return False
        first = (item for items in list(source.items.values())[:20] for item in items[:20])
        return any(map(self.is_record, first))

    def read(self, source: Source, options: ImportOptions) -> Contents:
        """Return the facts of a dump."""
        items = [item for found in source.items.values() for item in found]
        contents = Contents(origin="external", left_out=list(source.bad_lines))
        for name in source.files.keys() - source.items.keys():
            contents.leave_out(name, "it is neither JSON nor JSON lines")
        for item, found in self.read_items(items, options):
            if isinstance(found, str):
                contents.leave_out(item.source, found, item.line)
            elif not (found.get("content") or found.get("purged")):
                contents.leave_out(item.source, "it has no text", item.line)
            else:
                fields = {k: v for k, v in found.items() if v not in (None, "", [], {})}
                if "id" in fields and not is_id(str(fields["id"])):
                    fields["id"] = f"{self.NAME} {fields['id']}"  # may be another program's, too
                contents.facts.append(item._replace(value=fields))
        return contents
