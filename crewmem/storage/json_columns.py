"""Columns that hold JSON: reading them, and how deep what is written is nested.

Somebody may have damaged a row. It then reads as empty, so that one row does not hide all
others, and `doctor` names it.
"""

import json
from typing import Any


def load_object(text: str) -> dict[str, Any]:
    """Return a stored JSON object; an empty one when it is damaged."""
    if text == "{}":
        return {}
    value = _load(text)
    return value if isinstance(value, dict) else {}


def load_list(text: str) -> list[Any]:
    """Return a stored JSON list; an empty one when it is damaged."""
    if text == "[]":
        return []
    value = _load(text)
    return value if isinstance(value, list) else []


def load_texts(text: str) -> list[str]:
    """Return a stored JSON list of texts, without what is no text."""
    return [each for each in load_list(text) if isinstance(each, str)]


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_deeper(value: object, levels: int) -> bool:
    """Tell whether lists and objects are nested in *value* deeper than so many levels."""
    if not isinstance(value, dict | list | tuple):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_deeper(each, levels - 1) for each in inner)
