"""What can be set of a crew and of an agent, and reading it from text. Pure."""

from __future__ import annotations

from crewmem.errors.settings import BadSettingError, UnknownSettingError
from crewmem.records import NamedTuple
from crewmem.settings.kinds import FLAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Choice(NamedTuple):
    """A setting of a crew or an agent.

    Attributes:
        default: Its type is the setting's.
        least: Smallest number that is taken.
        most: Largest one.
        texts: The only texts that are taken.
    """

    default: bool | int | float | str
    help: str
    least: float = 0
    most: float = 0
    texts: tuple[str, ...] = ()


CREW_SETTINGS: Mapping[str, Choice] = {
    "crew_write": Choice(
        default="proposal",
        help="Who may share knowledge with the crew.",
        texts=("proposal", "lead", "members"),
    ),
    "consolidate_policy": Choice(
        default="setting",
        help="Whether what was learned of notes is applied, or waits for an operator.",
        texts=("setting", "auto", "review"),
    ),
}

AGENT_SETTINGS: Mapping[str, Choice] = {
    "auto_extract": Choice(default=True, help="Take memories out of its session logs."),
    "auto_recall": Choice(default=True, help="Lay recalled memories before it."),
    "recall_max_tokens": Choice(
        default=2000, help="Most tokens of a recall.", least=1, most=100_000
    ),
    "recall_min_relevance": Choice(
        default=0.70, help="Least relevance of what is recalled.", least=0, most=1
    ),
    "recall_max_results": Choice(
        default=5, help="Most results of a recall.", least=1, most=100
    ),
    "extract_interval_minutes": Choice(
        default=5, help="Minutes between two extractions.", least=1, most=1440
    ),
    "memory_walk_depth": Choice(
        default=0, help="Relations that a recall follows from a hit.", least=0, most=3
    ),
}

ORIGIN = "command line"
"""Where a setting of a crew or an agent is met."""

MOST_DIGITS = 20
"""Of a number that is typed: no bound here needs more."""


def parsed(pairs: Mapping[str, str], known: Mapping[str, Choice]) -> dict[str, object]:
    """Read settings that were typed as KEY=VALUE; without a value it is the default.

    Raises:
        UnknownSettingError: If there is no such setting.
        BadSettingError: If a value is not of its kind, or out of its range.
    """
    return {key: _read(key, text.strip(), known) for key, text in pairs.items()}


def _read(key: str, text: str, known: Mapping[str, Choice]) -> object:
    if key not in known:
        raise _unknown(key, known)
    choice = known[key]
    value = _value(choice, text) if text else choice.default
    if value is None:
        raise BadSettingError(ORIGIN, key, text[:80], wanted(choice))
    return value


def _unknown(key: str, known: Mapping[str, Choice]) -> UnknownSettingError:
    from difflib import get_close_matches

    nearest = get_close_matches(key, known, n=1)
    error = UnknownSettingError(ORIGIN, key, next(iter(nearest), None))
    if not nearest:
        error.hint = f"There is {', '.join(known)}."
    return error


def _value(choice: Choice, text: str) -> object:
    if isinstance(choice.default, bool):
        return FLAGS.get(text.lower())
    if isinstance(choice.default, str):
        return text if text in choice.texts else None
    if not text.isascii() or "_" in text or len(text) > MOST_DIGITS:
        return None
    try:
        number = type(choice.default)(text)
    except ValueError:
        return None
    return number if choice.least <= number <= choice.most else None


def wanted(choice: Choice) -> str:
    """Say what values *choice* takes."""
    if isinstance(choice.default, bool):
        return "true or false"
    if isinstance(choice.default, str):
        return " or ".join(choice.texts)
    kind = "a whole number" if isinstance(choice.default, int) else "a number"
    return f"{kind} from {choice.least:,g} to {choice.most:,g}"


def defaults(known: Mapping[str, Choice]) -> dict[str, object]:
    """Return the settings that nobody changed."""
    return {key: choice.default for key, choice in known.items()}


def complete(
    changed: Mapping[str, object], known: Mapping[str, Choice]
) -> dict[str, object]:
    """Return all settings: those *changed*, and the defaults of the rest."""
    return defaults(known) | dict(changed)


def changes(
    settings: Mapping[str, object], known: Mapping[str, Choice]
) -> dict[str, object]:
    """Return what in *settings* is not the default; what is not *known* is kept."""
    usual = defaults(known)
    return {
        key: value
        for key, value in settings.items()
        if key not in usual or value != usual[key]
    }
