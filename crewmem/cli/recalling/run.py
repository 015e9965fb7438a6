"""Recalling: laid before a model, counted and told."""

from __future__ import annotations

import time

import click

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.cli.output import Line as Shown
    from crewmem.cli.places import Chosen
    from crewmem.cli.recalling.asking import Subject
    from crewmem.cli.recalling.laid import Fate, Laying
    from crewmem.prompt.budget import Budget
    from crewmem.prompt.render import Limit
    from crewmem.recall.index import Line
    from crewmem.recall.recall import Policy

MOST = 100
"""Results of a recall at most."""

USUAL_TOKENS = 2_000
"""Of a block, unless an agent's setting or a budget says otherwise."""

START_BYTES = 8_000
"""Of the block that a session starts with."""


class Laid(NamedTuple):
    """What is laid before a model, and what it was made of.

    Attributes:
        mode: ``words`` or ``hybrid``; ``index`` without a question.
        hits: What was recalled, in the order in which it is given room.
        lines: What a session starts with, in that order; null with a question.
        context: The block; "" where there is nothing to lay before a model.
        memories_used: What of the hits or lines has its text in it, by ref.
        shortened: The one of them that was cut at a word; null for none.
        blocked: Those of which only a notice is in it.
        hidden: How many more there are that passed the gate.
        held_back: How many the gate held back.
        budget: Most of the block, as 2000t.
        total_tokens: What the block takes, by an estimate.
        estimator: How that was estimated.
        counted: How many references were counted.
        fates: What became of each result; null without --explain.
    """

    mode: str
    hits: Sequence[object]
    lines: Sequence[Line] | None
    context: str
    memories_used: list[str]
    shortened: str | None
    blocked: list[str]
    hidden: int
    held_back: int
    budget: str
    total_tokens: int
    estimator: str
    counted: int
    fates: Sequence[Fate] | None


class Done(NamedTuple):
    """A recall that was done.

    Attributes:
        question: None: the start of a session.
        k: How many results were wanted.
    """

    whose: Subject
    laying: Laying
    question: str | None
    k: int
    latency_ms: float


def run(
    app: App, query: tuple[str, ...] | None, chosen: Chosen, given: dict[str, Any]
) -> None:
    """Answer ``recall``, and ``prime`` where *query* is None."""
    if given.get("no_gate") and given.get("min_relevance") is not None:
        raise click.UsageError("--no-gate and --min-relevance do not go together.")
    from crewmem.cli.recalling.asking import subject, told_off

    question = _question(app, query)
    whose = subject(app, chosen)
    told_off(whose)
    budget = budget_of(whose, given, question)
    done = lay(whose, question, chosen, given, budget)
    counts = given["mark"] or not given["explain"]
    number = counted(done) if counts else 0
    _show(app, done, budget, number, explain=given["explain"])
    kept(done, str(app.actor), is_delivered=counts)


def _question(app: App, query: tuple[str, ...] | None) -> str | None:
    if not query:
        return None
    from crewmem.cli.typed import read_text

    return read_text(app) if query == ("-",) else " ".join(query)


def budget_of(whose: Subject, given: Mapping[str, Any], question: str | None) -> Budget:
    """Return how long the block may be: as was said, as is set, or as usual."""
    from crewmem.prompt.budget import Budget
    from crewmem.prompt.tokens import TOKEN_CHARS

    if given["budget"] is not None:
        asked: Budget = given["budget"]
        return asked
    if question is None:
        return Budget(START_BYTES, "b")
    if tokens := whose.settings.get("recall_max_tokens"):
        return Budget(tokens, "t")
    # No text of so many tokens has more characters than are allowed.
    chars = whose.app.settings.recall_max_chars
    return Budget(min(USUAL_TOKENS, chars // TOKEN_CHARS), "t")


def lay(
    whose: Subject,
    question: str | None,
    chosen: Chosen,
    given: Mapping[str, Any],
    limit: Limit,
) -> Done:
    """Recall, or what a session starts with, within *limit*; nothing for who is off."""
    from crewmem.cli.recalling.laid import laid, nothing, primed

    began = time.perf_counter()
    k = 0
    if whose.is_off:
        laying = nothing()
    elif question is None:
        laying = primed(whose, chosen, limit)
    else:
        from crewmem.cli.recalling.asking import Asked, answered
        from crewmem.cli.sieve import sieve

        policy, walk = _policy(whose, given)
        k = policy.k
        asked = Asked(question, chosen, policy, walk, sieve(whose.app, given))
        came = answered(whose, asked)
        for warning in came.found.warnings:
            whose.app.out.warn(warning)
        laying = laid(whose, asked, came, limit)
    return Done(whose, laying, question, k, 1000 * (time.perf_counter() - began))


def _policy(whose: Subject, given: Mapping[str, Any]) -> tuple[Policy, int]:
    """Return how to recall, and how far to walk: options win over what is set."""
    from crewmem.recall.recall import Policy

    app, of_agent = whose.app, whose.settings
    usual = of_agent.get("recall_max_results", app.settings.recall_max_results)
    least: float | None = of_agent.get(
        "recall_min_relevance", app.settings.recall_min_relevance
    )
    if given["min_relevance"] is not None:
        least = given["min_relevance"]
    return Policy(
        k=app.clamped("-k", given["max_results"], usual, MOST),
        least=None if given["no_gate"] else least,
        agent=whose.agent,
    ), of_agent.get("memory_walk_depth", 0)


# What is kept of it


def counted(done: Done, **how: float) -> int:
    """Count what was delivered; return how many, and say why not."""
    from crewmem.cli.recalling.counted import count

    refs, believed = done.laying.delivered, done.laying.believed
    if not (refs or believed):
        return 0
    if trouble := count(done.whose.app, refs, believed, **how):
        done.whose.app.out.warn(trouble)
        return 0
    return len(refs) + len(believed)


def kept(done: Done, actor: str, *, is_delivered: bool = True) -> None:
    """Keep what was asked, and what of the answer went before a model."""
    if done.question is None or done.whose.is_tree:
        return
    from crewmem.cli.searched import cosines, keep
    from crewmem.journal.recalls_store import Recall

    app, laying = done.whose.app, done.laying
    recall = Recall(
        workspace=app.workspace,
        at=app.now,
        actor=actor,
        verb="recall",
        query=done.question,
        mode=laying.mode,
        k=done.k,
        ids=[each.ref for each in laying.hits],
        relevances=[each.relevance for each in laying.hits],
        cosines=cosines(laying.hits),
        injected=laying.refs(laying.laid.shown) if is_delivered else (),
        latency_ms=done.latency_ms,
    )
    keep(app, recall)


# What is shown


def _show(app: App, done: Done, budget: Budget, counted: int, *, explain: bool) -> None:
    laying, block = done.laying, done.laying.laid
    if laying.every and not block.text:
        app.out.warn(f"no result fits into {budget}")
    if app.out.is_json:
        record = _record(laying, budget, counted, explain=explain)._asdict()
        mode, hits = record.pop("mode"), record.pop("hits")
        app.out.found(mode, hits, [], record)
    elif explain:
        app.out.lines(_explained(laying))
    else:
        app.out.block(block.text)
    if not laying.every and app.out.stdout.isatty():
        app.out.note("Nothing that is remembered answers that.")
        if laying.held_back:
            app.out.note("The nearest is shown with --no-gate.")


def _record(laying: Laying, budget: Budget, counted: int, *, explain: bool) -> Laid:
    from crewmem.prompt.tokens import ESTIMATOR, tokens

    block = laying.laid
    shortened = block.shortened
    return Laid(
        mode=laying.mode,
        hits=laying.hits,
        lines=laying.lines,
        context=block.text,
        memories_used=laying.refs(block.shown),
        shortened=None if shortened is None else laying.refs([shortened])[0],
        blocked=laying.refs(block.blocked),
        hidden=block.hidden,
        held_back=laying.held_back,
        budget=str(budget),
        total_tokens=tokens(block.text),
        estimator=ESTIMATOR,
        counted=counted,
        fates=laying.fates if explain else None,
    )


def _explained(laying: Laying) -> Iterator[Shown]:
    for each in laying.fates:
        numbers = [
            f"{each.chars:,} characters" if each.chars is not None else "",
            f"score {each.score:.3f}" if each.score is not None else "",
            f"relevance {each.relevance:.2f}" if each.relevance is not None else "",
            f"engram {each.engram:.2f}" if each.engram is not None else "",
            each.why,
        ]
        yield [
            ("bold", f"{each.fate:<10}"),
            ("path", f"  {each.ref}"),
            ("dim", f"  {', '.join(filter(None, numbers))}"),
        ]
    if laying.held_back > sum(each.fate == "held back" for each in laying.fates):
        yield [("dim", f"{laying.held_back} in all were held back by the gate")]
