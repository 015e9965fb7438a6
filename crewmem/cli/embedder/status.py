"""``crewmem embedder status``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.backends.embed import Means
    from crewmem.cli.output import Line

LABEL = 8
"""Columns of an embedder's name."""


class Candidate(NamedTuple):
    """An embedder that there is, whether it can be used or not.

    Attributes:
        name: What the setting calls it.
        model: The model that it would use.
        dim: How many numbers its vectors have; null if only the service knows.
        where: The directory of its weights, or the URL of its service; null if there
            is none.
        keys: Where its keys come from: variables, or a file. Never the keys.
        lacks: What is missing to use it; null if nothing is.
        hint: What to do about it, or "".
    """

    name: str
    model: str
    dim: int | None
    where: str | None
    keys: list[str]
    lacks: str | None
    hint: str


class Standing(NamedTuple):
    """Which embedder is used, and why.

    Attributes:
        setting: What the setting embedder says.
        name: The embedder; null if recall goes by words alone.
        model: Its model; null if there is none.
        dim: How many numbers a vector has; null if only the service knows.
        stored_model: The model of the vectors that the store has; null if it has none.
        why: Why this one, or why none.
        hint: What to do about it, or "".
        embedders: Every embedder that there is.
    """

    setting: str
    name: str | None
    model: str | None
    dim: int | None
    stored_model: str | None
    why: str
    hint: str
    embedders: list[Candidate]


@verb
@pass_app
def status_command(app: App) -> None:
    """Show which embedder is used and why, and what others lack.

    No service is asked: crewmem embedder test does that. With none of them recall
    goes by words alone.
    """
    from crewmem.backends.embed import EMBEDDERS
    from crewmem.cli.embedding import choice, means, stored_model

    made_from, stored = means(app), stored_model(app)
    every = [_candidate(name, made_from) for name in EMBEDDERS]
    chosen = choice(app, stored_model=stored)
    name = chosen.embedder.name if chosen.embedder else None
    used = next((each for each in every if each.name == name), None)
    standing = Standing(
        setting=app.settings.embedder,
        name=name,
        model=chosen.embedder.model if chosen.embedder else None,
        dim=used.dim if used else None,
        stored_model=stored,
        why=chosen.why,
        hint=chosen.hint,
        embedders=every,
    )
    app.out.record(standing, app.out.folded(_lines(standing), LABEL))


def _candidate(name: str, means: Means) -> Candidate:
    from crewmem.backends.embed import kind

    module = kind(name)
    lack, about = module.lack(means), module.about(means)
    return Candidate(
        name=name,
        model=module.model(means.settings),
        dim=about.dim,
        where=about.where or None,
        keys=[*about.keys],
        lacks=lack.what if lack else None,
        hint=lack.hint if lack else "",
    )


def _lines(standing: Standing) -> Iterator[Line]:
    if standing.name:
        dim = f", {standing.dim:,} numbers a vector" if standing.dim else ""
        yield [
            ("good", f"{standing.name}: {standing.model}{dim}"),
            f" ({standing.why})",
        ]
    else:
        yield [("warn", "Words alone"), f": {standing.why}."]
        if standing.hint:
            yield f"To change it: {standing.hint}"
    yield ""
    for each in standing.embedders:
        yield from _candidate_lines(each)


def _candidate_lines(each: Candidate) -> Iterator[Line]:
    name = ("bold", f"{each.name:{LABEL}}")
    if each.lacks:
        yield [name, f"{each.model}: {each.lacks}. {each.hint}"]
        return
    where = f", {each.where}" if each.where else ""
    keys = f", key from {', '.join(each.keys)}" if each.keys else ""
    yield [name, f"{each.model}{where}{keys}"]
