"""What an operator lets pass: released passages, and the rules of the setting `scan.allow`."""

import os
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from crewmem.text.markdown import passages

_LEAD = re.compile(r"^\s*[-*+] (?:\d\d:\d\d — )?")
"""The mark of a list item, and the time of a line of a daily note."""


def hash_passage(text: str) -> str:
    """Return what names a passage, wherever it stands: as a paragraph, an item, a daily note."""
    words = " ".join(_LEAD.sub("", text, count=1).split())
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def hash_passages(*texts: str) -> list[str]:
    """Return the hashes of all passages of *texts*, each once."""
    hashes = (hash_passage(passage.text) for text in texts for passage in passages(text))
    return list(dict.fromkeys(hashes))


def allowed_rules(
    entries: Iterable[str], file: str = "", path: Path | None = None
) -> frozenset[str]:
    """Return the rules that entries of the setting `scan.allow` let pass in a text.

    Args:
        entries: ``RULE``, or ``DIRECTORY:RULE`` with a directory or file, by reference or path.
        file: Reference of the file that the text stands in; "" for none.
        path: Of that file.
    """
    allowed = set()
    for entry in entries:
        place, _, rule = entry.rpartition(":")
        if not place or file == place or file.startswith(f"{place.rstrip('/')}/"):
            allowed.add(rule)
        elif path is not None and place.startswith(("/", "~")):
            if path.is_relative_to(os.path.expanduser(place)):
                allowed.add(rule)
    return frozenset(allowed)
