"""Reads columns that contain JSON, and checks how deeply a value is nested.

A damaged value reads as empty, so that it does not hide the other rows; `doctor` reports it.
"""

import json
from typing import Any


def load_object(text: str) -> dict[str, Any]:
    """Parse a stored JSON object; return {} if it is damaged."""
    if text == "{}":
        return {}
    value = _load(text)
    return value if isinstance(value, dict) else {}


def load_list(text: str) -> list[Any]:
    """Parse a stored JSON list; return [] if it is damaged."""
    if text == "[]":
        return []
    value = _load(text)
    return value if isinstance(value, list) else []


def load_texts(text: str) -> list[str]:
    """Parse a stored JSON list of strings; other items are left out."""
    return [each for each in load_list(text) if isinstance(each, str)]


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_deeper(value: object, levels: int) -> bool:
    """Return whether *value* nests lists and objects deeper than *levels*."""
    if not isinstance(value, dict | list | tuple):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_deeper(each, levels - 1) for each in inner)
