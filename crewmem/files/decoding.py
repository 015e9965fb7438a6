"""Decoding the bytes of memory files."""

import codecs

BINARY_SAMPLE = 8_192
"""Bytes at the start of a file that decide whether it is text."""

MAX_BAD_SHARE = 0.2
"""Maximum share of NUL and undecodable bytes in a text. Latin-1 letters are far fewer."""

BINARY = "it is binary"
UTF_16 = "it is UTF-16, not UTF-8"
CP1252 = "it is not UTF-8: read as cp1252"
DAMAGED = "it is damaged UTF-8: unreadable characters were replaced"
"""Problems of a file's encoding, as people read them."""


def normalize(text: str) -> str:
    r"""Return *text* with ``\n`` as line end, and without a byte order mark.

    Line numbers stay the same. A carriage return is a line end only if the text has no ``\n``.
    """
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\n" not in text:
            text = text.replace("\r", "\n")
    return text


def decode(content: bytes) -> tuple[str, str]:
    """Return the normalized text of a file ("" for a binary file), and its problem, or "".

    >>> decode("Café".encode("latin-1"))
    ('Café', 'it is not UTF-8: read as cp1252')
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return normalize(content.decode("utf-16", "replace")), UTF_16
    sample = content[:BINARY_SAMPLE]
    undecodable = len(sample) - len(sample.decode("utf-8", "ignore").encode())
    if sample.count(b"\0") + undecodable > MAX_BAD_SHARE * len(sample):
        return "", BINARY
    try:
        return normalize(content.decode("utf-8")), ""
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
    non_ascii = sum(character > "\x7f" for character in text)
    if text.count("\ufffd") * 2 <= non_ascii:
        return normalize(text), DAMAGED
    return normalize(content.decode("cp1252", "replace")), CP1252
