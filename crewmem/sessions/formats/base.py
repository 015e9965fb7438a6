"""What a format is: one Protocol, and what formats share: reading records, calls and databases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import apsw

from crewmem.errors import DamagedError, UsageError
from crewmem.security.records import map_texts
from crewmem.sessions.calls import read_call
from crewmem.sessions.turns import ASSISTANT, TOOL, Record, State, Turn
from crewmem.storage.sqlite import Database, convert_error
from crewmem.times import format_time, normalize_time

MakeTurn = Callable[..., Turn]
"""Makes a turn of a record from part, role, text and fields: a `partial` of `Turn`."""

HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""In JSON a half of a character; mostly the other half follows."""


class Document(NamedTuple):
    """A session that is read whole: one JSON object, or a session in a database.

    Attributes:
        state: What its head says: session, project, title.
        records: Its messages, in order.
    """

    state: State
    records: Sequence[Record]


class Format(Protocol):
    """How a program writes its sessions.

    A log is a file of JSON lines, which grows; a document, which is one JSON object; or a file
    that holds several sessions. The last two are read whole when they changed.

    Attributes:
        name: Of the program: ``claude``, ``codex`` …
    """

    name: str

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        """Return the directories where the program leaves its logs."""
        ...

    def is_log(self, relative: str) -> bool:
        """Tell whether a file below a root is a log, by its name."""
        ...

    def knows(self, record: Record) -> bool:
        """Tell whether a line, or the object of a document, is of this format."""
        ...

    def begin(self, path: Path) -> State:
        """Return what is known of the session of a log by where it lies."""
        return State()

    def read_record(self, record: Record, line: int, state: State) -> Iterator[Turn]:
        """Yield the turns of one record; what it says of the session goes to *state*."""
        ...

    def split_document(self, document: Record) -> Document | None:
        """Return head and messages of a JSON object; None if it is none of this format."""
        return None

    def list_sessions(self, path: Path) -> dict[str, str] | None:
        """Return a fingerprint of each session in a file that holds several; else None.

        Raises:
            CrewmemError: If it cannot be read.
        """
        return None

    def is_digest(self, path: Path) -> bool:
        """Tell whether a file has only a part of each session: what is read of one without log."""
        return False

    def load_session(self, path: Path, inner: str) -> Document:
        """Read one of the sessions that `list_sessions` named."""
        return Document(State(), [])


def read_time(value: object) -> str:
    """Return a log's time as times are stored; "" for none. Numbers are seconds or ms."""
    if isinstance(value, str):
        try:
            return normalize_time(value)
        except UsageError:
            return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > 100_000_000_000 else value
        try:
            return format_time(datetime.fromtimestamp(seconds, UTC))
        except (ValueError, OverflowError, OSError):
            return ""
    return ""


def read_text(content: object, *kinds: str) -> str:
    """Return the text of a message's content: a string, or blocks of which those of *kinds*.

    A block that tells no kind is text.
    """
    if isinstance(content, str):
        return content
    texts = []
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and block.get("type", "text") in kinds:
            text = block.get("text")
            if isinstance(text, str):
                texts.append(text)
    return "\n".join(texts)


def list_objects(content: object, kind: str = "") -> Iterator[dict[str, Any]]:
    """Yield the objects of a list, only those whose type is *kind*; nothing of anything else."""
    if isinstance(content, list):
        for each in content:
            if isinstance(each, dict) and (not kind or each.get("type") == kind):
                yield each


def get_object(record: Record, name: str) -> dict[str, Any]:
    """Return the object *name* of a record; an empty one when it has none."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def get_string(record: Record, *names: str) -> str:
    """Return the first of *names* that is a string; else ""."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def get_count(record: Record, *names: str) -> int | None:
    """Return the first of *names* that is a number, as SQLite can store it; else None."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
            return value
    return None


def hash_beginning(text: str) -> str:
    """Return what knows a text again by its beginning. A state keeps no text: it has secrets."""
    return sha256(text[:200].encode("utf-8", "replace")).hexdigest()[:16]


def list_messages(document: Record) -> list[Record]:
    """Return the messages of a document; what is no object is an empty one, and keeps its place."""
    messages = document.get("messages")
    if not isinstance(messages, list):
        return []
    return [each if isinstance(each, dict) else {} for each in messages]


def parse_json(data: str | bytes) -> object:
    """Return a JSON value; None when it is none.

    Bytes that are not UTF-8 are replaced, and so are halves of characters: programs write them
    when they cut a text in the middle of an emoji.
    """
    text = data if isinstance(data, str) else data.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        value = json.loads(text)
        return map_texts(value, _replace_halves) if HALF.search(text) else value
    except (ValueError, RecursionError):
        return None


def _replace_halves(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def parse_object(text: object) -> dict[str, Any]:
    """Return the JSON object in a column or file of another program; an empty one for none."""
    value = parse_json(text) if isinstance(text, str | bytes) else None
    return value if isinstance(value, dict) else {}


def open_foreign(path: Path) -> Database:
    """Open another program's database, only for reading, while it may be writing.

    Raises:
        CrewmemError: If it is not one.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(2000)
    except apsw.Error as error:
        raise convert_error(error, path) from error
    return Database(path, connection, read_only=True)


def list_columns(db: Database, table: str) -> set[str]:
    """Return the names of the columns of a table; none when there is no such table."""
    return {name for (name,) in db.all("select name from pragma_table_info(?)", (table,))}


def unpack(packed: BinaryIO, unpacked: BinaryIO) -> None:
    """Write what Zstandard compressed from one file into another.

    Raises:
        DamagedError: If the library is missing, or the data damaged.
    """
    try:
        import zstandard  # an extra, for few logs
    except ImportError as error:
        raise DamagedError(
            "a compressed log cannot be read without the extra 'zstd'", code="zstd-missing"
        ) from error
    try:
        zstandard.ZstdDecompressor().copy_stream(packed, unpacked)
    except zstandard.ZstdError as error:
        raise DamagedError(f"compressed text is damaged: {error}", code="log-damaged") from error


def make_call(make_turn: MakeTurn, part: int, tool: str, arguments: object, **fields: Any) -> Turn:
    """Return the turn of a call of *tool*."""
    call = read_call(tool, arguments)
    return make_turn(
        part,
        TOOL,
        call.text,
        tool=tool,
        command=call.command,
        files=call.files,
        is_change=call.is_change,
        is_call=True,
        **fields,
    )


def read_answer(
    make_turn: MakeTurn,
    text: str,
    content: object,
    *,
    call: str,
    arguments: str,
    tokens: int | None,
    synthetic: bool = False,
) -> Iterator[Turn]:
    """Yield what an agent said, and each of its calls of tools, as turns of one record.

    Args:
        text: What it said; blank when it only called tools.
        content: The blocks of the message.
        call: Type of the blocks that are calls.
        arguments: Name of a call's arguments.
        tokens: Of the context; the first turn has them.
        synthetic: Whether the program wrote the text itself.
    """
    part = 0
    if text.strip():
        yield make_turn(0, ASSISTANT, text, synthetic=synthetic, tokens=tokens)
        part = 1
    for block in list_objects(content, call):
        yield make_call(
            make_turn,
            part,
            get_string(block, "name"),
            block.get(arguments),
            call_id=get_string(block, "id"),
            tokens=None if part else tokens,
        )
        part += 1
