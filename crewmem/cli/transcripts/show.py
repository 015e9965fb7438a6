"""``crewmem transcripts show``."""

from __future__ import annotations

from contextlib import closing

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.transcripts.roots import AUTO, HARNESSES, Where
from crewmem.cli.typed import as_text
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.cli.output import Line
    from crewmem.transcripts.claim import Redact
    from crewmem.transcripts.source import Source
    from crewmem.transcripts.turn import Turn

USUAL, MOST = 50, 1_000
"""Turns that are shown, the last, and that are at most."""


TEXT_MOST = 16_000
"""Characters of a turn that are shown."""


class Shown(NamedTuple):
    """A turn, as it is read.

    Attributes:
        line: The number of the line that it stands in.
        at: When it was said; null if nobody wrote that down.
        role: user, assistant, tool or system.
        text: What was said, without what was laid before the model, secrets redacted.
        tool: The tool that was called, or that answered; "" for none.
        session: The session; "" if it is not known.
        branch: Of the repository that was worked in; "" if unknown.
        project: The directory that was worked in; "" if unknown.
        sidechain: Whether an agent said it to its own helper.
        synthetic: Whether the program put it there: nobody said it.
        summary: Whether a model wrote it, of what was lost.
        loss: The mark that context was lost here; null if it was not.
        learned: Ids of the memories that were learned of it.
    """

    line: int
    at: datetime | None
    role: str
    text: str
    tool: str
    session: str
    branch: str
    project: str
    sidechain: bool
    synthetic: bool
    summary: bool
    loss: str | None
    learned: list[str]


@verb
@argument("name", metavar="NAME", callback=as_text, help="Its path, or its session.")
@option("--root", metavar="DIR", callback=as_text, help="Directory to look in.")
@option(
    "--harness",
    type=click.Choice((AUTO, *HARNESSES)),
    default=AUTO,
    help="Program that wrote it; auto knows it by its lines.  [auto]",
)
@option("-l", "--limit", type=int, metavar="N", help="Most turns, the last.  [50]")
@pass_app
def show_command(
    app: App, *, name: str, root: str | None, harness: str, limit: int | None
) -> None:
    """Show a session log turn by turn, and what was learned of it.

    Secrets are taken out, and what was laid before the model as memory. An agent sees
    the logs that its own memories are made of.
    """
    most = app.clamped("--limit", limit, USUAL, MOST)
    turns = _turns(app, name, Where(harness, root), most)
    app.out.listing_lines(turns, _lines(turns))


def _turns(app: App, name: str, where: Where, most: int) -> list[Shown]:
    from collections import deque

    from crewmem.cli.scanner import scanner
    from crewmem.cli.transcripts.means import redactor
    from crewmem.cli.transcripts.opening import open_at_start
    from crewmem.transcripts.read import steps
    from crewmem.transcripts.turn import State

    source, session, agent = _found(app, name, where)
    last: deque[Turn] = deque(maxlen=most)
    skipped = 0
    with closing(open_at_start(source, session)) as stream:
        state = State({"session": session} if session else None)
        for step in steps(stream, where.form, state):
            last.extend(step.turns)
            skipped += bool(step.bad)
        last.extend(state.held)
    if skipped:
        app.out.warn(f"{skipped:,} lines of it could not be read")
    redact = redactor(scanner(app))
    return [_shown(app, each, agent, redact) for each in last]


def _found(app: App, name: str, where: Where) -> tuple[Source, str, str | None]:
    """Return the log that *name* names, its session in it, and whose it is.

    Raises:
        LogMissingError: If there is none that the actor may see.
    """
    from crewmem.cli.transcripts.roots import found
    from crewmem.cli.transcripts.standing import database, known, mine, who
    from crewmem.errors.transcripts import LogMissingError

    own = who(app)
    logs = mine(found(app, where).sources, known(app, database(app), own), own)
    for each in reversed(logs):
        cursor, source = each.cursor, each.source
        if source is None:
            continue
        session = cursor.session if cursor else ""
        names = {source.file, source.name, session}
        if cursor:
            names.add(str(cursor.state.get("last_session", "")))
        if name and (name in names or source.name.endswith(f"/{name}.jsonl")):
            return source, session, cursor.agent if cursor else None
    raise LogMissingError(name)


def _shown(app: App, turn: Turn, agent: str | None, redact: Redact) -> Shown:
    from crewmem.cli.transcripts.standing import database
    from crewmem.transcripts.injected import without_injected
    from crewmem.transcripts.learned_store import of_turn

    db = database(app)
    text = without_injected(turn.text).strip()
    if len(text) > TEXT_MOST:
        text = f"{text[:TEXT_MOST]} …"
    learned: list[str] = []
    if db is not None and agent:
        learned = of_turn(db, app.workspace, agent, turn.key)
    return Shown(
        line=turn.place.line,
        at=turn.at,
        role=turn.role,
        text=redact(text),
        tool=turn.tool,
        session=turn.session,
        branch=turn.branch,
        project=turn.project,
        sidechain=turn.sidechain,
        synthetic=turn.synthetic,
        summary=turn.summary,
        loss=turn.loss.how if turn.loss else None,
        learned=learned,
    )


def _lines(turns: list[Shown]) -> Iterator[Line]:
    for each in turns:
        if not (each.text or each.loss or each.tool):
            continue
        at = each.at.strftime("%Y-%m-%d %H:%M") if each.at else "undated"
        marks = [
            word
            for word, is_so in (
                ("to a helper", each.sidechain),
                ("put there", each.synthetic and not each.summary),
                ("a summary", each.summary),
            )
            if is_so
        ]
        head = ", ".join([f"{each.line}  {at}  {each.role}", *marks])
        what = f"  {each.tool}" if each.tool else ""
        what += f"  lost context: {each.loss}" if each.loss else ""
        yield [("bold", head), ("warn" if each.loss else "dim", what)]
        yield from (f"  {line}" for line in each.text.splitlines())
        if each.learned:
            yield [("good", f"  learned: {', '.join(each.learned)}")]
