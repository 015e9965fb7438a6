"""Whether a part of a recorded plan is one that consolidation makes. Pure.

A plan is done without anybody looking at it again, and a proposal may come from another
home: what it writes, and where, is held to what a plan of this crew could say.
"""

from __future__ import annotations

import re

from crewmem.consolidation.item import OBSERVATION, RULE
from crewmem.consolidation.piece import parted
from crewmem.consolidation.plan import TOPIC
from crewmem.consolidation.sighting import is_ours
from crewmem.ids import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.consolidation.item import Item, Settled
    from crewmem.consolidation.plan import Placed
    from crewmem.consolidation.proposed import Part
    from crewmem.consolidation.sighting import Sighting

ID = re.compile(r"c_[0-9a-hjkmnp-tv-z]{12}")
DAY = r"\d{4}-\d\d-\d\d"
ENTRY = re.compile(r"j_[0-9a-hjkmnp-tv-z]{12}")
SHA256 = re.compile(r"[0-9a-f]{64}")


def is_sound(part: Part, crew: str) -> bool:
    """Tell whether *part* is of a plan of *crew*."""
    if type(part.number) is not int:
        return False
    if part.placed:
        return _is_placed(part.placed, crew)
    if part.seen:
        return all(_is_sighting(each, crew) for each in part.seen)
    return _are_texts([part.owner]) and all(_is_note(n, crew) for n in part.archives)


def _is_placed(placed: Placed, crew: str) -> bool:
    item, ref = placed.item, placed.ref
    if not _are_texts([placed.adds, ref]) or not _are_against(placed):
        return False
    if not _is_item(item) or item.crew != crew:
        return False
    if item.kind == RULE:
        learned = rf"crew:{re.escape(crew)}/learned/{DAY}\.md"
        return re.fullmatch(learned, ref) is not None
    if item.agent:
        return is_slug(item.agent) and ref == f"agent:{crew}/{item.agent}/AGENT.md"
    return ref in {f"crew:{crew}/CREW.md", f"crew:{crew}/{TOPIC}"}


def _is_sighting(sighting: Sighting, crew: str) -> bool:
    ref, entry, text, evidence, counted = sighting
    told = (ref, entry, text, *(each for one in evidence for each in one))
    if not _are_texts(told) or not evidence or not ENTRY.fullmatch(entry):
        return False
    if not all(re.fullmatch(DAY, each.day) for each in evidence):
        return False
    if type(counted) is not int or counted < 0:
        return False
    whose, agent = sighting.owner
    return is_ours(ref) and whose == crew and (not agent or is_slug(agent))


def _are_against(placed: Placed) -> bool:
    """Tell whether what is replaced are lines of the file that is written."""
    if not all(_are_texts(each) for each in placed.against):
        return False
    ours = [each for each in placed.against if each.entry]
    return all(
        ENTRY.fullmatch(each.entry) and parted(each.ref)[0] == placed.ref
        for each in ours
    )


def _is_item(item: Item) -> bool:
    texts = (item.id, item.kind, item.crew, item.agent, item.title, item.text)
    more = (*(text for each in item.evidence for text in each), *item.contradicts)
    if not _are_texts((*texts, *more)):
        return False
    numbers = (item.confidence, *item.score)
    if not all(map(_is_share, numbers)):
        return False
    return ID.fullmatch(item.id) is not None and item.kind in {OBSERVATION, RULE}


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(each, str) for each in values)


def _is_note(note: Settled, crew: str) -> bool:
    slug = "[a-z0-9][a-z0-9-]{0,63}"
    named = re.escape(crew)
    where = rf"(?:agent:{named}/{slug}|crew:{named})/daily/{DAY}\.md"
    return (
        _are_texts(note)
        and re.fullmatch(where, note.ref) is not None
        and SHA256.fullmatch(note.sha256) is not None
        and re.fullmatch(DAY, note.day) is not None
    )
