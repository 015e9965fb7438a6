"""Dumps of other programs: JSON and JSON lines, read item by item."""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.facts.fact import KIND_SYNONYMS, KINDS, MAX_CONTENT
from crewmem.ids import is_id
from crewmem.storage.json_lines import BadLineError, load_record, read_lines
from crewmem.times import format_time, parse_time
from crewmem.transfer.archive import LeftOut, Source
from crewmem.transfer.contents import Contents, ImportOptions, Record

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")


class Item(NamedTuple):
    """A record of a dump.

    Attributes:
        source: The file; in one JSON document with the list and the number of the record in it.
        line: Its line, counted from 1; 0 in one JSON document.
        table: The list or file that it stands in.
    """

    source: str
    line: int
    table: str
    value: dict[str, Any]


def dump_files(source: Source) -> list[str]:
    """Return the files of a source that hold records."""
    return [name for name in source.files if name.lower().endswith(JSON_SUFFIXES)]


def _first_items(source: Source) -> list[Item]:
    """Return the first items of each file of a dump, to tell what it is."""
    found = []
    for name in dump_files(source)[:20]:
        for item in read_items(source, name, []):
            found.append(item)
            if len(found) % 20 == 0:
                break
    return found


def _all_items(source: Source, contents: Contents) -> list[Item]:
    """Return all items of a dump; what is none is noted in *contents*."""
    found: list[Item] = []
    for name in dump_files(source):
        found += read_items(source, name, contents.left_out)
    for name in source.files:
        if name not in dump_files(source):
            contents.leave_out(name, "it is neither JSON nor JSON lines")
    return found


def read_items(source: Source, name: str, left_out: list[LeftOut]) -> Iterator[Item]:
    """Yield the items of one file: JSON lines, a list, or an object of lists."""
    data = source.read(name)
    table = re.sub(r"\.\w+$", "", name.rpartition("/")[2])
    document = _parse_document(data, name)
    if document is not None:
        yield from _document_items(document, name, table)
        return
    for number, line in read_lines(io.BytesIO(data)):
        if line is None:
            left_out.append(LeftOut(name, "the line is too long", number))
            continue
        try:
            yield Item(name, number, table, load_record(line))
        except BadLineError as error:
            left_out.append(LeftOut(name, str(error), number))


def _parse_document(data: bytes, name: str) -> Any:
    """Return a whole JSON document; None for JSON lines."""
    head = data.lstrip()[:1]
    is_lines = name.lower().endswith((".jsonl", ".ndjson"))
    if is_lines or head not in (b"[", b"{"):
        return None
    try:
        return json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _document_items(document: Any, name: str, table: str) -> Iterator[Item]:
    if isinstance(document, list):
        for number, value in enumerate(document, start=1):
            if isinstance(value, dict):
                yield Item(f"{name}, record {number}", 0, table, value)
        return
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    lists = {k: v for k, v in lists.items() if v and all(isinstance(x, dict) for x in v)}
    if not lists and isinstance(document, dict):
        yield Item(name, 0, table, document)
    for key, values in lists.items():
        for number, value in enumerate(values, start=1):
            yield Item(f"{name}, {key} {number}", 0, key, value)


# Values


def text_of(value: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that has a text."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
    return ""


def words_of(value: Mapping[str, Any], *names: str) -> list[str]:
    """Return labels: a list, JSON of one, or words with commas between them."""
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
    """Return the first of some fields that is a time: text, or seconds or milliseconds."""
    for name in names:
        found = value.get(name)
        try:
            if isinstance(found, str) and found.strip():
                return format_time(parse_time(found))
            if isinstance(found, int | float) and not isinstance(found, bool) and found:
                seconds = found / 1000 if abs(found) > 1e11 else found
                return format_time(datetime.fromtimestamp(seconds, UTC))
        except (ValueError, OverflowError, OSError, CrewmemError):
            continue
    return None


def number_of(value: Mapping[str, Any], name: str, default: float) -> float:
    """Return a number, or *default* when it is none."""
    found = value.get(name)
    try:
        return float(found) if found is not None and not isinstance(found, bool) else default
    except (TypeError, ValueError):
        return default


def kind_of(word: str, default: str = "fact") -> tuple[str, str]:
    """Return the kind that a word of another program means, and the word as the subtype.

    >>> kind_of("bugfix", "context")
    ('context', 'bugfix')
    """
    spelled = word.strip().lower().replace("-", "_").replace(" ", "_")
    if not spelled or spelled in KINDS:
        return spelled or default, ""
    return KIND_SYNONYMS.get(spelled, default), spelled[:60]


def topic_key_of(text: str) -> str | None:
    """Return a key of another program as a topic key."""
    key = "".join(each if each.isalnum() or each in "_./-" else "-" for each in text.strip())
    return key.strip("-/")[:120] or None


def cut_content(text: str) -> str:
    """Return a text as long as a fact may be."""
    encoded = text.encode("utf-8", "replace")
    return (
        text
        if len(encoded) <= MAX_CONTENT
        else encoded[: MAX_CONTENT - 4].decode("utf-8", "ignore")
    )


# Layouts


FoundItems = Iterator[tuple[Item, dict[str, Any] | str]]
"""Items, each with the fields of a fact, or why it is left out."""


@dataclass(frozen=True, slots=True)
class Dump:
    """The format of a program's dump: records, which become facts.

    Attributes:
        NAME: What ``--layout`` and plans call it.
        is_record: Tells whether an item is a record of this program.
        read_items: Yields what items say. An id is the program's own: facts make one of it and of
            NAME that is the same at every import.
    """

    NAME: str
    is_record: Callable[[Item], bool]
    read_items: Callable[[Sequence[Item], ImportOptions], FoundItems]

    def matches(self, source: Source) -> bool:
        """Tell whether *source* has records of this program, and is not mostly notes."""
        is_dump = len(source.markdown()) <= len(dump_files(source))
        return is_dump and any(map(self.is_record, _first_items(source)))

    def read(self, source: Source, options: ImportOptions) -> Contents:
        """Return the facts of a dump."""
        contents = Contents(origin="external")
        for item, found in self.read_items(_all_items(source, contents), options):
            if isinstance(found, str):
                contents.leave_out(item.source, found, item.line)
            elif not (found.get("content") or found.get("purged")):
                contents.leave_out(item.source, "it has no text", item.line)
            else:
                fields = {k: v for k, v in found.items() if v not in (None, "", [], {})}
                if "id" in fields and not is_id(str(fields["id"])):
                    fields["id"] = f"{self.NAME} {fields['id']}"  # another program has it, too
                contents.facts.append(Record(item.source, item.line, fields))
        return contents
