"""Evidence of promoted lines: where it stands now, and whether it still says the same."""

from __future__ import annotations

from dataclasses import dataclass

from crewmem.consolidation.candidates import hash_text
from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.files.locations import MemoryDirectory
from crewmem.storage.filesystem import read_file


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that a promoted statement names as evidence.

    Attributes:
        state: ok, moved (the line is elsewhere in its file), changed or missing.
        file: Where it is now: an archived note is found in the archive.
        line: Counted from 1; 0 when it is missing.
        text: What stands there.
    """

    evidence: str
    state: str
    file: str = ""
    line: int = 0
    text: str = ""


def check_citation(evidence: str, directories: list[MemoryDirectory], context: Context) -> Citation:
    """Find the line that ``file:line@hash`` names.

    Args:
        evidence: As `Evidence` prints it.
        directories: Memory directories of the home.
        context: For entries and facts; nothing is read of them but whether they are there.
    """
    place, at, digest = evidence.partition("@")
    if not at:
        return _check_row(evidence, context)
    ref, _, number = place.rpartition(":")
    directory = next((d for d in directories if d.prefix and ref.startswith(d.prefix)), None)
    if directory is None:
        return Citation(evidence, "missing")
    file = ref.removeprefix(directory.prefix)
    folder, _, name = file.rpartition("/")
    for candidate in (file, f"{folder}/archive/{name[:4]}/{name}"):
        try:
            lines = read_file(directory.path, candidate).decode("utf-8", "replace").split("\n")
        except CrewmemError:
            continue
        where = directory.prefix + candidate
        wanted = int(number)
        filled = [number for number, line in enumerate(lines) if line.strip()]
        for index in sorted(filled, key=lambda at: abs(at + 1 - wanted)):
            for height in (1, 2, 3, 4):
                said = "\n".join(lines[index : index + height]).strip()
                if hash_text(said).startswith(digest):
                    state = "ok" if index + 1 == wanted else "moved"
                    return Citation(evidence, state, where, index + 1, said)
        shown = lines[wanted - 1].strip() if wanted <= len(lines) else ""
        return Citation(evidence, "changed", where, min(wanted, len(lines)), shown)
    return Citation(evidence, "missing")


def _check_row(ref: str, context: Context) -> Citation:
    table = {"j": "journal_entries", "f": "facts"}.get(ref[:1], "")
    text = "summary" if table == "journal_entries" else "content"
    if not table or not context.has_db:
        return Citation(ref, "missing")
    found = context.db.one(
        f"select {text} from {table} where workspace_id = :workspace and id = :id",
        {"workspace": context.workspace, "id": ref},
    )
    return Citation(ref, "ok", ref, 0, str(found[0])) if found else Citation(ref, "missing")
