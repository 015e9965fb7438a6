"""The server: JSON-RPC 2.0, one object per line, answered in order.

It supports the protocol versions up to 2025-11-25, which begin with a handshake, and 2026-07-28,
whose requests are stateless and name their version.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import quote, unquote

from crewmem import __version__
from crewmem.errors import CrewmemError, NotFoundError
from crewmem.home import Home
from crewmem.mcp.arguments import check_arguments, list_tools
from crewmem.storage.filesystem import find_working_directory
from crewmem.text.wording import cut_at_word

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
VERSION_FIELD = "io.modelcontextprotocol/protocolVersion"
SERVER_FIELD = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NO_METHOD = -32601
BAD_PARAMS = -32602
INTERNAL = -32603
UNKNOWN_VERSION = -32022
NO_RESOURCE = -32002

INSTRUCTIONS = (
    "Long-term memory of this agent. Call recall before answering from assumptions about past"
    " work, decisions or preferences; remember what will still matter next week."
)

RESOURCE_SCHEME = "crewmem://memory/"
MAX_RESOURCES = 500
"""Memory files on a page of `resources/list`."""

MAX_ERROR = 1000
"""Maximum characters of an error. It may quote the request, which has no maximum."""

SERVER = {"name": "crewmem", "version": __version__}
CAPABILITIES: dict[str, dict[str, Any]] = {"tools": {}, "resources": {}, "prompts": {}}
PROMPT = {"name": "session-start", "description": "What to know at the start of a session."}


class _RequestError(Exception):
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def serve(
    source: IO[bytes], sink: IO[bytes], open_home: Callable[[], Home], *, read_only: bool
) -> None:
    """Answer requests until *source* ends; see `Server`."""
    server = Server(open_home, read_only=read_only)
    for line in source:
        if not line.strip():
            continue
        answer = server.answer_line(line)
        if answer is not None:
            sink.write(answer + b"\n")
            sink.flush()


class Server:
    """Answers requests for one agent.

    It opens the home for each request and closes it again, so that other processes can change
    it. Only the embedder stays loaded, because loading is slow.
    """

    def __init__(self, open_home: Callable[[], Home], *, read_only: bool) -> None:
        self._open_home = open_home
        self._embedders: dict[tuple[str, ...], Any] = {}
        self.read_only = read_only
        self._methods: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda params: {},
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": lambda params: {"resourceTemplates": []},
            "resources/read": self._read_resource,
            "prompts/list": lambda params: {"prompts": [PROMPT]},
            "prompts/get": self._get_prompt,
        }

    @contextmanager
    def _home(self) -> Iterator[Home]:
        with self._open_home() as home:
            names = ("embedder", "embedder_model", "embedder_url")
            key = tuple(str(home.settings[name]) for name in names)
            if key in self._embedders:
                home.embedder = self._embedders[key]
            try:
                yield home
            finally:
                loaded = vars(home).get("embedder")
                if loaded is not None:
                    self._embedders[key] = loaded

    def answer_line(self, line: bytes) -> bytes | None:
        """Return the answer to a line; None if none is due."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _dump(_error(None, PARSE_ERROR, "this is not JSON"))
        if isinstance(message, list):  # a batch, allowed in 2025-03-26
            if not message:
                return _dump(_error(None, INVALID_REQUEST, "the batch is empty"))
            answers = [answer for answer in map(self.answer, message) if answer is not None]
            return _dump(answers) if answers else None
        answer = self.answer(message)
        return None if answer is None else _dump(answer)

    def answer(self, message: Any) -> dict[str, Any] | None:
        """Return the answer to a message; None for a notification or a response."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            identifier = message.get("id") if isinstance(message, dict) else None
            return _error(_safe_id(identifier), INVALID_REQUEST, "not a JSON-RPC 2.0 request")
        method, identifier = message.get("method"), message.get("id")
        if method is None and ("result" in message or "error" in message):
            return None
        if not isinstance(method, str):
            return _error(_safe_id(identifier), INVALID_REQUEST, "there is no method")
        if "id" not in message:
            return None
        if _safe_id(identifier) is None:
            return _error(None, INVALID_REQUEST, "the id is neither text nor an integer")
        params = message.get("params", {})
        try:
            if not isinstance(params, dict):
                raise _RequestError(BAD_PARAMS, "params is not an object")
            result = self._run(method, params)
        except _RequestError as error:
            return _error(identifier, error.code, error.message, error.data)
        except CrewmemError as error:
            code = NO_RESOURCE if isinstance(error, NotFoundError) else BAD_PARAMS
            return _error(identifier, code, _describe(error))
        except Exception as error:  # noqa: BLE001 - the server outlives a bug in one request
            return _error(identifier, INTERNAL, f"internal error: {type(error).__name__}")
        return {"jsonrpc": "2.0", "id": identifier, "result": result}

    def _run(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        meta = params.get("_meta")
        version = meta.get(VERSION_FIELD) if isinstance(meta, dict) else None
        if version is not None and version not in STATELESS_VERSIONS and method != "initialize":
            raise _RequestError(
                UNKNOWN_VERSION,
                "this protocol version is not supported",
                {"supported": [*STATELESS_VERSIONS, *HANDSHAKE_VERSIONS], "requested": version},
            )
        handler = self._methods.get(method)
        if handler is None:
            raise _RequestError(NO_METHOD, f"there is no method '{method}'")
        result = handler(params)
        if version is None and method != "server/discover":
            return result
        result = {"resultType": "complete", **result, "_meta": {SERVER_FIELD: SERVER}}
        if method.endswith(("/list", "/discover")) or method == "resources/read":
            # Resources may change at any time; tools and prompts do not while the server runs.
            is_fixed = method in ("tools/list", "server/discover", "prompts/list")
            result |= {"ttlMs": 3_600_000 if is_fixed else 0, "cacheScope": "private"}
        return result

    def _initialize(self, params: Mapping[str, Any]) -> dict[str, Any]:
        requested = params.get("protocolVersion")
        if not isinstance(requested, str):
            raise _RequestError(BAD_PARAMS, "protocolVersion is missing")
        version = requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        return {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _discover(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "supportedVersions": [*STATELESS_VERSIONS],
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _list_tools(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {"tools": list_tools(read_only=self.read_only)}

    def _call_tool(self, params: Mapping[str, Any]) -> dict[str, Any]:
        name = params.get("name")
        tools = {tool["name"]: tool for tool in list_tools(read_only=self.read_only)}
        tool = tools.get(name) if isinstance(name, str) else None
        if tool is None:
            raise _RequestError(BAD_PARAMS, f"there is no tool {json.dumps(name)[:100]}")
        try:
            arguments = check_arguments(tool, params.get("arguments"))
            from crewmem.mcp.tools import call_tool  # here, so that the server starts fast

            with self._home() as home:
                return _text_result(call_tool(home, tool["name"], arguments))
        except CrewmemError as error:
            return _text_result(_format_message(_describe(error)), is_error=True)

    def _list_resources(self, params: Mapping[str, Any]) -> dict[str, Any]:
        from crewmem.prompt.sanitize import sanitize  # as above

        cursor = params.get("cursor", "")
        if not isinstance(cursor, str):
            raise _RequestError(BAD_PARAMS, "cursor is not text")
        with self._home() as home:
            files = home.memory_reader.list_files(limit=MAX_RESOURCES + 1, after=cursor)
            more = {"nextCursor": files[-2].file} if len(files) > MAX_RESOURCES else {}
            files = files[:MAX_RESOURCES]
            bad = home.context.verdicts.find_bad_names(info.file for info in files)
        return {
            "resources": [
                {
                    "uri": RESOURCE_SCHEME + quote(info.file, safe="/:"),
                    "name": sanitize(info.file),
                    "description": f"{info.tier} file",
                    "mimeType": "text/markdown",
                }
                for info in files
                if info.file not in bad
            ],
            **more,
        }

    def _read_resource(self, params: Mapping[str, Any]) -> dict[str, Any]:
        uri = params.get("uri")
        if not isinstance(uri, str) or not uri.startswith(RESOURCE_SCHEME):
            raise _RequestError(NO_RESOURCE, "there is no such resource")
        from crewmem.prompt.sanitize import sanitize  # as above

        with self._home() as home:
            file = home.memory_reader.read(unquote(uri.removeprefix(RESOURCE_SCHEME)))
            text = sanitize(file.text)
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}

    def _get_prompt(self, params: Mapping[str, Any]) -> dict[str, Any]:
        if params.get("name") != PROMPT["name"]:
            raise _RequestError(BAD_PARAMS, "there is no such prompt")
        with self._home() as home:
            from crewmem.prompt.start import recall_start

            block = recall_start(home, project=find_working_directory())
            text = block.text or "Nothing is known yet."
        return {
            "description": PROMPT["description"],
            "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        }


def _text_result(text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _describe(error: CrewmemError) -> str:
    """Describe an error and its remedy, for a model."""
    return error.message + (f" (try: {error.hint})" if error.hint else "")


def _format_message(message: str) -> str:
    """Redact the secrets that a message quotes from the request, and cut a long one."""
    from crewmem.security.secrets import redact  # as above

    return cut_at_word(redact(message), MAX_ERROR)


def _safe_id(identifier: Any) -> str | int | None:
    """Return the id of a request; None if it is not valid."""
    if isinstance(identifier, bool) or not isinstance(identifier, str | int):
        return None
    return identifier


def _error(identifier: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": _format_message(message)}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": identifier, "error": error}


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
