"""For whom a dump is imported, and what of it that is. Pure."""

from __future__ import annotations

from crewmem.ids import SLUG_MOST
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from crewmem.memories.dump import Item

NOT_ASKED = "it is another's, and was not asked for"


class Aim(NamedTuple):
    """For whom a dump is imported.

    Attributes:
        workspace: Where to.
        agent: Only for this agent.
        crew: Only for this crew.
        names: What agents, crews and kinds are called here, by what they are there.
        with_issues: Whether Beads' issues come as action items.
    """

    workspace: str = "default"
    agent: str | None = None
    crew: str | None = None
    names: Mapping[str, str] = {}
    with_issues: bool = False

    def name(self, foreign: str) -> str:
        """Return what *foreign* is called here: a name that says nothing is kept."""
        return self.names.get(foreign, slug(foreign))

    def kind(self, word: str) -> str:
        """Return the kind that *word* is called by here."""
        return self.names.get(word, word)


def slug(name: str) -> str:
    """Return *name* as people, crews and workspaces are called here."""
    text = "".join(
        each if each.isascii() and each.isalnum() else "-" for each in name.lower()
    )
    return text.strip("-")[:SLUG_MOST].rstrip("-")


def aimed(items: Iterable[Item], aim: Aim) -> list[Item]:
    """Return *items*, of which what is not for *aim* is left out.

    What names no owner is for whom is named. What is of the only agent, or the only
    crew, becomes that one's.
    """
    found = list(items)
    if aim.agent is None and aim.crew is None:
        return found
    key, name = ("agent", aim.agent) if aim.agent else ("crew", aim.crew)
    there = {each.record.get(key) for each in found if each.record} - {None}
    is_moved = name not in there and len(there) == 1
    return [_aimed(each, key, str(name), is_moved=is_moved) for each in found]


def _aimed(item: Item, key: str, name: str, *, is_moved: bool) -> Item:
    record = item.record
    if record is None:
        return item
    owner = scope_of(record)
    if owner is None or (owner == key and (is_moved or record.get(key) == name)):
        rest = {k: v for k, v in record.items() if k not in {"agent", "crew"}}
        return item._replace(record={**rest, "scope": key, key: name})
    return item.left(NOT_ASKED)


def scope_of(record: Mapping[str, Any]) -> str | None:
    """Return whose *record* says that it is; None: it does not say."""
    if isinstance(record.get("scope"), str):
        return str(record["scope"])
    return next((each for each in ("agent", "crew") if record.get(each)), None)
