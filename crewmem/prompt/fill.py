"""The sections of one tier, laid into its room. Pure, but for the scanner it is handed.

Sections are taken in turn. Each is shown whole, else as much of it as there is room
for, and is scanned as it will stand there: what is found to be poison is replaced by
its notice, and what that leaves is for the others.
"""

from __future__ import annotations

from crewmem.prompt.cut import cut, fits, whole
from crewmem.prompt.room import NOTHING, size
from crewmem.prompt.section import Fate, Piece
from crewmem.threats.notice import gravest, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.prompt.room import Room
    from crewmem.prompt.section import Section
    from crewmem.threats.rule import Finding, Scan

NO_ROOM = "no room"
"""Why a section is left out."""


def fill(sections: Sequence[Section], room: Room, scan: Scan) -> list[Piece]:
    """Return what becomes of *sections* in *room*, in their order.

    While text is left out, less is unused than one more section would need.
    """
    return _Tier(sections, room, scan).pieces()


class _Tier:
    """The sections of one tier, and what was found in them."""

    def __init__(self, sections: Sequence[Section], room: Room, scan: Scan) -> None:
        self._sections, self._room, self._scan = [*sections], room, scan
        self._found: dict[int, Finding] = {}
        self._clean: set[str] = set()
        self._wholes: dict[int, Piece] = {}
        self._order = sorted(
            range(len(sections)), key=lambda at: -sections[at].relevance
        )

    def pieces(self) -> list[Piece]:
        """Return what becomes of each section.

        Where one is blocked that room was kept for, all is laid anew: others may need
        what its notice does not.
        """
        while True:
            known = {*self._found}
            laid = self._laid()
            found = self._found.keys() - known
            if not any(self._sections[at].floor for at in found):
                return [laid[at] for at in range(len(self._sections))]

    def _laid(self) -> dict[int, Piece]:
        left, laid = self._room, {}
        for place, at in enumerate(self._order):
            free = left.less(self._kept(self._order[place + 1 :]))
            laid[at] = self._piece(at, free)
            left = left.less(size(laid[at].text))
        return laid

    def _kept(self, later: Sequence[int]) -> Room:
        """Return what is kept for *later* sections that have a floor."""
        kept = NOTHING
        for at in later:
            if floor := self._sections[at].floor:
                wanted = size(self._whole(at).text)
                kept = kept.more(self._room.share(floor).within(wanted))
        return kept

    def _whole(self, at: int) -> Piece:
        if finding := self._found.get(at):
            return blocked(self._sections[at], finding)
        if at not in self._wholes:
            self._wholes[at] = whole(self._sections[at])
        return self._wholes[at]

    def _piece(self, at: int, room: Room) -> Piece:
        """Return what of the section *at* fits into *room*, and may be shown."""
        if at not in self._found:
            piece = self._whole(at)
            if not fits(piece, room):
                piece = self._cut(self._sections[at], room)
            if self._is_clean(at, piece.source):
                return piece
        piece = self._whole(at)
        if fits(piece, room):
            return piece
        return _left_out(self._sections[at], piece.why)

    def _cut(self, section: Section, room: Room) -> Piece:
        """Return what of *section* fits into *room*.

        No line is cut that says what it says only because the rest is not there: an
        attack that it quotes, or denies.
        """
        piece = cut(section, room)
        if piece and self._is_poison(piece.begun) and not self._is_poison(piece.source):
            piece = cut(section, room, at_lines=True)
        return piece or _left_out(section)

    def _is_poison(self, text: str) -> bool:
        return bool(text) and gravest(self._scan(text)) is not None

    def _is_clean(self, at: int, source: str) -> bool:
        """Tell whether *source*, of the section *at*, may be shown, and its name.

        If not, it is kept why; and a name that may not is taken off the label.
        """
        section = self._sections[at]
        text = f"{section.name}\n\n{source}" if section.name else source
        if not source or text in self._clean:
            return True
        findings = self._scan(text)
        if (finding := gravest(findings)) is None:
            self._clean.add(text)
            return True
        named = [each for each in findings if each.start < len(section.name)]
        if gravest(named):
            self._sections[at] = section._replace(label=section.withheld, read="")
        self._found[at] = finding
        return False


def blocked(section: Section, finding: Finding) -> Piece:
    """Return the notice that stands for *section*."""
    text = f"{section.opening}{notice(section.label, finding)}\n"
    why = f"{finding.category}: {finding.rule}"
    return Piece(section, Fate.BLOCKED, text, why=why)


def _left_out(section: Section, why: str = "") -> Piece:
    return Piece(section, Fate.LEFT_OUT, why=f"{NO_ROOM}; {why}" if why else NO_ROOM)
