"""Paths of code that a text names, and whether they are still there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.word_lists import read_word_lists

SUFFIXES = Path(__file__).parent / "code_suffixes.txt"
"""Endings by which a path of code is known."""


PLACEHOLDERS = re.compile(r"YYYY|XXX|NNN|(?:^|/)path/to/")
"""What stands in a pattern of names, not in a path: ``daily/YYYY-MM-DD.md``, ``path/to/app.py``."""

MEMORY_FOLDERS = ("topics/", "daily/", "learned/", "peers/", "users/")
"""Folders of a memory directory: ``topics/deploys.md`` is a memory file, not one of a project."""


class Citation(NamedTuple):
    """A path of a project that a text names.

    Attributes:
        line: Of ``src/app.py:12``; 0 when none is named.
    """

    path: str
    line: int


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w/.:@~$%-])((?:\.{1,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,9}"
        r"|(?:\./)?(?:[\w.@+-]+/)+[\w.@+-]*[\w@+-])(?::(\d{1,6}))?(?![\w/(])"
    )


def find_citations(text: str) -> list[Citation]:
    """Return the paths of code that *text* names, each once, in order.

    URLs, versions, abbreviations, patterns of names and memory files are not paths.
    """
    suffixes = frozenset[str]().union(*read_word_lists(SUFFIXES).values())
    found: dict[str, Citation] = {}
    without_urls = re.sub(r"\b[a-z][a-z0-9+.-]{1,15}://\S+", " ", text)
    for match in _pattern().finditer(without_urls):
        path = match[1]
        name = path.rpartition("/")[2]
        stem, _, suffix = name.lower().rpartition(".")
        is_memory = suffix == "md" and path.startswith(MEMORY_FOLDERS)
        if stem and suffix in suffixes and not (is_memory or PLACEHOLDERS.search(path)):
            path = path.removeprefix("./")
            found.setdefault(path, Citation(path, int(match[2] or 0)))
    return list(found.values())


def check_citations(text: str, project: Path | str | None) -> list[str]:
    """Return the paths that *text* names and that are gone from the directory *project*.

    A line number past the end of a file does not count: lines move. A bare name is looked for
    only at the top, so it is never reported as gone. Nothing is changed. Without a project
    directory nothing can be said.

    Args:
        text: Of a fact or note.
        project: The directory that the agent works in.
    """
    if project is None:
        return []
    root = Path(project)
    if not root.is_dir():
        return []
    gone = []
    for citation in find_citations(text):
        if "/" not in citation.path and citation.line == 0:
            continue
        if ".." in Path(citation.path).parts or _exists(root, citation.path):
            continue
        gone.append(citation.path)
    return gone


def _exists(root: Path, path: str) -> bool:
    """Tell whether *path* exists below *root*, as written or below its first directory."""
    try:
        if (root / path).exists():
            return True
        # "crewmem/src/app.py" in the project crewmem, and "src/app.py" said of a package in it.
        first, _, rest = path.partition("/")
        return bool(rest) and first == root.name and (root / rest).exists()
    except OSError:
        return True
