"""Passages that an operator released in review, or let pass with `--allow`.

They hold for the whole process, like further rules: the home that was opened last says which.
They are asked for only when an attack was found, which is seldom.
"""

from collections.abc import Callable
from hashlib import sha256

from crewmem.text.markdown import passages

_load: Callable[[], frozenset[str]] | None = None


def use_released(load: Callable[[], frozenset[str]] | None) -> None:
    """Let the scanner ask *load* for the hashes of released passages; None: there are none."""
    global _load  # noqa: PLW0603 - one scanner for the process
    _load = load


def forget_released(load: Callable[[], frozenset[str]]) -> None:
    """Ask *load* no longer: its home is closed."""
    if _load == load:
        use_released(None)


def read_released() -> frozenset[str]:
    """Return the hashes of released passages."""
    return _load() if _load is not None else frozenset()


def hash_passage(text: str) -> str:
    """Return what names a passage."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_passages(*texts: str) -> list[str]:
    """Return the hashes of all passages of *texts*, each once."""
    hashes = (hash_passage(passage.text) for text in texts for passage in passages(text))
    return list(dict.fromkeys(hashes))
