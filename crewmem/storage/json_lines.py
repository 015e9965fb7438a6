"""Reads JSON Lines that other programs or people wrote; checks each line strictly."""

import json
from collections.abc import Iterator, Mapping
from math import isinf
from typing import Any, BinaryIO, NamedTuple

MAX_LINE = 8 * 1024 * 1024
"""Maximum bytes of a line: a journal entry with the longest payload, every character escaped."""


class BadLineError(ValueError):
    """A line is not valid; the message is the reason."""


class BadRecord(NamedTuple):
    """A record that was skipped.

    Attributes:
        number: Line number or position, counted from 1.
    """

    number: int
    reason: str


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) for each line that is not blank.

    A line longer than MAX_LINE is truncated to MAX_LINE + 1 bytes, and `load_record` refuses it.
    """
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            yield number, line
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if stripped := line.strip():
            yield number, stripped


def check_fields(record: Any, fields: Mapping[str, type | tuple[type, ...]]) -> None:
    """Raise BadLineError unless *record* is an object that has all *fields* with their types."""
    if not isinstance(record, dict):
        raise BadLineError("it is not a JSON object")
    for name, kind in fields.items():
        if not isinstance(record.get(name), kind):
            raise BadLineError(f"it has no valid '{name}'")


def load_record(line: bytes) -> dict[str, Any]:
    """Parse a line that contains a JSON object.

    Raises:
        BadLineError: If it is not an object, or has something that JSON parsers read differently
            or cannot encode: duplicate keys, NaN, numbers out of range, lone surrogates.
    """
    if len(line) > MAX_LINE:
        raise BadLineError(f"it is longer than {MAX_LINE:,} bytes")
    try:
        record = _decoder.decode(line.decode("utf-8"))
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(record, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise BadLineError("it is not UTF-8") from error
    except UnicodeEncodeError as error:
        raise BadLineError("a string contains half of a surrogate pair") from error
    except RecursionError as error:
        raise BadLineError("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise BadLineError(f"it is not JSON: see character {error.pos + 1}") from error
    if not isinstance(record, dict):
        raise BadLineError("it is not a JSON object")
    return record


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise BadLineError("an object has the same key twice")
    return record


def _parse_integer(text: str) -> int:
    if len(text) > 18 and (len(text) > 20 or not -(1 << 63) <= int(text) < 1 << 63):
        raise BadLineError("a number is larger than 64 bits")
    return int(text)


def _parse_float(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise BadLineError(f"the number {text[:40]} is too large")
    return number


def _refuse_constant(text: str) -> float:
    raise BadLineError(f"{text} is not JSON")


_decoder = json.JSONDecoder(
    object_pairs_hook=_make_object,
    parse_int=_parse_integer,
    parse_float=_parse_float,
    parse_constant=_refuse_constant,
)
