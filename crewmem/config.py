"""Settings: declared once, read from defaults, tuned.toml, config.toml, variables, options."""

import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from crewmem.errors import SettingsError, UsageError, suggest
from crewmem.storage.filesystem import replace_file
from crewmem.times import get_zone, parse_span

Value = str | int | float | bool | tuple[str, ...]


class Setting(NamedTuple):
    """A setting.

    Attributes:
        kind: ``text``, ``integer``, ``number``, ``switch`` (on or off), ``span``, ``list``,
            ``time`` (HH:MM), ``zone``, ``store`` (an address), ``size``, or ``choice``.
        minimum: Smallest allowed number; for a span in seconds.
        choices: Allowed values of a choice.
        secret: Whether its value is never shown.
    """

    name: str
    kind: str
    default: Value
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False


SETTINGS = (
    Setting("timezone", "zone", "", "Time zone in which days begin; empty: the system's."),
    Setting("store", "store", "", "Shared store, as postgresql://host/db; empty: this home only."),
    Setting(
        "backup_dir",
        "text",
        "",
        "Directory of the weekly backup, relative to the home; empty: none.",
    ),
    Setting(
        "embedder",
        "choice",
        "auto",
        "Model or service that makes embeddings.",
        choices=("auto", "minilm", "multilingual", "ollama", "openai", "gemini", "none"),
    ),
    Setting("embedder_model", "text", "", "Model of the embedder; empty: its default."),
    Setting("embedder_url", "text", "", "Address of the embedder's service; empty: its default."),
    Setting("embedder_keys", "list", (), "Keys of the embedder's service.", secret=True),
    Setting(
        "embedder_rotation",
        "choice",
        "failover",
        "How to use several keys.",
        choices=("failover", "round-robin"),
    ),
    Setting(
        "llm",
        "choice",
        "none",
        "Language model: a service, an installed agent program, or a command.",
        choices=("none", "ollama", "openai", "anthropic", "claude", "codex", "gemini", "command"),
    ),
    Setting("llm_model", "text", "", "Name of the language model; empty: its default."),
    Setting("llm_url", "text", "", "Address of the language model's service; empty: its default."),
    Setting("llm_key", "text", "", "Key of the language model's service.", secret=True),
    Setting("llm_command", "text", "", "Command that reads a prompt and prints the answer."),
    Setting(
        "llm_calls_a_day", "integer", 200, "Maximum calls to the language model a day.", 0, 100_000
    ),
    Setting(
        "recall.min_relevance",
        "number",
        0.15,
        "Pull threshold: minimum relevance of hits shown when somebody asks.",
        0,
        1,
    ),
    Setting("recall.limit", "integer", 5, "Maximum items in a context block.", 1, 10),
    Setting("recall.budget", "size", "2000t", "Size of a context block: 2000t, 8000c or 1800b."),
    Setting(
        "hooks.min_relevance",
        "number",
        0.65,
        "Push threshold: minimum relevance of hits that a hook shows unasked.",
        0,
        1,
    ),
    Setting("hooks.before_tools", "switch", True, "Whether hooks run before and after tools."),
    Setting("hooks.time_limit", "span", "2s", "Time after which a hook searches by words only."),
    Setting("hooks.max_bytes", "integer", 1800, "Maximum bytes of a hook's block.", 200, 50_000),
    Setting("sessions.keep", "switch", True, "Whether to keep compressed copies of session logs."),
    Setting("sessions.agents", "agents", (), "Agents of session logs, as DIR=agent:SLUG."),
    Setting("scan.allow", "list", (), "Allowed findings, as RULE or DIRECTORY:RULE."),
    Setting(
        "scan.secrets", "choice", "redact", "How to handle secrets.", choices=("redact", "refuse")
    ),
    Setting("scan.rules", "text", "", "TOML file of additional rules, relative to the home."),
    Setting("files.cap_scale", "number", 1.0, "Multiplies the size caps of files.", 0.1, 100),
    Setting("files.max_chunk", "integer", 1000, "Maximum characters of a chunk.", 200, 10_000),
    Setting("jobs.sweep", "span", "30s", "Interval of the sweep.", 1),
    Setting("jobs.extract", "span", "5m", "Interval at which session logs are read.", 1),
    Setting("jobs.consolidate", "span", "6h", "Interval of consolidation and condensing.", 1),
    Setting("jobs.nightly", "time", "03:00", "Time of the nightly job."),
    Setting(
        "eval.suite",
        "text",
        "",
        "Suite of the eval and tune jobs, relative to the home; empty: none.",
    ),
    Setting("eval.max_false_injection", "number", 0.02, "Push gate: max. false injections.", 0, 1),
    Setting("eval.min_precision", "number", 0.80, "Push gate: minimum precision.", 0, 1),
    Setting("eval.min_recovery", "number", 0.95, "Push gate: minimum recovery success.", 0, 1),
    Setting("eval.max_latency_ms", "number", 500.0, "Push gate: maximum p95 latency.", 1, 60_000),
    Setting("eval.max_false_far", "number", 0.05, "Pull gate: maximum false far questions.", 0, 1),
    Setting("eval.max_false_chatter", "number", 0.25, "Pull gate: maximum false chatter.", 0, 1),
    Setting("eval.min_pull_precision", "number", 0.60, "Pull gate: minimum precision.", 0, 1),
)

BY_NAME = {setting.name: setting for setting in SETTINGS}

CONFIG_FILE = "config.toml"
TUNED_FILE = "tuned.toml"


class Settings:
    """The settings in force.

    Attributes:
        path: The config.toml that they were read from; None without a home.
    """

    def __init__(
        self,
        values: Mapping[str, Value],
        origins: Mapping[str, str],
        path: Path | None = None,
    ) -> None:
        self._values = dict(values)
        self._origins = dict(origins)
        self.path = path

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def origin(self, name: str) -> str:
        """Return where a value comes from: ``default``, a file, ``$VARIABLE`` or ``option``."""
        return self._origins.get(name, "default")

    def span(self, name: str) -> float:
        """Return a span in seconds."""
        return parse_span(str(self._values[name])).total_seconds()

    def file(self, name: str) -> Path | None:
        """Return the file that a setting names, relative to the home; None if it is empty."""
        if not self._values[name]:
            return None
        base = self.path.parent if self.path is not None else Path.cwd()
        return base / Path(str(self._values[name])).expanduser()

    def replace(self, **changes: Value) -> "Settings":
        """Return a copy with *changes*; in their names ``__`` stands for a dot."""
        named = {name.replace("__", "."): value for name, value in changes.items()}
        return Settings(
            self._values | named, self._origins | dict.fromkeys(named, "argument"), self.path
        )


def get_setting(name: str, where: str = "") -> Setting:
    """Return the declaration of the setting *name*.

    Args:
        where: Prefix of the error message: ``config.toml:3: ``.

    Raises:
        SettingsError: If there is none.
    """
    setting = BY_NAME.get(name)
    if setting is None:
        similar = suggest(name, BY_NAME)
        raise SettingsError(
            f"{where}there is no setting '{name}'"
            + (f"; did you mean '{similar}'?" if similar else ""),
            code="unknown-setting",
            command="config list",
        )
    return setting


def find_user_directory(kind: Literal["data", "cache"]) -> Path:
    """Return the system's directory for user data, or for caches."""
    import platformdirs  # only if the user names no directory

    find = platformdirs.user_data_dir if kind == "data" else platformdirs.user_cache_dir
    return Path(find("crewmem"))


def find_home_directory(named: str | Path | None) -> Path:
    """Return *named*, or the default directory for user data."""
    return Path(named or find_user_directory("data")).expanduser().absolute()


def load_settings(
    home: Path | None,
    variables: Mapping[str, str] | None = None,
    overrides: Mapping[str, str] | None = None,
    *,
    prefix: str = "",
) -> Settings:
    """Read the settings of a home.

    Args:
        home: The home; None for defaults, variables and overrides alone.
        variables: The environment; ``CREWMEM_RECALL_LIMIT`` sets ``recall.limit``.
        overrides: Values as text, which override all others.
        prefix: Only settings whose names begin with it are read from the home.

    Raises:
        SettingsError: If a file cannot be read, or a key or value is bad; the error names the line.
    """
    values: dict[str, Value] = {setting.name: setting.default for setting in SETTINGS}
    origins: dict[str, str] = {}
    path = home / CONFIG_FILE if home is not None else None
    if home is not None:
        for file in (home / TUNED_FILE, home / CONFIG_FILE):
            for name, value in _read_file(file).items():
                if name.startswith(prefix):
                    values[name] = value
                    origins[name] = str(file)
    for setting in SETTINGS:
        variable = variable_name(setting.name)
        if variables and variables.get(variable):
            try:
                values[setting.name] = parse_value(setting, variables[variable], f"${variable}: ")
            except SettingsError as error:
                error.command, error.hint = "", f"unset {variable}"
                raise
            origins[setting.name] = f"${variable}"
    for name, text in (overrides or {}).items():
        values[name] = parse_value(get_setting(name), text)
        origins[name] = "option"
    return Settings(values, origins, path)


def variable_name(name: str) -> str:
    """Return the environment variable of a setting: ``CREWMEM_RECALL_LIMIT``."""
    return "CREWMEM_" + name.replace(".", "_").upper()


def parse_value(setting: Setting, value: object, where: str = "") -> Value:
    """Check *value*, text or a TOML value, and convert it to the setting's type.

    Args:
        where: Prefix of the error message: ``config.toml:3: ``.

    Raises:
        SettingsError: If the setting does not allow the value.
    """
    try:
        parsed = _PARSERS[setting.kind](value)
        if isinstance(parsed, int | float):
            _check_range(setting, parsed, "")
        elif setting.kind == "span":
            _check_range(setting, parse_span(str(parsed)).total_seconds(), "s")
        if setting.kind == "choice" and parsed not in setting.choices:
            raise ValueError(f"use one of {', '.join(setting.choices)}")
    except (ValueError, TypeError, SettingsError, UsageError) as error:
        is_hidden = setting.secret or setting.kind == "store"
        shown = "have this value" if is_hidden else f"be {value!r}"
        raise SettingsError(
            f"{where}{setting.name} cannot {shown}: {error}",
            code="bad-setting",
            command=f"config get {setting.name}",
        ) from error
    return parsed


def _check_range(setting: Setting, amount: float, unit: str) -> None:
    low, high = setting.minimum, setting.maximum
    if low is not None and amount < low:
        raise ValueError(f"it must be at least {low:g}{unit}, such as {setting.default}")
    if high is not None and amount > high:
        raise ValueError(f"it must be at most {high:g}{unit}, such as {setting.default}")


def _read_file(path: Path) -> dict[str, Value]:
    """Read a TOML file of settings; a missing one is empty."""
    text, tables = _read_toml(path)
    values = {}
    for name, value in _flatten(tables):
        where = f"{path}:{_find_line(text, name)}: "
        try:
            values[name] = parse_value(get_setting(name, where), value, where)
        except SettingsError as error:
            if path.name == CONFIG_FILE:
                home = str(path.parent)
                words = ["crewmem", "--home", home, "config", "set", name, "--default"]
                error.command, error.hint = "", shlex.join(words)
            raise
    return values


def list_bad_settings(path: Path) -> list[str]:
    """Return the names in a file of settings that are unknown or have a bad value.

    Raises:
        SettingsError: If the file cannot be read.
    """
    bad = []
    for name, value in _flatten(_read_toml(path)[1]):
        try:
            parse_value(get_setting(name), value)
        except SettingsError:
            bad.append(name)
    return bad


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Read a TOML file, as text and parsed; a missing one is empty."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin it with a byte order mark
    except FileNotFoundError:
        return "", {}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(f"cannot read {path}: {reason}", code="bad-settings-file") from error
    except UnicodeDecodeError as error:
        raise _bad_file(path, "it is not UTF-8") from error
    import tomllib  # most homes have no config.toml

    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad_file(path, str(error)) from error


def _bad_file(path: Path, reason: str) -> SettingsError:
    command = "doctor --fix --only config.settings"
    return SettingsError(f"{path}: {reason}", code="bad-settings-file", command=command)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """List the values of nested tables with their dotted names."""
    values: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            values += _flatten(value, f"{prefix}{key}.")
        else:
            values.append((prefix + key, value))
    return values


def _find_line(text: str, name: str) -> int:
    """Return the line of *text* that sets *name*, or 1."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("["):
            table = _plain_key(line.strip(" \t[").partition("]")[0]) + "."
        elif "=" in line:
            key = table + _plain_key(line.partition("=")[0])
            if name == key or name.startswith(f"{key}."):  # an inline table
                return number
    return 1


def _plain_key(key: str) -> str:
    """Return a TOML key without quotes and spaces."""
    return re.sub("[\\s\"']", "", key)


def _parse_integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("it must be a whole number")
    try:
        return int(value)
    except ValueError:
        raise ValueError("it must be a whole number") from None


def _parse_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError("it must be a number")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("it must be a number")
    return number


def _parse_switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("on", "true", "yes", "1"):
        return True
    if value in ("off", "false", "no", "0"):
        return False
    raise ValueError("use on or off")


def _parse_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("it must be text")
    return value


def _parse_list(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("it must be a list of strings")


def _parse_agents(value: object) -> tuple[str, ...]:
    parts = _parse_list(value)
    for part in parts:
        directory, _, agent = part.partition("=")
        if not (directory.strip() and agent.strip().startswith("agent:")):
            raise ValueError(f"{part!r} is not DIR=agent:SLUG")
    return parts


def _parse_span_text(value: object) -> str:
    text = _parse_text(value)
    parse_span(text)
    return text


def _parse_time_of_day(value: object) -> str:
    text = _parse_text(value)
    hours, _, minutes = text.partition(":")
    if not (hours.isdecimal() and minutes.isdecimal() and int(hours) < 24 and int(minutes) < 60):
        raise ValueError("use a time such as 03:00")
    return f"{int(hours):02}:{int(minutes):02}"


def _parse_zone(value: object) -> str:
    text = _parse_text(value)
    get_zone(text)
    return text


def _parse_store(value: object) -> str:
    text = _parse_text(value)
    scheme, slashes, rest = text.partition("://")
    if text and not (slashes and scheme in ("postgresql", "postgres")):
        raise ValueError("use postgresql://host/database")
    if rest.rpartition("@")[0].partition(":")[2] or "password=" in rest:
        raise ValueError("it contains a password: use PGPASSWORD, ~/.pgpass or a service file")
    return text


def _parse_size(value: object) -> str:
    text = _parse_text(value)
    if not re.fullmatch("[1-9][0-9]{0,6}[tcb]?", text):
        raise ValueError("use a size such as 2000t, 8000c or 1800b")
    return text


_PARSERS: dict[str, Callable[[object], Value]] = {
    "text": _parse_text,
    "integer": _parse_integer,
    "number": _parse_number,
    "switch": _parse_switch,
    "span": _parse_span_text,
    "list": _parse_list,
    "agents": _parse_agents,
    "time": _parse_time_of_day,
    "zone": _parse_zone,
    "store": _parse_store,
    "size": _parse_size,
    "choice": _parse_text,
}


def write_setting(
    path: Path, name: str, value: str | Sequence[str] | None, *, is_added: bool = False
) -> None:
    """Change one setting in a config.toml and keep its comments and order.

    Args:
        value: The new value. None removes the setting, which restores the default; names that
            crewmem does not know can be removed, too.
        is_added: Whether to append *value* to the list in the file.

    Raises:
        SettingsError: If there is no such setting, the value is bad, or the file cannot be read.
    """
    import tomlkit  # only to change settings

    content, _ = _read_toml(path)
    document = tomlkit.parse(content)
    *tables, key = name.split(".")
    table: Any = document
    for part in tables:
        if not isinstance(table.get(part), dict):
            table[part] = tomlkit.table()
        table = table[part]
    if value is None:
        if key not in table:
            get_setting(name)
        table.pop(key, None)
        if len(tables) == 1 and not table:
            document.pop(tables[0])
    else:
        parsed = parse_value(get_setting(name), value)
        if isinstance(parsed, tuple):
            before = parse_value(get_setting(name), table.get(key, ())) if is_added else ()
            table[key] = [*dict.fromkeys((*before, *parsed))]  # type: ignore[misc]
        else:
            table[key] = parsed
    replace_file(path, tomlkit.dumps(document).encode())
