"""Reading memory files for a prompt: through no link, and saying what was not read."""

from __future__ import annotations

import re
from contextlib import contextmanager

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.files.listing import ODD, unpack
from crewmem.files.screen import KEY
from crewmem.files.skipped import LOSSY
from crewmem.files.walk import reason, visible, walk
from crewmem.prompt.defuse import defused, name, plain
from crewmem.prompt.recalled_text import may_say
from crewmem.prompt.section import section
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.files.place import Place
    from crewmem.prompt.section import Section

READ = "crewmem memory read"
"""The command that shows a file."""

PATH_MOST = 200
"""Characters of a path in such a command; with a longer one it would be no hint."""

BARE = str.maketrans("", "", "/:._-")
"""Signs that a shell takes as they are, to be passed over."""

BOM = "\ufeff"

BODY = re.compile(r"^(?! {0,3}#{1,6}(?:[ \t]|$))[ \t]*\S", re.MULTILINE)
"""The beginning of a line that is neither empty nor a heading."""

WITHHELD = "a file whose name is withheld"
"""What a file is called whose name is poison."""


class Found(NamedTuple):
    """A memory file that is there.

    Attributes:
        opened: Its path below the directory, as the system has it.
        bytes: Its size.
        changed: When it was last changed, in nanoseconds since 1970.
    """

    opened: str
    bytes: int
    changed: int


class Text(NamedTuple):
    """What a file says.

    Attributes:
        text: In lines that end as ours do, without empty ones at either end.
        first: The line of the file with which it begins; 0: lines do not agree.
    """

    text: str
    first: int


class Tree:
    """A memory directory that is being read.

    Attributes:
        files: What is in it, by path below it.
        bare: Files that were read and say nothing below their headings.
        troubles: What could not be read, and why.
    """

    def __init__(
        self, place: Place, root: disk.Directory, limit: int, *, named: bool
    ) -> None:
        """Walk *root*.

        Args:
            place: Whose directory it is.
            root: It, open.
            limit: Most bytes of a file; larger ones are not read.
            named: Whether its path was named, and has to be in commands.
        """
        self.place, self._root, self._limit = place, root, limit
        self._named = named
        self.files: dict[str, Found] = {}
        self.bare: list[str] = []
        self.troubles: list[str] = []
        for each in walk(root):
            if each.trouble:
                self._trouble(each.path or ".", each.trouble)
            for file, stamp in unpack(each.listing).items():
                opened = f"{each.path}/{file}".lstrip("/")
                if stamp[0] == ODD:
                    self._trouble(visible(opened), "it is no regular file")
                else:
                    self.files[visible(opened)] = Found(opened, stamp[0], stamp[1])

    def text(self, file: str) -> Text | None:
        """Return what *file* says; None if it is not there, or says nothing."""
        found = self.files.get(file)
        if not found or not found.bytes:
            return None
        try:
            content = disk.read(self._root, found.opened, limit=self._limit)
        except CrewmemError as error:
            self._trouble(file, reason(error))
            return None
        said = content.decode("utf-8", "replace").removeprefix(BOM)
        if "\ufffd" in said and b"\xef\xbf\xbd" not in content:
            self.troubles.append(f"{self.place.path / file}: {LOSSY}")
        text = plain(said)
        agrees = text.count("\n") == said.removesuffix("\n").count("\n")
        lines = text.split("\n")
        first = next((at for at, each in enumerate(lines) if each.strip()), None)
        if first is None:
            return None
        whole = "\n".join(lines[first:]).rstrip()
        return Text(whole, first + 1 if agrees else 0)

    def command(self, file: str) -> str:
        """Return the command that prints *file*."""
        path = str(self.place.path)
        words = [self.place.ref(file)]
        if self._named and len(path) <= PATH_MOST and path.isprintable():
            words = ["-p", path, file]
        return defused(plain(f"{READ} {' '.join(map(_quoted, words))}"))

    def _trouble(self, file: str, why: str) -> None:
        self.troubles.append(f"{self.place.path / file} is not in the prompt: {why}")


def _quoted(word: str) -> str:
    """Return *word* as a shell takes it."""
    if word.isascii() and word.translate(BARE).isalnum():
        return word
    from shlex import quote

    return quote(word)


@contextmanager
def opened(place: Place, limit: int, *, named: bool) -> Iterator[Tree]:
    """Open the directory *place* for reading."""
    with open_place(place) as root:
        yield Tree(place, root, limit, named=named)


def section_of(
    tree: Tree, file: str, label: str, *, private: bool = False, **more: object
) -> Section | None:
    """Return the section of *file*; None if there is nothing to show but headings.

    Args:
        tree: Where it is.
        file: Its path below the directory.
        label: What it is called; ``{}`` in it stands for the file.
        private: Whether it can be read by no command of an agent.
        more: Further fields of the section.
    """
    said = tree.text(file)
    if said is None:
        return None
    if not BODY.search(said.text):
        tree.bare.append(file)
        return None
    is_named = "{}" in label
    return section(
        label.format(name(file)),
        said.text,
        ref="" if private else tree.place.ref(file),
        bytes=tree.files[file].bytes,
        read="" if private else tree.command(file),
        first=said.first,
        name=_words(file) if is_named else "",
        withheld=label.format(WITHHELD) if is_named else "",
        **more,
    )


def _words(file: str) -> str:
    """Return the name of *file* as a sentence; "" if it is too short for harm."""
    if not may_say(file):
        return ""
    stem = plain(file.rpartition(".")[0]).replace("\n", " ")
    said = stem.replace("-", " ").replace("_", " ").replace("/", ". ")
    return f"{said}. {stem}" if said != stem and KEY.search(stem) else said
