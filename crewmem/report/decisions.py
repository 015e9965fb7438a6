"""Review items on the page: each choice, its effect and its command."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.report.facts import Quotes
from crewmem.report.texts import PageSubject, Texts
from crewmem.review.store import ReviewItem
from crewmem.security.secrets import redact

MAX_ITEMS = 500


def collect_decisions(
    subject: PageSubject, facts: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the open review items; ``place`` links to the subject of an item on the page."""
    home, selection = subject.home, subject.selection
    if not home.context.access.may_review:
        subject.notes.append("Agents have no review queue.")
        return []
    cards = {card["id"]: card for card in facts}
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        kinds = tomllib.load(file)
    page = home.review.list_items(limit=MAX_ITEMS)
    if page.next:
        subject.notes.append(f"Only the first {MAX_ITEMS} review items are shown.")
    quotes = Quotes(home, subject.texts)
    return [
        _describe_item(subject, item, quotes, cards.get(item.fact_id), kinds[item.kind])
        for item in page.items
        if (not selection.agent or item.agent == selection.agent)
        and (not selection.crew or item.crew == selection.crew)
    ]


def _describe_item(
    subject: PageSubject,
    item: ReviewItem,
    quotes: Quotes,
    card: dict[str, Any] | None,
    kind: dict[str, Any],
) -> dict[str, Any]:
    """Return the record of an item.

    Args:
        card: The card of its fact, if that is on the page.
        kind: What is asked about items of its kind, and the choices.
    """
    home, texts = subject.home, subject.texts
    try:
        detail = home.review.show(item.id, explain=True)
        change, evidence = detail.change, detail.explanation
    except CrewmemError as error:  # its subject may have been deleted
        change, evidence = [error.message], []
    values = {"id": item.id, "to": item.payload.get("to") or "its crew"}
    return {
        "id": item.id,
        "kind": item.kind,
        "title": texts.clean(item.title, file=item.id),
        "at": texts.local(item.created_at),
        "by": item.created_by,
        "agent": item.agent,
        "place": f"fact/{card['id']}" if card else "",
        "quotes": card["quotes"] if card else [],
        "sides": list(_list_sides(item, texts, quotes)),
        "change": _show_change(texts, item, "\n".join(change)).split("\n") if change else [],
        "evidence": [] if card else [texts.clean(line) for line in evidence],
        "ask": kind["ask"].format(**values),
        "choices": [
            (label, effect.format(**values), home.context.command(command.format(**values)))
            for label, effect, command in kind["choices"]
        ],
    }


def _list_sides(
    item: ReviewItem, texts: Texts, quotes: Quotes
) -> Iterator[tuple[str, list[Any], str]]:
    """Yield text, quotes and fact id of each side of a contradiction."""
    for name in ("a", "b"):
        side = item.payload.get(name)
        if item.kind == "contradiction" and isinstance(side, dict):
            text = texts.clean(str(side.get("text", "")), file=item.id)
            evidence = [quotes.make(each) for each in side.get("evidence", ())]
            yield text, evidence, str(side.get("fact") or "")


def _show_change(texts: Texts, item: ReviewItem, change: str) -> str:
    """Return the effect of a decision as text; refused text is quoted, with secrets redacted."""
    if item.kind == "quarantine":
        return "\n".join(f"> {line}" for line in texts.cut(redact(change)).split("\n"))
    return texts.clean(change, file=item.id)
