"""What compaction leaves alone for the sake of other rooms."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.journal.compact import Guards
    from crewmem.journal.store import Journal

RELATIONS = ("similar", "supports", "contradicts")
"""Edges that keep the entries at their ends: of a rule they lead to its evidence."""


def guards(journal: Journal, workspace: str) -> Guards:
    """Return what other rooms keep of *workspace*.

    It is what recall finds, or somebody tagged for it, what relations lead to, and
    what memories that are in use, and proposals that wait, name as their evidence.
    """
    from crewmem.episodes.relations_store import Relations
    from crewmem.episodes.store import Episodes
    from crewmem.journal.compact import Guards

    episodes, relations = Episodes(journal.db), Relations(journal.db)
    evidence = _Evidence(journal, workspace)

    def protects(seqs: Sequence[int]) -> set[int]:
        edges = (edge for kind in RELATIONS for edge in relations.of(seqs, kind))
        ends = {seq for edge in edges for seq in edge[:2]}
        named = evidence.seqs()
        return {*episodes.owner_of(seqs), *(ends | named).intersection(seqs)}

    return Guards(selects=_is_wanted, protects=protects)


def _is_wanted(
    entry_type: str,
    severity: str,
    payload: Mapping[str, object],
    refs: Mapping[str, object],
) -> bool:
    """Tell whether recall selects an entry, or somebody tagged it, even in vain."""
    from crewmem.episodes.selection import is_selected, is_tagged

    is_meant = is_selected(entry_type, severity, payload, refs)
    return is_meant or is_tagged(payload, refs)


class _Evidence:
    """The entries that are evidence, read anew when somebody else has written."""

    def __init__(self, journal: Journal, workspace: str) -> None:
        self._db, self._workspace = journal.db, workspace
        self._seqs: set[int] = set()
        self._as_of: int | None = None

    def seqs(self) -> set[int]:
        """Return their places."""
        from crewmem.journal.compact_store import as_of

        state = as_of(self._db)
        if state != self._as_of:
            self._seqs, self._as_of = self._found(), state
        return self._seqs

    def _found(self) -> set[int]:
        from crewmem.journal.compact_store import seqs_of
        from crewmem.memories import evidence_store as of_memories
        from crewmem.proposals import evidence_store as of_proposals

        named = of_memories.named(self._db, self._workspace)
        named |= of_proposals.named(self._db, self._workspace)
        return seqs_of(self._db, self._workspace, named)
