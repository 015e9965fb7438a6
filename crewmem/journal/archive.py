"""What becomes of an entry in the archive: short to read, and whole. Pure."""

from __future__ import annotations

import hashlib
import json
import zlib

from crewmem.errors.journal import ArchiveDamagedError
from crewmem.journal import stored
from crewmem.journal.chain import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.journal.stored import Stored

SHORT = 400
"""Most characters of a payload in the archive, as was published."""

SHORT_TEXT = 120
"""Most characters of a text in it."""

LEVEL = 6
"""Of compression: 9 took twice the time, and saved a hundredth."""

MOST = 16 << 20
"""Most bytes of an original: more than any entry can have."""


def packed(row: Stored) -> tuple[bytes, str]:
    """Return *row* compressed, and the hash of what is in it."""
    whole = stored.original(row).encode()
    return zlib.compress(whole, LEVEL), hashlib.sha256(whole).hexdigest()


def unpacked(blob: bytes, sha: str, entry_id: str) -> Stored:
    """Return the row that `packed` made *blob* and *sha* of.

    Raises:
        ArchiveDamagedError: If it is not what was packed.
    """
    try:
        reader = zlib.decompressobj()
        whole = reader.decompress(blob, MOST)
        if not reader.eof or hashlib.sha256(whole).hexdigest() != sha:
            raise ArchiveDamagedError(entry_id)
        return stored.from_original(whole.decode())
    except (zlib.error, ValueError) as error:
        raise ArchiveDamagedError(entry_id) from error


def shortened(payload: str) -> str:
    """Return the JSON object *payload* in at most `SHORT` characters, still valid.

    Fields are kept in their order as long as there is room; a long text is cut.
    """
    if len(payload) <= SHORT:
        return payload
    whole: Mapping[str, object] = json.loads(payload)
    kept: dict[str, object] = {}
    for name, value in whole.items():
        short = _cut(value)
        if short is not None and len(encoded({**kept, name: short})) <= SHORT:
            kept[name] = short
    return encoded(kept)


def _cut(value: object) -> object:
    """Return *value* when it is short, the beginning of a text, and else None."""
    if isinstance(value, str) and len(value) > SHORT_TEXT:
        return f"{value[: SHORT_TEXT - 1]}…"
    if isinstance(value, dict | list) and len(encoded(value)) > SHORT_TEXT:
        return None
    return value
