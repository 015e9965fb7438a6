"""What crewmem knows of an agent program, in one record."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.sessions.turns import has_failure, read_exit_status

START = "start"
COMPACTED = "compacted"
PROMPT = "prompt"
BEFORE_TOOL = "before tool"
AFTER_TOOL = "after tool"
SYNC = "sync"
END = "end"


@dataclass(slots=True)
class Event:
    """What a program tells a hook.

    Attributes:
        kind: ``start``, ``compacted`` (context was lost), ``prompt``, ``before tool``,
            ``after tool``, ``sync`` (save what was said so far) or ``end``.
        name: As the program calls it, for the answer.
        session: The program's id of the session.
        directory: Where the agent works.
        log: The session's log; "" when the program does not tell.
        prompt: What the person typed.
        files: Paths that the tool reads or changes.
        command: Of a shell.
        error: What a failed tool said; "" when it did not fail.
        can_answer: Whether the program takes text for this event.
        is_forgetful: Of a start: whether what the session was given is not in its context any
            more: it was cleared, or the program kept it in memory only and was started again.
    """

    kind: str
    name: str
    session: str = ""
    directory: str = ""
    log: str = ""
    prompt: str = ""
    files: tuple[str, ...] = ()
    command: str = ""
    error: str = ""
    can_answer: bool = True
    is_forgetful: bool = False

    @property
    def is_of_tool(self) -> bool:
        """Tell whether it is about the call of a tool."""
        return self.kind in (BEFORE_TOOL, AFTER_TOOL)

    @property
    def wants_sync(self) -> bool:
        """Tell whether the session is to be read after the answer."""
        return self.kind in (SYNC, END) or self.is_silent_loss

    @property
    def is_silent_loss(self) -> bool:
        """Tell whether context was lost, and the program takes text at the next prompt only."""
        return self.kind == COMPACTED and not self.can_answer


class Place(NamedTuple):
    """Where a program is wired.

    Attributes:
        user: The person's home directory.
        project: The project; None for all of the person's projects.
        variables: The environment, by which programs may be told where their files are.
    """

    user: Path
    project: Path | None
    variables: Mapping[str, str]


class Wiring(NamedTuple):
    """What the entries of an installation call.

    Attributes:
        words: The command line up to the name of the command, such as
            ``/usr/bin/crewmem --home /srv/memory``.
        options: Of `hook` and `mcp`: which agent.
    """

    words: tuple[str, ...]
    options: tuple[str, ...]

    def hook(self, program: str) -> str:
        """Return the command of a hook, for a shell."""
        return shlex.join([*self.words, "hook", program, *self.options])

    @property
    def shell(self) -> str:
        """How an agent calls crewmem in its shell: ``crewmem --home /srv/memory``."""
        options = dropwhile(lambda word: not word.startswith("--"), self.words)
        return shlex.join(["crewmem", *options])

    @property
    def mcp(self) -> list[str]:
        """The command of the server."""
        return [*self.words, "mcp", *self.options]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to write into a configuration.

    Attributes:
        path: Names of the objects or tables down to it.
        is_item: Whether it is appended to the list at *path*.
    """

    path: tuple[str, ...]
    value: Any
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A file that an installation writes or adds to.

    Attributes:
        entries: What is added to a configuration.
        text: The whole file, where it is ours.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    text: str = ""

    @property
    def format(self) -> str:
        """Return ``json`` or ``toml`` of a configuration, ``own`` of a file that is ours."""
        if not self.entries:
            return "own"
        return "toml" if self.path.suffix == ".toml" else "json"


@dataclass(slots=True)
class Fields:
    """Reads an event without trusting the types of its values."""

    payload: Mapping[str, Any]
    _empty: dict[str, Any] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return a text; "" when there is none."""
        value = self.payload.get(name)
        return value if isinstance(value, str) else ""

    def object(self, name: str) -> Mapping[str, Any]:
        """Return an object; an empty one when there is none."""
        value = self.payload.get(name)
        return value if isinstance(value, dict) else self._empty


FILE_FIELDS = ("file_path", "absolute_path", "filePath", "path", "notebook_path")


def find_files(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths among the arguments of a tool; a patch names its files in lines."""
    files = [arguments[name] for name in FILE_FIELDS if isinstance(arguments.get(name), str)]
    patch = arguments.get("patch") or arguments.get("input") or arguments.get("command")
    if isinstance(patch, str) and patch.lstrip().startswith("*** Begin Patch"):
        marks = ("*** Update File: ", "*** Delete File: ", "*** Add File: ")
        lines = [line for line in patch.splitlines() if line.startswith(marks)]
        files += [line.partition(": ")[2].strip() for line in lines]
    return tuple(dict.fromkeys(files))


def find_command(arguments: Mapping[str, Any]) -> str:
    """Return the command among the arguments of a tool."""
    command = arguments.get("command")
    if isinstance(command, list):
        command = " ".join(word for word in command if isinstance(word, str))
    if not isinstance(command, str) or command.lstrip().startswith("*** Begin Patch"):
        return ""
    return command


def find_error(response: Any, *, is_command: bool) -> str:
    """Return what a tool's answer says about its failure; "" when it did not fail.

    Programs tell of a failure by a flag, an exit status or an error beside the output; of a
    command some have the output alone, which then tells it.
    """
    if isinstance(response, str):
        response = {"output": response}
    if not isinstance(response, dict):
        return ""
    error = response.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    if isinstance(error, str) and error.strip():
        return error
    status = next(
        (response[n] for n in ("exit_code", "exitCode", "exit_status", "returnCode")
         if isinstance(response.get(n), int)),
        0,
    )  # fmt: skip
    texts = [response.get(name) for name in ("stderr", "output", "stdout", "content", "llmContent")]
    text = "\n".join(text for text in texts if isinstance(text, str)).strip()
    if status or response.get("is_error") or response.get("success") is False:
        return text
    return text if is_command and (read_exit_status(text) or has_failure(text)) else ""


def format_context(event: Event, text: str) -> str:
    """Return the answer that Claude Code, Codex and Gemini CLI take."""
    output = {"hookEventName": event.name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output})


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program.

    Attributes:
        name: As people type it, and as the format of its session logs is called.
        title: As its makers write it.
        directory: Of the person's home, whose presence tells that the program is used.
        note: What a person has to know or do after the installation.
        targets: Returns the files to write and what to add to them.
        parse: Returns the event that the program told; None for one that nothing is done for.
        format: Returns what to print so that the model is given a text.
    """

    name: str
    title: str
    directory: str
    note: str
    targets: Callable[[Place, Wiring], list[Target]]
    parse: Callable[[Mapping[str, Any]], Event | None]
    format: Callable[[Event, str], str] = format_context


class Hook(NamedTuple):
    """A hook that is installed.

    Attributes:
        event: As the program calls it.
        kind: Of `Event`.
        timeout: In the program's unit, seconds or milliseconds.
        matcher: Which tools it is for; "" for all, or where the event is not of one.
    """

    event: str
    kind: str
    timeout: int
    matcher: str = ""


def parse_hook_event(payload: Mapping[str, Any], hooks: Sequence[Hook]) -> Event | None:
    """Return the event in the JSON that Claude Code brought up, and Codex and Gemini CLI took over.

    Args:
        payload: What the program wrote to the hook.
        hooks: Those that are installed; other events are none of ours.
    """
    fields = Fields(payload)
    name = fields.text("hook_event_name")
    kind = next((hook.kind for hook in hooks if hook.event == name), None)
    if kind is None:
        return None
    if kind == START and fields.text("source") == "compact":
        kind = COMPACTED
    arguments = fields.object("tool_input")
    command = find_command(arguments)
    return Event(
        kind,
        name,
        session=fields.text("session_id"),
        directory=fields.text("cwd"),
        log=fields.text("transcript_path"),
        prompt=fields.text("prompt"),
        files=find_files(arguments),
        command=command,
        error=(
            find_error(payload.get("tool_response"), is_command=bool(command))
            if kind == AFTER_TOOL
            else ""
        ),
        can_answer=kind not in (SYNC, END),
        is_forgetful=kind == START and fields.text("source") == "clear",
    )


def make_hook_entries(hooks: Sequence[Hook], command: str, **extra: str) -> tuple[Entry, ...]:
    """Return the entries of hooks, as the three programs have them."""
    entries = []
    for hook in hooks:
        called = {**extra, "type": "command", "command": command, "timeout": hook.timeout}
        group: dict[str, Any] = {"matcher": hook.matcher} if hook.matcher else {}
        entries.append(Entry(("hooks", hook.event), {**group, "hooks": [called]}, is_item=True))
    return tuple(entries)
