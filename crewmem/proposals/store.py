"""Proposals, as they are kept in crewmem.db."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.db.connect import fetch, fetch_one
from crewmem.db.where import Where
from crewmem.errors.proposals import ProposalAmbiguousError, ProposalMissingError
from crewmem.ids import meant
from crewmem.proposals.proposal import Proposal, is_visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import apsw

    from crewmem.db.connect import Row
    from crewmem.memories.view import View
    from crewmem.proposals.proposal import Draft
    from crewmem.scope import Actor

COLUMNS = """
    seq, id, workspace_id, kind, scope, crew_id, title, body, evidence, status,
    created_by, created_at, decided_by, decided_at, reason, outcome
"""
"""What a `Proposal` is made of, in its order."""


class Proposals:
    """The proposals of all workspaces. It knows no scope, but to find one."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db

    def add(
        self, workspace: str, new_id: str, draft: Draft, *, by: str, at: datetime
    ) -> Proposal:
        """Add what somebody proposes."""
        sql = f"""
            insert into proposals (id, workspace_id, kind, scope, crew_id, title, body,
                                   evidence, created_by, created_at)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            returning {COLUMNS}
        """
        values = (
            new_id,
            workspace,
            draft.kind,
            draft.scope,
            draft.crew,
            draft.title,
            _spelled(draft.body),
            json.dumps(draft.evidence),
            by,
            times.to_text(at),
        )
        return _proposal(fetch_one(self.db, sql, values))

    def begun(self, workspace: str, name: str) -> list[Proposal]:
        """Return proposals whose id is *name* or begins so, in order."""
        where = Where()
        where.equal("workspace_id", workspace)
        where.begins("id", name)
        return self._rows(f"{where} order by id limit 50", where.values)

    def find(self, name: str, view: View, actor: Actor) -> Proposal:
        """Return the proposal that *name* names or begins, as far as *actor* may see.

        Raises:
            ProposalMissingError: If there is none.
            ProposalAmbiguousError: If there are several.
            PrefixTooShortError: If it is no id, and short.
        """
        begun = self.begun(view.workspace, name)
        by_id = {each.id: each for each in begun if is_visible(each, view, actor)}
        return by_id[
            meant(
                name,
                [*by_id],
                missing=lambda: ProposalMissingError(name, view.workspace),
                several=lambda some: ProposalAmbiguousError(name, some),
            )
        ]

    def of(
        self,
        workspace: str,
        *,
        status: str | None = None,
        kind: str | None = None,
        after: int | None = None,
    ) -> list[Proposal]:
        """Return the proposals of *workspace*, newest first, below place *after*."""
        where = Where()
        where.equal("workspace_id", workspace)
        where.equal("status", status)
        where.equal("kind", kind)
        where.below("seq", after)
        return self._rows(f"{where} order by seq desc", where.values)

    def decide(
        self,
        proposal: Proposal,
        status: str,
        *,
        by: str,
        at: datetime,
        reason: str,
        outcome: str | None,
    ) -> Proposal:
        """Close *proposal* with a *status*."""
        sql = f"""
            update proposals
               set status = ?, decided_by = ?, decided_at = ?, reason = ?, outcome = ?
             where seq = ?
            returning {COLUMNS}
        """
        at_text = times.to_text(at)
        values = (status, by, at_text, reason, outcome, proposal.seq)
        return _proposal(fetch_one(self.db, sql, values))

    def rewrite(self, proposal: Proposal, body: Mapping[str, object]) -> Proposal:
        """Let *proposal* say *body*; call it inside a transaction."""
        sql = f"update proposals set body = ? where seq = ? returning {COLUMNS}"
        values = (_spelled(body), proposal.seq)
        return _proposal(fetch_one(self.db, sql, values))

    def same(self, workspace: str, draft: Draft, by: str) -> Proposal | None:
        """Return the open proposal of *by* that says what *draft* does."""
        where = Where()
        where.equal("workspace_id", workspace)
        where.equal("status", "open")
        where.equal("created_by", by)
        where.equal("body", _spelled(draft.body))
        where.equal("crew_id", draft.crew)
        return next(iter(self._rows(f"{where} limit 1", where.values)), None)

    def _rows(self, rest: str, values: Sequence[object]) -> list[Proposal]:
        sql = f"select {COLUMNS} from proposals {rest}"
        return [_proposal(row) for row in fetch(self.db, sql, tuple(values))]


def _spelled(body: Mapping[str, object]) -> str:
    """Spell *body* as it is kept: the same is spelled alike, so that it is found."""
    return json.dumps(dict(body), ensure_ascii=False, sort_keys=True)


def _proposal(row: Row) -> Proposal:
    told = dict(zip(Proposal._fields, row, strict=True))
    told["crew"] = told["crew"] or None
    told["body"], told["evidence"] = json.loads(told["body"]), json.loads(row[8])
    told["created_at"] = times.from_text(told["created_at"])
    at = told["decided_at"]
    told["decided_at"] = times.from_text(at) if at else None
    return Proposal(**told)
