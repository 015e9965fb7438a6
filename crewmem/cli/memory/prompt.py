"""``crewmem memory prompt``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import as_slug
from crewmem.cli.typed import BudgetType, as_text
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from typing import Any

    from crewmem.cli.table import Table as Commands
    from crewmem.prompt.assemble import Assembled, Placed
    from crewmem.prompt.budget import Budget
    from crewmem.prompt.gather import Gathered, Subject
    from crewmem.prompt.instructions import Standing, State


class Prompt(NamedTuple):
    """A prompt, and how it came about.

    Attributes:
        agent: Whose it is; "" where the directory does not say.
        crew: The crew whose memory is in it.
        memory: Whether the agent's memory is on; if not, the text only says so.
        text: The prompt.
        chars: Its characters.
        bytes: Its bytes.
        budget: What pins, crew, workspace and agent share, with its unit.
        spent: What they take of it.
        gap: The last day with notes, where today's are missing.
        nudged: Journal entries since memory was written, where it says so; else 0.
        sections: What became of each file and block.
    """

    agent: str
    crew: str
    workspace: str
    memory: bool
    text: str
    chars: int
    bytes: int
    budget: str
    spent: int
    gap: date | None
    nudged: int
    sections: tuple[Placed, ...]


@verb
@option(
    "--agent", metavar="SLUG", callback=as_slug, help="Whose; by default one's own."
)
@option(
    "--crew", metavar="NAME", callback=as_slug, help="Of several, the crew it is in."
)
@option(
    "--query",
    metavar="TEXT",
    default="",
    callback=as_text,
    help="What it is about: sections that say more of it are placed first.",
)
@option(
    "--opener",
    metavar="USER",
    callback=as_text,
    help="The person who opens the session.",
)
@option("--session", metavar="ID", callback=as_text, help="For --nudge: once in each.")
@option(
    "--budget",
    type=BudgetType(),
    metavar="N[t|c|b]",
    default="15000c",
    help="Most of pins, crew, workspace and agent, as 4000t or 20000b.  [15000c]",
)
@option(
    "--max-total", type=BudgetType(), metavar="N[t|c|b]", help="Most of everything."
)
@option("--nudge", is_flag=True, help="Say so if memory was not written for long.")
@option("--explain", is_flag=True, help="List what was placed, cut, blocked, left out.")
@option("-p", "--path", metavar="DIR", help="A .memory directory, or a crew's root.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def prompt_command(
    app: App,
    *,
    agent: str | None,
    crew: str | None,
    path: str | None,
    explain: bool,
    **given: Any,
) -> None:
    """Print the memory of an agent as a part of its system prompt.

    Pins, the agent's files and notes, its crew's and its workspace's share --budget;
    persona, what is known of --opener, and instructions come on top. What does not fit
    is cut at a line and says how to read the rest. Every section is scanned: one with a
    hidden instruction or a secret is replaced by a line that says so. A file of nothing
    but headings is left out, and so is what is known of an opener who opted out. Where
    the agent's memory is switched off nothing of it is there, and it is told so.

    With --explain, the list of sections is printed instead. Nothing is changed; only
    --nudge with --session keeps that it was said, and the audit of an opener that what
    is known of them was laid, once a day.
    """
    from crewmem.cli.memory.prompt_subject import subject

    whose = subject(app, agent, crew, path)
    if whose.is_off:
        app.out.warn(
            f"the memory of {whose.agent} is switched off, so the prompt only says so: "
            f"crewmem agent set {whose.agent} --memory on"
        )
        from crewmem.prompt.assemble import switched_off

        off = switched_off(given["max_total"])
        _show(app, _record(app, whose, off, 0, given["budget"]), explain=explain)
        return
    nudged = _nudged(app, whose, given["session"]) if given["nudge"] else 0
    opener = _opener(app, whose, given["opener"])
    made = _assembled(app, whose, nudged, opener, given)
    for trouble in made.troubles:
        app.out.warn(trouble)
    if not made.text:
        app.out.warn(f"no block fits into {given['max_total']}")
    cards = []
    if opener and (app.out.is_json or not explain):
        from crewmem.cli.memory.prompt_audit import cards_laid, note_laid

        cards = cards_laid(app, whose, made, opener)
    _show(app, _record(app, whose, made, nudged, given["budget"]), explain=explain)
    if cards:
        note_laid(app, cards, opener)
    app.strictly(strict=given["strict"])


def _assembled(
    app: App, whose: Subject, nudged: int, opener: str, given: dict[str, Any]
) -> Assembled:
    from crewmem import times
    from crewmem.cli.scanner import scanner
    from crewmem.cli.table import TABLE
    from crewmem.prompt.assemble import Asked, assemble
    from crewmem.prompt.nudge import nudge

    asked = Asked(
        today=times.day(app.now, app.zone),
        budget=given["budget"],
        most=given["max_total"],
        query=given["query"].strip(),
        opener=opener,
        limit=app.settings.max_file_bytes,
        caps=app.settings.caps,
        commands=frozenset(_commands(TABLE)),
        nudge=nudge(nudged),
    )
    return assemble(
        whose,
        asked,
        scan=scanner(app),
        tokenizer=_tokenizer,
        standing=lambda found: _standing(app, whose, found),
    )


def _opener(app: App, whose: Subject, opener: str | None) -> str:
    """Return the slug of *opener*; "" for nobody, or for who opted out."""
    if not opener or not opener.strip():
        return ""
    from crewmem.errors import CrewmemError
    from crewmem.prompt.slug import user_slug

    slug = user_slug(opener.strip(), app.workspace)
    try:
        opted_out = _is_of_home(app, whose) and _opted_out(app, slug)
    except CrewmemError as error:
        app.out.warn(f"nothing of {opener} is laid: who opted out is unknown ({error})")
        return ""
    if opted_out:
        app.out.warn(f"nothing of {opener} is laid: they opted out")
    return "" if opted_out else slug


def _is_of_home(app: App, whose: Subject) -> bool:
    """Tell whether the home's database says who opted out of what is laid."""
    if whose.own.kept:
        return True
    return app.home.resolve() in whose.own.path.resolve().parents


def _opted_out(app: App, slug: str) -> bool:
    from crewmem.cli.operator.persons import store_to_read

    store = store_to_read(app)
    consent = store.consent(slug) if store else None
    return consent is not None and consent.opted_out


def _commands(table: Commands, above: str = "") -> Iterator[str]:
    """Yield every command of *table*, with the groups it is in."""
    for name, entry in table.items():
        if isinstance(entry, str):
            yield f"{above}{name}"
        else:
            yield from _commands(entry[1], f"{above}{name} ")


def _tokenizer() -> Any:
    from crewmem.db.connect import connect_memory
    from crewmem.journal.tokenizer import tokenizer

    return tokenizer(connect_memory())


def _standing(app: App, whose: Subject, found: Gathered) -> Standing:
    from crewmem import disk
    from crewmem.prompt.instructions import Standing, State

    def state(place: Any, held: int) -> State:
        if not disk.is_writable(place.path):
            return State.READ_ONLY
        full = held >= app.settings.directory_bytes
        return State.FULL if full else State.WRITABLE

    own, crew = found.bytes
    return Standing(
        own=state(whose.own, own),
        crew=state(whose.shared, crew) if whose.shared else None,
        fills=found.fills,
        is_lead=whose.is_lead,
    )


def _nudged(app: App, whose: Subject, session: str | None) -> int:
    """Return how many entries came since memory was written, if that is to be said."""
    from datetime import timedelta

    from crewmem import times
    from crewmem.errors import CrewmemError
    from crewmem.prompt import nudge_store
    from crewmem.prompt.nudge import KEPT_DAYS, THRESHOLD, WINDOW_DAYS

    try:
        db = app.truth_to_read if whose.own.kept else None
    except CrewmemError:  # said before
        db = None
    if db is None:
        app.out.warn("there is no journal here, so nothing is known for --nudge")
        return 0
    workspace, agent = app.workspace, whose.agent
    since = times.to_text(times.before(app.now, timedelta(days=WINDOW_DAYS)))
    entries = nudge_store.entries_since_written(db, workspace, agent, since=since)
    if entries < THRESHOLD:
        return 0
    if session:
        if nudge_store.was_nudged(db, workspace, agent, session):
            return 0
        try:
            nudge_store.keep_nudge(
                app.truth,
                workspace,
                agent,
                session,
                entries=entries,
                at=times.to_text(app.now),
                since=times.to_text(times.before(app.now, timedelta(days=KEPT_DAYS))),
            )
        except CrewmemError as error:
            app.out.warn(f"the nudge will come again in this session: {error}")
    return entries


def _record(
    app: App, whose: Subject, made: Assembled, nudged: int, budget: Budget
) -> Prompt:
    return Prompt(
        agent=whose.agent,
        crew=whose.crew,
        workspace=app.workspace,
        memory=not whose.is_off,
        text=made.text,
        chars=len(made.text),
        bytes=len(made.text.encode()),
        budget=str(budget),
        spent=made.spent,
        gap=made.gap,
        nudged=nudged,
        sections=made.sections,
    )


def _show(app: App, prompt: Prompt, *, explain: bool) -> None:
    if app.out.is_json:
        app.out.record(prompt, [])
    elif explain:
        from crewmem.cli.memory.prompt_shown import sections_table

        app.out.listing(prompt.sections, sections_table(prompt.sections))
        app.out.note(
            f"{prompt.chars:,} characters, {prompt.bytes:,} bytes; of the budget of "
            f"{prompt.budget} {prompt.spent:,} are used"
        )
    elif prompt.text:
        app.out.document(prompt.text.encode(), raw=False)
