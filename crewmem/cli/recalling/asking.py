"""Recalling for an agent or a person: whose memory is asked, and what comes of it."""

from __future__ import annotations

import time

from crewmem.cli.app import App
from crewmem.errors import CrewmemError, DataError
from crewmem.errors.registry import AgentMissingError, OutOfScopeError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from crewmem.cli.places import Chosen
    from crewmem.cli.sieve import Sieve
    from crewmem.episodes.hit import Hit as Episode
    from crewmem.episodes.hit import Recalled
    from crewmem.files.hit import Answer
    from crewmem.files.hit import Hit as Chunk
    from crewmem.files.place import Place
    from crewmem.memories.hit import Answer as Held
    from crewmem.memories.hit import Hit as Memory
    from crewmem.prompt.render import Hint
    from crewmem.recall.recall import Found, Policy

FILES_MOST = 50
"""Chunks that a search of files offers at most."""


class Subject(NamedTuple):
    """Whose recall it is.

    Attributes:
        app: The world as they see it.
        agent: Their slug; None for a person.
        settings: What is set of the agent, and is not the default.
        off: The agents whose memory is off.
        is_tree: Whether a tree was named, which has neither registry nor journal.
    """

    app: App
    agent: str | None
    settings: Mapping[str, Any]
    off: frozenset[str]
    is_tree: bool = False

    @property
    def is_off(self) -> bool:
        """Tell whether nothing is to be recalled for them."""
        return self.agent in self.off

    def shows(self, place: Place) -> bool:
        """Tell whether *place* is looked into: not where memory is off."""
        if place.agent or not self.off:
            return place.agent not in self.off
        from crewmem.files.switch import off

        return not off(place)


def subject(app: App, chosen: Chosen) -> Subject:
    """Return whose recall is asked for: the agent's that was named, else who asks.

    Of an agent a person sees what it would see itself: no more, for it goes before
    its model. Where there is no registry, directories say whose memory is off.

    Raises:
        OutOfScopeError: If an agent asks for another.
        AgentMissingError: If there is no such agent.
    """
    who, agent = app.actor, chosen.agent
    if agent is not None and who.is_operator:
        app = _acting(app, agent)
    elif agent is not None and agent != who.name:
        rule = "an agent recalls for itself"
        raise OutOfScopeError(str(who), f"recall for {agent}", rule)
    name = None if app.actor.is_operator else app.actor.name
    if chosen.path:
        return Subject(app, name, {}, _off_below(app, chosen), is_tree=True)
    if agent is not None and app.sight.crews == frozenset():
        raise AgentMissingError(agent, app.workspace)
    return Subject(app, name, *_said_of(app, name, chosen))


def _acting(app: App, agent: str) -> App:
    """Return the world as *agent* sees it; what is said, is said by *app*."""
    seen = App(app.world, {**app.given, "acting": f"agent:{agent}"})
    seen.out, seen.loaded = app.out, app.loaded
    return seen


def _said_of(
    app: App, agent: str | None, chosen: Chosen
) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return what is set of *agent*, and whose memory is off.

    A registry that cannot be read is a warning: there are memory files all the same.
    """
    from crewmem.registry.crews_store import settings_of, without_memory

    try:
        if db := app.truth_to_read:
            of_agent = settings_of(db, app.workspace, agent) if agent else {}
            return of_agent, without_memory(db, app.workspace)
    except DataError as error:
        app.out.warn(str(error))
    return {}, _off_below(app, chosen)


def _off_below(app: App, chosen: Chosen) -> frozenset[str]:
    """Return the agents whose memory is off, as their directories say."""
    from crewmem.cli.places import root
    from crewmem.files import locate
    from crewmem.files.switch import off
    from crewmem.scope import Scope

    try:
        base = root(app, chosen)
        if base == app.home and not chosen.path:
            places = locate.in_home(base, app.workspace, Scope.AGENT, skipped=[])
        else:
            places = locate.at_path(base, Scope.ALL, [])
    except CrewmemError:  # who looks there says so
        return frozenset()
    return frozenset(filter(None, map(off, places)))


def told_off(whose: Subject) -> None:
    """Say of whom nothing is recalled."""
    off = [whose.agent] if whose.agent in whose.off else []
    if whose.agent is None:
        off = sorted(whose.off)
    for slug in off:
        whose.app.out.warn(
            f"nothing is recalled for {slug}: its memory is off "
            f"(crewmem agent set {slug} --memory on)"
        )


# What is found


class Asked(NamedTuple):
    """A question, and where it is asked.

    Attributes:
        walk: How far to go along ``similar`` edges from what is found.
        sieve: Which memories count, and of which time what is found has to be.
    """

    text: str
    chosen: Chosen
    policy: Policy
    walk: int = 0
    sieve: Sieve | None = None


class Answered(NamedTuple):
    """What came of a question.

    Attributes:
        places: The directories that were searched.
        latency_ms: How long it took.
    """

    found: Found
    places: Sequence[Place]
    latency_ms: float


def answered(whose: Subject, asked: Asked) -> Answered:
    """Ask memory files, the journal and memories; where one fails, the others answer.

    Raises:
        CrewmemError: What the first failed with, if all did.
    """
    from crewmem.recall.recall import recall

    began = time.perf_counter()
    failures: list[CrewmemError] = []
    places: Sequence[Place] = ()
    files = entries = held = None
    # Nothing but a memory has a kind, or an importance.
    of_all = asked.sieve is None or not asked.sieve.is_of_memories
    stores = [of_all, of_all and not whose.is_tree, not whose.is_tree]
    try:
        if stores[0]:
            files, places = _files(whose, asked)
    except CrewmemError as error:
        failures.append(error)
    try:
        entries = _entries(whose, asked) if stores[1] else None
    except CrewmemError as error:
        failures.append(error)
    try:
        held = _held(whose, asked) if stores[2] else None
    except CrewmemError as error:
        failures.append(error)
    if failures and len(failures) == sum(stores):
        raise failures[0]
    for failure in failures:
        whose.app.out.warn(str(failure))
    found = recall(files, entries, asked.policy, held)
    return Answered(found, places, 1000 * (time.perf_counter() - began))


def _files(whose: Subject, asked: Asked) -> tuple[Answer, Sequence[Place]]:
    from crewmem.cli.access import access
    from crewmem.cli.memory.searching import senses
    from crewmem.cli.places import places
    from crewmem.files.search import Wanted, search
    from crewmem.files.tiers import PRIVATE, Tier

    app = whose.app
    found_in, sight = places(app, asked.chosen._replace(agent=None))
    found_in = [each for each in found_in if whose.shows(each)]
    wanted = Wanted(
        text=asked.text,
        limit=min(asked.policy.depth, FILES_MOST),
        # What is known of a person goes before a model with its opener only.
        tiers=[each for each in Tier if each not in PRIVATE],
        since=asked.sieve.since if asked.sieve else None,
        until=asked.sieve.until if asked.sieve else None,
        senses=lambda model: senses(app, model, BY_WORDS),
    )
    return search(found_in, wanted, sight, access(app)), found_in


BY_WORDS = "recall goes by words alone: "
"""As of entries and memories: it is said once."""


def _entries(whose: Subject, asked: Asked) -> Recalled | None:
    """Ask the journal, if memory is looked for in a home that has one."""
    from crewmem.cli.episodes.recalling import ask
    from crewmem.cli.episodes.whose import Whose
    from crewmem.cli.places import root
    from crewmem.cli.remembered import stores_to_read
    from crewmem.cli.sensing import balance
    from crewmem.episodes.recall import Policy

    app, chosen = whose.app, asked.chosen
    if root(app, chosen) != app.home or (opened := stores_to_read(app)) is None:
        return None
    # As far as one may see: an agent has its crews' entries as well.
    usual = None if app.actor.is_operator else "crew"
    wanted = asked.policy
    policy = Policy(
        k=wanted.depth,
        min_relevance=wanted.least,
        walk=asked.walk,
        balance=balance(app),
    )
    recaller, (answer,) = ask(
        app,
        opened,
        Whose(chosen.scope or usual, chosen.crew, None),
        policy,
        [asked.text],
        without=whose.off,
        since=asked.sieve.since if asked.sieve else None,
        until=asked.sieve.until if asked.sieve else None,
    )
    return answer._replace(warnings=recaller.warnings if recaller else [])


def _held(whose: Subject, asked: Asked) -> Held | None:
    """Ask what is held to be true, if memory is looked for in a home."""
    from crewmem.cli.held import find_held
    from crewmem.cli.places import root
    from crewmem.cli.sensing import balance

    if root(whose.app, asked.chosen) != whose.app.home:
        return None
    return find_held(
        whose.app,
        asked.text,
        limit=asked.policy.depth,
        scope=asked.chosen.scope,
        crew=asked.chosen.crew,
        without=whose.off,
        sieve=asked.sieve,
        balance=balance(whose.app),
    )


# As it is laid before a model


def hints(whose: Subject, asked: Asked, came: Answered, *, whole: bool) -> list[Hint]:
    """Return what was recalled, each with all that it says, or with an excerpt."""
    return [_hint(whose, asked, came, hit, whole=whole) for hit in came.found.hits]


def _hint(
    whose: Subject,
    asked: Asked,
    came: Answered,
    hit: Chunk | Episode | Memory,
    *,
    whole: bool,
) -> Hint:
    from crewmem.files.hit import Hit as Chunk
    from crewmem.memories.hit import Hit as Memory
    from crewmem.prompt.recalled import of_chunk, of_episode, of_memory
    from crewmem.recall.passages import passage
    from crewmem.retrieval.marked import unmarked

    app = whose.app
    prefix = program(app)
    if isinstance(hit, Memory):
        return of_memory(hit, now=app.now, agent=whose.agent, program=prefix)
    if not isinstance(hit, Chunk):
        return of_episode(hit, now=app.now, agent=whose.agent, program=prefix)
    text = unmarked(hit.snippet, hit.matches)
    if whole:
        settings = app.settings
        most, limit = settings.chunk_chars, settings.max_file_bytes
        text = passage(hit, came.places, most=most, limit=limit)
    tree = asked.chosen.path or ""
    return of_chunk(
        hit, text, now=app.now, agent=whose.agent, program=prefix, tree=tree
    )


def program(app: App) -> str:
    """Return how the program is called here, up to the verb."""
    from crewmem.prompt.recalled_text import quoted

    words = ["crewmem"]
    for option, name in (("--home", "home"), ("-w", "workspace")):
        if named := app.given.get(name):
            words += [option, quoted(str(named))]
    return " ".join(words)
