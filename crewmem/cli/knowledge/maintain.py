"""``crewmem knowledge maintain``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line
    from crewmem.knowledge.step import Step

STYLES = {"promoted": "good", "confirmed": "good", "archived": "dim", "stale": "warn"}


@verb
@option("--dry-run", is_flag=True, help="Only say what would be done.")
@pass_app
def maintain_command(app: App, *, dry_run: bool) -> None:
    """Promote what agents agree on, and let fade the rest.

    For a timer, once a night. What an agent holds that others hold as well, or that
    matters and is trusted, is shared with the narrowest circle that holds them all;
    what is shared already is confirmed. The same is what is near by its vector, or by
    its words where it has none, and is not opposed. What is shared loses quality with
    age: below 0.3, and with nobody asking for 30 days, it is stale, and 60 days later
    archived. Nothing is lost. Run again it does nothing more. For operators.
    """
    from crewmem.cli.knowledge.maintaining import maintained
    from crewmem.scope import require_operator

    require_operator(app.actor, "maintain knowledge")
    steps = maintained(app, dry_run=dry_run)
    app.out.listing_lines(steps, _lines(steps))
    if not steps:
        app.out.note("Nothing is due.")
    elif dry_run:
        app.out.note("Nothing was changed: this is what would be done.")


def _lines(steps: Sequence[Step]) -> Iterator[Line]:
    for each in steps:
        to = f" to {each.to}" if each.to else ""
        yield [
            (STYLES.get(each.action, ""), f"{each.action:10}"),
            " ",
            ("bold", each.id),
            f"{to}: {each.title} ({each.rule}{_near(each)})",
        ]


def _near(step: Step) -> str:
    """Say how near the other is, and how that was told."""
    return f"; {step.by} {step.similarity:.2f}" if step.by else ""
