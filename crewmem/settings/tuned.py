"""The file of tuned settings: what `tune` found better than the defaults.

It is TOML, but of numbers alone, so that reading it takes no reader of TOML.
"""

from __future__ import annotations

from crewmem.errors.settings import ConfigSyntaxError, UnknownSettingError
from crewmem.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crewmem.settings.kinds import Value

FILE = "tuned.toml"

KEYS = (
    "recall_min_relevance",
    "recall_max_results",
    "recall_max_chars",
    "recall_words_weight",
    "recall_prior_weight",
)
"""What may stand in it; a test compares it with what is tuned."""

HEADER = "# Written by crewmem tune; crewmem tune rollback takes it back.\n"


def values(text: str, path: Path | str) -> dict[str, Value]:
    """Return what *text*, which stands at *path*, sets.

    Raises:
        SettingError: If a line sets nothing that is tuned, or to what it may not be.
    """
    found: dict[str, Value] = {}
    for number, line in enumerate(text.splitlines(), 1):
        bare, origin = line.partition("#")[0].strip(), f"{path}:{number}"
        if not bare:
            continue
        key, equals, value = (each.strip() for each in bare.partition("="))
        if not equals:
            raise ConfigSyntaxError(path, f"line {number} is no setting")
        if key not in KEYS:
            raise UnknownSettingError(origin, key, None)
        found[key] = SETTINGS[key].parse(value, origin)
    return found


def spelled(values: Mapping[str, float]) -> str:
    """Return the text of a file that sets *values*."""
    lines = [f"{key} = {_number(values[key])}\n" for key in KEYS if key in values]
    return "".join([HEADER, *lines]) if lines else ""


def _number(value: float) -> str:
    """Spell *value*; a whole one with all its digits, for no setting reads 1e+06."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:g}"
