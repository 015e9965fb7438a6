"""Hashes by which contents are known again."""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def sha256(content: bytes) -> str:
    """Return the sha256 of *content*, in hexadecimal digits."""
    return str(_hasher()(content).hexdigest())


@cache
def _hasher() -> Callable[[bytes], Any]:
    # Not hashlib, where it can be helped: that loads OpenSSL, for 4 MB and 5 ms.
    for name in ("_sha2", "_sha256"):  # from Python 3.12 on, and before
        try:
            found: Callable[[bytes], Any] = import_module(name).sha256
        except ImportError:
            continue
        return found
    from hashlib import sha256 as hasher

    return hasher
