"""Recovering: gathered, laid out, printed and told."""

from __future__ import annotations

import click

from crewmem.errors import CrewmemError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.cli.recalling.asking import Subject
    from crewmem.prompt.budget import Budget
    from crewmem.prompt.recover import Recovered
    from crewmem.prompt.render import Limit

USUAL_TOKENS = 2_000

COMPACT = "compact"
"""Why a session starts, as a hook says it, where context was lost."""


class Recovery(NamedTuple):
    """What was laid before an agent that lost its context.

    Attributes:
        agent: The agent.
        session: The session; "" if nobody said.
        context: The block; "" if there was nothing to give back.
        sections: What it was made of, by section: ids.
        blocked: Ids of what is poison: only a notice stands in the block.
        hidden: How much had no room.
        budget: What was allowed, as 2000t.
        total_tokens: How many tokens the block is.
        estimator: How they are counted.
        loss: The id of the loss that it was for; null if it was not kept.
    """

    agent: str
    session: str
    context: str
    sections: Mapping[str, list[str]]
    blocked: list[str]
    hidden: int
    budget: str
    total_tokens: int
    estimator: str
    loss: str | None


def run(app: App, given: Mapping[str, Any]) -> None:
    """Answer ``recover``."""
    if given["hook"]:
        from crewmem.cli.recalling.hook import DEADLINE, answer_in_time

        call = _Call(app, given)
        seconds = given["deadline"] or DEADLINE
        answer_in_time(app, seconds, call.make, call.failed)
        return
    whose = _whose(app, given["agent"])
    session = given["session"] or ""
    agent = whose.agent or ""
    budget = _budget(whose, given)
    try:
        done = recover(whose, session, "", budget)
    except CrewmemError as error:
        _failed(app, agent, session, "", error)
        raise
    _show(app, whose, session, budget, done)


def recover(whose: Subject, session: str, path: str, limit: Limit) -> Recovered:
    """Return the block for *whose*, within *limit*; nothing for who is off.

    Raises:
        CrewmemError: If it cannot be built.
    """
    from crewmem import times
    from crewmem.cli.recalling.asking import told_off
    from crewmem.cli.recovering.gather import gathered
    from crewmem.cli.recovering.session import last_messages
    from crewmem.cli.scanner import scanner
    from crewmem.prompt.recover import Recovered, recovered

    if whose.is_off:
        told_off(whose)
        return Recovered("", {}, [], 0)
    app = whose.app
    said = last_messages(whose, session, path)
    sections = gathered(whose, session, said)
    today = times.day(app.now, app.zone)
    return recovered(whose.agent or "", today, sections, limit, scan=scanner(app))


def _whose(app: App, agent: str | None) -> Subject:
    from crewmem.cli.places import Chosen
    from crewmem.cli.recalling.asking import subject

    if agent is None and app.actor.is_operator:
        raise click.UsageError("Name the agent that lost its context: --agent SLUG.")
    return subject(app, Chosen(None, None, None, agent or app.actor.name))


def _budget(whose: Subject, given: Mapping[str, Any]) -> Budget:
    from crewmem.prompt.budget import Budget

    usual = whose.settings.get("recall_max_tokens", USUAL_TOKENS)
    return Budget(given["max_tokens"] or int(usual), "t")


def _keep(
    app: App, agent: str, session: str, harness: str, done: Recovered
) -> str | None:
    """Keep what was given back, and count it as delivered."""
    from crewmem.cli.recalling.counted import count
    from crewmem.cli.recovering.told import keep_recovered
    from crewmem.prompt.tokens import tokens

    ids = [each for some in done.placed.values() for each in some]
    loss = keep_recovered(
        app, agent, session, harness=harness, tokens=tokens(done.text), ids=ids
    )
    if loss:
        entries = [each for each in ids if each.startswith("j_")]
        memories = [each for each in ids if each.startswith("m_")]
        if trouble := count(app, entries, memories, patience=0.0):
            app.out.warn(trouble)
    return loss


def _failed(
    app: App, agent: str, session: str, harness: str, error: BaseException
) -> None:
    from crewmem.cli.recovering.told import keep_failed

    keep_failed(app, agent, session, harness=harness, error=error)


def _show(
    app: App, whose: Subject, session: str, budget: Budget, done: Recovered
) -> None:
    from crewmem.prompt.tokens import ESTIMATOR, tokens

    loss = _keep(app, whose.agent or "", session, "", done) if done.text else None
    told = Recovery(
        agent=whose.agent or "",
        session=session,
        context=done.text,
        sections=done.placed,
        blocked=done.blocked,
        hidden=done.hidden,
        budget=str(budget),
        total_tokens=tokens(done.text),
        estimator=ESTIMATOR,
        loss=loss,
    )
    if app.out.is_json:
        app.out.record(told, [])
    else:
        app.out.block(done.text)
    if not done.text and app.out.stdout.isatty():
        app.out.note("There is nothing of the last day to give back.")


class _Call:
    """A call of a hook."""

    def __init__(self, app: App, given: Mapping[str, Any]) -> None:
        self._app, self._given = app, given
        self._agent = self._session = ""

    def make(self) -> tuple[str, Callable[[], object] | None]:
        """Return what is printed, and what keeps that it was."""
        from crewmem.cli.recalling.hook import START, Room, answer, hook_input

        app, given = self._app, self._given
        said = hook_input(app.world.stdin)
        event = said.get("hook_event_name", START)
        if event != START or said.get("source", COMPACT) != COMPACT:
            return "", None
        whose = _whose(app, given["agent"])
        self._agent = whose.agent or ""
        self._session = given["session"] or _text(said, "session_id")
        if not whose.settings.get("auto_recall", True):
            app.out.warn(f"{whose.agent} has auto_recall off")
            return "", None
        room = Room(START, _budget(whose, given))
        path = _text(said, "transcript_path")
        done = recover(whose, self._session, path, room)
        if not done.text:
            return "", None
        harness, agent, session = given["hook"], self._agent, self._session
        keep = lambda: _keep(app, agent, session, harness, done)  # noqa: E731 - short
        return answer(START, done.text), keep

    def failed(self, error: BaseException) -> None:
        """Keep why there is no answer, once it is known whose it was to be."""
        if self._agent:
            harness = self._given["hook"]
            _failed(self._app, self._agent, self._session, harness, error)


def _text(said: Mapping[str, object], name: str) -> str:
    value = said.get(name)
    is_line = isinstance(value, str) and value.isprintable() and len(value) < PATH_MOST
    return str(value) if is_line else ""


PATH_MOST = 4_096
"""Characters of a path at most."""
