"""Named tuples, which cost little to define.

``typing.NamedTuple`` writes each class a constructor, as text, and compiles it: that
of thirty classes was a tenth of a search. Here they share one. A type checker sees
the usual class, and what is made of it behaves as the usual does.
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NamedTuple, Self
else:
    from collections import _tuplegetter

    class _Definition(type):
        """Makes a class of a list of annotated fields."""

        def __new__(
            cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]
        ) -> Self:
            fields = (*namespace.get("__annotations__", ()),)
            defaults = {
                field: namespace.pop(field) for field in fields if field in namespace
            }
            for at, field in enumerate(fields):
                namespace[field] = _tuplegetter(at, "")
            namespace["__slots__"] = ()
            namespace["_fields"] = namespace["__match_args__"] = fields
            namespace["_field_defaults"] = defaults
            return super().__new__(cls, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_Definition):  # noqa: SLOT001 - of its metaclass
        """A tuple whose places have names."""

        def __new__(cls, *values: object, **named: object) -> Self:
            """Make one of *values* in the order of the fields, and of *named* ones."""
            fields = cls._fields
            if len(named) == len(fields) and not values:
                try:
                    values = [named[field] for field in fields]
                except KeyError:
                    values = _complete(cls, values, named)
            elif named or len(values) != len(fields):
                values = _complete(cls, values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values: Iterable[object]) -> Self:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}")
            return made

        def _replace(self, **named: object) -> Self:
            return type(self)(**{**self._asdict(), **named})

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            pairs = (f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({', '.join(pairs)})"

        def __getnewargs__(self) -> tuple[object, ...]:
            return (*self,)

    def _complete(
        cls: type[NamedTuple], values: tuple[object, ...], named: dict[str, object]
    ) -> list[object]:
        """Return all values of a *cls*: of *values*, of *named*, and defaults."""
        fields = cls._fields
        given = dict(zip(fields, values, strict=False))
        whole = {**cls._field_defaults, **given, **named}
        if (
            len(values) > len(fields)
            or given.keys() & named
            or whole.keys() != {*fields}
        ):
            raise TypeError(f"{cls.__name__} takes {', '.join(fields)}, each once")
        return [whole[field] for field in fields]
