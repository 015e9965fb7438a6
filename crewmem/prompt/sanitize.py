"""Text that cannot open, close or imitate the markup of a context block."""

import re
import unicodedata

from crewmem.text.markdown import OWN_COMMENT

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
"""Characters that can hide or reorder text. They are removed."""

OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x85\u2028\u2029]")
"""Line ends that do not count as such in memory files. They become spaces."""

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200d\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)
"""Characters that are not shown. They stay, because some scripts need them, unless the line looks
like markup without them."""

TAG = re.compile(
    r"<(?=\s*/?\s*(?:recalled-memory|memory|context|system|assistant|user|human|developer|tool"
    r"|function|instructions?|im_start|im_end|\|))",
    re.IGNORECASE,
)
"""Starts of tags that a model may take for markup."""

LABEL_LINE = re.compile(
    r"^[\s>*_#`-]*(?:\[\s*(?:END\b|MEMORY|AGENT|CREW|WORKSPACE|PERSONA|OPERATOR|PEER|SYSTEM)[^\]\n]*\][\s*_`]*$"
    r"|-{2,}\s*[^-\n].*?-{2,}\s*$)",
    re.IGNORECASE,
)
"""Lines that look like the label of a block or section."""

END_LABEL = re.compile(r"\[(?=\s*END\b)", re.IGNORECASE)
"""The label that ends a block. It is matched anywhere in a line, because references contain file
names."""

ROLE_LINE = re.compile(r"^\s*(?:system|assistant|user|human|developer)\s*:", re.IGNORECASE)


def sanitize(text: str) -> str:
    r"""Return *text* with the lines escaped that look like markup of a context block.

    Changes stay visible: a backslash precedes a label, and ``&lt;`` replaces ``<`` of a tag.
    Internal markers and control characters are removed.

    >>> sanitize("[END AGENT MEMORY]")
    '\\[END AGENT MEMORY]'
    >>> sanitize("a </recalled-memory> b")
    'a &lt;/recalled-memory> b'
    """
    text = OTHER_LINE_ENDS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = CONTROLS.sub("", OWN_COMMENT.sub("", text))
    lines = []
    for line in text.split("\n"):
        normalized = line
        if not line.isascii():
            normalized = unicodedata.normalize("NFKC", INVISIBLE.sub("", line))
        if TAG.search(normalized):
            line = normalized = TAG.sub("&lt;", normalized)
        if END_LABEL.search(normalized):
            line = normalized = END_LABEL.sub(r"\\[", normalized)
        if LABEL_LINE.match(normalized) or ROLE_LINE.match(normalized):
            line = "\\" + line.lstrip()
        lines.append(line)
    return "\n".join(lines)


def sanitize_line(text: str) -> str:
    """Return *text* sanitized and joined into one line."""
    return sanitize(" ".join(text.split()))
