"""Parser of evaluation suites: JSONL with one case per line."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.security.secrets import redact
from crewmem.storage.json_lines import load_record, read_lines
from crewmem.times import parse_time


@dataclass(frozen=True, slots=True)
class Case:
    """A test of recall, of recovery after a context loss, or of promotion.

    Attributes:
        kind: ``recall``, ``recovery`` or ``promotion``.
        relevant: Refs of the answers to the query, or of the facts to promote. A file includes
            all of its lines.
        should: Whether anything should be shown or promoted.
        expect: Texts that the recovery block must contain.
        line: Line number in the suite, from 1.
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
    """A named list of cases.

    Attributes:
        corpus: ``sample`` or the file of the suite's own corpus; "" for the home.
        hash: Hash of the lines. Runs are comparable if their suites have the same hash.
    """

    name: str
    cases: tuple[Case, ...]
    errors: tuple[LineError, ...] = ()
    corpus: str = ""
    hash: str = field(default="")


def parse_suite(name: str, stream: BinaryIO) -> Suite:
    """Parse a suite; a bad line becomes an error and does not stop the run."""
    cases: dict[str, Case] = {}
    errors = []
    corpus = ""
    digest = sha256()
    for number, line in read_lines(stream):
        if line.startswith(b"#"):
            continue
        digest.update(line + b"\n")
        try:
            record = load_record(line)
            if set(record) == {"corpus"}:
                corpus = str(record["corpus"])
                continue
            case = replace(parse_case(record), line=number)
            if case.id in cases:
                raise ValueError(f"the id '{case.id}' occurs twice")
            cases[case.id] = case
        except (ValueError, TypeError, KeyError, CrewmemError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            errors.append(LineError(number, redact(reason)))
    return Suite(name, tuple(cases.values()), tuple(errors), corpus, digest.hexdigest()[:16])


def parse_case(record: dict[str, Any]) -> Case:
    """Parse a case from a JSON object.

    Raises:
        KeyError: If a field is missing.
        TypeError, ValueError: If a field is wrong.
    """
    identifier = _get_string(record, "id")
    common: dict[str, Any] = {
        "category": _get_string(record, "category") if record.get("category") else "",
        "agent": _get_string(record, "agent") if record.get("agent") else "",
        "now": parse_time(_get_string(record, "now")) if record.get("now") else None,
    }
    if "recovery" in record:
        target = record["recovery"]
        if not isinstance(target, dict):
            raise TypeError("recovery must be an object")
        if target.get("agent"):
            common["agent"] = _get_string(target, "agent")
        session = _get_string(target, "session") if target.get("session") else ""
        expect = _get_strings(record, "expect")
        if not expect:
            raise ValueError("expect names no text")
        return Case(identifier, "recovery", session=session, expect=expect, **common)
    if "promotion" in record:
        should = _get_bool(record, "should_promote", default=True)
        relevant = _get_strings(record, "promotion")
        if not relevant:
            raise ValueError("promotion names no fact")
        return Case(identifier, "promotion", relevant=relevant, should=should, **common)
    relevant = _get_strings(record, "relevant") if "relevant" in record else ()
    should = _get_bool(record, "should_inject", default=bool(relevant))
    query = _get_string(record, "query")
    return Case(identifier, "recall", query, relevant, should, **common)


def is_relevant(ref: str, relevant: Iterable[str]) -> bool:
    """Return whether *ref* is one of *relevant*, or lines of such a file.

    >>> is_relevant("crew:a/CREW.md:3-5", ["crew:a/CREW.md"])
    True
    """
    return any(ref == answer or ref.startswith(answer + ":") for answer in relevant)


def _get_string(record: dict[str, Any], name: str) -> str:
    value = record[name]
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{name} must be text")
    return value


def _get_bool(record: dict[str, Any], name: str, *, default: bool) -> bool:
    value = record.get(name, default)
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be true or false")
    return value


def _get_strings(record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record[name]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{name} must be a list of strings")
    return tuple(value)
