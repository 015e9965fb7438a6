"""What is measured: each record a memory file, found by crewmem's own search."""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import TYPE_CHECKING

from crewmem.files.indexed import Access
from crewmem.files.place import MEMORY, place_at
from crewmem.files.search import Wanted, search
from crewmem.scope import Actor, Role, Sight
from crewmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.benchmarks.workbench import Workbench

UNSAFE = re.compile(r"[^A-Za-z0-9]+")
"""What of a record's id is not kept in the name of its file."""


class MemoryWords:
    """Records as the files of one memory directory, indexed."""

    def __init__(
        self, bench: Workbench, directory: Path, records: Mapping[str, str]
    ) -> None:
        self._bench, self._directory = bench, directory
        self._place = place_at(directory / MEMORY)
        self._ids = _written(self._place.path, records)
        bench.crewmem("memory", "reindex", "--path", directory).run()
        settings = Settings()
        self._access = Access(
            cache=None,
            chunk_chars=settings.chunk_chars,
            max_file_bytes=settings.max_file_bytes,
            now_ns=time.time_ns(),
            refresh=False,
        )
        self._sight = Sight(Actor(Role.OPERATOR, "ada"))

    def ranking(self, question: str, *, limit: int) -> list[str]:
        """Return the ids of records by the best of their chunks, best first.

        At most *limit* chunks are asked for.
        """
        wanted = Wanted(text=question, limit=limit)
        answer = search([self._place], wanted, self._sight, self._access)
        return list(dict.fromkeys(self._ids[hit.file] for hit in answer.hits))

    def printed_ranking(self, question: str, *, limit: int) -> list[str]:
        """Return the same as the command prints it."""
        process = self._bench.crewmem(
            *("memory", "search", "--json", "--path", self._directory),
            *("--limit", str(limit), "--", question),
        )
        done = subprocess.run(
            process.argv, env=process.environ, stdout=subprocess.PIPE, check=True
        )
        hits = json.loads(done.stdout)["data"]["hits"]
        return list(dict.fromkeys(self._ids[hit["file"]] for hit in hits))


def _written(directory: Path, records: Mapping[str, str]) -> dict[str, str]:
    """Write *records*; return their ids by file."""
    directory.mkdir(parents=True)
    ids: dict[str, str] = {}
    for record, text in records.items():
        name = UNSAFE.sub("-", record).strip("-")
        while f"{name}.md" in ids:
            name += "-"
        ids[f"{name}.md"] = record
        (directory / f"{name}.md").write_text(text, encoding="utf-8")
    return ids
