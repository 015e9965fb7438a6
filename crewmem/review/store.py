"""The table of review items.

The payload of each kind is below. A *statement* is an object with `text`, `evidence` (a list of
strings or objects) and, if known, `title`, `fact` (its id), `file` or `entry`.

| kind | payload |
|---|---|
| `plan` | `changes`: see consolidation/plan.py |
| `share` | `to`: `crew:NAME` or `workspace`; `content_hash` of the text; fact_id names the fact |
| `fact` | `to`: `crew:NAME`, the requested scope; `content_hash`; fact_id names the stored fact |
| `contradiction` | `a`, `b`: statements; `evidence` |
| `voted-down` | `reasons`; fact_id names the archived fact |
| `quarantine` | `rules`, `passages` (hashes); for a file, the arguments of `Memory.release` |
| `merge`, `outbox` | see `hosts.merge` |
| `import` | see `transfer.importer` |
| `skill` | `name`, `text` of its SKILL.md, `evidence` |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import ConflictError, RefusedError
from crewmem.ids import HAS_PREFIX, bad_cursor, new_id, resolve_prefix
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import transaction

KINDS = (
    "plan",
    "share",
    "fact",
    "contradiction",
    "voted-down",
    "quarantine",
    "merge",
    "outbox",
    "import",
    "skill",
)

SETTLED_KINDS = frozenset({"contradiction", "skill"})
"""Kinds that are added again after a decision only with new evidence."""

COLUMNS = (
    "id, kind, status, title, payload, crew, agent, fact_id, item_key, created_by, created_at,"
    " decided_by, decided_at, decision, reason"
)


class ReviewItem(NamedTuple):
    """A decision for a person.

    Attributes:
        status: open, approved or rejected.
        key: Unique among the open items of a kind; "" for none.
        decision: The choice and its effects, once the item is decided.
    """

    id: str
    kind: str
    status: str
    title: str
    payload: dict[str, Any]
    crew: str
    agent: str
    fact_id: str
    key: str
    created_by: str
    created_at: str
    decided_by: str
    decided_at: str
    decision: dict[str, Any]
    reason: str


class ReviewStore:
    """The items of one workspace."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(
        self,
        kind: str,
        title: str,
        *,
        payload: Mapping[str, Any],
        crew: str | None = None,
        agent: str | None = None,
        fact_id: str | None = None,
        key: str = "",
    ) -> str:
        """Add an item and return its id.

        If an open item has the same kind and key, nothing is added and its id is returned. The same
        applies to a decided contradiction or skill, unless the payload has new evidence.
        """
        if kind not in KINDS:
            raise ValueError(f"unknown kind of review item: {kind}")
        context = self._context
        with transaction(context.db):
            if key and (known := self.find_known(kind, key, payload)):
                return known
            item_id = new_id("r", context.random)
            context.db.execute(
                "insert into review_items (id, workspace_id, kind, title, payload, crew, agent,"
                " fact_id, item_key, created_by, created_at) values (:id, :workspace, :kind,"
                " :title, :payload, :crew, :agent, :fact_id, :key, :by, :at)",
                {
                    "id": item_id,
                    "workspace": context.workspace,
                    "kind": kind,
                    "title": " ".join(title.split())[:200],
                    "payload": json.dumps(payload, ensure_ascii=False, sort_keys=True),
                    "crew": crew or "",
                    "agent": agent or "",
                    "fact_id": fact_id or "",
                    "key": key,
                    "by": str(context.access.actor),
                    "at": context.now_text,
                },
            )
        return item_id

    def find_known(self, kind: str, key: str, payload: Mapping[str, Any]) -> str:
        """Return the id of the item that `add` returns instead of adding one; "" for none."""
        decided, seen = "", set()
        for item in self._select("kind = :kind and item_key = :key", {"kind": kind, "key": key}):
            if item.status == "open":
                return item.id
            if kind in SETTLED_KINDS:
                decided = item.id
                seen |= set(evidence_keys(item.payload))
                # The fact that a decision made of a statement is no new evidence for it.
                seen |= {done.split()[0] for done in item.decision.get("done", ()) if done}
        return decided if seen.issuperset(evidence_keys(payload)) else ""

    def find_rejected(self, kind: str, key: str) -> str:
        """Return the id of the item of *kind* with *key* if it was rejected last, else "".

        A text or a share that was rejected does not wait again.
        """
        items = [*self._select("kind = :kind and item_key = :key", {"kind": kind, "key": key})]
        return items[-1].id if items and items[-1].status == "rejected" else ""

    def holds_both(self, key: str) -> bool:
        """Return whether somebody decided that both statements of a contradiction hold."""
        items = self._select("kind = 'contradiction' and item_key = :key", {"key": key})
        return any(item.decision.get("keep") == "both" for item in items)

    def get(self, prefix: str, *, any_crew: bool = False) -> ReviewItem:
        """Return the item with this id or unique prefix.

        Args:
            prefix: The id, or its first characters.
            any_crew: Whether to include items that the actor may not decide, to report the rule.

        Raises:
            NotFoundError: If there is none, or the actor may not see it.
        """
        context = self._context
        rows = context.db.execute(
            f"select id, crew from review_items where workspace_id = :workspace and {HAS_PREFIX}",
            {"workspace": context.workspace, "prefix": prefix},
        )
        visible = [item_id for item_id, crew in rows if any_crew or self._is_visible(crew)]
        hint = context.command("review list")
        item_id = resolve_prefix(prefix, visible, "review item", hint)
        return next(self._select("id = :id", {"id": item_id}))

    def list_items(
        self, *, kind: str = "", status: str = "open", limit: int = 0, after: str = ""
    ) -> list[ReviewItem]:
        """Return items that the actor may see, oldest first; see `Review.list_items`."""
        conditions, params = ["1"], {}
        for column, value in (("kind", kind), ("status", status)):
            if value:
                conditions.append(f"{column} = :{column}")
                params[column] = value
        if after:
            last = next(self._select("id = :after", {"after": after}), None)
            if last is None:
                raise bad_cursor(after)
            conditions.append("(created_at, id) > (:after_at, :after)")
            params["after_at"], params["after"] = last.created_at, last.id
        items: list[ReviewItem] = []
        for item in self._select(" and ".join(conditions), params):
            if self._is_visible(item.crew):
                items.append(item)
                if len(items) == limit:
                    break
        return items

    def count(self) -> dict[str, int]:
        """Count the open items that the actor may decide, by kind."""
        access = self._context.access
        counts: dict[str, int] = {}
        rows = self._context.db.execute(
            "select kind, crew, count(*) from review_items where workspace_id = :workspace"
            " and status = 'open' group by kind, crew order by kind",
            {"workspace": self._context.workspace},
        )
        for kind, crew, number in rows:
            if not access.review_rule(kind, crew):
                counts[kind] = counts.get(kind, 0) + number
        return counts

    def rename_agent(self, slug: str, crew: str, new_crew: str) -> None:
        """Let items name the files of an agent that moves by its new crew.

        Plans keep the old names: the lead of the old crew may not change them any more.
        """
        self._context.db.execute(
            "update review_items set payload = replace(payload, :old, :new),"
            " item_key = replace(item_key, :old, :new), title = replace(title, :old, :new),"
            " crew = iif(agent = :slug and crew = :crew, :new_crew, crew)"
            " where workspace_id = :workspace and kind <> 'plan' and instr(payload, :old)",
            {
                "workspace": self._context.workspace,
                "slug": slug,
                "crew": crew,
                "new_crew": new_crew,
                "old": f"agent:{crew}/{slug}/",
                "new": f"agent:{new_crew}/{slug}/",
            },
        )

    def record_release(self, file: str, hashes: Sequence[str], rules: Sequence[str]) -> None:
        """Record that an operator released passages of a file; approve open items about them."""
        with transaction(self._context.db):
            for digest in hashes:
                item_id = self.add(
                    "quarantine",
                    f"released in {file}: {', '.join(rules)}",
                    payload={"file": file, "sha256": digest, "rules": list(rules)},
                    key=f"{file} {digest}",
                )
                self.close(item_id, "approved", decision={"with": "--allow"})

    def list_released(self) -> frozenset[str]:
        """Return the hashes of passages that operators released."""
        hashes: set[str] = set()
        for item in self._select("status = 'approved' and kind = 'quarantine'", {}):
            hashes.update(item.payload.get("passages", ()))
            if "sha256" in item.payload:  # a single passage of a file
                hashes.add(item.payload["sha256"])
        return frozenset(hashes)

    def close(
        self, item_id: str, status: str, *, decision: Mapping[str, Any], reason: str = ""
    ) -> None:
        """Record a decision. Joins the open transaction.

        Raises:
            ConflictError: If it is already decided.
        """
        context = self._context
        with transaction(context.db):
            context.db.execute(
                "update review_items set status = :status, decided_by = :by, decided_at = :at,"
                " decision = :decision, reason = :reason"
                " where workspace_id = :workspace and id = :id and status = 'open'",
                {
                    "status": status,
                    "by": str(context.access.actor),
                    "at": context.now_text,
                    "decision": json.dumps(decision, ensure_ascii=False, sort_keys=True),
                    "reason": reason,
                    "workspace": context.workspace,
                    "id": item_id,
                },
            )
            if not context.db.changes():
                raise_if_decided(self.get(item_id), context)

    def name_fact(self, item: ReviewItem, side: str, fact: str) -> None:
        """Let a side of an open contradiction name the fact that it has become."""
        payload = {**item.payload, side: {**item.payload[side], "fact": fact}}
        self._context.db.execute(
            "update review_items set payload = ? where workspace_id = ? and id = ?",
            (
                json.dumps(payload, ensure_ascii=False, sort_keys=True),
                self._context.workspace,
                item.id,
            ),
        )

    def check_may_decide(self, item: ReviewItem) -> None:
        """Raise RefusedError, with the reason, if the actor may not decide the item."""
        reason = self._context.access.review_rule(item.kind, item.crew)
        if reason:
            raise RefusedError(
                f"{self._context.access.actor} may not decide {item.id}: {reason}",
                code="review-not-allowed",
                hint=self._context.command("review list"),
                details={"id": item.id, "kind": item.kind, "crew": item.crew},
            )

    def _is_visible(self, crew: str) -> bool:
        access = self._context.access
        return access.is_operator or bool(crew and access.leads(crew))

    def _select(self, where: str, params: Mapping[str, Any]) -> Iterator[ReviewItem]:
        """Yield items. The texts of items with a restricted fact are hidden."""
        rows = self._context.db.execute(
            f"select exists (select 1 from facts where sensitivity = 'restricted' and facts.id in"
            " (fact_id, iif(json_valid(payload), payload ->> '$.a.fact', ''),"
            "  iif(json_valid(payload), payload ->> '$.b.fact', ''))),"
            f" {COLUMNS} from review_items where workspace_id = :workspace and {where}"
            " order by created_at, id",
            {"workspace": self._context.workspace, **params},
        )
        for is_restricted, *values in rows:
            stored = dict(zip(ReviewItem._fields, values, strict=True))
            for name in ("payload", "decision"):
                stored[name] = load_object(stored[name])
            item = ReviewItem(**stored)
            yield _hide_restricted(item) if is_restricted else item


def _hide_restricted(item: ReviewItem) -> ReviewItem:
    payload = dict(item.payload)
    for name in ("a", "b"):
        if fact := (payload.get(name) or {}).get("fact"):
            payload[name] = {
                **payload[name],
                "text": f"the text of {fact} is hidden: a fact is restricted",
            }
    return item._replace(title=f"{item.kind} of a restricted fact", payload=payload, key="")


def raise_if_decided(item: ReviewItem, context: Context) -> None:
    """Raise ConflictError unless *item* is open."""
    if item.status != "open":
        raise ConflictError(
            f"{item.id} was {item.status} by {item.decided_by} at {item.decided_at}",
            code="review-decided",
            hint=context.command("review list"),
            details={"id": item.id, "status": item.status, "decided_by": item.decided_by},
        )


def evidence_keys(payload: Mapping[str, Any]) -> Iterator[str]:
    """Yield a key for each piece of evidence in a payload and, for a contradiction, in its sides.

    A line has the same key after it moved in its file, and after the file was archived.
    """
    for part in (payload, payload.get("a"), payload.get("b")):
        for evidence in (part or {}).get("evidence", ()) if isinstance(part, Mapping) else ():
            yield re.sub(r"(?:archive/\d+/)?([^/]*):\d+@", r"\1@", format_evidence(evidence))


def format_evidence(evidence: object) -> str:
    """Return the reference of evidence: an id, or a file or session with its line.

    >>> format_evidence({"session": "s_4k7m2qabcdef", "line": 12, "quote": "never on Fridays"})
    's_4k7m2qabcdef:12'
    """
    if not isinstance(evidence, Mapping):
        return str(evidence)
    place = next((evidence[k] for k in ("ref", "session", "file") if evidence.get(k)), "")
    return f"{place}:{evidence['line']}" if evidence.get("line") else str(place)
