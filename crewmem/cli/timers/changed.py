"""What is changed when timers are installed or removed: a plan, and the doing of it."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crewmem.backends.systemctl import Systemctl
    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.jobs.timers import Timers

CRONTAB = "crontab"
"""What is told in the place of a path, of lines of a crontab."""


class Change(NamedTuple):
    """A file of systemd's, or the lines of a crontab.

    Attributes:
        action: write, remove or keep.
        path: The file; crontab for the lines.
        diff: What becomes of its lines, of a crontab of ours alone: one that goes
            begins with -, one that comes with +. Empty where all of it stays or goes.
    """

    action: str
    path: str
    diff: Sequence[str] = ()


class Changed(NamedTuple):
    """What was done, or would be.

    Attributes:
        scheduler: systemd or cron; null where timers are removed.
        jobs: The jobs that have a timer then.
        changes: What is written, removed, and kept as it is.
        dry_run: Whether this is a plan only.
    """

    scheduler: str | None
    jobs: list[str]
    changes: list[Change]
    dry_run: bool


class Todo(NamedTuple):
    """What is to be done.

    Attributes:
        told: The plan.
        acts: What does it, one after the other.
    """

    told: list[Change]
    acts: Sequence[Callable[[], None]]

    def act(self) -> None:
        """Do it."""
        for each in self.acts:
            each()


def carry_out(app: App, done: Changed, todo: Todo) -> None:
    """Tell the plan, then do it; as JSON it is told when it is done."""
    if not app.out.is_json:
        app.out.lines(changed_lines(done))
    if not done.dry_run:
        todo.act()
    if app.out.is_json:
        app.out.record(done, [])


def changes_of(app: App, made: Timers | None, *, by_cron: bool, dry_run: bool) -> Todo:
    """Return what is to be done so that *made* are installed; None: none at all.

    Of the one of systemd and cron that is not to run them, what is left of ours goes,
    so that nothing is run twice. With *dry_run* it need not be there.

    Raises:
        SchedulerError: If what is to run them does not answer.
        NotOursError: If a unit of such a name is somebody else's.
        BrokenBlockError: If it cannot be told which lines of the crontab are ours.
    """
    tag = made.tag if made else _tag(app)
    systemd = _systemd(app, tag, None if by_cron else made, dry_run=dry_run)
    cron = _cron(app, tag, made if by_cron else None, dry_run=dry_run)
    # What stops comes first.
    first, then = (systemd, cron) if by_cron else (cron, systemd)
    return Todo([*first.told, *then.told], [*first.acts, *then.acts])


def _tag(app: App) -> str:
    from crewmem.cli.timers.timing import home_tag, only

    return home_tag(app, only(app))


def _systemd(app: App, tag: str, made: Timers | None, *, dry_run: bool) -> Todo:
    from crewmem.backends.systemctl import NAME, Systemctl
    from crewmem.cli.timers.systemd import apply, folder, planned
    from crewmem.errors.jobs import SchedulerError
    from crewmem.jobs.units import units

    where = folder(app)
    plan = planned(where, tag, units(made) if made else [])
    if not (made or plan.remove):
        return Todo([], [])
    manager: Systemctl | None = Systemctl(app.world.environ)
    if manager and (trouble := manager.trouble()):
        if made and not dry_run:
            raise SchedulerError(NAME, trouble.partition("cannot be used: ")[2])
        manager = None
        if plan.remove and not dry_run:
            app.out.warn(f"{trouble}; timers that run go on until the next login")
    told = [
        Change(
            "write",
            str(where / each.name),
            _diff(plan.before.get(each.name, "").splitlines(), each.text.splitlines()),
        )
        for each in plan.write
    ]
    told += [Change("remove", str(where / name)) for name in plan.remove]
    told += [Change("keep", str(where / name)) for name in plan.same]

    def act() -> None:
        if made:
            _make_writable(made)
        apply(where, plan, manager)

    return Todo(told, [act])


def _make_writable(made: Timers) -> None:
    """Make the directories that jobs write to: a unit may write to what is there."""
    from crewmem import disk

    for each in made.writable:
        disk.make_root(each).close()


def _cron(app: App, tag: str, made: Timers | None, *, dry_run: bool) -> Todo:
    from crewmem.backends.crontab import Crontab
    from crewmem.errors.jobs import SchedulerError
    from crewmem.jobs.crontab import block, mine, put

    crontab = Crontab(app.world.environ)
    try:
        before = crontab.read()
    except SchedulerError:
        if made and not dry_run:
            raise
        return Todo([], [])
    after = put(before, tag, block(made) if made else [])
    if after == before:
        return Todo([Change("keep", CRONTAB)] if made else [], [])
    action = "write" if made and made.whens else "remove"
    diff = _diff(mine(before, tag), block(made) if made else [])

    def act() -> None:
        # Somebody may have edited it since the plan was made.
        crontab.write(put(crontab.read(), tag, block(made) if made else []))

    return Todo([Change(action, CRONTAB, diff)], [act])


def _diff(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the lines that go and come."""
    from difflib import ndiff

    return [
        f"{each[0]}{each[2:]}" for each in ndiff(before, after) if each[0] in COLORS
    ]


COLORS = {"-": "warn", "+": "good"}
"""Of lines that go, and that come."""


def _is_worth_reading(change: Change) -> bool:
    """Tell whether lines change that are there, or of a file that is not ours alone."""
    return change.path == CRONTAB or any(each[0] == "-" for each in change.diff)


def changed_lines(done: Changed) -> Iterator[Line]:
    """Yield what a person reads of it."""
    news = [each for each in done.changes if each.action != "keep"]
    for each in news:
        style = "good" if each.action == "write" else "warn"
        yield [(style, f"{each.action:6}"), "  ", ("path", each.path)]
        if done.dry_run and _is_worth_reading(each):
            yield from ([(COLORS[line[0]], f"    {line}")] for line in each.diff)
    if done.dry_run and any(each.diff and not _is_worth_reading(each) for each in news):
        yield "crewmem timers show prints what is new."
    if not news:
        yield "Nothing is to be changed."
    if done.scheduler:
        by = "would run" if done.dry_run else "runs"
        yield f"{done.scheduler} {by} {', '.join(done.jobs) or 'no job'}."
    if done.dry_run:
        yield "Nothing was changed."
