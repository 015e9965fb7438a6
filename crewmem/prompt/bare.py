"""Files with nothing below their headings: forms that nobody has filled in yet."""

from __future__ import annotations

from crewmem.prompt.block import Block
from crewmem.prompt.defuse import plain
from crewmem.prompt.section import section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.prompt.files import Tree
    from crewmem.prompt.section import Section

APART = {"PERSONA.md": Block.PERSONA, "users": Block.OPERATOR, "peers": Block.PEER}
"""Blocks of files that are not of the block of their directory, by how they begin."""


def bare(tree: Tree | None, usual: Block) -> Iterator[tuple[Block, Section]]:
    """Yield the files of *tree* that say nothing, each with its block."""
    if tree is None:
        return
    for file in tree.bare:
        block, size = APART.get(file.partition("/")[0], usual), tree.files[file].bytes
        if block in {Block.OPERATOR, Block.PEER}:  # no name leads to a person
            yield block, section(str(block), "", bytes=size)
        else:
            yield block, section(plain(file), "", ref=tree.place.ref(file), bytes=size)
