"""A language model: a service, an installed agent program, or any command.

Every job also works without one. Attacks and secrets are removed from prompts. Answers are
untrusted text.
"""

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import RefusedError, ServiceError, SettingsError
from crewmem.storage.filesystem import replace_file
from crewmem.storage.http import post_json
from crewmem.storage.json_columns import load_object
from crewmem.storage.programs import run_program

DEADLINE = 120.0
"""Seconds to wait for an answer."""

MAX_ANSWER = 1_000_000
"""Maximum characters read of an answer."""

MAX_TOKENS = 4096
"""Maximum tokens of an answer, for services that take a limit."""

CONTEXT_TOKENS = 2 * MAX_TOKENS
"""Context of a local model: Ollama's own, 4096, would cut off the start of a long prompt."""

MAX_REASONING = 4 * MAX_TOKENS
"""The same for a model that counts the tokens of its reasoning, too."""

REASONING_MODEL = re.compile(r"(?:.*/)?(?:gpt-[5-9]|o\d)")
"""Matches models of OpenAI that refuse ``max_tokens`` and a temperature."""

MAX_BRACKETS = 50
"""Maximum brackets in an answer that are tried as the start of JSON."""

NO_HOOKS = "CREWMEM_HOOKS_OFF"
"""Environment variable that disables crewmem's hooks in an agent program that it starts."""

LOGIN_NEEDED = re.compile(r"log ?in|logged in|authenticat|api key|unauthorized|\b401\b|auth method")
"""Matches lower-case messages of programs that need a login."""


class Service(NamedTuple):
    """A language model behind HTTP."""

    model: str
    url: str
    ask: Callable[["LanguageModel", str, str], str]


class Program(NamedTuple):
    """An agent program in its non-interactive mode.

    Attributes:
        arguments: Arguments of the command, separated by spaces. The prompt goes to standard input.
        read: Extracts the answer from the output.
        login: What to do if it is not logged in.
        settings_variable: Variable that names the settings file of the call; "" for none.
        settings: Content of that file.
    """

    arguments: str
    read: Callable[[str], str]
    login: str
    settings_variable: str = ""
    settings: str = ""


class LanguageModel:
    """The language model of the settings.

    Attributes:
        name: Name in the setting ``llm``.
        model: Name of the model.
    """

    def __init__(self, context: Context, name: str) -> None:
        self._context = context
        self.name = name
        settings = context.settings
        service = SERVICES.get(name)
        self.model = settings["llm_model"] or (service.model if service else "")
        self.url = (settings["llm_url"] or (service.url if service else "")).rstrip("/")
        self.key = settings["llm_key"]
        if name in ("openai", "anthropic") and not self.key and not settings["llm_url"]:
            raise SettingsError(
                f"the language model {name} needs a key",
                code="key-missing",
                hint="set the variable CREWMEM_LLM_KEY",
            )
        if name == "command" and not settings["llm_command"]:
            raise SettingsError(
                "llm is 'command', but llm_command is not set",
                code="command-missing",
                hint=context.command("config set llm_command", "my-model --quiet"),
            )

    def complete(self, prompt: str, *, system: str = "") -> str:
        """Return the answer to *prompt*.

        Raises:
            ServiceError: If the model cannot be reached, is not logged in, or gives no answer.
            RefusedError: If the daily budget is used up.
            SettingsError: If the setting ``llm_command`` is not a command.
        """
        self._count_call()
        prompt = self._context.make_safe(prompt)
        if self.name in SERVICES:
            answer = SERVICES[self.name].ask(self, system, prompt)
        elif self.name == "command":
            try:
                arguments = shlex.split(self._context.settings["llm_command"])
            except ValueError as error:
                raise SettingsError(
                    f"llm_command is not a command: {error}", code="bad-command"
                ) from error
            answer = self._run(arguments, f"{system}\n\n{prompt}")
        else:
            answer = self._ask_program(f"{system}\n\n{prompt}")
        if not answer.strip():
            raise ServiceError(
                f"the language model {self.name} gave an empty answer", code="no-answer"
            )
        return answer[:MAX_ANSWER]

    def complete_json(self, prompt: str, *, system: str) -> Any:
        """Return the JSON value in the answer to *prompt*.

        Raises:
            ServiceError: As for `complete`, and if the answer has no JSON.
        """
        return parse_json(self.complete(prompt, system=system), self.name)

    def _count_call(self) -> None:
        """Count a call.

        Raises:
            RefusedError: If the daily budget is used up.
        """
        context = self._context
        if not context.has_db or context.read_only:
            return
        limit = context.settings["llm_calls_a_day"]
        calls = context.db.all(
            "insert into llm_calls (day, calls) select :day, 1 where :limit > 0"
            " on conflict (day) do update set calls = calls + 1 where calls < :limit"
            " returning calls",
            {"day": context.now_text[:10], "limit": limit},
        )
        if not calls:
            raise RefusedError(
                f"the daily budget of {limit} calls to the language model is used up",
                code="llm-budget",
                hint=context.command("config set llm_calls_a_day", str(limit * 2 or 200)),
            )

    def _ask_program(self, text: str) -> str:
        program = PROGRAMS[self.name]
        executable = shutil.which(self.name)
        if executable is None:
            raise ServiceError(
                f"the program {self.name} is not installed",
                code="program-missing",
                hint=self._context.command("config set llm none"),
            )
        arguments = [executable, *program.arguments.split()]
        if self.model:
            arguments += ["--model", self.model]
        return program.read(self._run(arguments, text, program))

    def _run(self, arguments: list[str], text: str, program: Program | None = None) -> str:
        """Run a command with *text* as its input, in an empty directory."""
        environment = {**os.environ, NO_HOOKS: "1"}
        with tempfile.TemporaryDirectory(prefix="crewmem-") as directory:
            if program is not None and program.settings_variable:
                path = Path(directory, "settings.json")
                replace_file(path, program.settings.encode())
                environment[program.settings_variable] = str(path)
            process = run_program(
                arguments,
                data=text.encode("utf-8", "replace"),
                environ=environment,
                directory=directory,
                timeout=DEADLINE,
            )
        output = process.stdout.decode("utf-8", "replace")
        if program is not None and (process.returncode or _reports_error(output)):
            messages = f"{output}\n{process.stderr.decode('utf-8', 'replace')}"
            if LOGIN_NEEDED.search(messages.lower()):
                raise ServiceError(
                    f"{self.name} is not logged in", code="not-logged-in", hint=program.login
                )
            raise ServiceError(f"{self.name} failed", code="program-failed")
        if process.returncode:
            raise ServiceError(
                f"'{arguments[0]}' ended with status {process.returncode}", code="program-failed"
            )
        return output


def _reports_error(output: str) -> bool:
    """Return whether the JSON output of a program reports an error, even if it ended with 0."""
    answer = load_object(output)
    return bool(answer.get("is_error") or answer.get("error"))


def open_llm(context: Context) -> LanguageModel | None:
    """Return the language model of the settings; None if there is none."""
    name = context.settings["llm"]
    return None if name == "none" else LanguageModel(context, name)


def parse_json(text: str, name: str = "the language model") -> Any:
    """Return the longest JSON object or array in *text*, even inside a code fence.

    Raises:
        ServiceError: If there is none.
    """
    decoder = json.JSONDecoder()
    longest, end, found = 0, 0, None
    for match in islice(re.finditer(r"[\[{]", text), MAX_BRACKETS):
        start = match.start()
        if start < end:
            continue  # inside of one that was read
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if end - start > longest:
            longest, found = end - start, value
    if found is None:
        raise ServiceError(f"{name} did not answer with JSON", code="bad-answer")
    return found


def has_quote(text: str, quote: object, *, min_length: int) -> bool:
    """Return whether *text* contains a model's quote word for word.

    Args:
        min_length: Minimum characters of a quote, unless it is the whole text. A shorter one could
            be a coincidence.
    """
    if not isinstance(quote, str):
        return False
    quote, text = " ".join(quote.split()), " ".join(text.split())
    return quote in text and (len(quote) >= min_length or quote == text)


def _ask_ollama(llm: LanguageModel, system: str, prompt: str) -> str:
    answer = post_json(
        f"{llm.url}/api/chat",
        {
            "model": llm.model,
            "stream": False,
            "options": {"temperature": 0, "num_predict": MAX_TOKENS, "num_ctx": CONTEXT_TOKENS},
            "messages": _make_messages(system, prompt),
        },
        deadline=DEADLINE,
    )
    return _text_at(answer, "message", "content")


def _ask_openai(llm: LanguageModel, system: str, prompt: str) -> str:
    limits: dict[str, int] = {"temperature": 0, "max_tokens": MAX_TOKENS}
    if REASONING_MODEL.match(llm.model):
        limits = {"max_completion_tokens": MAX_REASONING}
    answer = post_json(
        f"{llm.url}/chat/completions",
        {"model": llm.model, "messages": _make_messages(system, prompt), **limits},
        headers={"Authorization": f"Bearer {llm.key}"} if llm.key else {},
        deadline=DEADLINE,
    )
    return _text_at(answer, "choices", 0, "message", "content")


def _ask_anthropic(llm: LanguageModel, system: str, prompt: str) -> str:
    answer = post_json(
        f"{llm.url}/v1/messages",
        {
            "model": llm.model,
            "max_tokens": MAX_TOKENS,
            "system": system,
            "messages": [{"role": "user", "content": prompt}],
        },
        headers={"x-api-key": llm.key, "anthropic-version": "2023-06-01"},
        deadline=DEADLINE,
    )
    blocks = answer.get("content") if isinstance(answer, dict) else None
    texts = [_text_at(block, "text") for block in blocks or ()]  # a block may be reasoning
    return "\n".join(filter(None, texts))


def _make_messages(system: str, prompt: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": prompt}]


def _text_at(answer: Any, *path: str | int) -> str:
    for step in path:
        try:
            answer = answer[step]
        except (KeyError, IndexError, TypeError):
            return ""
    return answer if isinstance(answer, str) else ""


def _read_claude(output: str) -> str:
    """Return the answer in the output of ``claude -p --output-format json``."""
    return _text_at(load_object(output), "result") or output


def _read_codex(output: str) -> str:
    """Return the last message in the output of ``codex exec --json``, one event per line."""
    text = ""
    for line in output.splitlines():
        item = load_object(line).get("item")
        if isinstance(item, dict) and item.get("type") in ("agent_message", "assistant_message"):
            text = _text_at(item, "text")
    return text


def _read_gemini(output: str) -> str:
    """Return the answer in the output of ``gemini --output-format json``."""
    return _text_at(load_object(output), "response") or output


SERVICES = {
    "ollama": Service("llama3.2", "http://localhost:11434", _ask_ollama),
    "openai": Service("gpt-5-mini", "https://api.openai.com/v1", _ask_openai),
    "anthropic": Service("claude-haiku-4-5", "https://api.anthropic.com", _ask_anthropic),
}

PROGRAMS = {
    "claude": Program(
        "-p --output-format json --max-turns 1 --no-session-persistence --strict-mcp-config"
        " --setting-sources= --tools=",
        _read_claude,
        "run claude once and log in",
    ),
    "codex": Program(
        "exec --json --skip-git-repo-check --sandbox read-only --ephemeral --ignore-user-config"
        " -c features.shell_tool=false -c features.unified_exec=false"
        ' -c web_search="disabled" -',
        _read_codex,
        "codex login",
    ),
    "gemini": Program(
        "--output-format json --extensions none",
        _read_gemini,
        "run gemini once and log in",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        json.dumps(
            {
                "tools": {"core": ["none"]},  # a list of the allowed tools
                "mcp": {"allowed": ["none"]},
                "hooksConfig": {"enabled": False},
                "security": {"folderTrust": {"enabled": False}},
            }
        ),
    ),
}
"""Programs and their documented options for one answer without tools. A prompt contains untrusted
text: a program that could run commands or read the web might obey it."""
