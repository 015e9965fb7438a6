"""``crewmem eval compare``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.evaluating.shown import Lay
    from crewmem.cli.output import Line
    from crewmem.evaluation.comparing import Changed, Difference
    from crewmem.evaluation.run import Run


class Compared(NamedTuple):
    """How two runs differ.

    Attributes:
        before: The id of the first.
        after: The id of the second.
        cases: How many cases both have.
        settings: Settings of recall that differ, by key: before and after.
        metrics: How each metric differs, over the cases that both have.
        changed: The cases that came out otherwise, worst first.
    """

    before: str
    after: str
    cases: int
    settings: dict[str, list[float | None]]
    metrics: Sequence[Difference]
    changed: Sequence[Changed]


@verb
@argument("before", metavar="A", help="The run before, as eval runs lists it.")
@argument("after", metavar="B", help="The run after.")
@pass_app
def compare_command(app: App, *, before: str, after: str) -> None:
    """Tell how two runs differ, and whether beyond noise.

    Cases that both have are compared, each with itself. A change is beyond noise when
    its interval, by 1,000 draws of the cases, does not hold 0. For operators.
    """
    from crewmem.cli.evaluating.kept import found
    from crewmem.evaluation.comparing import changed, differences
    from crewmem.scope import require_operator

    require_operator(app.actor, "look into what was measured")
    (one, was), (other, now) = found(app, before), found(app, after)
    if one.suite_hash != other.suite_hash:
        app.out.warn("they are of different suites: only what both have is compared")
    if one.embedder != other.embedder:
        names = [each.embedder or "words alone" for each in (one, other)]
        app.out.warn(f"they were asked by {names[0]} and by {names[1]}")
    common = {each.id for each in was} & {each.id for each in now}
    compared = Compared(
        one.id,
        other.id,
        len(common),
        _settings(one, other),
        differences(was, now, min(one.k, other.k)),
        changed(was, now),
    )
    app.out.record(compared, _lines(compared, app.out.laid))


def _settings(one: Run, other: Run) -> dict[str, list[float | None]]:
    keys = dict.fromkeys((*one.config, *other.config))
    return {
        key: [one.config.get(key), other.config.get(key)]
        for key in keys
        if one.config.get(key) != other.config.get(key)
    }


def _lines(compared: Compared, lay: Lay) -> Iterator[Line]:
    from crewmem.cli.evaluating.shown import changed_lines, difference_lines

    yield [("bold", f"{compared.cases:,} cases that both have")]
    yield from difference_lines(compared.metrics, lay)
    for key, (was, now) in compared.settings.items():
        yield f"{key}: {was} → {now}"
    if compared.changed:
        yield ""
    yield from changed_lines(compared.changed)
