"""What names a passage that an operator released in review, or let pass with `--allow`."""

import re
from hashlib import sha256

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
