"""``crewmem operator delete``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.operator.persons import (
    erase,
    eraser,
    finish,
    person,
    user_option,
)


@verb
@user_option
@option("--dry-run", is_flag=True, help="Say what would be, and erase nothing.")
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def delete_command(app: App, *, user: str, dry_run: bool, yes: bool) -> None:
    """Erase all that is known of a person.

    In every crew and agent of the workspace: cards, quotes, versions, texts that were
    refused, and the indexes that held them. Nothing of it can be restored. What is
    observed later is kept again; opt-out ends that. For operators.
    """
    from crewmem.cli.operator.erasing import means

    subject = person(app, user, "erase what is known of persons")
    with eraser(app, subject.slug, dry_run=dry_run) as found:
        planned = found.plan("delete")
        what = f"Erasing all that is known of {user!r}"
        if not planned.changed:
            finish(app, user, found, planned, what=what, yes=yes, dry_run=dry_run)
            return
        erase(
            app,
            user,
            planned,
            lambda: found.erase(means(app), "delete"),
            what=what,
            yes=yes,
            dry_run=dry_run,
        )
