"""A corpus: what a suite asks about, in rows that say which store has them."""

from __future__ import annotations

from crewmem.errors.evaluation import BadCorpusError
from crewmem.ids import is_slug
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

JOURNAL, MEMORIES, FILES = "journal", "memories", "files"

ALIASES = {
    "timestamp": "at",
    "conversation": "workspace",
    "session": "session",
    "content": "text",
}
"""What the public sets call a field."""

WORKSPACE = "default"

CREW = "eval"
"""Of agents of which nobody says where they are."""


class Row(NamedTuple):
    """Something that may be recalled.

    Attributes:
        line: Where it stands in its file.
        session: The conversation that it is a part of; "" for none.
        path: Of a file: below its memory directory.
    """

    line: int
    id: str
    store: str
    text: str
    workspace: str = WORKSPACE
    at: str | None = None
    agent: str | None = None
    crew: str | None = None
    kind: str | None = None
    speaker: str | None = None
    session: str | None = None
    title: str | None = None
    path: str | None = None


FIELDS = frozenset(Row._fields) - {"line"}


class Corpus(NamedTuple):
    """What is asked about.

    Attributes:
        rows: By workspace.
        blank: Ids of rows that say nothing: no store has them.
    """

    rows: Mapping[str, list[Row]]
    blank: Sequence[str]

    def agents(self, workspace: str) -> dict[str, str]:
        """Return the crew of each agent of *workspace*."""
        crews: dict[str, str] = {}
        for each in self.rows[workspace]:
            if each.agent:
                crews[each.agent] = each.crew or crews.get(each.agent, CREW)
        return crews

    def crews(self, workspace: str) -> list[str]:
        """Return the crews of *workspace*."""
        told = {each.crew for each in self.rows[workspace] if each.crew}
        return sorted(told | {*self.agents(workspace).values()})


def read_corpus(file: Path) -> Corpus:
    """Return the corpus in *file*.

    Raises:
        BadCorpusError: If a line is no row: what is missing would be missed as if
            recall had not found it.
    """
    from crewmem.cli.evaluating.suites import objects

    rows: dict[str, list[Row]] = {}
    blank: list[str] = []
    for number, told in objects(file, str(file)):
        if isinstance(told, str):
            raise BadCorpusError(file, f"line {number}: {told}")
        row = _row(file, number, told)
        if row.text.strip():
            rows.setdefault(row.workspace, []).append(row)
        else:
            blank.append(row.id)
    if not rows:
        raise BadCorpusError(file, "it holds nothing")
    return Corpus(rows, blank)


def _row(file: Path, number: int, told: Mapping[str, object]) -> Row:
    said: dict[str, str] = {}
    for name, value in told.items():
        field = ALIASES.get(name, name)
        if field not in FIELDS or value is None or (not value and field != "text"):
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise BadCorpusError(file, f"line {number}: {name} should be a text")
        said[field] = str(value)
    if "text" not in said:
        raise BadCorpusError(file, f"line {number}: text is missing")
    row = Row(line=number, **{"id": "", "store": JOURNAL, **said})
    if reason := _wrong(row):
        raise BadCorpusError(file, f"line {number}: {reason}")
    return row._replace(workspace=slug(row.workspace))


def _wrong(row: Row) -> str:
    if not row.id:
        return "id is missing"
    if row.store not in {JOURNAL, MEMORIES, FILES}:
        return f"store is journal, memories or files, not {row.store!r}"
    if row.store == FILES and not row.path:
        return "path is missing: where the file stands in its memory directory"
    for name in filter(None, (row.agent, row.crew)):
        if not is_slug(name):
            return f"{name!r} is no name of an agent or a crew"
    return ""


def slug(name: str) -> str:
    """Return a workspace that is called like *name*, as conversations are."""
    told = "".join(each if each.isalnum() else "-" for each in name.lower())
    return told.strip("-")[:64] or WORKSPACE
