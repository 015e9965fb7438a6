"""``crewmem operator opt-out``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.operator.persons import erase, eraser, person, user_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.prompt.operator_observe import Person


@verb
@user_option
@option("--undo", is_flag=True, help="Let the person be observed again; they asked.")
@option("--dry-run", is_flag=True, help="Say what would be, and change nothing.")
@option("--yes", is_flag=True, help="Do not ask.")
@pass_app
def opt_out_command(
    app: App, *, user: str, undo: bool, dry_run: bool, yes: bool
) -> None:
    """Erase all that is known of a person, and observe them no more.

    It holds for every crew and agent of the workspace, at once: observe refuses from
    now on. Of the person it is remembered that they opted out, not their name. With
    --undo they may be observed again; what was erased stays erased. For operators.
    """
    from crewmem.cli.operator.erasing import means

    subject = person(app, user, "decide whether persons are observed")
    if undo and dry_run:
        raise click.UsageError("--undo erases nothing that --dry-run could show.")
    if undo:
        _undo(app, subject)
        return
    if not dry_run:
        _ = app.journal  # who wants not to be known need not be known yet
    with eraser(app, subject.slug, dry_run=dry_run) as found:
        erase(
            app,
            user,
            found.plan("opt_out"),
            lambda: found.erase(means(app), "opt_out"),
            what=f"Erasing all that is known of {user!r}, and observing them no more",
            yes=yes,
            dry_run=dry_run,
        )


def _undo(app: App, subject: Person) -> None:
    """Let *subject* be observed again."""
    from crewmem.errors.operators import PersonUnknownError
    from crewmem.prompt.operator_erased import nothing_erased

    with eraser(app, subject.slug) as found:
        consent = found.store.consent(subject.slug)
        if consent is None:
            raise PersonUnknownError(subject.user, app.workspace)
        done = nothing_erased(subject.slug, None)._replace(
            changed=consent.opted_out, done=True
        )
        if consent.opted_out:
            with found.store.transaction():
                found.store.decide(subject.slug, opted_out=False, now=app.now)
                found.store.note(
                    subject.slug, "opt_in", actor=str(app.actor), now=app.now
                )
    app.out.record(done, [f"{subject.user} may be observed."])
