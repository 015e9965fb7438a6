"""Decide review items: check the rights, apply the effects, and close each item once.

Each kind has a `Handler`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.errors import STORAGE_FAILED, CrewmemError, UsageError
from crewmem.files.reading import SuspiciousPassage
from crewmem.review.handlers import Choice, Handler
from crewmem.review.store import KINDS, ReviewItem, format_evidence, raise_if_decided
from crewmem.security.secrets import redact
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import transaction

if TYPE_CHECKING:
    from crewmem.home import Home


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a decision.

    Attributes:
        status: approved or rejected.
        done: The effects, one sentence each.
    """

    id: str
    kind: str
    status: str
    done: list[str]


class FailedDecision(NamedTuple):
    """An item that could not be decided and stays open, and the reason."""

    id: str
    error: CrewmemError


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A page of items.

    Attributes:
        next: Id of the last item, after which the next page begins; "" for the last page.
    """

    items: list[ReviewItem]
    next: str = ""

    def __iter__(self) -> Iterator[ReviewItem]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class ReviewDetail:
    """An item with the change that it proposes, or made.

    Attributes:
        change: Lines to show: a diff if files or facts would change; for a decided item, what the
            decision did.
        explanation: Score and evidence, if requested.
    """

    item: ReviewItem
    change: list[str]
    explanation: list[str]


class Review:
    """The review queue, limited to what the actor may do.

    Args:
        make_handler: Returns the handler of a kind.
    """

    def __init__(self, home: Home, make_handler: Callable[[str], Handler]) -> None:
        self._home, self._make_handler = home, make_handler
        self._context, self._store = home.context, home.review_items

    def list_items(
        self,
        *,
        kind: str = "",
        status: str = "open",
        limit: int = 50,
        after: str = "",
    ) -> ReviewPage:
        """Return items that the actor may see, oldest first.

        Args:
            kind: Only this kind; "" for all.
            status: open, approved, rejected, or "" for all.
            limit: Maximum number; 0 for all.
            after: Id of the last item of the previous page.

        Raises:
            RefusedError: If the actor is an agent.
        """
        self._context.access.require_reviewer("read the review queue")
        if kind and kind not in KINDS:
            raise UsageError(f"'{kind}' is not a kind: use {', '.join(KINDS)}", code="bad-kind")
        items = self._store.list_items(
            kind=kind, status=status, limit=limit + 1 if limit else 0, after=after
        )
        if limit and len(items) > limit:
            return ReviewPage(items[:limit], items[limit - 1].id)
        return ReviewPage(items)

    def choose(self, prefixes: Collection[str] = (), *, kind: str = "") -> list[ReviewItem]:
        """Return the items to decide: the named ones, or all open ones of a kind.

        Raises:
            UsageError: If neither items nor a kind are named, or both.
        """
        if bool(prefixes) == bool(kind):
            raise UsageError(
                "name items, or choose all of a kind with --kind",
                code="nothing-chosen" if not prefixes else "ids-and-filters",
                hint=self._context.command("review list"),
            )
        if prefixes:
            return list({item.id: item for item in map(self._find, prefixes)}.values())
        return self.list_items(kind=kind, limit=0).items

    def show(self, prefix: str, *, explain: bool = False) -> ReviewDetail:
        """Return an item with its change; with *explain* also its score and evidence."""
        self._context.access.require_reviewer("read the review queue")
        item = self._store.get(prefix)
        if item.status == "open":
            change = self._make_handler(item.kind).describe(item)
        else:
            change = list(item.decision.get("done", ()))
        return ReviewDetail(item, change, self._explain(item) if explain else [])

    def _explain(self, item: ReviewItem) -> list[str]:
        """Return score and evidence of an item, or the evidence of its fact, line by line."""
        lines = explain_item(item)
        if not lines and (fact := self._home.facts.table.by_ids([item.fact_id]).get(item.fact_id)):
            lines = [format_evidence(each) for each in (*fact.spans, *fact.listed("evidence"))]
        return lines or ["no evidence is recorded"]

    def approve(self, prefix: str, *, only: Collection[int] = (), keep: str = "") -> Decision:
        """Approve an item, once.

        Args:
            prefix: Its id, or a unique prefix.
            only: For a plan, the numbers of the changes to apply; all by default.
            keep: For a contradiction, A, B or both.

        Raises:
            RefusedError: If the actor may not decide it.
            ConflictError: If it was decided before.
            UsageError: If an option does not fit its kind.
        """

        def apply(handler: Handler, item: ReviewItem) -> Sequence[str]:
            for option, given, kind in (("only", only, "plan"), ("keep", keep, "contradiction")):
                if given and item.kind != kind:
                    raise UsageError(
                        f"--{option} is for a {kind}; {item.id} is a {item.kind}", code="bad-option"
                    )
            return handler.approve(item, Choice(tuple(only), keep))

        options = {"only": sorted(only), "keep": keep.lower()}
        return self._decide(prefix, "approved", apply, options=options)

    def reject(self, prefix: str, *, reason: str) -> Decision:
        """Reject an item, once, and record the reason."""
        if not reason.strip():
            raise UsageError("a rejection needs a reason", code="reason-missing")
        reason = redact(reason)
        return self._decide(
            prefix, "rejected", lambda handler, item: handler.reject(item, reason), reason
        )

    def decide_each(
        self, items: Sequence[ReviewItem], decide: Callable[[str], Decision]
    ) -> tuple[list[Decision], list[FailedDecision]]:
        """Decide items one by one; an item that cannot be decided stays open.

        Args:
            items: Items from `choose`.
            decide: Approves or rejects the item with this id.

        Raises:
            CrewmemError: If no item could be decided, or the home's storage failed.
        """
        decisions: list[Decision] = []
        failed: list[FailedDecision] = []
        for item in items:
            try:
                decisions.append(decide(item.id))
            except CrewmemError as error:
                if error.code in STORAGE_FAILED:
                    raise
                failed.append(FailedDecision(item.id, error))
        if failed and not decisions:
            raise failed[0].error
        return decisions, failed

    def list_suspicious(self) -> list[SuspiciousPassage]:
        """Return the suspicious passages of memory files and facts that the actor may read."""
        self._context.access.require_reviewer("read the review queue")
        in_facts = [
            SuspiciousPassage(id_, each.first_line, each.rule, text)
            for id_, text, each in self._home.facts.scan()
            if each.class_ == "suspicious"
        ]
        return [*self._home.memory.list_suspicious(), *in_facts]

    def _decide(
        self,
        prefix: str,
        status: str,
        apply: Callable[[Handler, ReviewItem], Sequence[str]],
        reason: str = "",
        options: Mapping[str, Any] | None = None,
    ) -> Decision:
        context, store = self._context, self._store
        item = self._find(prefix)
        store.check_may_decide(item)
        # Of two decisions at once, the second one waits here and finds the item closed.
        given = {name: value for name, value in (options or {}).items() if value}
        with lock(context.lock_path("review")):
            item = store.get(item.id)
            raise_if_decided(item, context)
            handler = self._make_handler(item.kind)
            if handler.in_transaction:
                with transaction(context.db):
                    done = list(apply(handler, item))
                    self._close(item, status, {**given, "done": done}, reason)
            else:
                # Files cannot join a transaction. If the decision is interrupted and repeated, its
                # effects are there already, and the item is closed.
                done = list(apply(handler, item))
                self._close(item, status, {**given, "done": done}, reason)
        return Decision(item.id, item.kind, status, done)

    def _find(self, prefix: str) -> ReviewItem:
        """Find an item, even one that the actor may not decide, to tell the actor why not."""
        self._context.access.require_reviewer("decide review items")
        return self._store.get(prefix, any_crew=True)

    def _close(
        self, item: ReviewItem, status: str, decision: Mapping[str, Any], reason: str
    ) -> None:
        approved = status == "approved"
        with transaction(self._context.db):
            self._store.close(item.id, status, decision=decision, reason=reason)
            self._home.journal.append(
                "approval.granted" if approved else "approval.denied",
                f"{item.kind} {item.id} {status}: {item.title}",
                payload={
                    "review": item.id,
                    "kind": item.kind,
                    "done": decision["done"],
                    "reason": reason,
                },
                refs={"review": item.id},
                crew=item.crew,
                agent=item.agent,
            )


def explain_item(item: ReviewItem) -> list[str]:
    """Return score and evidence of an item, line by line."""
    lines: list[str] = []
    for change in item.payload.get("changes", ()):
        lines.append(f"{change['number']}. {change['text']}")
        signals = change.get("score") or {}
        if signals:
            parts = [f"{name} {value:.2f}" for name, value in signals.items() if name != "total"]
            lines.append(f"   score {signals.get('total', 0):.2f} ({', '.join(parts)})")
        lines += [f"   {format_evidence(each)}" for each in change.get("evidence", ())]
    for name in ("a", "b"):
        side: Mapping[str, Any] = item.payload.get(name) or {}
        if side:
            lines.append(f"{name.upper()}: {side.get('text', '')}")
            lines += [f"   {format_evidence(each)}" for each in side.get("evidence", ())]
    if not lines:
        lines += [format_evidence(each) for each in item.payload.get("evidence", ())]
        lines += [f"{each}" for each in item.payload.get("reasons", ())]
    return lines
