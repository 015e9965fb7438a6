"""Profiles of people: their fields, the evidence of each, and the text of the file. Pure.

A field needs a quote that is an exact part of one of the person's own turns.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.security.secrets import redact
from crewmem.text.patterns import Patterns

MAX_VALUE = 160
"""Maximum characters of a value."""

MAX_BYTES = 1500
"""Maximum bytes of a profile. If it is longer, its last fields are dropped."""

MIN_QUOTE = 12
"""Minimum characters of a quote that is not a whole sentence."""


class Key(StrEnum):
    """The keys that a profile may have."""

    ROLE = "role"
    OWNS = "owns"
    CONSTRAINT = "constraint"
    PROCESS = "process"
    PREFERS = "prefers"
    TOOLING = "tooling"
    TIMEZONE = "timezone"
    LANGUAGE = "language"
    CONTACT = "contact"


class Turn(NamedTuple):
    """A message of a conversation.

    Attributes:
        number: Counted from 1.
        role: ``user``, ``assistant`` or another.
        speaker: Name of the person; "" if unknown.
    """

    number: int
    role: str
    speaker: str
    text: str


class Field(NamedTuple):
    """A field of a profile with its evidence."""

    key: Key
    value: str
    quote: str
    turn: int = 0


class RefusedField(NamedTuple):
    """A field without sufficient evidence, and the reason."""

    key: str
    value: str
    reason: str


@cache
def _load_data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


PATTERNS = Patterns(lambda: _load_data()["patterns"])
"""Patterns of clauses that are not statements about a person, and of the end of a clause."""


@cache
def load_phrases() -> list[tuple[Key, re.Pattern[str]]]:
    """Return the phrases with which people say how they work."""
    return [
        (Key(phrase["key"]), re.compile(phrase["pattern"], re.IGNORECASE))
        for phrase in _load_data()["phrase"]
    ]


def find_fields(turns: Sequence[Turn]) -> list[Field]:
    """Find the fields that a person states directly. The last statement of a key counts."""
    found: dict[Key, Field] = {}
    for turn in turns:
        for sentence in split_sentences(turn.text):
            if sentence.endswith("?"):
                continue
            for quote in PATTERNS["next clause"].split(sentence):
                clause = quote.rstrip(".!… ")
                if PATTERNS["guess"].search(clause):
                    continue
                for key, pattern in load_phrases():
                    match = pattern.fullmatch(clause)
                    if match is not None:
                        value = " ".join(match["v"].split()).rstrip(".,;")
                        found[key] = Field(key, value[:MAX_VALUE], quote, turn.number)
                        break
    return list(found.values())


def split_sentences(text: str) -> list[str]:
    """Split *text* at line ends and sentence ends; code and quotations are left out."""
    lines, in_code = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not PATTERNS["quoted"].search(line):
            lines.append(line.strip(" \t-*"))
    sentences = []
    for line in lines:
        sentences += re.findall(r".+?(?:[.!?…]+(?=\s|$)|$)", line)
    return [sentence.strip() for sentence in sentences if sentence.strip()]


def check_fields(
    fields: Iterable[Field], turns: Sequence[Turn]
) -> tuple[list[Field], list[RefusedField]]:
    """Return the fields that the person's own turns support, and the refused ones."""
    supported: dict[Key, Field] = {}
    refused = []
    for field in fields:
        reason, turn = _check_field(field, turns)
        if reason:
            refused.append(RefusedField(str(field.key), redact(field.value)[:MAX_VALUE], reason))
        else:
            supported[field.key] = field._replace(turn=turn)
    return list(supported.values()), refused


def _check_field(field: Field, turns: Sequence[Turn]) -> tuple[str, int]:
    """Return the reason to refuse *field*, or "", and the number of the turn with its quote."""
    if not field.value.strip():
        return "the value is empty", 0
    if len(field.value) > MAX_VALUE:
        return f"the value has more than {MAX_VALUE} characters", 0
    if not field.quote:
        return "there is no quote", 0
    turn = next((turn for turn in turns if field.quote in turn.text), None)
    if turn is None:
        return "the quote is not in the person's messages", 0
    sentences = {sentence.rstrip(".!?… ") for sentence in split_sentences(turn.text)}
    if len(field.quote) < MIN_QUOTE and field.quote.rstrip(".!?… ") not in sentences:
        return "the quote is too short to be evidence", 0
    if redact(field.quote) != field.quote or redact(field.value) != field.value:
        return "it has a secret", 0
    if PATTERNS["order"].match(field.value):
        return "it is an order, not a statement", 0
    if PATTERNS["mood"].search(field.value):
        return "it is a mood", 0
    if PATTERNS["guess"].search(field.quote):
        return "it is a guess", 0
    if PATTERNS["general"].search(field.value) and not PATTERNS["general"].search(field.quote):
        return "the quote does not say that this holds in general", 0
    return "", turn.number


def merge_profile(text: str, fields: Iterable[Field]) -> tuple[str, list[str]]:
    """Set fields of a profile. Other lines, and the order, stay the same.

    Returns:
        The new text, and the keys of dropped fields: the last ones, if the text is too long.
    """
    values = {str(field.key): field.value for field in fields}
    lines = []
    for line in text.splitlines():
        key = parse_line(line)
        if key is not None and key[0] in values:
            lines.append(f"- {key[0]}: {values.pop(key[0])}")
        else:
            lines.append(line)
    lines += [f"- {key}: {value}" for key, value in values.items()]
    dropped = []
    while lines and len("\n".join(lines).encode()) + 1 > MAX_BYTES:
        parsed = parse_line(lines.pop())
        if parsed is not None:
            dropped.append(parsed[0])
    return ("\n".join(lines) + "\n" if lines else ""), dropped


def remove_field(text: str, key: str) -> str:
    """Return a profile without a field; "" if no field is left."""
    lines = [line for line in text.splitlines() if (parse_line(line) or ("",))[0] != key]
    return "\n".join(lines) + "\n" if any(parse_line(line) for line in lines) else ""


def parse_line(line: str) -> tuple[str, str] | None:
    """Parse ``- key: value``; None for any other line."""
    match = re.fullmatch(r"\s*[-*]\s*(\w+)\s*:\s*(.+?)\s*", line)
    if match is None or match[1].lower() not in set(Key):
        return None
    return match[1].lower(), match[2]


def parse_turns(records: Iterable[Mapping[str, object]]) -> list[Turn]:
    """Return the turns of JSON records with ``role``, ``content`` (or ``text``) and ``name``.

    The content is a text, or a list of blocks with a ``text``.
    """
    turns = []
    for number, record in enumerate(records, start=1):
        content = record.get("content", record.get("text", ""))
        blocks = content if isinstance(content, list) else [content]
        texts = [each.get("text") if isinstance(each, dict) else each for each in blocks]
        speaker = record.get("name", record.get("speaker", ""))
        turns.append(
            Turn(
                number,
                str(record.get("role", "user")),
                str(speaker or ""),
                "\n".join(text for text in texts if isinstance(text, str)),
            )
        )
    return turns


def select_own_turns(turns: Sequence[Turn], user: str) -> list[Turn]:
    """Return the turns of *user*: turns with that name, or unnamed user turns.

    Unnamed user turns count only if no turn names a speaker. Otherwise anybody could be their
    speaker.
    """
    names = {turn.speaker for turn in turns if turn.role == "user" and turn.speaker}
    if names:
        return [turn for turn in turns if turn.role == "user" and turn.speaker == user]
    return [turn for turn in turns if turn.role == "user"]
