"""basic-memory's projects: notes whose front matter has a permalink."""

from crewmem.text.markdown import split_front_matter
from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, read_notes

NAME = "basic-memory"

SAMPLE = 20
"""Notes that are looked into."""


def matches(source: Source) -> bool:
    """Tell whether most notes have a permalink."""
    names = source.markdown()[:SAMPLE]
    having = [n for n in names if "permalink" in split_front_matter(source.read_text(n))[0]]
    return 2 * len(having) > len(names)


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its notes, one topic each; titles, tags and links stay as they are."""
    return read_notes(source, Contents(origin="agent"), source.markdown())
