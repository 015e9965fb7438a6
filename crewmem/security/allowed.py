"""Exceptions made by an operator: released passages, and the setting `scan.allow`."""

import os
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from crewmem.text.markdown import passages

_ITEM_PREFIX = re.compile(r"^\s*[-*+] (?:\d\d:\d\d — )?")
"""A bullet, and the time of a line of a daily note."""


def hash_passage(text: str) -> str:
    """Return the hash of a passage: the same for a paragraph, a list item and a daily note."""
    words = " ".join(_ITEM_PREFIX.sub("", text, count=1).split())
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def hash_passages(*texts: str) -> list[str]:
    """Return the hashes of all passages of *texts*, without duplicates."""
    hashes = (hash_passage(passage.text) for text in texts for passage in passages(text))
    return list(dict.fromkeys(hashes))


def allowed_rules(
    entries: Iterable[str], file: str = "", path: Path | None = None
) -> frozenset[str]:
    """Return the ids of the rules that the setting `scan.allow` disables for a file.

    Args:
        entries: ``RULE``, or ``LOCATION:RULE``, where LOCATION is the reference or the absolute
            path of a directory or file.
        file: Reference of the file that contains the text; "" for none.
        path: Path of that file.
    """
    allowed = set()
    for entry in entries:
        location, _, rule = entry.rpartition(":")
        if not location or file == location or file.startswith(f"{location.rstrip('/')}/"):
            allowed.add(rule)
        elif path is not None and location.startswith(("/", "~")):
            real = os.path.realpath(os.path.expanduser(location))  # either may contain links
            if Path(os.path.realpath(path)).is_relative_to(real):
                allowed.add(rule)
    return frozenset(allowed)
