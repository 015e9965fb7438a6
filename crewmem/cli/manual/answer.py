"""What the table of answers is made of: an answer, a record, a field of one."""

from __future__ import annotations

from crewmem.records import NamedTuple


class Answer(NamedTuple):
    """What is under ``data``.

    Attributes:
        shape: ``one``: a record; ``list``: a list of them; ``hits``: what was found.
        record: What they are, a key of `RECORDS`.
        note: What else there is to know.
        others: Records that the note speaks of.
    """

    shape: str
    record: str
    note: str = ""
    others: tuple[str, ...] = ()


class Field(NamedTuple):
    """A field of a record.

    Attributes:
        kind: What stands there, in words.
        about: What it means; "" if nobody says.
        records: The records that it holds, by the manual's names for them.
    """

    name: str
    kind: str
    about: str
    records: tuple[str, ...] = ()


class Record(NamedTuple):
    """What becomes an object.

    Attributes:
        cls: Its class, as ``module:name``; "" if it has none.
        more: Fields that the command adds.
    """

    cls: str
    more: tuple[Field, ...] = ()


def one(record: str, note: str = "") -> Answer:
    """Return the answer of a verb that does one thing."""
    return Answer("one", record, note)


def many(record: str, note: str = "") -> Answer:
    """Return the answer of a verb that lists."""
    return Answer("list", record, note)


def hits(record: str, note: str = "") -> Answer:
    """Return the answer of a verb that finds."""
    return Answer("hits", record, note)
