"""A plan as a proposal carries it, until it is done or turned down. Pure.

Everything that is done is done from here, also what no person is asked about: it is
recorded first, so that who is killed goes on where it stopped.
"""

from __future__ import annotations

from crewmem.consolidation.item import Evidence, Item, Score, Settled
from crewmem.consolidation.plan import Against, Placed, owners
from crewmem.consolidation.sighting import Sighting
from crewmem.consolidation.sound import is_sound
from crewmem.errors.consolidation import PlanDamagedError
from crewmem.proposals.proposal import CONSOLIDATION as KIND
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from crewmem.consolidation.plan import File, Plan
    from crewmem.proposals.proposal import Proposal

__all__ = ["BY", "KIND", "Claim", "Part", "Proposed", "plan_in", "proposed"]

BY = "system:consolidate"
"""Who proposes, and who writes what is done."""


class Claim(NamedTuple):
    """That a plan is to be done.

    Attributes:
        by: Who decided it.
        reason: Why; "" if nobody said.
        only: The parts that are done, counted from 1; all of them if it is empty.
    """

    by: str
    reason: str = ""
    only: tuple[int, ...] = ()


class Part(NamedTuple):
    """A part of a plan, that is approved or not.

    Attributes:
        number: Counted from 1.
        placed: What is kept; None for notes that are put away, and what was seen again.
        archives: The notes.
        owner: Whose the notes are.
        seen: What was seen again.
    """

    number: int
    placed: Placed | None = None
    archives: tuple[Settled, ...] = ()
    owner: str = ""
    seen: tuple[Sighting, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        """The files that it writes."""
        own = (self.placed.ref,) if self.placed else ()
        return (*own, *(each.ref for each in self.seen))


class Proposed(NamedTuple):
    """A plan that was recorded.

    Attributes:
        parts: What there is to decide, in order of their numbers.
        files: The hash of each file that it was made for; "" for none there.
        claim: Who decided that it is done; None while nobody has.
    """

    parts: tuple[Part, ...]
    files: Mapping[str, str]
    claim: Claim | None = None

    @property
    def chosen(self) -> tuple[Part, ...]:
        """The parts that are to be done."""
        only = self.claim.only if self.claim else ()
        return tuple(each for each in self.parts if not only or each.number in only)

    @property
    def is_contest(self) -> bool:
        """Whether it is about what contradicts something: its parts are the sides."""
        return any(each.placed and each.placed.item.contradicts for each in self.parts)

    @property
    def placed(self) -> tuple[Placed, ...]:
        """What of these is kept."""
        return tuple(each.placed for each in self.chosen if each.placed)

    @property
    def archives(self) -> tuple[Settled, ...]:
        """What of these is put away."""
        return tuple(note for each in self.chosen for note in each.archives)

    @property
    def seen(self) -> tuple[Sighting, ...]:
        """What of these was learned before, and was seen again."""
        return tuple(one for each in self.chosen for one in each.seen)

    @property
    def refs(self) -> tuple[str, ...]:
        """The files that are written, each once."""
        return tuple(dict.fromkeys(ref for each in self.chosen for ref in each.refs))


def parts_of(
    placed: Sequence[Placed],
    archives: Sequence[Settled],
    seen: tuple[Sighting, ...] = (),
) -> tuple[Part, ...]:
    """Number what a plan does: each item, then the notes of each agent."""
    found = [Part(number, each) for number, each in enumerate(placed, 1)]
    for whose in owners(archives):
        theirs = tuple(each for each in archives if whose in owners([each]))
        found.append(Part(len(found) + 1, None, theirs, whose))
    if seen:
        found.append(Part(len(found) + 1, seen=seen))
    return tuple(found)


def body_of(
    plan: Plan, files: Mapping[str, File], claim: Claim | None = None
) -> dict[str, object]:
    """Return what a proposal holds of *plan*, which was made for *files*."""
    return _body(parts_of(plan.placed, plan.archives, plan.seen), files, claim)


def contest_of(sides: Sequence[Placed], files: Mapping[str, File]) -> dict[str, object]:
    """Return what a proposal holds of a contradiction, whose *sides* are its parts."""
    return _body(parts_of(sides, ()), files, None)


def _body(
    parts: Sequence[Part], files: Mapping[str, File], claim: Claim | None
) -> dict[str, object]:
    touched = dict.fromkeys(ref for each in parts for ref in each.refs)
    return {
        "claim": claim._asdict() if claim else None,
        "files": [{"ref": ref, "sha256": files[ref].sha256} for ref in touched],
        "parts": [_part(each) for each in parts],
    }


def _part(part: Part) -> dict[str, object]:
    if part.seen:
        return {"number": part.number, "seen": [_seen(each) for each in part.seen]}
    if part.placed is None:
        return {
            "number": part.number,
            "owner": part.owner,
            "archives": [each._asdict() for each in part.archives],
        }
    item, against = part.placed.item, part.placed.against
    return {
        **({"against": [each._asdict() for each in against]} if against else {}),
        "number": part.number,
        "file": part.placed.ref,
        "adds": part.placed.adds,
        "item": {
            **item._asdict(),
            "score": item.score._asdict(),
            "evidence": [each._asdict() for each in item.evidence],
            "contradicts": [*item.contradicts],
        },
    }


def _seen(sighting: Sighting) -> dict[str, object]:
    evidence = [each._asdict() for each in sighting.evidence]
    return {**sighting._asdict(), "evidence": evidence}


def plan_in(proposal: Proposal) -> Proposed:
    """Return the plan that *proposal* holds.

    Raises:
        PlanDamagedError: If it holds none: it may have been imported from anywhere,
            and is done with nobody's eyes on it.
    """
    try:
        plan = _read(proposal.body)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise PlanDamagedError(proposal.id) from None
    sound = all(is_sound(each, str(proposal.crew)) for each in plan.parts)
    if not sound or not _is_whole(plan):
        raise PlanDamagedError(proposal.id)
    return plan


def _is_whole(plan: Proposed) -> bool:
    """Tell whether the claim and the files of *plan* are such as it has."""
    refs = {ref for each in plan.parts for ref in each.refs}
    if plan.files.keys() != refs or len({e.number for e in plan.parts}) < len(
        plan.parts
    ):
        return False
    if plan.claim is None:
        return True
    texts = (plan.claim.by, plan.claim.reason)
    return all(isinstance(each, str) for each in texts) and all(
        isinstance(each, int) for each in plan.claim.only
    )


def proposed(body: Mapping[str, Any]) -> Proposed:
    """Return the plan in the *body* of a proposal; of one that is damaged, nothing."""
    try:
        return _read(body)
    except (AttributeError, KeyError, TypeError, ValueError):
        return Proposed((), {})


def _read(body: Mapping[str, Any]) -> Proposed:
    claim = body.get("claim")
    return Proposed(
        tuple(_part_of(each) for each in body["parts"]),
        {each["ref"]: each["sha256"] for each in body["files"]},
        Claim(**{**claim, "only": tuple(claim["only"])}) if claim else None,
    )


def _part_of(part: Mapping[str, Any]) -> Part:
    if "seen" in part:
        told = [
            {**each, "evidence": tuple(Evidence(**one) for one in each["evidence"])}
            for each in part["seen"]
        ]
        return Part(part["number"], seen=tuple(Sighting(**each) for each in told))
    if "item" not in part:
        archives = tuple(Settled(**each) for each in part["archives"])
        return Part(part["number"], None, archives, part["owner"])
    told = part["item"]
    item = Item(
        **{
            **told,
            "score": Score(**told["score"]),
            "evidence": tuple(Evidence(**each) for each in told["evidence"]),
            "contradicts": tuple(told["contradicts"]),
        }
    )
    against = tuple(Against(**each) for each in part.get("against", ()))
    return Part(part["number"], Placed(item, part["file"], part["adds"], against))


def title_of(plan: Plan) -> str:
    """Say in a line what *plan* does."""
    said = []
    if plan.placed:
        files = len({each.ref for each in plan.placed})
        into = "1 file" if files == 1 else f"{files} files"
        items = "1 item" if len(plan.placed) == 1 else f"{len(plan.placed)} items"
        said.append(f"keep {items} in {into}")
    if plan.archives:
        days = len(plan.archives)
        said.append(f"put away {days} daily note{'' if days == 1 else 's'}")
    if plan.seen:
        lines = "1 line" if len(plan.seen) == 1 else f"{len(plan.seen)} lines"
        said.append(f"say of {lines} when it was seen again")
    return " and ".join(said)
