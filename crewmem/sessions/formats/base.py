"""The Protocol of formats, and functions they share to read records, calls and databases."""

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
from crewmem.sessions.calls import read_call
from crewmem.sessions.turns import ASSISTANT, SYSTEM, TOOL, Loss, Record, State, Turn
from crewmem.storage.sqlite import Database, convert_error
from crewmem.text.records import map_texts
from crewmem.times import format_time, normalize_time

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""A surrogate escape in JSON, half of a character outside the basic plane."""


class Document(NamedTuple):
    """A session that is one JSON object, or part of a database.

    Attributes:
        state: Session, project and title from its head.
        records: Its messages, in order.
    """

    state: State
    records: Sequence[Record]


class InnerSession(NamedTuple):
    """One of several sessions in a file.

    Attributes:
        id: The program's own id.
        fingerprint: Changes whenever the session does.
        load: Reads the session.
    """

    id: str
    fingerprint: str
    load: Callable[[], Document]


class Format(Protocol):
    """The format in which a program writes its sessions.

    A log is a file of JSON lines that grows, a document (one JSON object), or a file with several
    sessions. After a change, all of a document or session is read again.

    Attributes:
        name: Name of the program: ``claude``, ``codex`` …
    """

    name: str

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        """Return the files and directories where the program writes its logs."""
        ...

    def is_log(self, relative: str) -> bool:
        """Return whether a file below a root is a log, by its relative path."""
        ...

    def recognises(self, record: Record) -> bool:
        """Return whether a line, or the object of a document, is of this format."""
        ...

    def make_state(self, path: Path) -> State:
        """Return the initial state of a log: what its path says about the session."""
        return State()

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        """Yield the turns of a record, and update *state* with its session data."""
        ...

    def find_time(self, record: Record) -> str:
        """Return the time of a record, in stored form; "" for none."""
        return read_time(record.get("timestamp"))

    def find_id(self, record: Record) -> str:
        """Return the program's own id of a message; "" for none."""
        return get_string(record, "id")

    def read_turns(self, record: Record, line: int, state: State) -> list[Turn]:
        """Return the turns of a record with time, id and address, and update *state*."""
        turns = list(self.read_record(record, state))
        if not turns:
            return turns
        at, message_id = self.find_time(record), self.find_id(record)
        for part, turn in enumerate(turns):
            turn.at, turn.message_id, turn.line, turn.part = at, message_id, line, part
            turn.sidechain = state.sidechain
            if turn.exit_status is not None:
                turn.failed = turn.failed or turn.exit_status != 0
        return turns

    def split_document(self, document: Record) -> Document | None:
        """Return head and messages of a JSON object; None if it is not of this format."""
        return None

    def list_sessions(self, path: Path) -> list[InnerSession] | None:
        """Return the sessions of a file with several; None for other files.

        Raises:
            CrewmemError, OSError: If it cannot be read.
        """
        return None

    def is_snapshot(self, path: Path) -> bool:
        """Return whether a file is a copy of the beginning of a log beside it, not to be read."""
        return False

    def is_partial(self, path: Path) -> bool:
        """Return whether a file has only a part of each session, to be read if its log is gone."""
        return False


def read_time(value: object) -> str:
    """Return a time in stored form; "" for none. Numbers are seconds or milliseconds."""
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
    """Return the text of a message's content: a string, or blocks of the types *kinds*.

    A block without a type counts as "text".
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
    """Yield the objects in a list; with *kind*, only those of this type. Other values give none."""
    if isinstance(content, list):
        for each in content:
            if isinstance(each, dict) and (not kind or each.get("type") == kind):
                yield each


def get_object(record: Record, name: str) -> dict[str, Any]:
    """Return the object *name* of a record; an empty one if it has none."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def get_string(record: Record, name: str) -> str:
    """Return the string *name* of a record; "" if it has none."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def find_string(record: Record, *names: str) -> str:
    """Return the first nonempty string among the fields *names*; "" for none."""
    return next((text for name in names if (text := get_string(record, name))), "")


def get_count(record: Record, *names: str) -> int | None:
    """Return the first 64-bit integer among the fields *names*; None for none."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
            return value
    return None


def hash_start(text: str) -> str:
    """Return a hash of the start of a text. A state must not contain text, which may be secret."""
    return sha256(text[:200].encode("utf-8", "replace")).hexdigest()[:16]


def list_messages(document: Record) -> list[Record]:
    """Return the messages of a document. Those that are not objects become empty ones."""
    messages = document.get("messages")
    if not isinstance(messages, list):
        return []
    return [each if isinstance(each, dict) else {} for each in messages]


def parse_json(data: str | bytes) -> object:
    """Return a JSON value; None if it is invalid.

    Bytes that are not UTF-8 are replaced, and so are unpaired surrogates, which programs write when
    they cut a text within an emoji.
    """
    text = data if isinstance(data, str) else data.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        value = json.loads(text)
        is_cut = "\\u" in text and SURROGATE.search(text)
        return map_texts(value, _replace_surrogates) if is_cut else value
    except (ValueError, RecursionError):
        return None


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def parse_object(text: object) -> dict[str, Any]:
    """Return the JSON object in a column or file of another program; {} if it is not one."""
    value = parse_json(text) if isinstance(text, str | bytes) else None
    return value if isinstance(value, dict) else {}


def open_foreign(path: Path) -> Database:
    """Open another program's SQLite database read-only. The program may be writing to it.

    Raises:
        CrewmemError: If it cannot be opened.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(2000)
    except apsw.Error as error:
        raise convert_error(error, path) from error
    return Database(path, connection, read_only=True)


def list_columns(db: Database, table: str) -> set[str]:
    """Return the column names of a table; none if there is no such table."""
    return set(db.column("select name from pragma_table_info(?)", (table,)))


def unpack(packed: BinaryIO, unpacked: BinaryIO) -> None:
    """Decompress a Zstandard file into another.

    Raises:
        DamagedError: If the library is missing, or the data damaged.
    """
    try:
        import zstandard  # an extra, for few logs
    except ImportError as error:
        raise DamagedError(
            "reading a compressed log needs the extra 'zstd'", code="zstd-missing"
        ) from error
    try:
        zstandard.ZstdDecompressor().copy_stream(packed, unpacked)
    except zstandard.ZstdError as error:
        raise DamagedError(f"compressed text is damaged: {error}", code="log-damaged") from error


def make_call(tool: str, arguments: object, call_id: str = "") -> Turn:
    """Return the turn of a call of *tool*."""
    call = read_call(tool, arguments)
    return Turn(
        TOOL,
        call.text,
        tool=tool,
        call_id=call_id,
        command=call.command,
        files=call.files,
        is_change=call.is_change,
        is_call=True,
    )


def read_run(
    tool: str, command: str, output: str, status: int | None, call_id: str
) -> Iterator[Turn]:
    """Yield call and result of a command that a person ran, which are in one record."""
    yield Turn(TOOL, command, tool=tool, command=command, call_id=call_id, is_call=True)
    if output or status is not None:
        yield Turn(TOOL, output, tool=tool, call_id=call_id, exit_status=status)


def make_loss(
    mark: str, before: int | None = None, after: int | None = None, summary: str = ""
) -> Turn:
    """Return the turn that marks a context loss, with the summary if the mark has it."""
    loss = Loss(mark, before, after)
    return Turn(SYSTEM, summary, summary=bool(summary), synthetic=True, loss=loss)


def read_answer(text: str, content: object, *, call: str, arguments: str) -> list[Turn]:
    """Return the turns of an agent's message: its text and its tool calls.

    Args:
        text: Text of the message; blank if it only calls tools.
        content: Blocks of the message.
        call: Type of the blocks that are calls.
        arguments: Field with the arguments of a call.
    """
    turns = [Turn(ASSISTANT, text)] if text.strip() else []
    for block in list_objects(content, call):
        tool, call_id = get_string(block, "name"), get_string(block, "id")
        turns.append(make_call(tool, block.get(arguments), call_id))
    return turns
