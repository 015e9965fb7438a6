"""``crewmem timers install``."""

from __future__ import annotations

import os

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.timers.changed import Changed, carry_out, changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.jobs.timers import Timers

LINGER = "/var/lib/systemd/linger"
"""Where systemd keeps whose manager runs while nobody is logged in."""

OTHERS = (
    "GEMINI_API_KEY",
    "GEMINI_API_KEY_FALLBACK",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "KEEPER_OLLAMA_URL",
)
"""Variables that change what jobs do, besides our own."""

OURS_ALONE = frozenset(
    {
        "CREWMEM_HOME",
        "CREWMEM_NOW",
        "CREWMEM_ACTOR",
        "CREWMEM_AGENT",
        "CREWMEM_WORKSPACE",
    }
)
"""Variables of ours that jobs do without: they are told, or look after everything."""


@verb
@option("--systemd", is_flag=True, help="Use systemd; the default where it is there.")
@option("--cron", is_flag=True, help="Use cron.")
@option("--dry-run", is_flag=True, help="Only say what would be written.")
@pass_app
def install_command(app: App, *, systemd: bool, cron: bool, dry_run: bool) -> None:
    """Install timers that run the jobs, with systemd or cron.

    systemd gets units of its manager of this user, cron a block of lines in the
    crontab; nothing else in it is touched. They call this program, on this home, with
    the workspace that is named if one is. The plan comes first. Run it again after a
    change of a setting: what is as it should be is left alone, and what the settings no
    longer want goes. In a container with neither, call crewmem timers run --all-due
    every minute, from whatever is there.

    Variables of this shell are not those of timers. For systemd they belong into
    ~/.config/crewmem/environment, for cron into the crontab, above the block. For
    operators.
    """
    from crewmem.cli.timers.timing import timers
    from crewmem.errors.registry import HomeMissingError
    from crewmem.scope import require_operator

    require_operator(app.actor, "install timers")
    if systemd and cron:
        raise click.UsageError("--systemd and --cron do not go together.")
    if not app.home.is_dir():
        raise HomeMissingError(app.home)
    made = timers(app)
    by_cron = cron or (not systemd and _is_left_to_cron(app))
    todo = changes_of(app, made, by_cron=by_cron, dry_run=dry_run)
    done = Changed("cron" if by_cron else "systemd", [*made.whens], todo.told, dry_run)
    carry_out(app, done, todo)
    for each in _advice(app, made, by_cron=by_cron):
        app.out.note(each)


def _is_left_to_cron(app: App) -> bool:
    """Tell whether systemd does not answer, and cron does.

    Raises:
        NoSchedulerError: If neither does.
    """
    from crewmem.backends.crontab import Crontab
    from crewmem.backends.systemctl import Systemctl
    from crewmem.errors.jobs import NoSchedulerError

    environ = app.world.environ
    if not (without_systemd := Systemctl(environ).trouble()):
        return False
    if not (without_cron := Crontab(environ).trouble()):
        return True
    raise NoSchedulerError([without_systemd, without_cron])


def _advice(app: App, made: Timers, *, by_cron: bool) -> Iterator[str]:
    environ = app.world.environ
    names = [
        name
        for name in sorted(environ)
        if name in OTHERS or (name.startswith("CREWMEM_") and name not in OURS_ALONE)
    ]
    if names:
        where = (
            "the crontab, above the block"
            if by_cron
            else "~/.config/crewmem/environment"
        )
        told = ", ".join(names)
        yield f"Timers do not know {told} of this shell: put it into {where}."
    user = environ.get("LOGNAME") or environ.get("USER") or ""
    if not by_cron and made.whens and not os.path.exists(f"{LINGER}/{user}"):  # noqa: PTH110 - a name is enough
        yield (
            f"They run while {user or 'this user'} is logged in; always, with: "
            f"loginctl enable-linger {user}".rstrip()
        )
