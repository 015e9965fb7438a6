"""What came of a case. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple


class Retrieved(NamedTuple):
    """What a recall found, and what of it was laid before a model.

    Attributes:
        found: Refs, in the order of the ranking.
        injected: Refs of what is in the block.
        did_inject: Whether there was a block at all.
        tokens: How many tokens it took.
        latency_ms: How long it took to find and to lay out.
        violations: Refs of what who asks may not read.
    """

    found: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    did_inject: bool = False
    tokens: int = 0
    latency_ms: float = 0.0
    violations: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What came of a case.

    Attributes:
        id: The case.
        kind: recall, recovery or promotion.
        category: What it is counted with; "" for none.
        query: What was asked; "" for what is no question.
        relevant: What should have been found.
        should_inject: Whether anything should have been laid before the model.
        found: What was found, in the order of the ranking, the first twenty.
        injected: What was laid before the model.
        did_inject: Whether anything was.
        tokens: How many tokens that took.
        latency_ms: How long it took.
        violations: What who asked may not read, and got.
        missing: Of a recovery, the texts that were not given back.
        promoted: Of a promotion, whether it was shared; null for others.
        should_promote: Whether it should have been.
        trouble: Why it could not be asked; "" if it was.
    """

    id: str
    kind: str
    category: str = ""
    query: str = ""
    relevant: tuple[str, ...] = ()
    should_inject: bool = True
    found: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    did_inject: bool = False
    tokens: int = 0
    latency_ms: float = 0.0
    violations: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    promoted: bool | None = None
    should_promote: bool = True
    trouble: str = ""

    @property
    def is_right(self) -> bool:
        """Tell whether it came out as it should."""
        from crewmem.evaluation.scores import gains

        if self.trouble:
            return False
        if self.kind == "recovery":
            return not self.missing
        if self.kind == "promotion":
            return self.promoted == self.should_promote
        if not self.should_inject:
            return not self.did_inject
        return any(each is not None for each in gains(self.injected, self.relevant))
