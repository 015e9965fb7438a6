"""A case of a suite: a question, a recovery or a promotion, and its answer. Pure.

A recall case says what should be found, or that nothing should be laid before the
model; a recovery case what an agent should get back; a promotion case whether what some
agents hold should be shared.
"""

from __future__ import annotations

from crewmem import times
from crewmem.errors.values import BadTimeError
from crewmem.ids import is_slug
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

RECALL, RECOVERY, PROMOTION = "recall", "recovery", "promotion"

TEXT_MOST = 64 << 10
"""Most characters of a question, and of a text that is expected."""

ANSWERABLE = "answerable"
"""Of a public set: what stands beside a question without an answer is near it."""

ALIASES = {
    "relevant_ids": "relevant",
    "text": "query",
    ANSWERABLE: "should_inject",
    "conversation": "workspace",
    "timestamp": "now",
}
"""What other programs, and the public sets, call a field."""

FIELDS = frozenset(
    {
        "id",
        "query",
        "relevant",
        "should_inject",
        "category",
        "agent",
        "workspace",
        "now",
        "recovery",
        "expect",
        "promotion",
        "should_promote",
    }
)


class BadCaseError(ValueError):
    """A line is no case; the message says why, and the caller keeps it."""


class Case(NamedTuple):
    """A case.

    Attributes:
        kind: recall, recovery or promotion.
        category: What it is counted with; "" for none.
        agent: Who asks; None: an operator does.
        workspace: Where; None: in the one that is worked in.
        now: When; None: now.
        query: The question of a recall case.
        relevant: The refs or ids of what answers it; none where nothing does.
        should_inject: Whether anything should be laid before the model.
        session: That of a recovery case which lost its context; "" for none.
        expect: Texts that a recovery has to give back.
        memories: Ids of the memories that a promotion case is about: they say the same.
        should_promote: Whether one of them should be shared.
    """

    id: str
    kind: str = RECALL
    category: str = ""
    agent: str | None = None
    workspace: str | None = None
    now: datetime | None = None
    query: str = ""
    relevant: tuple[str, ...] = ()
    should_inject: bool = True
    session: str = ""
    expect: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    should_promote: bool = True


def read(record: Mapping[str, object], number: int) -> Case:
    """Return the case that *record* spells, which stands in line *number*.

    Raises:
        BadCaseError: If it is none.
    """
    told = {ALIASES.get(name, name): value for name, value in record.items()}
    kind = RECOVERY if "recovery" in told else RECALL
    if "promotion" in told:
        if kind == RECOVERY:
            raise BadCaseError("it is a recovery and a promotion at once")
        kind = PROMOTION
    case = Case(
        id=_line(told, "id") or f"line-{number}",
        kind=kind,
        category=_line(told, "category"),
        agent=_agent(told.get("agent")),
        workspace=_line(told, "workspace") or None,
        now=_instant(told.get("now")),
    )
    if kind == RECALL:
        return _recall(case, told, is_public=ANSWERABLE in record)
    return _recovery(case, told) if kind == RECOVERY else _promotion(case, told)


def unknown(record: Mapping[str, object]) -> set[str]:
    """Return the fields of *record* that no case has."""
    return {*record} - FIELDS - {*ALIASES}


def _recall(case: Case, told: Mapping[str, object], *, is_public: bool) -> Case:
    query = told.get("query")
    if not isinstance(query, str) or not query.strip():
        raise BadCaseError("query should be a question")
    if len(query) > TEXT_MOST:
        raise BadCaseError(f"query is over {TEXT_MOST:,} characters")
    relevant = _texts(told, "relevant")
    should = _flag(told, "should_inject", usual=bool(relevant))
    if not should and is_public:
        relevant = ()
    if should and not relevant:
        raise BadCaseError("should_inject is true, and nothing is relevant")
    if relevant and not should:
        raise BadCaseError("should_inject is false, and something is relevant")
    return case._replace(query=query, relevant=relevant, should_inject=should)


def _recovery(case: Case, told: Mapping[str, object]) -> Case:
    about = told["recovery"]
    if not isinstance(about, dict):
        raise BadCaseError("recovery should be an object")
    agent = _agent(about.get("agent")) or case.agent
    if agent is None:
        raise BadCaseError("recovery should name the agent that lost its context")
    expect = _texts(told, "expect")
    if not expect:
        raise BadCaseError("expect should be texts that are given back")
    return case._replace(agent=agent, session=_line(about, "session"), expect=expect)


def _promotion(case: Case, told: Mapping[str, object]) -> Case:
    memories = _texts(told, "promotion")
    if not memories:
        raise BadCaseError("promotion should be ids of memories")
    should = _flag(told, "should_promote", usual=True)
    return case._replace(memories=memories, should_promote=should)


# Fields


def _line(told: Mapping[str, object], name: str) -> str:
    value = told.get(name)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)  # as the public sets number their categories
    if not isinstance(value, str) or not value.isprintable() or not value:
        raise BadCaseError(f"{name} should be a text in one line")
    return value


def _texts(told: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = told.get(name)
    if value is None:
        return ()
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) and 0 < len(each) <= TEXT_MOST for each in values):
        raise BadCaseError(f"{name} should be a list of texts")
    return tuple(dict.fromkeys(values))


def _flag(told: Mapping[str, object], name: str, *, usual: bool) -> bool:
    value = told.get(name)
    if value is None:
        return usual
    if not isinstance(value, bool):
        raise BadCaseError(f"{name} should be true or false")
    return value


def _agent(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not is_slug(value):
        raise BadCaseError("agent should be the slug of an agent")
    return value


def _instant(value: object) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        return times.from_text(str(value))
    except (ValueError, BadTimeError) as error:
        raise BadCaseError("now should be a time, as 2026-05-01T09:30:00Z") from error
