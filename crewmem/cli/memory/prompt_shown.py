"""How it is shown to a person what became of the sections of a prompt."""

from __future__ import annotations

from crewmem.cli.output import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.prompt.assemble import Placed


def sections_table(sections: Sequence[Placed]) -> Table:
    """Return a row for each of *sections*."""
    return Table(
        ("BLOCK", "SECTION", "FATE", "CHARS", "BYTES", "FILE", "WHY"),
        [
            (
                each.block,
                each.label,
                str(each.fate),
                f"{each.chars:,}",
                f"{each.bytes:,}",
                f"{each.size:,}" if each.size else "",
                each.why,
            )
            for each in sections
        ],
        right=frozenset({"CHARS", "BYTES", "FILE"}),
    )
