"""Paths of code in a text, and whether they still exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from crewmem.text.word_lists import read_word_lists

SUFFIXES = Path(__file__).parent / "code_suffixes.txt"
"""Suffixes that identify a path of code."""


CITATION = (
    r"(?<![\w/.:@~$%-])((?:\.{1,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,9}"
    r"|(?:\./)?(?:[\w.@+-]+/)+[\w.@+-]*[\w@+-])(?::(\d{1,6}))?(?![\w/(])"
)
"""A path, and the line of it that is cited."""

PLACEHOLDERS = re.compile(r"YYYY|XXX|NNN|(?:^|/)path/to/")
"""Parts of an example or a name pattern, which is no path: ``daily/YYYY-MM-DD.md``."""

MEMORY_FILE = re.compile(r"\b(?:agent:[\w-]+/|crew:)[\w-]+/[^\n:]{1,200}?\.md\b")
"""A reference to a memory file, whose name may have spaces."""

EVIDENCE = re.compile(r"@[0-9a-f]{8}\b")
"""Follows a line of memory that consolidation cites: ``ada/daily/2026-05-01.md:3@33526ceb``."""

MEMORY_FOLDERS = ("topics/", "daily/", "learned/", "peers/", "users/")
"""Folders of a memory directory: ``topics/deploys.md`` is a memory file, not a project's file."""


class Citation(NamedTuple):
    """A path of a project that a text names.

    Attributes:
        line: Line of ``src/app.py:12``; 0 for none.
    """

    path: str
    line: int


def find_citations(text: str) -> list[Citation]:
    """Return the paths of code in *text*, each once, in order.

    URLs, versions, abbreviations, patterns of names, memory files and evidence are not paths.
    """
    suffixes = frozenset[str]().union(*read_word_lists(SUFFIXES).values())
    found: dict[str, Citation] = {}
    rest = re.sub(r"\b[a-z][a-z0-9+.-]{1,15}://\S+", " ", MEMORY_FILE.sub(" ", text))
    for match in re.finditer(CITATION, rest):
        path = match[1]
        name = path.rpartition("/")[2]
        stem, _, suffix = name.lower().rpartition(".")
        is_memory = suffix == "md" and path.startswith(MEMORY_FOLDERS)
        is_memory = is_memory or bool(EVIDENCE.match(rest, match.end()))
        if stem and suffix in suffixes and not (is_memory or PLACEHOLDERS.search(path)):
            path = path.removeprefix("./")
            found.setdefault(path, Citation(path, int(match[2] or 0)))
    return list(found.values())


def check_citations(text: str, project: Path | str | None) -> list[str]:
    """Return the paths in *text* that no longer exist in the directory *project*.

    Line numbers beyond the end of a file do not count, because lines move. A bare name could be
    anywhere, so it is never reported. Without a project directory the result is empty.

    Args:
        text: Text of a fact or note.
        project: The agent's working directory.
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
    """Return whether *path* exists below *root*, as written or without its first directory."""
    try:
        if (root / path).exists():
            return True
        # "crewmem/src/app.py" in the project crewmem, and "src/app.py" said of a package in it.
        first, _, rest = path.partition("/")
        return bool(rest) and first == root.name and (root / rest).exists()
    except OSError:
        return True
