"""Evaluation suites: JSONL with one case a line. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.storage.json_lines import load_record
from crewmem.times import parse_time


@dataclass(frozen=True, slots=True)
class Case:
    """A query with its answers, a recovery, or a promotion.

    Attributes:
        kind: ``recall``, ``recovery`` or ``promotion``.
        relevant: Refs of the answers; a file includes all of its lines. For a promotion, the
            facts to promote.
        should: Whether something should be shown, or promoted.
        expect: Texts that a recovery block must contain.
        line: Its line in the suite, counted from 1.
    """

    id: str
    kind: str
    query: str = ""
    relevant: tuple[str, ...] = ()
    should: bool = True
    category: str = ""
    agent: str = ""
    session: str = ""
    now: datetime | None = None
    expect: tuple[str, ...] = ()
    line: int = 0


class LineError(NamedTuple):
    """A line that is not a case."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases with a name.

    Attributes:
        corpus: ``sample`` or the file of the suite's own corpus; "" for the home.
        hash: Hash of the lines. Runs of suites with equal hashes are comparable.
    """

    name: str
    cases: tuple[Case, ...]
    errors: tuple[LineError, ...] = ()
    corpus: str = ""
    hash: str = field(default="")


def parse_suite(name: str, lines: Iterable[str]) -> Suite:
    """Parse a suite; a bad line becomes an error and does not stop the run."""
    cases: dict[str, Case] = {}
    errors = []
    corpus = ""
    digest = sha256()
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        digest.update(text.encode() + b"\n")
        try:
            record = load_record(text.encode("utf-8", "replace"))
            if set(record) == {"corpus"}:
                corpus = str(record["corpus"])
                continue
            case = replace(parse_case(record), line=number)
            if case.id in cases:
                raise ValueError(f"the id '{case.id}' occurs twice")
            cases[case.id] = case
        except (ValueError, TypeError, KeyError, CrewmemError) as error:
            reason = f"there is no {error}" if isinstance(error, KeyError) else str(error)
            errors.append(LineError(number, reason))
    return Suite(name, tuple(cases.values()), tuple(errors), corpus, digest.hexdigest()[:16])


def parse_case(record: dict[str, Any]) -> Case:
    """Parse the case in a JSON object.

    Raises:
        KeyError: If a field is missing.
        TypeError, ValueError: If one is wrong.
    """
    identifier = _text(record, "id")
    common: dict[str, Any] = {
        "category": str(record.get("category") or ""),
        "agent": str(record.get("agent") or ""),
        "now": parse_time(_text(record, "now")) if record.get("now") else None,
    }
    if "recovery" in record:
        target = record["recovery"]
        if not isinstance(target, dict):
            raise TypeError("recovery must be an object")
        common["agent"] = str(target.get("agent") or common["agent"])
        session = str(target.get("session") or "")
        expect = _texts(record, "expect")
        return Case(identifier, "recovery", session=session, expect=expect, **common)
    if "promotion" in record:
        should = bool(record.get("should_promote", True))
        relevant = _texts(record, "promotion")
        return Case(identifier, "promotion", relevant=relevant, should=should, **common)
    relevant = _texts(record, "relevant") if "relevant" in record else ()
    should = bool(record.get("should_inject", bool(relevant)))
    query = _text(record, "query")
    return Case(identifier, "recall", query, relevant, should, **common)


def answers(ref: str, relevant: Iterable[str]) -> bool:
    """Tell whether the shown *ref* is one of *relevant*.

    A file includes all of its lines.

    >>> answers("crew:a/CREW.md:3-5", ["crew:a/CREW.md"])
    True
    """
    return any(ref == each or ref.startswith(each + ":") for each in relevant)


def _text(record: dict[str, Any], name: str) -> str:
    value = record[name]
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{name} must be text")
    return value


def _texts(record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record[name]
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError(f"{name} must be a list of texts")
    return tuple(value)
