"""Records of JSON files: their place, and the fields that other programs give them."""

import json
import re
from datetime import UTC, datetime
from math import isfinite
from typing import Any, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.facts.fact import MAX_CONTENT
from crewmem.facts.kinds import KIND_SYNONYMS, KINDS
from crewmem.times import format_time, normalize_time

UNIX_TIME = re.compile(r"\d{9,19}(\.\d+)?")
"""A Unix time as text: 20260501 is a date."""


class Record(dict[str, Any]):
    """The fields of a record. Methods return the first usable one among some fields."""

    def text(self, *names: str) -> str:
        """Return a text or number as text; "" for none."""
        for name in names:
            value = self.get(name)
            if isinstance(value, str) and value.strip():
                return value
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        return ""

    def title(self, *names: str) -> str:
        """Return a text as one line that fits into a title."""
        return " ".join(self.text(*names).split())[:200]

    def time(self, *names: str) -> str | None:
        """Return a stored time, from text, or Unix seconds or smaller units; None for none."""
        for name in names:
            value = self.get(name)
            if isinstance(value, str) and UNIX_TIME.fullmatch(value.strip()):
                value = float(value)
            try:
                if isinstance(value, str) and value.strip():
                    return normalize_time(value)
                if isinstance(value, int | float) and not isinstance(value, bool) and value:
                    while 1e11 < abs(value) < 1e19:
                        value /= 1000
                    return format_time(datetime.fromtimestamp(value, UTC))
            except (ValueError, OverflowError, OSError, CrewmemError):
                continue
        return None

    def number(self, name: str, default: float, least: float, most: float) -> float:
        """Return a finite number, or *default*, within *least* and *most*."""
        value = self.get(name)
        try:
            number = float(value) if value is not None and not isinstance(value, bool) else default
        except (TypeError, ValueError, OverflowError):
            number = default
        return min(most, max(least, number if isfinite(number) else default))

    def labels(self, name: str) -> list[str]:
        """Return labels: of a list, a JSON list, or comma-separated words."""
        labels = self.get(name)
        if isinstance(labels, str):
            try:
                labels = json.loads(labels) if labels.startswith("[") else labels.split(",")
            except ValueError:
                labels = [labels]
        if not isinstance(labels, list):
            return []
        texts = [each for each in labels if isinstance(each, str)]
        return list(dict.fromkeys(" ".join(text.split())[:100] for text in texts if text.strip()))

    def object(self, name: str) -> dict[str, Any]:
        """Return a JSON object; {} for none."""
        value = self.get(name)
        return value if isinstance(value, dict) else {}


class Item(NamedTuple):
    """A record of a JSON file.

    Attributes:
        source: The file; in a JSON document also the list and the number of the record.
        line: Line number, counted from 1; 0 in a JSON document.
        table: Name of the list that contains it, else of the file without extension.
    """

    source: str
    line: int
    table: str
    value: Record


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


def truncate(text: str) -> str:
    """Truncate a text to the maximum length of a fact."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_CONTENT:
        return text
    return encoded[: MAX_CONTENT - 4].decode("utf-8", "ignore")
