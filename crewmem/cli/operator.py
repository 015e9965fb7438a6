"""Commands of `crewmem operator`."""

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.errors import UsageError
from crewmem.operators.operators import EraseResult, ObserveResult, Profile
from crewmem.operators.profile import Turn, parse_turns
from crewmem.storage.json_lines import BadLineError, load_record, read_lines
from crewmem.text.wording import count

user_option = click.option("--user", required=True, metavar="USER", help="The person.")


@click.group(cls=Group)
def operator() -> None:
    """Manage profiles of the people that agents work with."""


@operator.command(answer=list[Profile])
@user_option
@pass_app
def show(app: App, user: str) -> None:
    """Show what is known about a person, with its quotes."""
    profiles = app.home.make_safe(app.home.operators.show(user))
    lines = []
    for profile in profiles:
        lines += [f"{profile.file}:", *profile.text.splitlines()]
        lines += [f'  {field.key}: "{field.quote}"' for field in profile.fields]
    app.show(profiles, lines or [f"Nothing is known about {user}."])


@operator.command(answer=ObserveResult)
@user_option
@click.option(
    "--turns",
    required=True,
    type=options.PATH,
    metavar="FILE",
    help="JSONL with role, content and name.",
)
@options.crew_option("Crew that gets the profile.")
@options.agent_option("Agent that gets the peer card.")
@pass_app
def observe(app: App, user: str, turns: str, crew: str | None, agent: str | None) -> None:
    """Learn how a person works from what they said."""
    if (crew is None) == (agent is None):
        raise UsageError("give either --crew or --agent", code="owner-missing")
    home = app.home
    crew = crew or home.registry.get_agent(agent or "").crew
    records, bad = _read_turns(app, turns)
    if bad:
        home.context.warn("bad-lines", f"lines that are not turns: {', '.join(map(str, bad[:20]))}")
    observed = home.operators.observe(user, records, crew=crew, agent=agent or "")
    lines = [f"- {field.key}: {field.value}" for field in observed.written]
    lines += [f"refused {field.key}: {field.value} ({field.reason})" for field in observed.refused]
    if observed.dropped:
        lines.append(f"Left out, because the profile is full: {', '.join(observed.dropped)}")
    lines.append(f"Nothing was learned: {observed.reason}." if observed.reason else "")
    shown = [line for line in lines if line] or ["Nothing was learned."]
    app.show(observed, shown)


@operator.command(answer=EraseResult)
@user_option
@click.argument("field", required=False)
@click.option("--all", "is_all", is_flag=True, help="Erase everything.")
@options.yes
@pass_app
def forget(app: App, user: str, field: str | None, is_all: bool, yes: bool) -> None:
    """Erase a field of a person's profiles, or all of them."""
    if (field is None) == (not is_all):
        raise UsageError("give either a FIELD or --all", code="field-missing")
    app.confirm(f"Erase {field or 'everything'} known about {user}?", yes=yes)
    _show_erased(app, app.home.operators.forget(user, field or ""), field)


@operator.command("opt-out", answer=EraseResult)
@user_option
@options.yes
@pass_app
def opt_out(app: App, user: str, yes: bool) -> None:
    """Erase everything known about a person, for good.

    That person is never observed again.
    """
    app.confirm(f"Erase everything known about {user} for good?", yes=yes)
    _show_erased(app, app.home.operators.opt_out(user))


def _show_erased(app: App, erased: EraseResult, field: str | None = None) -> None:
    what = f"{field} from " if field else ""
    lines = [f"Erased {what}{file}, versions included." for file in erased.files]
    lines.append(f"Erased the evidence of {count(erased.fields, 'field')}.")
    if erased.opted_out:
        lines.append("This person will not be observed again.")
    app.show(erased, lines)


def _read_turns(app: App, source: str) -> tuple[list[Turn], list[int]]:
    """Return the turns of a JSONL file, and the numbers of bad lines."""
    records, bad = [], []
    with app.open_input(source) as stream:
        for number, line in read_lines(stream):
            try:
                records.append(load_record(line))
            except BadLineError:
                bad.append(number)
    return parse_turns(records), bad
