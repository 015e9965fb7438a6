"""Regular expressions that are compiled when first used: a command needs few of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled once."""
    return re.compile(pattern)


class Patterns:
    """The patterns of a data file by name.

    Each is a table: `pattern`, in which line breaks do not count, and what it matches and does not
    match, `examples` and `counter_examples`.
    """

    def __init__(self, load: Callable[[], Mapping[str, Any]]) -> None:
        """Take the patterns that *load* returns; it is called when the first is needed."""
        self._load = load
        self._found: dict[str, re.Pattern[str]] = {}

    @cached_property
    def tables(self) -> Mapping[str, Any]:
        """The table of each pattern, as it stands in the file."""
        return self._load()

    def __getitem__(self, name: str) -> re.Pattern[str]:
        found = self._found.get(name)
        if found is None:
            lines = self.tables[name]["pattern"].splitlines()
            found = self._found[name] = re.compile("".join(lines))
        return found
