"""The kinds of setting: a number, a whole number, a text.

A setting is a descriptor, so that ``settings.busy_timeout`` is a float to mypy and to
Python and its declaration is one line. Dataclass fields would cost every command the
20 ms of CPU time that importing `dataclasses` takes; `typing.Generic`, 13.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

    from crewmem.errors.settings import BadSettingError
    from crewmem.settings import Settings

    Value = float | int | str

FLAGS = dict.fromkeys(("true", "on", "yes", "1"), True) | dict.fromkeys(
    ("false", "off", "no", "0"), False
)
"""What spells on and off."""


def spelled(value: Value) -> str:
    """Return *value* as a person, and TOML, spells it; a text as it is."""
    return str(value).lower() if isinstance(value, bool) else str(value)


SHOWN_MOST = 80
"""Most characters of a bad value that its error repeats."""


class Setting:
    """One setting: what it is without being set, what it is for, what it may be.

    Attributes:
        default: Its value where nobody set it.
        about: What it is for, a sentence.
        wanted: What it may be, as the end of "should be …".
        fallback: A variable of an older system that is read where no other place
            says anything, or "".
        name: The attribute of `Settings`, as ``caps_agent``.
        path: The keys that lead to it in the file, as ``("caps", "agent")``.
        key: What people call it, as ``caps.agent``.
        variable: The environment variable that sets it, as ``CREWMEM_CAPS_AGENT``.
    """

    default: Value
    wanted: str
    name: str
    path: tuple[str, ...]
    key: str
    variable: str

    def __init__(self, about: str, *, table: str = "", fallback: str = "") -> None:
        self.about, self.table, self.fallback = about, table, fallback

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self.name = name
        if self.table:
            self.path = (self.table, name.removeprefix(f"{self.table}_"))
        else:
            self.path = (name,)
        self.key = ".".join(self.path)
        self.variable = f"CREWMEM_{name.upper()}"

    def parse(self, text: str, origin: str) -> Value:
        """Return the value that *text* spells, in a variable or on a command line.

        Raises:
            BadSettingError: If it spells none that this setting may have.
        """
        try:
            return self.checked(self._read(text.strip()))
        except ValueError as error:
            raise self.bad(text, origin) from error

    def checked(self, value: object) -> Value:
        """Return *value* in the type of this setting.

        Raises:
            ValueError: If this setting may not have it.
        """
        raise NotImplementedError

    def bad(self, text: str, origin: str) -> BadSettingError:
        """Return the error that says that *text* will not do."""
        from crewmem.errors.settings import BadSettingError

        return BadSettingError(origin, self.key, text[:SHOWN_MOST], self.wanted)

    def _read(self, text: str) -> Value:
        raise NotImplementedError


class Number(Setting):
    """A number between two bounds, both allowed."""

    def __init__(
        self,
        default: float,
        about: str,
        *,
        least: float,
        most: float,
        table: str = "",
    ) -> None:
        super().__init__(about, table=table)
        self.default, self.least, self.most = default, least, most
        self.wanted = f"a number from {least:,g} to {most:,g}"

    def __get__(self, settings: Settings, owner: object = None) -> float:
        return float(settings.value(self))

    def checked(self, value: object) -> float:
        """Return *value* as a float; what is not a number is within no bounds."""
        if (_is_whole(value) or isinstance(value, float)) and (
            self.least <= value <= self.most
        ):
            return float(value)
        raise ValueError(self.wanted)

    def _read(self, text: str) -> float:
        return float(text)


class Whole(Setting):
    """A whole number between two bounds, both allowed."""

    def __init__(
        self, default: int, about: str, *, least: int, most: int, table: str = ""
    ) -> None:
        super().__init__(about, table=table)
        self.default, self.least, self.most = default, least, most
        self.wanted = f"a whole number from {least:,} to {most:,}"

    def __get__(self, settings: Settings, owner: object = None) -> int:
        return int(settings.value(self))

    def checked(self, value: object) -> int:
        """Return *value* as it is; 1.0 is not whole, nor is true."""
        if _is_whole(value) and self.least <= value <= self.most:
            return value
        raise ValueError(self.wanted)

    def _read(self, text: str) -> int:
        return int(text)


class Flag(Setting):
    """On or off."""

    wanted = "true or false"

    def __init__(self, default: bool, about: str, *, table: str = "") -> None:
        super().__init__(about, table=table)
        self.default = default

    def __get__(self, settings: Settings, owner: object = None) -> bool:
        return bool(settings.value(self))

    def checked(self, value: object) -> bool:
        """Return *value* as it is: 1 is not true."""
        if isinstance(value, bool):
            return value
        raise ValueError(self.wanted)

    def _read(self, text: str) -> bool:
        try:
            return FLAGS[text.lower()]
        except KeyError as error:
            raise ValueError(self.wanted) from error


class Text(Setting):
    """A text that *check* says yes to."""

    def __init__(
        self,
        default: str,
        about: str,
        *,
        check: Callable[[str], bool],
        wanted: str,
        fallback: str = "",
        table: str = "",
    ) -> None:
        super().__init__(about, fallback=fallback, table=table)
        self.default, self.check, self.wanted = default, check, wanted

    def __get__(self, settings: Settings, owner: object = None) -> str:
        return str(settings.value(self))

    def checked(self, value: object) -> str:
        """Return *value* as it is."""
        if isinstance(value, str) and self.check(value):
            return value
        raise ValueError(self.wanted)

    def _read(self, text: str) -> str:
        return text


class Words(Text):
    """Texts without white space: a list in the file, in one text everywhere else."""

    def __init__(self, about: str, *, wanted: str, table: str) -> None:
        super().__init__("", about, check=str.isprintable, wanted=wanted, table=table)

    def checked(self, value: object) -> str:
        """Return *value* as one text."""
        if isinstance(value, list):
            words = [each for each in value if isinstance(each, str)]
            if len(words) < len(value) or any(len(each.split()) != 1 for each in words):
                raise ValueError(self.wanted)
            value = " ".join(words)
        return " ".join(super().checked(value).split())


class Tables(Text):
    """Tables of texts by name: tables in the file, JSON everywhere else."""

    def __init__(self, about: str, *, wanted: str, table: str) -> None:
        super().__init__("", about, check=_are_tables, wanted=wanted, table=table)

    def checked(self, value: object) -> str:
        """Return *value* as JSON, "" for no tables."""
        if isinstance(value, dict):
            from json import dumps  # for those who have some

            try:
                value = dumps(value, ensure_ascii=False) if value else ""
            except TypeError as error:  # a date
                raise ValueError(self.wanted) from error
        return super().checked(value)


def _are_tables(text: str) -> bool:
    from json import loads  # for those who have some

    if not text:
        return True
    try:
        tables = loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(tables, dict) and all(
        isinstance(table, dict)
        and all(isinstance(each, str) for each in table.values())
        for table in tables.values()
    )


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
