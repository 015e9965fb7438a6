"""``crewmem operator observe``."""

from __future__ import annotations

import click

from crewmem.cli.access import access
from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.llm import llm_command_option
from crewmem.cli.operator.persons import person, store_to_read, user_option
from crewmem.cli.places import Chosen, as_slug
from crewmem.cli.typed import Bytes, opened
from crewmem.errors.files import MemoryDirMissingError
from crewmem.errors.operators import NoTurnsError
from crewmem.errors.registry import HomeMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line
    from crewmem.files.place import Place
    from crewmem.files.written import Means
    from crewmem.prompt.operator_fact import Extract, Extraction
    from crewmem.prompt.operator_observe import Observed
    from crewmem.prompt.operator_turn import Turn, Turns

FILE_MOST = 10 << 20
"""Most bytes of turns, unless ``--max-input`` says otherwise."""

TOLD = 20
"""Bad lines, and refusals, that a person is told of one by one."""


MET = 5
"""Names of a log that a person is told of who named another one."""


@verb
@user_option
@option(
    "--turns",
    "file",
    metavar="FILE",
    required=True,
    help="A conversation: JSON lines, or lines that begin with who speaks; - reads it.",
)
@option("--crew", metavar="NAME", callback=as_slug, help="For the crew's card.")
@option("--agent", metavar="SLUG", callback=as_slug, help="For the agent's card.")
@option("--dry-run", is_flag=True, help="Say what would be, and write nothing.")
@llm_command_option
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@option(
    "--max-input",
    metavar="BYTES",
    type=Bytes(),
    help="Most bytes that are read.  [10M]",
)
@pass_app
def observe_command(
    app: App,
    *,
    user: str,
    file: str,
    crew: str | None,
    agent: str | None,
    dry_run: bool,
    strict: bool,
    max_input: int | None,
    llm_command: str | None,
) -> None:
    """Note how a person works, from what they said of it.

    Direct statements are taken, in English and of the person's own turns: "I own the
    billing service", "My time zone is Europe/Berlin". With a language model (the
    setting llm, or --llm-command) it picks what is said in other ways, too; it is shown
    the person's own turns, and believed where its quote is there letter by letter.
    Each fact is kept with its quote. Orders, moods, guesses and what is about others
    are refused, and it is said why. The card is the crew's (users/) or the agent's
    (peers/); what is said anew takes the place of what was said before. For operators;
    who opted out is not observed.
    """
    from crewmem.files.target import target_of
    from crewmem.prompt.operator_cards import card_of
    from crewmem.prompt.operator_erased import alone
    from crewmem.prompt.operator_observe import observe, require_consent
    from crewmem.prompt.operator_store import OperatorStore

    subject = person(app, user, "observe persons")
    place = _place(app, crew, agent)
    require_consent(store_to_read(app), subject)
    turns = _turns(app, file, user, max_input)
    card = target_of(place, card_of(place, subject.slug))
    if dry_run:
        means = _to_look(app, place)
        extract = _extract(app, llm_command, means)
        store = store_to_read(app)
        done = observe(
            store, subject, card, turns, means, extract=extract, dry_run=True
        )
    else:
        from crewmem.cli.writing import means as means_of

        means = means_of(app, place)
        extract = _asked(_extract(app, llm_command, means), turns)
        with alone(app.home, access(app).busy_timeout):
            store = OperatorStore(app.truth, app.workspace)
            done = observe(store, subject, card, turns, means, extract=extract)
    _warn(app, done, user, turns.speakers)
    app.out.record(done, _lines(done, user))
    app.strictly(strict=strict)


def _extract(app: App, command: str | None, means: Means) -> Extract:
    """Return what finds facts: the language model that is set, and the grammar."""
    from crewmem.cli.llm import choice
    from crewmem.prompt.operator_statements import statements

    chosen = choice(app, command)
    if chosen.model.is_extract:
        return statements
    from crewmem.prompt.operator_pick import Picker

    picker = Picker(chosen.model, means.scan)

    def extract(turns: Sequence[Turn]) -> Extraction:
        found = picker(turns)
        for notice in picker.notices:
            app.out.warn(notice)
        return found

    return extract


def _asked(extract: Extract, turns: Turns) -> Extract:
    """Return *extract* as it answers on *turns*: asked now, while nothing is locked."""
    found = extract(turns.own)
    return lambda _: found


def _place(app: App, crew: str | None, agent: str | None) -> Place:
    """Return the directory whose card is meant.

    Raises:
        CrewMissingError: If there is no such crew.
        AgentMissingError: If there is no such agent.
    """
    from crewmem.cli.places import places
    from crewmem.scope import Scope

    if crew and agent:
        raise click.UsageError("A card is a crew's or an agent's: name one of them.")
    if not app.home.is_dir():
        raise HomeMissingError(app.home)
    scope = Scope.AGENT if agent else Scope.CREW
    found = [
        each for each in places(app, Chosen(None, scope, crew, agent))[0] if each.kept
    ]
    if not found:
        where = app.home / "workspaces" / app.workspace / "crews"
        missing = MemoryDirMissingError(where, [where])
        missing.hint = "Cards are of crews and agents: crewmem crew add NAME"
        raise missing
    if len(found) > 1:
        names = ", ".join(each.owner for each in found[:5])
        raise click.UsageError(f"Say whose card it is with --crew: there are {names}.")
    return found[0]


def _turns(app: App, file: str, user: str, most: int | None) -> Turns:
    """Read the turns.

    Raises:
        NoTurnsError: If there are lines, and none is a turn.
    """
    from crewmem.prompt.operator_turns import read_turns

    with opened(app, file, most=most, usual=FILE_MOST) as (stream, _):
        turns = read_turns(stream.read(), user)
    if turns.bad and not turns.turns:
        raise NoTurnsError(file, [each.reason for each in turns.bad[:TOLD]])
    return turns


def _to_look(app: App, place: Place) -> Means:
    """Return what a card of *place* is looked at with: nothing to write with."""
    from crewmem.cli.writing import means
    from crewmem.registry.crews_store import without_memory

    plain = means(app, place._replace(kept=False), sight=app.sight)
    db = app.truth_to_read
    return plain._replace(off=without_memory(db, app.workspace)) if db else plain


def _warn(app: App, done: Observed, user: str, speakers: Sequence[str]) -> None:
    for each in done.bad_lines[:TOLD]:
        app.out.warn(f"line {each.line}: {each.reason}")
    if (left := len(done.bad_lines) - TOLD) > 0:
        app.out.warn(f"{left:,} more lines are no turns")
    if done.unnamed:
        app.out.warn(
            f"{done.unnamed:,} turns do not say which person speaks, and others do; "
            "they were left out"
        )
    if not done.turns:
        named = ", ".join(speakers[:MET]) or "nobody"
        app.out.warn(f"no turn is of {user!r}: there speaks {named}")
    if done.dropped:
        named = ", ".join(done.dropped)
        app.out.warn(f"the card is full: {named} did not fit, and is not on it")
    for note in done.notes:
        app.out.warn(note)


def _lines(done: Observed, user: str) -> Iterator[Line]:
    verb = "Would say of " if done.dry_run else "Observed "
    changed = sum(each.became in {"new", "changed"} for each in done.facts)
    yield [
        verb,
        ("bold", user),
        f" on {done.ref}: {changed:,} of {len(done.facts):,} facts new or changed",
        f", {len(done.refused):,} refused, {done.usage}",
    ]
    for each in done.facts:
        yield [f"  {each.became:<8}", ("bold", each.field), f": {each.value}"]
    for refused in done.refused[:TOLD]:
        said = f" “{refused.quote}”" if refused.quote else ""
        yield [("dim", f"  refused {refused.reason}:{said} ({refused.rule})")]
    if (left := len(done.refused) - TOLD) > 0:
        yield f"  and {left:,} more refused; --json has them"
