"""Modules that are imported when something of them is used, rather than at the start.

click and pathlib import some modules for features that few runs reach: help texts
read by ``inspect``, UUIDs, translations, URLs; and ``typing``, for type checkers. A
seventh of a search went into them.
While those two are imported, stand-ins take the modules' places; each does what it
stands for, by importing the real one when it is called.
"""

from __future__ import annotations

import _thread
import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self


class Late(ModuleType):
    """A module that is imported when it is asked for something it does not have."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _called(module: str, name: str) -> Callable[..., object]:
    """Return a function that calls *name* of *module*, imported then."""

    def call(*args: object) -> object:
        return getattr(import_module(module), name)(*args)

    return call


class _Type:
    """What click calls types, for type checkers: any one, of anything, or any other."""

    def __call__(self, *_: Any, **__: Any) -> Self:
        return self

    def __getitem__(self, item: object) -> Self:
        return self

    def __or__(self, other: object) -> Self:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """Return what a class is made of that names this one as its base."""
        return (_Typed,)


class _Typed:
    """Base of classes that are generic, or typed in another way."""

    def __init_subclass__(cls, **_: object) -> None:
        """Take what such a class is told."""

    def __class_getitem__(cls, _: object) -> type[Self]:
        """Return the class itself, whatever it is of."""
        return cls


class _Typing(ModuleType):
    """What stands for typing: nothing of it does anything when a program runs."""

    TYPE_CHECKING = False

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Type()

    @staticmethod
    def cast(_: object, value: object) -> object:
        """Return the *value*."""
        return value

    @staticmethod
    def overload(function: object) -> object:
        """Return the *function*."""
        return function


class _UUID:
    """Makes a real one. A class, because click names it as a type."""

    def __new__(cls, text: str) -> Self:
        made: Any = _called("uuid", "UUID")(text)
        return made  # type: ignore[no-any-return]


def import_click() -> None:
    """Import click, whose help texts, UUIDs and translations few runs need."""
    # dataclasses has the same use for it, so this one stays in its place.
    sys.modules.setdefault("inspect", Late("inspect"))
    uuid, gettext = Late("uuid"), Late("gettext")
    uuid.UUID = _UUID  # type: ignore[attr-defined]
    threads = Late("threading")
    threads.local = _thread._local  # type: ignore[attr-defined] # noqa: SLF001
    # crewmem speaks English, and so do the few messages of click that it shows.
    gettext.gettext = str  # type: ignore[attr-defined]
    gettext.ngettext = lambda one, many, n: one if n == 1 else many  # type: ignore[attr-defined]
    import_datetime()
    try:
        _imported("click", uuid, gettext, threads, _Typing("typing"))
    except (AttributeError, TypeError):  # one that asks more of typing
        for name in [each for each in sys.modules if each.split(".")[0] == "click"]:
            del sys.modules[name]
        _imported("click", uuid, gettext, threads)


def import_datetime() -> None:
    """Import datetime without the copy of it in Python that it throws away.

    Later ones leave it out by themselves.
    """
    if sys.version_info < (3, 12) and "datetime" not in sys.modules:
        import _datetime  # type: ignore[import-not-found]

        module = ModuleType("datetime")
        vars(module).update(vars(_datetime), __name__="datetime")
        sys.modules["datetime"] = module


def import_pathlib() -> None:
    """Import pathlib, which makes URLs of paths and globs for those who ask for them.

    It knows the paths of Windows, too.
    """
    urls = Late("urllib.parse")
    urls.quote_from_bytes = _called("urllib.parse", "quote_from_bytes")  # type: ignore[attr-defined]
    _imported("pathlib", urls, Late("fnmatch"), Late("ntpath"))


def _imported(name: str, *stand_ins: ModuleType) -> None:
    """Import *name* while *stand_ins* are in the places of what is not there yet."""
    if name in sys.modules:
        return
    standing = [each for each in stand_ins if each.__name__ not in sys.modules]
    sys.modules.update({each.__name__: each for each in standing})
    try:
        import_module(name)
    finally:
        for each in standing:
            if sys.modules.get(each.__name__) is each:
                del sys.modules[each.__name__]
