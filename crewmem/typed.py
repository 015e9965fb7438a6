"""What is for type checkers alone, without ``typing``: to import that takes 2 ms.

A type checker sees the usual names; when a program runs they are empty.
"""

from __future__ import annotations

__all__ = ["Generic", "Protocol", "TypeVar", "cast"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic, Protocol, TypeVar, cast
else:

    class Protocol:
        """Base of shapes that modules and objects have."""

        __slots__ = ()

    class Generic:
        """Base of classes that are of something."""

        __slots__ = ()

        def __class_getitem__(cls, _: object) -> type:
            """Return the class itself, whatever it is of."""
            return cls

    def TypeVar(name: str, *_: object, **__: object) -> str:  # noqa: N802 - as typing has it
        """Return the *name* of a type."""
        return name

    def cast(_: str, value: object) -> object:
        """Return the *value*, whatever it is said to be."""
        return value
