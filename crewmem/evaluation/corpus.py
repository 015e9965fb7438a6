"""The corpus of a suite, built into a temporary home."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.errors import CrewmemError, DamagedError
from crewmem.facts.import_export import import_facts
from crewmem.ids import id_from
from crewmem.journal.import_export import import_entries
from crewmem.storage.json_lines import BadLineError, BadRecord, load_record, read_lines

if TYPE_CHECKING:
    from crewmem.home import Home


class Corpus(NamedTuple):
    """A corpus in a home.

    Attributes:
        ids: The corpus's id of each stored item, by its ref in the home.
        bad: Lines that are not items, in order.
    """

    ids: dict[str, str]
    bad: list[BadRecord]


def load_corpus(home: Home, path: Path) -> Corpus:
    """Store the items of a corpus in the new *home*, which must have full rights.

    Each line has ``id`` and ``text``, and may have ``ts``, ``kind`` (``fact``, ``entry`` or
    ``note``) and ``author``. A fact becomes a fact of the workspace, an entry a tagged journal
    entry, a note a memory file of the workspace.

    A bad line costs that line.

    Raises:
        DamagedError: If no line is an item.
    """
    facts: dict[int, dict[str, Any]] = {}
    entries: dict[int, dict[str, Any]] = {}
    refs: dict[int, tuple[str, str]] = {}
    bad: list[BadRecord] = []
    for number, line in _read_lines(path):
        try:
            item = load_record(line)
            identifier, text = str(item["id"]), str(item["text"])
        except (BadLineError, KeyError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            bad.append(BadRecord(number, reason))
            continue
        ts = str(item.get("ts") or home.context.now_text)
        kind = item.get("kind", "entry")
        if kind == "fact":
            fact_id = id_from("f", sha256(identifier.encode()).digest())
            record = {"id": fact_id, "content": text, "scope": "workspace", "kind": "fact"}
            refs[number] = (fact_id, identifier)
            facts[number] = {**record, "created_at": ts}
        elif kind == "note":
            name = f"{identifier}.md"
            refs[number] = (f"workspace:{name}", identifier)
            try:
                home.memory.write(text, file=f"workspace:{name}", mode="replace", authorized=True)
            except CrewmemError as error:
                bad.append(BadRecord(number, error.message))
        else:
            refs[number] = (identifier, identifier)
            entries[number] = {
                "id": identifier,
                "ts": ts,
                "entry_type": "peer.conversation",
                "actor_type": "agent",
                "actor_id": item.get("author"),
                "trace_id": item.get("session"),
                "summary": text,
                "refs": {"episodic": True},
            }
    lines = b"\n".join(json.dumps(entry).encode() for entry in entries.values())
    stored = import_facts(home.fact_table, facts.values(), keep_origin=True, origin="operator")
    for numbers, problems in (
        (list(facts), stored.bad),
        (list(entries), import_entries(home.journal, io.BytesIO(lines)).problems),
    ):
        bad += [BadRecord(numbers[position - 1], reason) for position, reason in problems]
    bad.sort()
    for number, _ in bad:
        refs.pop(number, None)
    if bad and not refs:
        raise DamagedError(
            f"no line of {path} is an item: see line {bad[0].number}: {bad[0].reason}",
            code="bad-corpus",
        )
    return Corpus(dict(refs.values()), bad)


def rename_refs(refs: Iterable[str], ids: Mapping[str, str]) -> list[str]:
    """Replace refs by the ids of `load_corpus`, and remove duplicates."""
    renamed = [ids.get(ref) or ids.get(ref.rpartition(":")[0]) or ref for ref in refs]
    return list(dict.fromkeys(renamed))


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as stream:
        for number, line in read_lines(stream):
            if not line.startswith(b"#"):
                yield number, line
