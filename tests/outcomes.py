"""Outcomes of cases, for tests."""

from crewmem.evaluation.outcome import Outcome

BOUNDS = {
    "eval.max_false_injection": 0.02,
    "eval.min_precision": 0.8,
    "eval.min_recovery": 0.95,
    "eval.max_p95_ms": 500.0,
    "eval.max_tokens": 2_000.0,
}
"""The gates, as they are by default."""


def recalled(case_id, *, right=True, answer=True, latency=10.0, tokens=100, **more):
    """Return what came of a question that something answers, or nothing does."""
    found = ("m_a", "m_b") if right else ("m_b", "m_c")
    if not answer:
        found = () if right else ("m_b",)
    return Outcome(
        case_id,
        "recall",
        query="where",
        relevant=("m_a",) if answer else (),
        should_inject=answer,
        found=found,
        injected=found[:1],
        did_inject=bool(found),
        tokens=tokens if found else 0,
        latency_ms=latency,
    )._replace(**more)


def many(count, *, wrong=0, first=0, **more):
    """Return outcomes of so many questions, the first of them *wrong*."""
    return [
        recalled(f"c{first + at}", right=at >= wrong, **more) for at in range(count)
    ]
