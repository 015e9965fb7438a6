"""Quarantine: refused passages of memory files, kept until a person decides."""

import contextlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from crewmem.errors import NotFoundError
from crewmem.files.directories import MemoryDirectory
from crewmem.protocols import ReviewWriter
from crewmem.security.allowed import hash_passage
from crewmem.storage.filesystem import read_file, remove_file, write_file

FOLDER = ".quarantine"


def quarantine(
    directory: MemoryDirectory,
    file: str,
    text: str,
    rules: Sequence[str],
    review: ReviewWriter | None,
    *,
    at: str,
    source: str,
) -> bool:
    """Store a refused passage as a private file, and add it to the review queue if there is one.

    The same passage for the same file is stored once. One that review rejected is not stored again.

    Args:
        file: Reference of the file that it was written to.
        rules: Ids of the rules that refused it.
        at: Stored time of the refusal.
        source: Actor and operation of the write.

    Returns:
        Whether it is stored and waits for a decision.
    """
    digest, named = hash_passage(text), ", ".join(rules)
    key = f"{file} {digest}"
    if review is not None and review.find_rejected("quarantine", key):
        return False
    header = f"file: {file}\nrules: {named}\nat: {at}\nsource: {source}\n"
    content = f"---\n{header}---\n{text}".encode("utf-8", "surrogateescape")
    payload = {"file": file, "sha256": digest, "rules": list(rules), "source": source}
    write_file(directory.path, _name(payload), content)
    if review is not None:
        review.add(
            "quarantine",
            f"refused in {file}: {named}",
            payload=payload,
            crew=directory.crew,
            agent=directory.agent,
            key=key,
        )
    return True


def read_quarantined(directory: Path, payload: Mapping[str, Any]) -> str:
    """Return the text of a refused passage.

    Args:
        directory: The memory directory.
        payload: Payload of its review item.

    Raises:
        NotFoundError: If it is missing.
    """
    name = _name(payload)
    try:
        content = read_file(directory, name).decode("utf-8", "surrogateescape")
    except NotFoundError as error:
        raise NotFoundError(
            f"the refused text of {payload['file']} is missing: {directory / name}",
            code="quarantined-text-missing",
        ) from error
    return content.split("---\n", 2)[2]


def drop_quarantined(directory: Path, payload: Mapping[str, Any]) -> None:
    """Delete a refused passage, if it still exists."""
    with contextlib.suppress(NotFoundError):
        remove_file(directory, _name(payload))


def _name(payload: Mapping[str, Any]) -> str:
    """Return the file name of a refused passage, which depends on passage and target file."""
    named = f"{payload['file']}\n{payload['sha256']}".encode("utf-8", "surrogateescape")
    return f"{FOLDER}/{sha256(named).hexdigest()}.md"
