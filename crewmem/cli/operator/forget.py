"""``crewmem operator forget``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.operator.persons import (
    FIELDS,
    erase,
    eraser,
    finish,
    person,
    user_option,
)


@verb
@argument(
    "field",
    metavar="FIELD",
    type=click.Choice(FIELDS),
    help=f"What is forgotten: {', '.join(FIELDS)}.",
)
@user_option
@option("--dry-run", is_flag=True, help="Say what would be, and erase nothing.")
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def forget_command(
    app: App, *, field: str, user: str, dry_run: bool, yes: bool
) -> None:
    """Erase one field of what is known of a person.

    From every card of the workspace, with its quotes and with the versions that held
    it; the other fields stay. What is observed later is kept again. For operators.
    """
    from crewmem.cli.operator.erasing import means
    from crewmem.prompt.operator_fact import FactField

    subject = person(app, user, "erase what is known of persons")
    meant = FactField(field)
    with eraser(app, subject.slug, dry_run=dry_run) as found:
        planned = found.plan_forget(meant)
        what = f"Erasing {field} of {user!r}"
        if not planned.changed:
            finish(
                app, user, found, planned, meant, what=what, yes=yes, dry_run=dry_run
            )
            return
        erase(
            app,
            user,
            planned,
            lambda: found.forget(meant, means(app)),
            what=what,
            yes=yes,
            dry_run=dry_run,
        )
