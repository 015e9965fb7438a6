"""Decisions that wait for a person, for the page: each choice, its effect and its command."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.facts.fact import LIVE
from crewmem.health import get_level
from crewmem.health.metrics import Health
from crewmem.report.facts import Quotes
from crewmem.report.texts import PageSubject, Texts
from crewmem.review.store import ReviewItem
from crewmem.security.secrets import redact
from crewmem.text.wording import cut_at_word

MAX_ITEMS = 500
MAX_PASSAGES = 200
MAX_PASSAGE = 400


def collect_decisions(
    subject: PageSubject, facts: Sequence[dict[str, Any]], overview: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return open decisions: poor health, review items, overdue action items, suspicious texts."""
    if not subject.home.context.access.may_review:
        subject.notes.append("Agents have no review queue.")
        return []
    cards = {card["id"]: card for card in facts}
    found = [*_list_health(overview), *_list_review(subject, cards), *_list_overdue(subject, facts)]
    if not overview["is_large"]:
        found += _list_suspicious(subject, cards)
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        kinds = tomllib.load(file)
    for item in found:
        values = {"id": item["id"], **item.pop("values", {})}
        item["ask"] = kinds[item["kind"]]["ask"].format(**values)
        item["choices"] = [
            (label, effect.format(**values), _make_choice(subject, command.format(**values)))
            for label, effect, command in kinds[item["kind"]]["choices"]
        ]
    return found


def _make_choice(subject: PageSubject, command: str) -> str:
    return command if command.startswith("$") else subject.home.context.command(command)


def _make_item(kind: str, title: str, **more: Any) -> dict[str, Any]:
    """Return an item; *place* links to its subject on the page, *values* fill its texts."""
    item = {"id": "", "kind": kind, "title": title, "at": "", "by": "", "agent": "", "place": ""}
    empty: dict[str, Any] = {"sides": [], "quotes": [], "change": [], "evidence": []}
    return item | empty | more


def _list_health(overview: dict[str, Any]) -> Iterable[dict[str, Any]]:
    health: Health | None = overview["health"]
    if health is None:
        yield _make_item("unmeasured", "Health was never measured")
    elif health.level == "red":
        poor = ", ".join(
            f"{metric.name} {metric.value:.0f}"
            for metric in health.metrics
            if metric.value is not None and get_level(metric.value) == "red"
        )
        title = f"Health is red: {health.score:.0f} of 100" + (f" ({poor})" if poor else "")
        yield _make_item("health", title, at=health.date)


def _list_review(
    subject: PageSubject, cards: dict[str, dict[str, Any]]
) -> Iterable[dict[str, Any]]:
    home, texts, selection = subject.home, subject.texts, subject.selection
    quotes = Quotes(home, texts)
    page = home.review.list_items(limit=MAX_ITEMS)
    if page.next:
        subject.notes.append(f"Only the first {MAX_ITEMS} review items are shown.")
    for item in page.items:
        if selection.agent and item.agent != selection.agent:
            continue
        if selection.crew and item.crew != selection.crew:
            continue
        card = cards.get(item.fact_id)
        try:
            detail = home.review.show(item.id, explain=True)
            change, evidence = detail.change, detail.explanation
        except CrewmemError as error:  # its subject may be deleted
            change, evidence = [error.message], []
        sides = []
        for name in ("a", "b"):
            side = item.payload.get(name)
            if item.kind == "contradiction" and isinstance(side, dict):
                sides.append(
                    (
                        texts.clean(str(side.get("text", "")), file=item.id),
                        [quotes.make(each) for each in side.get("evidence", ())],
                        str(side.get("fact") or ""),
                    )
                )
        yield _make_item(
            item.kind,
            texts.clean(item.title, file=item.id),
            id=item.id,
            at=texts.local(item.created_at),
            by=item.created_by,
            agent=item.agent,
            place=f"fact/{card['id']}" if card else "",
            quotes=card["quotes"] if card else [],
            sides=sides,
            change=_show_change(texts, item, "\n".join(change)).split("\n") if change else [],
            evidence=[] if card else [texts.clean(line) for line in evidence],
            values={"to": item.payload.get("to") or "its crew"},
        )


def _show_change(texts: Texts, item: ReviewItem, change: str) -> str:
    """Describe the effect of a decision; refused text is quoted for those who may release it."""
    if item.kind == "quarantine":
        return "\n".join(f"> {line}" for line in texts.cut(redact(change)).split("\n"))
    return texts.clean(change, file=item.id)


def _list_overdue(
    subject: PageSubject, facts: Sequence[dict[str, Any]]
) -> Iterable[dict[str, Any]]:
    context = subject.home.context
    today = str(context.today)
    for card in facts:
        if card["due"] and card["due"] < today and card["status"] in LIVE:
            yield _make_item("overdue", card["title"], **_refer(card), values={"due": card["due"]})


def _refer(card: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a card that describe its fact."""
    about = {"at": card["said"], "agent": card["agent"], "quotes": card["quotes"]}
    return about | {"id": card["id"], "place": f"fact/{card['id']}"}


def _list_suspicious(
    subject: PageSubject, cards: dict[str, dict[str, Any]]
) -> Iterable[dict[str, Any]]:
    """Yield passages that look like instructions, except from facts that a person kept."""
    home, texts = subject.home, subject.texts
    paths = {each.file: each.path for each in home.memory.find_findings()}
    for file, line, rule, text in home.review.list_suspicious()[:MAX_PASSAGES]:
        title = cut_at_word(texts.clean(" ".join(text.split()), file=file), MAX_PASSAGE)
        card = cards.get(file)
        if card and not any(by.startswith("operator:") and up > 0 for by, up, *_ in card["votes"]):
            yield _make_item("suspicious-fact", title, **_refer(card))
        elif file in paths and subject.agents is None:
            path = paths[file]
            values = {
                "line": line,
                "path": shlex.quote(path),
                "allow": shlex.quote(f"{path}:{rule}"),
            }
            place = f"file/{file}:{line}"
            yield _make_item("suspicious-file", title, id=file, place=place, values=values)
