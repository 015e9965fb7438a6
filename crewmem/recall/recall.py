"""What comes of a question: from all stores, past one gate, in one ranking."""

from __future__ import annotations

from crewmem.recall.merge import merged
from crewmem.recall.shares import shared_out
from crewmem.records import NamedTuple
from crewmem.typed import TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.episodes.hit import Hit as Episode
    from crewmem.episodes.hit import Recalled
    from crewmem.files.hit import Answer
    from crewmem.files.hit import Hit as Chunk
    from crewmem.memories.hit import Answer as Held
    from crewmem.memories.hit import Hit as Memory
    from crewmem.recall.index import Line

    Hit = Chunk | Episode | Memory

Gated = TypeVar("Gated", "Chunk", "Memory")

DEPTH = 20
"""Hits that each store is asked for at least, so that one's own are among them and it
is known how many are hidden."""

BESIDE = 0.25
"""Part of the gate that a hit has to reach beside one that passes it.

What is below holds one word of the question. Of files this keeps R@10 of .469 of .485
(LoCoMo), .369 of .373 (Cranfield) and .741 of .749 (SciFact, development halves), with
a quarter of the results gone; half of the gate would leave .437, .348 and .720. Where
vectors were asked an episode is found by its session as well, and nothing is cut: R@5
of LoCoMo would be .654 for .720.
"""


class Policy(NamedTuple):
    """How to recall.

    Attributes:
        k: Most results.
        least: Below this relevance, in [0, 1], a store has no answer; None: no gate.
        agent: Whose recall it is; None: a person's, who has no memory of its own.
    """

    k: int
    least: float | None
    agent: str | None = None

    @property
    def depth(self) -> int:
        """How many hits to ask each store for."""
        return max(DEPTH, self.k)


class Found(NamedTuple):
    """What was recalled.

    Attributes:
        mode: ``hybrid`` where vectors were asked in a store, else ``words``.
        hits: In the order in which they are laid before a model, shared out.
        others: What passed the gate as well, best first.
        held_back: Chunks and memories that the gate held back, best first.
        hidden: Episodes that the gate held back.
        warnings: What a person should know of the recall.
    """

    mode: str
    hits: list[Hit]
    others: list[Hit]
    held_back: list[Chunk | Memory]
    hidden: int
    warnings: list[str]


def recall(
    files: Answer | None,
    entries: Recalled | None,
    policy: Policy,
    held: Held | None = None,
) -> Found:
    """Return what of memory *files*, journal *entries* and memories is to be recalled.

    None stands for a store that is not there. Of *entries* the gate was asked; of files
    and of memories that are *held* it is asked here.
    """
    chunks = files.hits if files else []
    memories = held.hits if held else []
    passed = past_gate(chunks, policy.least)
    true = past_gate(memories, policy.least, held.relevance if held else 0.0)
    beside = _beside(entries, policy.least)
    lists: list[list[Hit]] = [[*true], [*passed], [*beside]]
    ranked = merged(lists, sum(map(len, lists)))
    hits = shared_out(
        ranked,
        policy.k,
        is_own=lambda each: is_own(each, policy.agent),
        leads=lambda each: _is_rule(each, policy.least),
    )
    taken = {(each.store, each.ref) for each in hits}
    answers = (files, entries, held)
    modes = {each.mode for each in answers if each}
    return Found(
        mode="hybrid" if "hybrid" in modes else "words",
        hits=hits,
        others=[each for each in ranked if (each.store, each.ref) not in taken],
        held_back=[
            *(each for each in memories if each not in true),
            *(each for each in chunks if each not in passed),
        ],
        hidden=_hidden(entries, beside),
        warnings=[*dict.fromkeys(w for each in answers if each for w in each.warnings)],
    )


def _beside(entries: Recalled | None, least: float | None) -> list[Episode]:
    """Return those of *entries*, which have passed the gate, that are laid."""
    if entries is None:
        return []
    if least is None or entries.mode != "sparse":
        return entries.hits
    return [
        each
        for each in entries.hits
        if each.relevance >= BESIDE * least or each.why.along
    ]


def _hidden(entries: Recalled | None, passed: Sequence[Episode]) -> int:
    """Return how many of *entries* the gate held back."""
    return entries.hidden + len(entries.hits) - len(passed) if entries else 0


def past_gate(
    hits: Sequence[Gated], least: float | None, likely: float = 0.0
) -> list[Gated]:
    """Return those of *hits* of a store that answer; none where the best does not.

    Args:
        hits: What was found.
        least: The gate; None for none.
        likely: How likely the store answers, where it knows better than its best hit.
    """
    if least is None:
        return list(hits)
    if max([likely, *(each.relevance for each in hits)]) < least:
        return []
    return [each for each in hits if each.relevance >= BESIDE * least]


def _is_rule(hit: Hit, least: float | None) -> bool:
    """Tell whether *hit* is a correction that passes the gate by itself."""
    if hit.store != "memories" or getattr(hit, "kind", "") != "correction":
        return False
    return least is None or hit.relevance >= least


def is_own(hit: Hit | Line, agent: str | None) -> bool:
    """Tell whether *hit* is the agent's whose recall it is."""
    owner = hit.owner.rpartition("/")[2]
    return agent is not None and hit.scope == "agent" and owner in {agent, ""}
