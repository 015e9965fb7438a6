"""Text of docstrings and helps as roff, the language of manual pages. Pure."""

from __future__ import annotations

import re
import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH = 78
"""Columns of a line of source: readers of a diff have eighty."""

BULLET = re.compile(r"[-*] +")

INLINE = re.compile(
    r"``(?P<code>[^`]+)``|`(?P<name>[^`]+)`|(?<!\S)\*(?P<slot>\w[^*]*)\*"
    r"|(?<![\w-])(?P<option>--?[A-Za-z][\w-]*)"
)
"""What is set in another font: code, names, parameters, options."""


def escaped(text: str) -> str:
    """Return *text* so that nothing in it is an instruction, hyphens as they are."""
    text = text.replace("\\", "\\e")
    return "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)


def literal(text: str) -> str:
    """Return *text* as something to type: its hyphens stay hyphens when copied."""
    return escaped(text).replace("-", "\\-")


def bold(text: str) -> str:
    """Return *text* as something to type, in bold."""
    return f"\\fB{literal(text)}\\fR"


def italic(text: str) -> str:
    """Return *text* as something to fill in."""
    return f"\\fI{literal(text)}\\fR"


def prose(text: str) -> list[str]:
    r"""Return the lines of source of *text*.

    Paragraphs are filled, a list of lines that begin with a hyphen is a list, and
    what stands indented, or after a ``\b`` as click has it, keeps its lines.
    """
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if lines:
            lines.append(".PP")
        lines += _block(block)
    return lines


def _block(block: str) -> Iterator[str]:
    if block.startswith("\b"):
        yield from _kept(block[1:].strip("\n"))
    elif block.startswith("  "):
        yield from _kept(block)
    elif BULLET.match(block):
        for item in re.split(r"\n(?=[-*] )", block):
            yield ".IP \\(bu 2"
            yield from filled(BULLET.sub("", item, count=1))
    else:
        yield from filled(block)


def _kept(block: str) -> Iterator[str]:
    yield ".RS 4"
    yield ".nf"
    yield from (_guarded(literal(line)) for line in textwrap.dedent(block).split("\n"))
    yield ".fi"
    yield ".RE"


def filled(text: str) -> list[str]:
    """Return *text* as lines of source: each sentence begins one."""
    sentences = re.split(r"(?<=[.!?:]) +(?=[A-Z`])", " ".join(text.split()))
    return [
        _guarded(line)
        for sentence in sentences
        for line in textwrap.wrap(
            _inline(sentence), WIDTH, break_long_words=False, break_on_hyphens=False
        )
    ]


def _inline(text: str) -> str:
    parts, end = [], 0
    for match in INLINE.finditer(text):
        parts.append(escaped(text[end : match.start()]))
        font = italic if match["slot"] else bold
        parts.append(font(str(match[match.lastgroup or 0])))
        end = match.end()
    return "".join(parts) + escaped(text[end:])


def _guarded(line: str) -> str:
    """Return *line* so that its first character is no instruction."""
    return f"\\&{line}" if line.startswith((".", "'")) else line


def section(title: str, lines: Iterable[str]) -> list[str]:
    """Return a section, or nothing where there are no *lines*."""
    inside = list(lines)
    return (
        [f'.SH "{title}"' if " " in title else f".SH {title}", *inside]
        if inside
        else []
    )


def term(name: str, about: Iterable[str]) -> list[str]:
    """Return an entry of a list of terms; *name* is source, *about* are lines of it."""
    return [".TP", _guarded(name), *about]
