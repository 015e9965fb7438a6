"""Patterns of data files, compiled on first use, because a command needs only a few of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any


class Patterns:
    """The patterns of a data file, by name.

    Each is a table with `pattern`, in which line breaks do not count, and texts that it matches
    (`examples`) and does not match (`counter_examples`).
    """

    def __init__(self, load: Callable[[], Mapping[str, Any]]) -> None:
        """Use the patterns that *load* returns; it is called when the first one is needed."""
        self._load = load
        self._found: dict[str, re.Pattern[str]] = {}

    @cached_property
    def tables(self) -> Mapping[str, Any]:
        """The table of each pattern, as in the file."""
        return self._load()

    def __getitem__(self, name: str) -> re.Pattern[str]:
        found = self._found.get(name)
        if found is None:
            lines = self.tables[name]["pattern"].splitlines()
            found = self._found[name] = re.compile("".join(lines))
        return found
