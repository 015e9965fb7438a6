"""``crewmem episodes recall``."""

from __future__ import annotations

import time

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.episodes.whose import Whose, whose_options
from crewmem.cli.typed import BudgetType, Number, as_text, as_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from crewmem.cli.output import Line
    from crewmem.episodes.hit import Recalled
    from crewmem.episodes.recall import Policy

USUAL, MOST = 5, 100
"""Hits of a question, and at most."""

DEEPEST = 3
"""Steps of a walk at most: three from three are more than anybody reads."""


@verb
@argument(
    "query",
    nargs=-1,
    metavar="QUERY...",
    callback=as_words,
    help="What to recall; - reads it.",
)
@option("-k", type=int, metavar="N", help="Most hits, 1 to 100.  [5]")
@option(
    "--mode",
    type=click.Choice(["hybrid", "dense", "sparse"]),
    default="hybrid",
    help="By words and vectors, or by one of them.  [hybrid]",
)
@option(
    "--fusion",
    type=click.Choice(["score", "rrf"]),
    default="score",
    help="How lists become one: by scores, or by ranks as published.  [score]",
)
@option(
    "--min-relevance",
    type=Number(0, 1),
    metavar="R",
    help="Least relevance of an answer, 0 to 1.",
)
@option("--no-gate", is_flag=True, help="Show the best, however little it answers.")
@option("--walk", type=int, metavar="N", help="Go N steps to what is like the hits.")
@option("--explain", is_flag=True, help="Show what each score is made of.")
@option("--mark", is_flag=True, help="Count the hits as delivered into a prompt.")
@option("--render", is_flag=True, help="Print the block that is laid before a model.")
@option(
    "--budget",
    type=BudgetType(),
    metavar="N[t|c|b]",
    help="Most tokens, characters or bytes of the block.  [2000c]",
)
@option(
    "--queries",
    metavar="FILE",
    callback=as_text,
    help="Questions, JSON lines with id and text; - reads them.",
)
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@whose_options
@pass_app
def recall_command(
    app: App, *, query: tuple[str, ...], whose: Whose, **given: Any
) -> None:
    """Find the episodes that answer a question.

    By their words and, where there is an embedder, by what they mean; what weighs more
    comes first among equals. A question that nothing answers gets nothing: --no-gate
    shows what is nearest all the same. An embedder that fails is a warning; the words
    are asked then.

    With --queries many are asked at once, and each is answered with its id; in a pipe
    as JSON lines, of query and hits.

    With --render the answer is the block that goes into a prompt, within --budget, and
    what is in it counts as referenced, unless it is explained.
    """
    from crewmem.cli.episodes.recalling import ask, noted
    from crewmem.cli.remembered import stores_to_read

    _require_sense(query, given)
    if given["queries"] and app.out.format == "plain":
        app.out.format = "jsonl"  # as the questions are: a program has asked
    policy = _policy(app, given)
    asked = _asked(app, query, given["queries"])
    began = time.perf_counter()
    opened = stores_to_read(app)
    recaller, answers = ask(app, opened, whose, policy, [text for _, text in asked])
    for warning in recaller.warnings if recaller else ():
        app.out.warn(warning)
    delivered = [hit.entry_id for each in answers for hit in each.hits]
    block = None
    if given["render"]:
        from crewmem.cli.episodes.rendering import rendered

        hits = answers[0].hits
        block, delivered = rendered(app, whose, hits, given["budget"])
    counts = given["mark"] or (given["render"] and not given["explain"])
    if counts:
        _count(app, delivered)
    if given["queries"]:
        _show_many(app, [name for name, _ in asked], answers)
    else:
        _show(app, answers[0], block, explain=given["explain"])
    took = 1000 * (time.perf_counter() - began)
    injected = delivered if counts else ()
    noted(app, "episodes recall", asked, answers, policy.k, took / len(asked), injected)
    app.strictly(strict=given["strict"])


def _count(app: App, delivered: Sequence[str]) -> None:
    from crewmem.cli.recalling.counted import count

    if trouble := count(app, delivered):
        app.out.warn(trouble)


def _require_sense(query: tuple[str, ...], given: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    if bool(query) == bool(given["queries"]):
        raise click.UsageError("Name a question, or a file of them with --queries.")
    if given["queries"] and given["render"]:
        raise click.UsageError("--render is for one question.")
    if given["budget"] and not given["render"]:
        raise click.UsageError("--budget is for --render.")


def _policy(app: App, given: dict[str, Any]) -> Policy:
    from crewmem.episodes.recall import Policy

    if given["no_gate"] and given["min_relevance"] is not None:
        raise click.UsageError("--no-gate and --min-relevance do not go together.")
    least = given["min_relevance"]
    if least is None:
        least = app.settings.recall_min_relevance
    walk = given["walk"]
    return Policy(
        k=app.clamped("-k", given["k"], USUAL, MOST),
        mode=given["mode"],
        fusion=given["fusion"],
        min_relevance=None if given["no_gate"] else least,
        walk=0 if not walk else app.clamped("--walk", walk, 1, DEEPEST),
    )


def _asked(app: App, query: tuple[str, ...], file: str | None) -> list[tuple[str, str]]:
    """Return the questions, each with its id."""
    from crewmem.cli.typed import read_text

    if file is None:
        text = read_text(app) if query == ("-",) else " ".join(query)
        return [("", text)]
    from crewmem.cli.episodes.queries import queries

    return queries(app, file)


def _show(app: App, found: Recalled, block: str | None, *, explain: bool) -> None:
    lines = _lines(app, found, explain=explain)
    if block is None:
        app.out.found(found.mode, found.hits, lines, _more(found))
    elif app.out.is_json:
        more = {**_more(found), "context": block}
        app.out.found(found.mode, found.hits, (), more)
    else:
        app.out.block(block)
        if explain:
            app.out.lines(lines)
    if not found.hits and (block is None or app.out.stdout.isatty()):
        from crewmem.health.advice import counted

        episodes = counted(found.total_indexed, "episode", "episodes")
        app.out.note(f"Nothing in {episodes} answers that.")
        if found.hidden:
            app.out.note("The nearest is shown with --no-gate.")


def _lines(app: App, found: Recalled, *, explain: bool = False) -> Iterator[Line]:
    """Yield the hits as a person reads them; for a program nobody asks for lines."""
    from crewmem.cli.episodes.shown import episode_lines

    yield from episode_lines(app.out, found.hits, explain=explain)


def _more(found: Recalled) -> dict[str, object]:
    record = found._asdict()
    return {
        name: record[name]
        for name in record
        if name not in {"mode", "hits", "warnings"}
    }


def _show_many(app: App, names: Sequence[str], answers: Sequence[Recalled]) -> None:
    data = [
        {"query": name, "mode": each.mode, "hits": each.hits, **_more(each)}
        for name, each in zip(names, answers, strict=True)
    ]
    lines = (
        line
        for name, each in zip(names, answers, strict=True)
        for line in ([("bold", name)], *_lines(app, each))
    )
    app.out.listing_lines(data, lines)
