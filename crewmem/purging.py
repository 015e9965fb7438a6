"""Purging: erases a text from all stores of a home, and warns of copies elsewhere.

Each store erases its own texts: `facts.purge`, `journal.purge`, `sessions.forgetting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Unpack

from crewmem.errors import CrewmemError
from crewmem.storage.sqlite import scrub

if TYPE_CHECKING:
    from crewmem.facts.purge import Purged
    from crewmem.files.directories import FileOwner
    from crewmem.files.versions import PrunePlan
    from crewmem.home import Home
    from crewmem.journal.entry import Entry
    from crewmem.sessions.forgetting import ForgetPlan

MIN_PHRASE, MAX_PHRASE = 3, 40
"""Limits of the words by which a purge looks for its text in memory files."""


class Purging:
    """Purging in a home, as its actor may do it."""

    def __init__(self, home: Home) -> None:
        self._home, self._context = home, home.context

    def purge_entry(self, entry_id: str) -> Entry:
        """Erase the text and the vector of a journal entry, but keep its hashes."""
        self._warn_of_copies(self._home.journal.get(entry_id).summary)
        entry = self._home.journal.purge(entry_id)
        self._home.mentions.erase_names()
        return entry

    def purge_fact(self, fact_id: str) -> Purged:
        """Erase the text of a fact and its vectors everywhere in the home, but keep its id."""
        self._warn_of_copies(self._home.facts.find_to_purge(fact_id).content)
        purged = self._home.facts.purge(fact_id)
        self._home.mentions.erase_names()
        return purged

    def purge_versions(self, file: str, **owner: Unpack[FileOwner]) -> PrunePlan:
        """Erase all versions of a memory file but its present text, also from the index."""
        self._context.access.require_operator("delete versions")
        # It records the present text, and a rebuilt index has no deleted rows.
        self._home.reindex(full=True)
        plan = self._home.memory.plan_purge(file, **owner)
        self._home.memory.purge(plan)
        scrub(self._context.db)
        self._warn_of_synced()
        return plan

    def forget_sessions(self, plan: ForgetPlan) -> ForgetPlan:
        """Erase the copies, the index and the facts of sessions; see `Forgetting.plan`."""
        self._home.sessions.forgetting.apply(plan)
        self._home.mentions.erase_names()
        return plan

    def _find_files_with(self, words: Sequence[str]) -> list[str]:
        """Return the memory files that have *words* in this order; [] for too few words."""
        if len(words) < MIN_PHRASE:
            return []
        phrase = f'"{" ".join(words)}"'
        files: list[str] = []
        with suppress(CrewmemError):  # without an index, a purge goes on
            found = self._home.search(
                phrase, stores=["memory"], limit=50, mode="sparse", include_all=True
            )
            if found.mode == "sparse":  # else only some of the words were found
                files = [hit.ref.rpartition(":")[0] for hit in found.hits]
        return list(dict.fromkeys(files))

    def _warn_of_copies(self, text: str) -> None:
        """Warn of memory files with *text*, and of synced copies: a purge does not reach them."""
        files = self._find_files_with(text.replace('"', " ").split()[:MAX_PHRASE])
        if files:
            command = self._context.command("memory purge", "FILE")
            self._context.warn(
                "in-files",
                f"memory files still have the text: {', '.join(files)}",
                f"edit them, then run {command} for each"
                if command
                else "edit them; an operator can then purge their versions",
            )
        self._warn_of_synced()

    def _warn_of_synced(self) -> None:
        if self._context.db.value("select 1 from sync_batches limit 1"):
            self._context.warn(
                "sync-not-erased",
                "copies that were synced to a directory or git repository cannot be erased",
                "remove the text there by hand",
            )
