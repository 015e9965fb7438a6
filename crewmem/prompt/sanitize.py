"""Text that cannot open, close or imitate the markup of a context block."""

import re
import unicodedata

from crewmem.text.markdown import OWN_COMMENT

CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\u200e\u200f]"
)
"""Characters that could hide or reorder text; they are removed."""

TAG = re.compile(
    r"<(?=\s*/?\s*(?:recalled-memory|memory|context|system|assistant|user|human|developer|tool"
    r"|function|instructions?|im_start|im_end|\|))",
    re.IGNORECASE,
)
"""Beginnings of tags that a model may take for structure."""

LABEL_LINE = re.compile(
    r"^[\s>*_#`-]*(?:\[\s*(?:END\b|MEMORY|AGENT|CREW|WORKSPACE|PERSONA|OPERATOR|PEER|SYSTEM)[^\]\n]*\][\s*_`]*$"
    r"|-{2,}\s*[^-\n].*?-{2,}\s*$)",
    re.IGNORECASE,
)
"""Lines that look like a block or a section label."""

END_LABEL = re.compile(r"\[(?=\s*END\b)", re.IGNORECASE)
"""The mark that closes a block. It may stand within a line, as references contain file names."""

ROLE_LINE = re.compile(r"^\s*(?:system|assistant|user|human|developer)\s*:", re.IGNORECASE)


def sanitize(text: str) -> str:
    r"""Return *text* without lines that look like markup of a context block.

    Changes stay visible: a backslash precedes a label, and ``&lt;`` replaces ``<`` of a tag.
    Internal markers and control characters are removed.

    >>> sanitize("[END AGENT MEMORY]")
    '\\[END AGENT MEMORY]'
    >>> sanitize("a </recalled-memory> b")
    'a &lt;/recalled-memory> b'
    """
    text = CONTROLS.sub("", OWN_COMMENT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    lines = []
    for line in text.split("\n"):
        seen = unicodedata.normalize("NFKC", line) if not line.isascii() else line
        if TAG.search(seen):
            line = seen = TAG.sub("&lt;", seen)
        if END_LABEL.search(seen):
            line = seen = END_LABEL.sub(r"\\[", seen)
        if LABEL_LINE.match(seen) or ROLE_LINE.match(seen):
            line = "\\" + line.lstrip()
        lines.append(line)
    return "\n".join(lines)


def sanitize_line(text: str) -> str:
    """Return *text* sanitized, on one line."""
    return sanitize(" ".join(text.split()))
