"""The effects of approving and rejecting, in a class for each kind of item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.errors import ConflictError, UsageError
from crewmem.facts.fact import LIVE
from crewmem.review.store import ReviewItem
from crewmem.text.wording import count

if TYPE_CHECKING:
    from crewmem.facts.store import Facts
    from crewmem.home import Home


class Choice(NamedTuple):
    """The options of ``review approve``."""

    only: tuple[int, ...] = ()
    keep: str = ""


class Handler(ABC):
    """Decides the items of one kind.

    Attributes:
        in_transaction: Whether all effects are in the database. If so, the item is closed in the
            same transaction. If not, the effects must be safe to repeat.
    """

    in_transaction = True

    def __init__(self, home: Home) -> None:
        self.home = home

    @property
    def facts(self) -> Facts:
        """The facts, with the right to change all that are in review."""
        return self.home.reviewed_facts

    @abstractmethod
    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Apply an approval; return a sentence for each effect."""

    @abstractmethod
    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        """Apply a rejection; return a sentence for each effect."""

    @abstractmethod
    def describe(self, item: ReviewItem) -> list[str]:
        """Return lines that show what approving would change."""


class PlanHandler(Handler):
    """A plan of consolidation, approved as a whole or in part."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Apply the chosen changes; reject the candidates of the others."""
        changes = item.payload["changes"]
        numbers = {change["number"] for change in changes}
        unknown = sorted(set(choice.only) - numbers)
        if unknown:
            raise UsageError(
                f"{item.id} has the changes 1 to {len(numbers)}, not {unknown[0]}",
                code="no-such-change",
            )
        approved_numbers = set(choice.only) or numbers
        approved = [change for change in changes if change["number"] in approved_numbers]
        applied = {each.number for each in self.home.consolidation.apply_changes(approved)}
        rejected = [
            c["candidate"]
            for c in changes
            if c["number"] not in approved_numbers and c["candidate"]
        ]
        self.home.consolidation.settle(rejected, "rejected")
        done = []
        for each in approved:
            change = f"{each['text'] or each['action']} -> {each['target']}"
            is_applied = each["number"] in applied
            done.append(f"{each['number']}. {'' if is_applied else 'not applied: '}{change}")
        return done

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        ids = [change["candidate"] for change in item.payload["changes"] if change["candidate"]]
        self.home.consolidation.settle(ids, "rejected")
        return [f"{count(len(ids), 'candidate')} settled"]

    def describe(self, item: ReviewItem) -> list[str]:
        return self.home.consolidation.describe_changes(item.payload["changes"])


def describe_fact(facts: Facts, fact_id: str) -> str:
    """Return the text of a fact; for a restricted fact, the command that shows it."""
    fact = facts.get(fact_id)
    if fact.sensitivity != "restricted":
        return fact.content
    command = facts.context.command("fact show", fact.id, "--include-restricted")
    return f"a restricted fact; {command} shows it"


class ShareHandler(Handler):
    """A member's share of a fact."""

    def has_changed(self, item: ReviewItem) -> bool:
        """Return whether the text of the fact is no longer the one that was proposed."""
        proposed = item.payload.get("content_hash")
        return proposed not in (None, self.facts.get(item.fact_id).content_hash)

    def check_text(self, item: ReviewItem) -> None:
        """Raise ConflictError if somebody would approve a text that was not proposed."""
        if self.has_changed(item):
            raise ConflictError(
                f"{item.fact_id} has another text since {item.id} was proposed; reject it, so that"
                " the new text can be proposed",
                code="text-changed",
                hint=self.home.context.command(
                    "review reject", item.id, "--reason", "the text has changed"
                ),
            )

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        self.check_text(item)
        self.facts.share(item.fact_id, item.payload["to"], approved=True)
        return [f"{item.fact_id} is shared with {item.payload['to']}"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        return [f"{item.fact_id} stays its owner's"]

    def describe(self, item: ReviewItem) -> list[str]:
        lines = [f"+ {item.payload['to']}: {describe_fact(self.facts, item.fact_id)}"]
        return [*lines, "The text has changed since."] if self.has_changed(item) else lines


class ExtractedFactHandler(ShareHandler):
    """A fact from a session, which is an agent's until a person widens its scope."""

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        self.check_text(item)
        self.facts.move(item.fact_id, item.payload["to"])
        return [f"{item.fact_id} is a fact of {item.payload['to']}"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        self.facts.set_status(item.fact_id, "archived", reason=f"rejected: {reason}")
        return [f"{item.fact_id} is archived"]


class ContradictionHandler(Handler):
    """Two statements that cannot both hold: facts, or candidates of consolidation."""

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Keep A, B or both. A fact that is not kept is superseded, a candidate settled."""
        keep = choice.keep.lower()
        if keep not in ("a", "b", "both"):
            raise UsageError(
                f"{item.id} is a contradiction: add --keep A, --keep B or --keep both",
                code="keep-missing",
            )
        sides = {name: item.payload[name] for name in ("a", "b")}
        kept_places = {
            name: self._keep(item, side) for name, side in sides.items() if keep in (name, "both")
        }
        done = [f"{place} holds: {sides[name]['text']}" for name, place in kept_places.items()]
        for name, side in sides.items():
            if name not in kept_places:
                done += self._drop(item, side, next(iter(kept_places.values())))
        return [*done, *self._update_others(item, kept_places)]

    def _update_others(self, decided: ReviewItem, kept_places: Mapping[str, str]) -> list[str]:
        """Apply a decision to the other open contradictions of the two statements.

        Those of a statement that was not kept are closed; those of one that was kept name its fact.
        """
        store = self.home.review_items
        done = []
        for other in store.list_items(kind="contradiction"):
            for name, side in ((name, other.payload[name]) for name in ("a", "b")):
                same = [n for n in ("a", "b") if _is_same_statement(decided.payload[n], side)]
                if other.id == decided.id or not same:
                    continue
                place = kept_places.get(same[0])
                if place is None:
                    reason = f"{side['text']} was not kept: {decided.id}"
                    store.close(other.id, "rejected", decision={"done": []}, reason=reason)
                    done.append(f"{other.id} is closed, too: {other.title}")
                    break
                if place.startswith("f_"):
                    store.name_fact(other, name, place)
        return done

    def _drop(self, item: ReviewItem, side: Mapping[str, Any], kept_place: str) -> list[str]:
        """Supersede or archive the facts of a side, and settle its candidate.

        Args:
            kept_place: Id of the fact, file or plan that contains the other side.
        """
        done = []
        for fact in self._find_facts(side):
            if fact != kept_place and kept_place.startswith("f_"):
                self.facts.supersede(fact, by=kept_place, reason=f"review {item.id}")
                done.append(f"{fact} is superseded by {kept_place}")
            elif fact != kept_place:
                self.facts.forget(fact, reason=f"review {item.id}")
                done.append(f"{fact} is archived")
        if side.get("candidate"):
            self.home.consolidation.settle([side["candidate"]], "rejected")
            done = done or [f"not kept: {side['text']}"]
        elif side.get("plan"):
            done.append(f"leave change {side['change']} out of {side['plan']}: {side['text']}")
        elif side.get("file"):
            done.append(f"edit {side['file']}: {side['text']}")
        return done

    def _keep(self, item: ReviewItem, side: Mapping[str, Any]) -> str:
        """Return the id of the fact, file or plan that contains a side.

        A candidate becomes a fact, unless its evidence includes one.
        """
        if side.get("candidate"):
            self.home.consolidation.settle([side["candidate"]], "applied")
        if facts := self._find_facts(side):
            return facts[0]
        if place := side.get("file") or side.get("plan"):
            return str(place)
        agent = side.get("agent") or None
        added = self.facts.add(
            side["text"],
            kind=side.get("kind") or "fact",
            scope="agent" if agent else "crew" if item.crew else "workspace",
            agent=agent,
            crew=item.crew or None,
            origin=side.get("origin"),
            metadata={"evidence": list(side.get("evidence", ())), "review": item.id},
        )
        return str(added.id)

    def _find_facts(self, side: Mapping[str, Any]) -> list[str]:
        """Return the fact that a side names, and the active facts in its evidence."""
        named = [str(side["fact"])] if side.get("fact") else []
        cited = [each for each in side.get("evidence", ()) if str(each).startswith("f_")]
        known = self.facts.table.by_ids(cited)
        active = [each for each in cited if each in known and known[each].status in LIVE]
        return list(dict.fromkeys([*named, *active]))

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        return ["both stay as they are"]

    def describe(self, item: ReviewItem) -> list[str]:
        return [f"{name.upper()}: {item.payload[name]['text']}" for name in ("a", "b")]


def _is_same_statement(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two sides of contradictions are the same candidate or fact."""
    names = ("candidate", "fact")
    return any(one.get(name) and one.get(name) == other.get(name) for name in names)


class VotedDownHandler(Handler):
    """A fact that down votes archived."""

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Keep the fact archived; archive it again if it was restored meanwhile."""
        status = self.facts.get(item.fact_id).status
        if status not in LIVE:
            return [f"{item.fact_id} stays {status}"]
        self.facts.set_status(item.fact_id, "archived", reason=f"review {item.id}")
        return [f"{item.fact_id} is archived"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        self.facts.set_status(item.fact_id, "active", reason=reason)
        return [f"{item.fact_id} is active again"]

    def describe(self, item: ReviewItem) -> list[str]:
        reasons = [f"  {each}" for each in item.payload.get("reasons", ())]
        return [f"- {describe_fact(self.facts, item.fact_id)}", *reasons]


class QuarantineHandler(Handler):
    """A refused text of a memory file, a fact, or a journal entry."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Write the text, or activate its fact."""
        if item.fact_id:
            self.facts.set_status(item.fact_id, "active", reason=f"released by {item.id}")
            return [f"{item.fact_id} is active"]
        if "entry" in item.payload:
            return [f"appended as {self.home.journal.release(item.payload).id}"]
        self.home.memory.release(item.payload)
        return [f"written to {item.payload['file']}"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        """Keep the text refused; archive its fact."""
        if item.fact_id:
            self.facts.set_status(item.fact_id, "archived", reason=f"rejected: {reason}")
            return [f"{item.fact_id} is archived"]
        if "entry" in item.payload:
            return ["the entry stays refused"]
        self.home.memory.drop(item.payload)
        return [f"stays refused for {item.payload['file']}"]

    def describe(self, item: ReviewItem) -> list[str]:
        if item.fact_id:
            text = describe_fact(self.facts, item.fact_id)
        elif "entry" in item.payload:
            text = str(item.payload["entry"]["summary"])
        else:
            text = self.home.memory.read_quarantined(item.payload)
        rules = ", ".join(item.payload.get("rules", ()))
        return [
            f"refused by {rules}" if rules else "refused",
            *(f"+ {line}" for line in text.split("\n")),
        ]


HANDLERS: Mapping[str, type[Handler]] = {
    "plan": PlanHandler,
    "share": ShareHandler,
    "fact": ExtractedFactHandler,
    "contradiction": ContradictionHandler,
    "voted-down": VotedDownHandler,
    "quarantine": QuarantineHandler,
}
"""The handler of each kind. Those of other kinds are in `consolidation.skills`,
`transfer.importer` and `hosts.merge`, which also add the items."""
