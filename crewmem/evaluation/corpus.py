"""The corpus of a suite, built into a temporary home."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.errors import UsageError
from crewmem.facts.import_export import import_facts
from crewmem.ids import id_from
from crewmem.journal.import_export import import_entries
from crewmem.storage.json_lines import BadLineError, load_record, read_lines

if TYPE_CHECKING:
    from crewmem.home import Home


def load_corpus(home: Home, path: Path) -> dict[str, str]:
    """Store the items of a corpus in the new *home*, which must have full rights.

    Each line has ``id`` and ``text``, and may have ``ts``, ``kind`` (``fact``, ``entry`` or
    ``note``) and ``author``. A fact becomes a fact of the workspace, an entry a tagged journal
    entry, a note a memory file of the workspace.

    Returns:
        The corpus's id of each stored item, by its ref in the home.

    Raises:
        UsageError: If a line is not an item.
    """
    facts: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    ids: dict[str, str] = {}
    for number, item in _read_items(path):
        try:
            identifier, text = str(item["id"]), str(item["text"])
            ts = str(item.get("ts") or home.context.now_text)
        except KeyError as error:
            raise UsageError(f"{path}:{number}: {error} is missing", code="bad-corpus") from error
        kind = item.get("kind", "entry")
        if kind == "fact":
            fact_id = id_from("f", sha256(identifier.encode()).digest())
            ids[fact_id] = identifier
            record = {"id": fact_id, "content": text, "scope": "workspace", "kind": "fact"}
            facts.append({**record, "created_at": ts})
        elif kind == "note":
            name = f"{identifier}.md"
            ids[f"workspace:{name}"] = identifier
            home.memory.write(text, file=f"workspace:{name}", mode="replace", authorized=True)
        else:
            ids[identifier] = identifier
            entries.append(
                {
                    "id": identifier,
                    "ts": ts,
                    "entry_type": "peer.conversation",
                    "actor_type": "agent",
                    "actor_id": item.get("author"),
                    "trace_id": item.get("session"),
                    "summary": text,
                    "refs": {"episodic": True},
                }
            )
    lines = b"\n".join(json.dumps(entry).encode() for entry in entries)
    bad = [
        *import_facts(home.fact_table, facts, keep_origin=True, origin="operator").bad,
        *import_entries(home.journal, io.BytesIO(lines)).problems,
    ]
    if bad:
        raise UsageError(f"{path}: an item cannot be stored: {bad[0].reason}", code="bad-corpus")
    return ids


def rename_refs(refs: Iterable[str], ids: Mapping[str, str]) -> list[str]:
    """Replace refs by the ids of `load_corpus`, and remove duplicates."""
    renamed = [ids.get(ref) or ids.get(ref.rpartition(":")[0]) or ref for ref in refs]
    return list(dict.fromkeys(renamed))


def _read_items(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as stream:
        for number, line in read_lines(stream):
            try:
                if not line.startswith(b"#"):
                    yield number, load_record(line)
            except BadLineError as error:
                raise UsageError(f"{path}:{number}: {error}", code="bad-corpus") from error
