"""Failures of single values: times, names, ids, fields."""

from __future__ import annotations

from crewmem.errors import NotFoundError, RefusedError, SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class BadActorError(SettingError):
    """An actor is not spelled as one."""

    hint = "Write agent:SLUG, lead:SLUG or operator:NAME."

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not an actor")
        self.text = text


class PrefixTooShortError(NotFoundError):
    """An id was shortened too far."""

    def __init__(self, name: str, least: int) -> None:
        super().__init__(f"{name!r} is no id, and too short for the beginning of one")
        self.name, self.least = name, least
        self.hint = f"Give at least {least} characters of it."


class BadNameError(RefusedError):
    """A workspace, crew or agent cannot be called that."""

    hint = "Use lower-case letters, digits and hyphens, at most 64, no hyphen first."

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{name!r} cannot name {kind}")
        self.kind, self.name = kind, name


class BadTimeError(ValueError):
    """Text is no time, date or span.

    Not a failure of its own: the command line reports it as its own mistake (2), a
    variable as a `BadSettingError` (3), an import as a bad line.
    """

    def __init__(self, text: str, wanted: str) -> None:
        super().__init__(f"{text[:80]!r} is not {wanted}")
        self.text, self.wanted = text, wanted


class BadZoneError(ValueError):
    """There is no time zone of that name here; reported as `BadTimeError` is."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:80]!r} is not a time zone that this system knows")
        self.name = name


class BadEntryError(ValueError):
    """A field of an entry is not what it should be.

    Not a failure of its own: the command line reports it as its own mistake (2), an
    import as a bad line.
    """

    def __init__(self, field: str, text: str, wanted: str) -> None:
        super().__init__(f"{field} should be {wanted}, not {text[:80]!r}")
        self.field, self.text, self.wanted = field, text, wanted


class BadCursorError(ValueError):
    """A listing cannot go on there; reported as `BadTimeError` is."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:80]!r} is not what a listing gave to go on with")
        self.text = text


class BadMemoryError(ValueError):
    """A value is not what that field of a memory takes."""

    def __init__(self, name: str, text: str, wanted: str) -> None:
        super().__init__(f"{name} should be {wanted}, not {text[:80]!r}")
        self.name, self.text, self.wanted = name, text, wanted


class UnknownKindError(ValueError):
    """There is no kind of memory of that name."""

    def __init__(self, word: str, nearest: str | None, kinds: Sequence[str]) -> None:
        means = f"did you mean {nearest}?" if nearest else f"one of {', '.join(kinds)}"
        super().__init__(f"there is no kind {word[:40]!r}: {means}")
        self.word, self.nearest, self.kinds = word, nearest, kinds
