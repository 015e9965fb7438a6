"""References of memory files, such as ``crew:harbor/topics/deploys.md:12-23``."""

import re
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.errors import UsageError
from crewmem.files.tiers import check_file_name
from crewmem.storage.filesystem import check_name


class Reference(NamedTuple):
    """A parsed reference of a file, or of lines of it.

    Attributes:
        scope: Scope of the file; None for a plain path.
        file: Path below the memory directory; a plain path as typed.
        first_line: 0 for the whole file.
        is_link: Whether it was a wiki link, such as ``[[Deploys]]``.
    """

    scope: Scope | None
    crew: str
    agent: str
    file: str
    first_line: int = 0
    last_line: int = 0
    is_link: bool = False

    @property
    def name(self) -> str:
        """The reference without lines."""
        owners = {Scope.CREW: f"crew:{self.crew}/", Scope.AGENT: f"agent:{self.crew}/{self.agent}/"}
        if self.scope is None:
            return self.file
        return owners.get(self.scope, "workspace:") + self.file


def parse_memory_file(reference: str) -> Reference:
    """Parse a reference of a memory file that came from another home or program.

    Raises:
        CrewmemError: If it is not a valid reference.
    """
    found = parse_reference(reference)
    if found.scope is None or found.first_line:
        raise UsageError(f"{reference!r} is not a memory file", code="bad-file-name")
    for name in reference.partition(":")[2].split("/"):
        check_name(name)
        check_file_name(name)
    return found


def parse_reference(text: str, *, is_path: bool = False) -> Reference:
    """Parse a reference, a plain path, or a link.

    References are ``crew:harbor/topics/deploys.md:12-23``, ``agent:harbor/winch/AGENT.md:3``
    and ``workspace:NOTES.md``; a wiki link is ``[[Deploys]]``.

    Args:
        text: The reference.
        is_path: Whether it names a file, even if it looks like a reference.

    Raises:
        UsageError: If the lines are not a range from 1, or a name is missing.
    """
    if match := re.fullmatch(r"\[\[([^\]|#]+)(?:[#|][^\]]*)?\]\]", text.strip()):
        return Reference(None, "", "", match[1].strip(), is_link=True)
    first = last = 0
    if match := re.search(r":(\d+)(?:-(\d+))?$", text):
        text = text[: match.start()]
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if not 1 <= first <= last:
            raise UsageError(
                f"{match[0][1:]} is not a range of lines: it counts from 1, upwards",
                code="bad-lines",
            )
    kind, colon, rest = text.partition(":")
    if is_path or not colon or kind not in (Scope.AGENT, Scope.CREW, Scope.WORKSPACE):
        return Reference(None, "", "", text, first, last)
    names = {Scope.AGENT: 2, Scope.CREW: 1, Scope.WORKSPACE: 0}[Scope(kind)]
    parts = rest.split("/", names)
    if len(parts) <= names or not all(parts):
        raise UsageError(
            f"'{text}' is not a reference: use crew:NAME/FILE, agent:CREW/SLUG/FILE or"
            " workspace:FILE",
            code="bad-reference",
        )
    crew, agent = (*parts[:names], "", "")[:2]
    return Reference(Scope(kind), crew, agent, parts[-1], first, last)


def format_lines(reference: str, first_line: int, last_line: int) -> str:
    """Return a reference with lines: ``crew:harbor/CREW.md:3-7``."""
    lines = f"{first_line}-{last_line}" if last_line > first_line else str(first_line)
    return f"{reference}:{lines}"
