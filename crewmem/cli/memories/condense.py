"""``crewmem memories condense``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.llm import llm_command_option
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line
    from crewmem.memories.condense import Condensed
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory, Owner
    from crewmem.memories.view import View

USUAL, MOST = 50, 1_000_000
"""Newest memories that are looked at, and that are at most."""


@verb
@option("-l", "--limit", type=int, metavar="N", help="How many, newest first.  [50]")
@option("--undo", metavar="ID", callback=as_text, help="Take this summary back.")
@llm_command_option
@option("--dry-run", is_flag=True, help="Only say what would be done.")
@pass_app
def condense_command(
    app: App,
    *,
    limit: int | None,
    undo: str | None,
    llm_command: str | None,
    dry_run: bool,
) -> None:
    """Make one summary of memories that say much the same.

    That is of each three or more of which any two share half of their words, tags and
    entities. They are of one owner, and stand behind their summary; --undo brings
    them back as they were, and they are not condensed again. Decisions, preferences,
    corrections, topics, what is pinned and what has an end stay as they are. The
    summary is a list of titles, or is written by the language model that the setting
    llm names; where that fails, titles do.
    """
    from crewmem.cli.held import desk_there
    from crewmem.cli.sharing import tell_left_out
    from crewmem.memories.condense import left_out

    if undo is not None:
        _undone(app, undo)
        return
    most = app.clamped("--limit", limit, USUAL, MOST)
    opened = desk_there(app, to_read=dry_run)
    done: list[Condensed] = []
    if opened:
        newest = latest(opened, most)
        mine = [each for each in newest if _is_writable(opened.view, each.owner)]
        done = condensed(app, opened, mine, llm_command=llm_command, dry_run=dry_run)
        tell_left_out(app, left_out(opened, mine))
    app.out.listing_lines(done, _lines(done))
    if not done:
        app.out.note("No three of them say much the same.")


def latest(desk: Desk, limit: int) -> Sequence[Memory]:
    """Return what may be condensed, newest first, up to *limit*."""
    from crewmem.memories.store import Filter

    wanted = Filter(desk.view, desk.now, statuses=("active",))
    return desk.memories.page(wanted, limit=limit).memories


def condensed(
    app: App,
    desk: Desk,
    memories: Sequence[Memory],
    *,
    llm_command: str | None = None,
    dry_run: bool = False,
) -> list[Condensed]:
    """Sum up those of *memories* that say much the same; warn of what failed."""
    from crewmem.cli.llm import summariser
    from crewmem.cli.scanner import scanner
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.condense import condense

    scan = scanner(app)
    writer = summariser(app, llm_command, scan)
    done = condense(
        desk,
        memories,
        summariser=writer,
        scan=scan,
        tokenize=tokenizer(desk.memories.db),
        dry_run=dry_run,
    )
    for warning in writer.warnings:
        app.out.warn(warning)
    return done


def _is_writable(view: View, owner: Owner) -> bool:
    return (
        view.agent is None
        or (owner.scope == "agent" and owner.agent == view.agent)
        or owner.crew in view.led
    )


def _undone(app: App, name: str) -> None:
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.shown import changed_line
    from crewmem.cli.memories.withheld import shown
    from crewmem.memories.condense import undo

    memory = named(app, name)
    done = undo(desk(app, restricted=True), memory)
    done = done._replace(memory=shown(app, done.memory))
    said = f"is taken back; {len(done.sources)} memories are as they were"
    said = said if done.sources else "was taken back already"
    app.out.listing_lines([done], [changed_line(done.memory, said)])


def _lines(done: Sequence[Condensed]) -> Iterator[Line]:
    for each in done:
        name = each.memory.id if each.memory else "-"
        why = f"; left as they are: {each.left}" if each.left else ""
        yield [("bold", name), f"  {each.title}: of {', '.join(each.sources)}{why}"]
