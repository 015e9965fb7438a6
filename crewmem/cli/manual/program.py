"""What the manual page of the whole program says beyond its commands. Pure."""

from __future__ import annotations

from crewmem.cli.manual.roff import bold, filled, italic, literal, section, term
from crewmem.errors import CrewmemError
from crewmem.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STATUSES = {
    0: "Done. Finding nothing is done, too.",
    1: (
        "Done, and the answer is no: a check failed, nothing was found and "
        "--exit-code was given, or there were warnings and --strict was given."
    ),
    2: "The command line was wrong.",
    70: "A bug in crewmem; a report is written, and its path printed.",
    130: "Interrupted, by ^C.",
    143: "Terminated, by SIGTERM.",
}
"""Statuses that no family of errors ends with."""

VARIABLES = {
    "CREWMEM_HOME": "The home, where --home does not name it.",
    "CREWMEM_ACTOR": "Who a command acts as, where --as does not say.",
    "CREWMEM_AGENT": "The agent that acts, where neither of these says who does.",
    "OTTER_AGENT_ID": "Read where CREWMEM_AGENT is not set.",
    "CREWMEM_CHAIN_KEY": "A secret, which keys the hashes of the journal's chain.",
    "CREWMEM_NOW": "The clock, for replays, where --now does not say.",
    "OPENCLAW_STATE_DIR": "Where OpenClaw keeps its agents, if not in ~/.openclaw.",
    "CLAUDE_CONFIG_DIR": "Where Claude Code keeps its projects, if not in ~/.claude.",
    "CODEX_HOME": "Where Codex keeps its sessions, if not in ~/.codex.",
    "OPENAI_API_KEY": "The key of OpenAI, used only when embedder or llm names it.",
    "ANTHROPIC_API_KEY": "The key of Anthropic, used only when llm names it.",
    "GEMINI_API_KEY": "The key of Gemini, used only when embedder names it.",
    "GEMINI_API_KEY_FALLBACK": "Another key of Gemini.",
    "SSL_CERT_FILE": "Certificates that services are checked with, if not the usual.",
    "PATH": "Where the program that llm_command names is looked for.",
    "HOME": "Where the usual home and ~/.memory are.",
    "XDG_CONFIG_HOME": "Units of systemd are written below it; ~/.config if not set.",
    "XDG_DATA_HOME": "The usual home is below it; ~/.local/share if it is not set.",
    "LOGNAME": "The name of the operator.",
    "USER": "Read where LOGNAME is not set.",
    "USERNAME": "Read where neither of these is set.",
    "TZ": "The time zone of days, where the setting timezone is empty.",
    "NO_COLOR": "Set to anything: no colours.",
    "CLICOLOR": "Set to 0: no colours.",
    "TERM": "Set to dumb: no colours.",
    "COLUMNS": "Columns of the terminal, if not what the terminal says.",
}
"""Variables that are no settings."""

FILES = {
    "<home>/config.toml": "Settings.",
    "<home>/tuned.toml": "Settings that crewmem tune put in force.",
    "<home>/eval/suite.jsonl": "The suite that recall is measured with.",
    "<home>/crewmem.db": (
        "The journal, memories, the versions of files, and who works in which crew."
    ),
    "<home>/crewmem.db.before-*": (
        "The same as it was before a change of all of it; it may be deleted."
    ),
    "<home>/versions/": "What memory files held, by its hash.",
    "<home>/vectors.sqlite": "Vectors of events and memories. Derived.",
    "<home>/workspaces/<workspace>/.memory/": "Memory of a workspace.",
    "<home>/workspaces/<workspace>/crews/<crew>/shared/.memory/": "Memory of a crew.",
    "<home>/workspaces/<workspace>/crews/<crew>/agents/<agent>/.memory/": (
        "Memory of an agent."
    ),
    "<home>/models/": "The embedding model that runs in process.",
    "<home>/locks/": "Locks between processes; they may be empty, and stay.",
    "<home>/cache/": "Indexes of directories that are not written to. Derived.",
    "<home>/incidents/": "Reports of bugs, and of recall that regressed.",
    ".memory/*.md": "What is remembered, in markdown.",
    ".memory/index.sqlite": "The index of a directory. Derived: it may be deleted.",
    ".memory/.quarantine/": "Texts that were refused; operators look at them.",
    ".memory/.lock": "Held while a file is written; it is empty, and stays.",
    ".memory/.off": "There while the memory of the agent is switched off.",
    "/crew": "Where a container has its crew.",
    "~/.memory": "Where an agent in a container has its own memory.",
}


def root_sections() -> list[str]:
    """Return the sections that only this page has."""
    return [
        *section("EXIT STATUS", _statuses()),
        *section("ENVIRONMENT", _variables()),
        *section("FILES", _files()),
        *section("SETTINGS", _settings()),
    ]


def _statuses() -> Iterator[str]:
    families = {
        each.exit_code: (each.__doc__ or "") for each in CrewmemError.__subclasses__()
    }
    for status, about in sorted((STATUSES | families).items()):
        yield from term(bold(str(status)), filled(about))


def _variables() -> Iterator[str]:
    for variable, about in VARIABLES.items():
        yield from term(bold(variable), filled(about))
    yield ".PP"
    yield from filled("Each setting has a variable, which is named under SETTINGS.")


def _files() -> Iterator[str]:
    for path, about in FILES.items():
        spelled = "".join(
            italic(part) if part.startswith("<") else literal(part)
            for part in path.replace("<", "\0<").replace(">", ">\0").split("\0")
        )
        yield from term(spelled, filled(about))


def _settings() -> Iterator[str]:
    yield from filled(
        "Of several places that set one the first of these wins: an option, a "
        "variable, the configuration file, what was tuned, the default. In the file a "
        "name with a dot "
        "is a key in a table: `caps.agent` is `agent` in `[caps]`. A setting that does "
        "not exist, and a value that may not be, are errors that name the line."
    )
    for setting in SETTINGS.values():
        names = ", ".join(map(bold, (setting.key, setting.variable)))
        about = f"{setting.about} It is {setting.wanted}."
        if setting.default != "":
            number = isinstance(setting.default, int)
            about += (
                f" Default: {setting.default:,}."
                if number
                else f" Default: {setting.default}."
            )
        if setting.fallback:
            about += f" Where nothing else sets it, `{setting.fallback}` is read."
        yield from term(names, filled(about))
