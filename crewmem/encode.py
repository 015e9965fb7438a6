"""Records as JSON, without the module ``json``.

That compiles patterns to read JSON with, which costs a twentieth of a search.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def encoded(value: object) -> str:
    """Return *value* as JSON in one line of ASCII, as ``json.dumps`` would.

    Raises:
        TypeError: If JSON has nothing for it.
        ValueError: If it holds a number that is none, or is infinite.
    """
    try:
        from _json import encode_basestring_ascii as quoted
    except ImportError:  # not every Python has it
        from json import dumps as quoted
    return _json_text(plain(value), quoted)


def _json_text(value: object, quoted: Callable[[str], str]) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(_json_text(each, quoted) for each in value)}]"
    if isinstance(value, dict):
        pairs = (
            f"{quoted(str(key))}: {_json_text(each, quoted)}"
            for key, each in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value)
    if text in {"nan", "inf", "-inf"}:
        raise ValueError(f"{text} is not JSON compliant")
    return text


def plain(value: object) -> object:
    """Return *value* made of what JSON has: records are objects, instants text.

    Raises:
        TypeError: If JSON has nothing for it.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if hasattr(value, "_asdict"):  # a named tuple
        return plain(value._asdict())
    if hasattr(value, "__dataclass_fields__"):
        return {
            name: plain(getattr(value, name)) for name in value.__dataclass_fields__
        }
    if hasattr(value, "items"):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return _spelled(value)


def _spelled(value: object) -> object:
    if hasattr(value, "__fspath__"):
        return str(value)
    if hasattr(value, "isoformat"):  # an instant or a day, without importing either
        from crewmem import times

        when: Any = value
        return times.spelled(when)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    raise TypeError(f"cannot show a {type(value).__name__} as JSON")
