"""Every setting there is, declared once: default, use, bounds, variable.

What a declaration says is all that the variable, the file, `config list` and the
manual page need. `load` reads them, `config_file` changes the file.
"""

from __future__ import annotations

from crewmem.ids import is_slug
from crewmem.settings.kinds import (
    Flag,
    Number,
    Setting,
    Tables,
    Text,
    Whole,
    Words,
)
from crewmem.settings.measured import Measured
from crewmem.settings.shapes import (
    BYTES_MOST,
    MODEL_WANTED,
    URL_WANTED,
    cap,
    is_command,
    is_line,
    is_model,
    is_model_or_empty,
    is_path,
    is_url,
    is_url_or_empty,
    is_zone,
    owners,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.settings.kinds import Value


class Settings(Measured):
    """The settings in force, each an attribute. Frozen.

    A key of the file maps to its attribute with dots as underscores.
    """

    __slots__ = ("_values",)

    busy_timeout = Number(
        30.0,
        "Seconds to wait for a lock that another process holds.",
        least=0,
        most=3600,
    )
    workspace = Text(
        "default",
        "Workspace to work in.",
        check=is_slug,
        wanted="a slug: a-z, 0-9 and hyphens, at most 64, no hyphen first",
        fallback="ENGRAM_NAMESPACE",
    )
    timezone = Text(
        "",
        "Time zone of days, such as Europe/Berlin; empty is the system's.",
        check=is_zone,
        wanted="a time zone that this system knows, as Europe/Berlin",
    )
    chunk_chars = Whole(1_000, "Most characters of a chunk.", least=200, most=10_000)
    search_limit = Whole(10, "Most results of a search.", least=1, most=50)
    recall_min_relevance = Number(
        0.70,
        "Least relevance of what recall answers with; what is lower is held back.",
        least=0,
        most=1,
    )
    knowledge_auto_promote = Flag(
        True,
        "Whether what several agents hold is shared by knowledge maintain.",
        table="knowledge",
    )
    consolidate_policy = Text(
        "auto",
        "What is done with what was learned of notes: auto applies it, review asks.",
        check=frozenset({"auto", "review"}).__contains__,
        wanted="auto or review",
        table="consolidate",
    )
    max_file_bytes = Whole(
        8 << 20,
        "Files over this many bytes are skipped by the index, and reported.",
        least=1,
        most=BYTES_MOST,
    )
    versions_keep = Whole(
        3,
        "Versions of a memory file that memory prune keeps, whatever their age.",
        least=1,
        most=1_000_000,
        table="versions",
    )
    versions_days = Whole(
        30,
        "Days that memory prune keeps every version of a memory file.",
        least=0,
        most=36_500,
        table="versions",
    )
    directory_bytes = Whole(
        10_000_000,
        "Most bytes of memory files in one directory.",
        least=1,
        most=BYTES_MOST,
    )
    embedder = Text(
        "auto",
        "What turns texts into vectors; what takes a key is used only when named.",
        check=frozenset(
            {"auto", "minilm", "ollama", "openai", "gemini", "none"}
        ).__contains__,
        wanted="auto, minilm, ollama, openai, gemini or none",
    )
    embedder_timeout = Number(
        60.0,
        "Most seconds that a request to an embedding service takes, tries included.",
        least=0.1,
        most=3600,
    )
    model_dir = Text(
        "",
        "Directory of model.safetensors and tokenizer.json; empty looks for them.",
        check=is_line,
        wanted="a path",
    )
    model_url = Text(
        "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main",
        "Where embedder install fetches the model from.",
        check=is_url,
        wanted=URL_WANTED,
    )
    ollama_url = Text(
        "",
        "URL of Ollama, such as http://127.0.0.1:11434; empty is no Ollama.",
        check=is_url_or_empty,
        wanted=URL_WANTED,
        fallback="KEEPER_OLLAMA_URL",
    )
    ollama_model = Text(
        "nomic-embed-text",
        "Embedding model of Ollama.",
        check=is_model,
        wanted=MODEL_WANTED,
    )
    openai_url = Text(
        "https://api.openai.com/v1",
        "URL of OpenAI, or of what answers as it does.",
        check=is_url,
        wanted=URL_WANTED,
    )
    openai_model = Text(
        "text-embedding-3-small",
        "Embedding model of OpenAI.",
        check=is_model,
        wanted=MODEL_WANTED,
    )
    openai_key_file = Text(
        "",
        "File that holds the key of OpenAI, where OPENAI_API_KEY does not.",
        check=is_line,
        wanted="a path",
    )
    gemini_url = Text(
        "https://generativelanguage.googleapis.com/v1beta",
        "URL of Gemini.",
        check=is_url,
        wanted=URL_WANTED,
    )
    gemini_model = Text(
        "gemini-embedding-001",
        "Embedding model of Gemini.",
        check=is_model,
        wanted=MODEL_WANTED,
    )
    gemini_key_file = Text(
        "",
        "File that holds keys of Gemini, one a line, where GEMINI_API_KEY does not.",
        check=is_line,
        wanted="a path",
    )
    gemini_rotation = Text(
        "failover",
        "When another key of Gemini is taken: when one fails, or every time.",
        check=frozenset({"failover", "round-robin"}).__contains__,
        wanted="failover or round-robin",
    )
    llm = Text(
        "none",
        "Language model that writes summaries and rules; none does without one.",
        check=frozenset(
            {"none", "extractive", "command", "ollama", "openai", "anthropic"}
        ).__contains__,
        wanted="none, extractive, command, ollama, openai or anthropic",
    )
    llm_model = Text(
        "",
        "Model that writes, as its service calls it; ollama, openai and anthropic"
        " need one.",
        check=is_model_or_empty,
        wanted=f"{MODEL_WANTED}, or nothing",
    )
    llm_url = Text(
        "",
        "URL of the service that llm names; empty is ollama_url, openai_url, or the"
        " usual one.",
        check=is_url_or_empty,
        wanted=URL_WANTED,
    )
    anthropic_key_file = Text(
        "",
        "File that holds the key of Anthropic, where ANTHROPIC_API_KEY does not.",
        check=is_line,
        wanted="a path",
    )
    llm_command = Text(
        "",
        "Program that reads a prompt and prints the answer; keys do not belong here.",
        check=is_command,
        wanted="a program and its arguments, quoted as in a shell; none runs it",
    )
    llm_timeout = Number(
        120.0,
        "Most seconds that a language model takes for one answer, tries included.",
        least=0.1,
        most=3600,
    )
    llm_material_chars = Whole(
        100_000,
        "Most characters of notes that a language model is given at once.",
        least=10_000,
        most=2_000_000,
    )
    llm_answer_chars = Whole(
        24_000,
        "Most characters that a language model writes at once, thoughts included.",
        least=1_000,
        most=200_000,
    )
    caps_agent = cap(4_000, "AGENT.md")
    caps_persona = cap(1_500, "PERSONA.md")
    caps_pins = cap(8_000, "pins.md")
    caps_brief = cap(4_000, "BRIEF.md")
    caps_lessons = cap(64_000, "lessons.md")
    caps_daily = cap(100_000, "a daily note")
    caps_peer = cap(1_500, "a file under peers/")
    caps_crew = cap(4_000, "CREW.md")
    caps_topic = cap(16_000, "a file under topics/")
    caps_learned = cap(64_000, "a file under learned/")
    caps_user = cap(1_500, "a file under users/")
    caps_workspace = cap(16_000, "a workspace's file")
    transcripts_agents = owners("Whose session logs are whose, as claude=SLUG.")
    timers_sweep = when("30s", "sweep: embed and index what is new")
    timers_extract = when("5m", "learn from agents' session logs")
    timers_housekeeping = when("1h", "drop what expired, and retry what failed")
    timers_rollup = when("00:10", "sum up days and weeks")
    timers_consolidate = when("6h", "learn from daily notes and the journal")
    timers_condense = when("6h", "make one memory of those that say the same")
    timers_nightly = when("03:00", "compact, fade, promote, measure and prune")
    timers_backup = when("sun 04:30", "export all to backup_dir, where that is set")
    timers_on_failure = Text(
        "",
        "Program that systemd runs when a job failed, its name the last argument.",
        check=is_command,
        wanted="a program and its arguments, quoted as in a shell; none logs it",
        table="timers",
    )
    backup_dir = Text(
        "",
        "Directory that the job backup exports to; empty leaves that job out.",
        check=is_path,
        wanted="an absolute path; none leaves the job out",
    )
    backup_keep = Whole(
        8,
        "Backups of a workspace that stay, the newest.",
        least=1,
        most=10_000,
    )
    threats_allow = Words(
        "What the scanner lets pass: names of rules, or /expressions/ of all of it.",
        wanted="a list of names of rules and of expressions between slashes",
        table="threats",
    )
    threats_rules = Tables(
        "Rules of the scanner beside its own: pattern, example, counter, severity.",
        wanted="tables of texts: [threats.rules.NAME]",
        table="threats",
    )

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        """Hold *values*, by key; the others are their defaults."""
        self._values = dict(values or {})

    def given(self) -> dict[str, Value]:
        """Return the values that are not left to their defaults, by key."""
        return dict(self._values)

    def value(self, setting: Setting) -> Value:
        """Return the value of *setting*."""
        return self._values.get(setting.key, setting.default)

    @property
    def caps(self) -> dict[str, int]:
        """Most bytes of a file, by tier."""
        return {
            each.path[1]: each.__get__(self)
            for each in vars(Settings).values()
            if isinstance(each, Whole) and each.table == "caps"
        }


SETTINGS = {
    each.key: each
    for each in (*vars(Settings).values(), *vars(Measured).values())
    if isinstance(each, Setting)
}
"""Every setting by its key, in the order of declaration."""


def find(key: str, origin: str) -> Setting:
    """Return the setting called *key*, which was met at *origin*.

    Raises:
        UnknownSettingError: If there is none; names the nearest there is.
    """
    if (setting := SETTINGS.get(key)) is None:
        from crewmem.errors.settings import UnknownSettingError

        raise UnknownSettingError(origin, key, nearest(key))
    return setting


def nearest(key: str) -> str | None:
    """Return the key that is spelled most like *key*, if one is."""
    from difflib import get_close_matches  # 4 ms, for a mistake only

    return next(iter(get_close_matches(key, SETTINGS, n=1)), None)
