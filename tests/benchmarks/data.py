"""Synthetic homes, trees and logs, made once below a directory."""

import json
import random
from datetime import timedelta
from itertools import accumulate, product
from pathlib import Path

import numpy as np

from crewmem.home import Home, create_home
from crewmem.home import open as open_home

SMALL_WORDS, WORDS = (
    part.split() for part in Path(__file__).with_name("words.txt").read_text().split("\n\n")
)

SYLLABLES = ("ka", "lo", "mi", "ro", "su", "te", "va", "ne")
VOCABULARY = [*SMALL_WORDS, *WORDS, *map("".join, product(SYLLABLES, repeat=4))]
"""Words in the order of how often they occur: small ones, those of the trade, 4,096 rare ones."""

FREQUENCIES = tuple(accumulate(1 / rank for rank in range(1, len(VOCABULARY) + 1)))
"""By Zipf's law, added up: the second word occurs half as often as the first."""

MCP_QUESTION = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        },
    }
).encode()
"""What a client says until its first answer."""

TOOL_EVENT = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": "/",
        "tool_name": "Bash",
        "tool_input": {"command": "make deploy"},
    }
).encode()
"""What Claude Code says before it runs a command."""

PROMPT_EVENT = json.dumps(
    {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s1",
        "cwd": "/",
        "prompt": "Which vault holds the key for the deploy of the billing service?",
    }
).encode()
"""What Claude Code says when a person asks something."""


def make_sentence(generator: random.Random, words: int = 14) -> str:
    """Return a sentence with words as often as in prose, and a name that hardly recurs."""
    chosen = generator.choices(VOCABULARY, cum_weights=FREQUENCIES, k=words)
    rare = f"{generator.choice(WORDS)}{generator.randrange(5000)}"
    return " ".join([*chosen, rare]).capitalize() + "."


def make_sentences(count: int) -> list[str]:
    """Return *count* sentences."""
    generator = random.Random(count)
    return [make_sentence(generator) for _ in range(count)]


def make_tree(path: Path, files: int) -> Path:
    """Make a directory of markdown files of about 1.5 kB."""
    generator = random.Random(files)
    if (path / ".done").exists():
        return path
    for number in range(files):
        folder = path / f"part{number // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        parts = [f"# Note {number}\n"]
        for section in range(3):
            lines = " ".join(make_sentence(generator) for _ in range(4))
            parts.append(f"## {make_sentence(generator, 3)} {section}\n\n{lines}\n")
        (folder / f"note{number:05}.md").write_text("\n".join(parts))
    (path / ".done").write_text("")
    return path


def make_home(path: Path) -> Home:
    """Open a home at *path*, made if it is missing."""
    if not (path / "crewmem.db").exists():
        create_home(path)
    return open_home(path, settings={"embedder": "none", "timezone": "UTC"})


def make_entries(count: int) -> bytes:
    """Return journal entries as JSONL."""
    generator = random.Random(count)
    lines = []
    for number in range(count):
        entry = {
            "id": f"j_bench{number:07}",
            "ts": f"2026-0{1 + number % 5}-{1 + number % 28:02}T10:00:00.000Z",
            "entry_type": "peer.conversation",
            "actor_type": "agent",
            "actor_id": f"agent{number % 20}",
            "summary": make_sentence(generator),
            "refs": {"episodic": True},
        }
        lines.append(json.dumps(entry))
    return ("\n".join(lines) + "\n").encode()


def make_facts(count: int) -> bytes:
    """Return facts as JSONL."""
    facts = ({"content": sentence, "scope": "workspace"} for sentence in make_sentences(count))
    return "".join(json.dumps(fact) + "\n" for fact in facts).encode()


def make_log(path: Path, turns: int) -> Path:
    """Write a session log of Claude Code's format.

    As in ten logs of people at work, half of the turns are calls of tools and their results. Half
    of the results are shorter than 600 characters and some are a hundred times as long, and the
    program writes them twice. It also writes what the agent thought, and its own progress, so that
    a fifth of the bytes is text to index.
    """
    generator = random.Random(turns)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        return path

    def speak(count: int) -> str:
        return " ".join(make_sentence(generator) for _ in range(count))

    with path.open("w") as file:

        def write(kind: str, identifier: str, **fields: object) -> None:
            row = {
                "type": kind,
                "parentUuid": f"u{number - 1}",
                "isSidechain": False,
                "userType": "external",
                "version": "2.0.1",
                "gitBranch": "main",
                "sessionId": "00000000-0000-4000-8000-000000000001",
                "uuid": identifier,
                "cwd": "/srv/project",
                "timestamp": f"2026-05-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
                **fields,
            }
            file.write(json.dumps(row) + "\n")

        for number in range(turns):
            result = None
            part: dict[str, object]
            match number % 4:
                case 0:
                    role, part = "user", {"type": "text", "text": speak(4)}
                case 1:
                    role, part = "assistant", {"type": "text", "text": speak(8)}
                case 2:
                    command = f"grep -rn {generator.choice(WORDS)} src"
                    role = "assistant"
                    part = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash"}
                    part["input"] = {"command": command, "description": speak(1)}
                case _:
                    size = min(int(generator.lognormvariate(1.6, 1.6)) + 1, 400)
                    output = "\n".join(f"src/a.py:{line}: {speak(1)}" for line in range(size))
                    role, result = "user", {"stdout": output, "stderr": "", "interrupted": False}
                    part = {"type": "tool_result", "tool_use_id": f"toolu_{number - 1}"}
                    part |= {"content": output, "is_error": False}
            message: dict[str, object] = {"role": role, "content": [part]}
            if role == "assistant":
                usage = {"input_tokens": 12, "cache_read_input_tokens": 1, "output_tokens": 240}
                message |= {"id": f"msg_{number}", "model": "claude-sonnet-4-5", "usage": usage}
            if role == "assistant":
                thought = {"type": "thinking", "thinking": speak(12), "signature": "c2ln" * 150}
                write("assistant", f"t{number}", message={**message, "content": [thought]})
            elif result is not None:
                progress = {"type": "hook_progress", "hookEvent": "PostToolUse", "text": speak(6)}
                write("progress", f"p{number}", data=progress, toolUseID=f"toolu_{number - 1}")
            more = {} if result is None else {"toolUseResult": result}
            write(role, f"u{number}", message=message, **more)
    return path


def make_home_with_vectors(path: Path, tree: Path, chunks: int) -> None:
    """Make a home whose agent ada has *chunks* chunks in files of *tree*, each with a vector.

    The vectors are random: how long a search takes does not depend on what they mean.
    """
    create_home(path)
    with open_home(path, settings={"timezone": "UTC"}) as home:
        home.registry.add_crew("web", lead="ada")
        home.registry.add_agent("ada", crew="web")
        topics = home.context.agent_memory("web", "ada") / "topics"
        topics.mkdir(parents=True)
        sources = sorted(tree.rglob("*.md"))
        count, number = 0, 0
        while count < chunks:
            text = sources[number % len(sources)].read_text()
            (topics / f"topic{number}.md").write_text(f"{text}\nOf topic {number}.\n")
            count += text.count("## ")
            number += 1
        system = home.as_system()
        system.memory_index.refresh()
        keys = list(system.memory_index.source.visible_vector_keys())
        assert system.embedder is not None
        _put_random_vectors(system, "memory", keys, system.embedder.model)


def make_vectors(path: Path, count: int) -> None:
    """Make a home with *count* random vectors of the journal."""
    create_home(path)
    with open_home(path) as home:
        _put_random_vectors(home.as_system(), "journal", list(range(1, count + 1)), "random")


def _put_random_vectors(home: Home, store: str, keys: list[int], model: str) -> None:
    generator = np.random.default_rng(7)
    vectors = generator.standard_normal((len(keys), 384), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    home.vectors.put((home.context.workspace, store), model, keys, vectors)


def make_year(path: Path, agents: int) -> None:
    """Make a home with a daily note of each agent for each day of a year."""
    generator = random.Random(agents)
    with make_home(path) as home:
        home.registry.add_crew("web", lead="agent0")
        for number in range(agents):
            home.registry.add_agent(f"agent{number}", crew="web")
            daily = home.context.agent_memory("web", f"agent{number}") / "daily"
            daily.mkdir(parents=True)
            for past in range(1, 366):
                day = home.context.today - timedelta(days=past)
                lines = [f"- {make_sentence(generator, 12)}" for _ in range(12)]
                if past % 5 == 0:
                    lines += ["", "## Decisions", "", f"- We use {make_sentence(generator, 6)}"]
                (daily / f"{day}.md").write_text("\n".join([f"# {day}", "", *lines, ""]))
        home.memory_index.refresh()
        home.memory.record_outside_changes()
