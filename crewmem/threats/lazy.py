"""Expressions that are compiled when they are first used.

Most texts need few of them, and compiling all takes longer than reading a text.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:

    def lazy(pattern: str) -> re.Pattern[str]:
        """Return the expression *pattern*."""

else:

    class lazy:  # noqa: N801 - to be read as re.compile is
        """An expression that is not compiled before one of its methods is asked for."""

        def __init__(self, pattern: str) -> None:
            self.pattern = pattern

        def __getattr__(self, name: str) -> object:
            method = getattr(re.compile(self.pattern), name)
            setattr(self, name, method)
            return method
