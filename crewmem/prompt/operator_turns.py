"""Reading turns: JSON lines of chat logs, or text whose lines begin with a speaker.

Each line is read alone, or is bad: what is wrong with one costs no other.
"""

from __future__ import annotations

import re
from io import BytesIO

from crewmem.journal.reading import BadLineError, json_object
from crewmem.journal.reading import lines as json_lines
from crewmem.prompt.operator_turn import (
    ASSISTANTS,
    PERSONS,
    BadLine,
    Turn,
    Turns,
    settled,
    voice_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

TEXTS = ("text", "content", "message", "body")
"""What logs call what was said."""

ROLES = ("role", "sender_type")

KINDS = PERSONS | ASSISTANTS
"""What ``type`` says of a speaker; it says much else of what is no turn."""

NAMES = ("name", "speaker", "author", "user", "user_id", "username", "from", "sender")
"""What logs call who said it."""

LISTS = ("messages", "turns")
"""What logs call a conversation that stands on one line."""

LOOKED_AT = 100
"""Lines by which a file is taken for one of JSON lines."""

DEEPEST = 4
"""How far a turn may be inside other objects, as in what Claude Code logs."""


def read_turns(content: bytes, user: str) -> Turns:
    """Return the turns in *content*, of which some are those of *user*."""
    find = _json_turns if _is_json(content) else _plain_turns
    found = list(find(content, user))
    turns = [each for each in found if isinstance(each, Turn)]
    bad = [each for each in found if isinstance(each, BadLine)]
    return Turns(settled(turns), bad)


def _is_json(content: bytes) -> bool:
    """Tell whether most of the first lines begin as JSON does."""
    begun = content.removeprefix(b"\xef\xbb\xbf").split(b"\n", LOOKED_AT)[:LOOKED_AT]
    lines = [line for line in (each.strip() for each in begun) if line]
    as_json = [line for line in lines if line[:1] == b"{" or line[:2] == b"[{"]
    return bool(lines) and 2 * len(as_json) >= len(lines)


# JSON lines


def _json_turns(content: bytes, user: str) -> Iterator[Turn | BadLine]:
    for line in json_lines(BytesIO(content)):
        if line.text is None:
            yield BadLine(line.number, "it is too long")
            continue
        try:
            yield from _of_line(line.number, line.text, user)
        except BadLineError as error:
            yield BadLine(line.number, str(error))


def _of_line(number: int, text: bytes, user: str) -> Iterator[Turn]:
    """Yield the turns of a line: one, or those of a whole conversation.

    Raises:
        BadLineError: If one of them is none; then none of the line is taken.
    """
    if text[:1] == b"[":
        text = b'{"turns":%s}' % text
    record = json_object(text)
    held = next(
        (record[name] for name in LISTS if type(record.get(name)) is list), None
    )
    records = [record] if held is None else held
    if not all(type(each) is dict for each in records):
        raise BadLineError("it is no JSON object")
    found = [_turn(number, each, user) for each in records]
    yield from (turn for turn in found if turn is not None)


def _turn(number: int, record: Mapping[str, Any], user: str) -> Turn | None:
    """Return what *record* says that was said; None if that is no text.

    Raises:
        BadLineError: If it does not say who spoke, or what.
    """
    if record.get("isMeta") is True:  # the program's own words, under the user's name
        return None
    text = _text(record)
    if text is None:
        raise BadLineError("it does not say what was said")
    _require_utf8(text)
    kind = record.get("type")
    role = _word(record, ROLES) or (kind if kind in KINDS else "")
    name = _word(record, NAMES)
    voice = voice_of(role, name, user)
    if voice is None:
        raise BadLineError("it does not say who spoke")
    return Turn(number, voice, text, name or role) if text.strip() else None


def _text(record: Mapping[str, Any], depth: int = 0) -> str | None:
    """Return what was said, of parts only those of text; None if there is no such."""
    for name in TEXTS:
        held = record.get(name)
        if type(held) is str:
            return held
        if type(held) is list and all(type(each) in {dict, str} for each in held):
            return "\n\n".join(filter(None, map(_part, held)))
        if type(held) is dict and depth < DEEPEST:
            return _text(held, depth + 1)
    return None


def _part(part: Mapping[str, Any] | str) -> str:
    """Return the text of a part; of a picture or a tool's result, none."""
    if isinstance(part, str):
        return part
    text = part.get("text")
    is_text = part.get("type", "text") in {"text", "input_text"}
    return text if is_text and type(text) is str else ""


def _word(record: Mapping[str, Any], names: tuple[str, ...], depth: int = 0) -> str:
    """Return the first of *names* in *record* that holds a word; "" if none does.

    A role that stands further inside is nearer to what was said.
    """
    inner = [
        held
        for name in ("message", "author", "user", "sender")
        if type(held := record.get(name)) is dict
    ]
    if depth < DEEPEST:
        for held in inner:
            if word := _word(held, names, depth + 1):
                return word
    said = (record.get(name) for name in names)
    return next((each for each in said if isinstance(each, str) and each.strip()), "")


def _require_utf8(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadLineError("it holds half a character") from error


# Plain text

SPEAKER = re.compile(
    r"""(?x)
    (?: \[ [^\]\n]{1,40} \] \s*
      | \(? (?: \d{4}-\d\d-\d\d [T\ ]? )? [\d:.]{4,12} (?: Z | [+-]\d\d:?\d\d )? \)? \s+
    )?
    [*_]{0,2} <?
    (?P<name> @? [^\W\d_] [\w.@'\u2019-]* (?: \ [\w.@'\u2019-]+ ){0,2} )
    >? [*_]{0,2} (?: \s* \( [^()\n]{1,30} \) )? \s? : [*_]{0,2}
    (?: \s+ | $ ) (?P<said> .* )
    """
)
"""``Ada: …``, ``**Ada**: …``, ``<ada>: …``, ``[09:30] Ada (lead): …``."""

LABELS = frozenset(
    {
        "answer",
        "btw",
        "context",
        "correction",
        "edit",
        "error",
        "example",
        "fix",
        "fyi",
        "hint",
        "info",
        "note",
        "output",
        "ps",
        "question",
        "reminder",
        "result",
        "step",
        "steps",
        "summary",
        "tip",
        "tldr",
        "todo",
        "update",
        "warning",
    }
)
"""What stands before a colon and is nobody's name."""

PLAIN_MOST = 1 << 20
"""Most bytes of a line of plain text."""


def _plain_turns(content: bytes, user: str) -> Iterator[Turn | BadLine]:
    speaker: tuple[int, str] | None = None
    said: list[str] = []
    fence = False
    for number, line in enumerate(_plain_lines(content), 1):
        if isinstance(line, str):
            yield BadLine(number, line)
            continue
        text = line.decode()
        begun = None if fence else _begun(text)
        if begun is None and speaker is None:
            if text.strip():
                yield BadLine(number, "it does not say who spoke")
            continue
        if begun is not None:
            yield from _spoken(speaker, said, user)
            speaker, said, text = (number, begun["name"]), [], begun["said"]
        fence ^= text.lstrip()[:3] in {"```", "~~~"}
        said.append(text)
    yield from _spoken(speaker, said, user)


def _plain_lines(content: bytes) -> Iterator[bytes | str]:
    """Yield the lines of *content*; of one that cannot be read, why, as text."""
    for line in content.removeprefix(b"\xef\xbb\xbf").splitlines():
        if len(line) > PLAIN_MOST:
            yield "it is too long"
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            yield "it is not UTF-8"
            continue
        yield line


def _begun(text: str) -> re.Match[str] | None:
    """Return the match of a line with which somebody begins to speak."""
    found = SPEAKER.match(text)
    return None if found and found["name"].lower() in LABELS else found


def _spoken(
    speaker: tuple[int, str] | None, said: list[str], user: str
) -> Iterator[Turn]:
    text = "\n".join(said).strip("\n")
    if speaker is None or not text.strip():
        return
    number, name = speaker
    if voice := voice_of("", name, user):
        yield Turn(number, voice, text, name)
