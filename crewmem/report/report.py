"""The report of a home: collected, put into a page, and counted."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.home import Home, Tree
from crewmem.report.entities import collect_entities
from crewmem.report.facts import Quotes, collect_facts
from crewmem.report.files import collect_files
from crewmem.report.overview import collect_overview
from crewmem.report.page import Section, render_page
from crewmem.report.recalls import NO_RECALLS, collect_recalls
from crewmem.report.texts import EVERYTHING, Selection, Subject, Texts, make_command
from crewmem.report.timeline import collect_timeline
from crewmem.review.store import ReviewItem
from crewmem.security import redact
from crewmem.text.wording import count

MOST_ITEMS = 500


@dataclass(frozen=True, slots=True)
class Report:
    """A page, and how much it shows of what."""

    html: str
    counts: dict[str, int]
    notes: list[str]


def make_report(home: Home, selection: Selection = EVERYTHING) -> Report:
    """Return the report of a home or tree, as its actor sees it.

    Raises:
        NotFoundError: If the agent or crew of *selection* is not registered.
    """
    data = collect_report(home, selection)
    meta = data["meta"]
    counts = {
        "events": len(data["timeline"]["events"]),
        "facts": len(data["facts"]),
        "files": len(data["files"]),
        "entities": len(data["entities"]),
        "recalls": len(data["recall"]["recalls"]),
        "review": len(data["review"]),
    }
    sections = [
        Section("overview", "Overview"),
        Section("timeline", "Timeline", counts["events"]),
        Section("facts", "Facts", counts["facts"]),
        Section("files", "Files", counts["files"]),
        Section("entities", "Entities", counts["entities"]),
        Section("recall", "Recall", counts["recalls"]),
        Section("review", "Review", counts["review"]),
    ]
    if not home.context.has_db:  # a directory has files, and names in them
        sections = [each for each in sections if each.number != 0]
    subtitle = f"{meta['place']} · {meta['workspace']} · {meta['made_at']}"
    html = render_page("Crew memory", subtitle, sections, data)
    return Report(html, counts, meta["notes"])


def collect_report(home: Home, selection: Selection = EVERYTHING) -> dict[str, Any]:
    """Return what the report of *home* shows: the data that ``templates/app.js`` draws."""
    subject = Subject(home, selection)
    has_db = home.context.has_db
    meta, overview = make_meta(subject), collect_overview(subject)
    facts = collect_facts(subject) if has_db else []
    review = _collect_review(subject) if has_db else []
    recall = collect_recalls(subject) if has_db else NO_RECALLS
    files = collect_files(subject)
    timeline = collect_timeline(subject, facts, files)
    entities = collect_entities(subject)
    if subject.texts.shortened:
        shortened = count(subject.texts.shortened, "long text is", "long texts are")
        subject.notes.append(f"{shortened} shortened.")
    return {
        "meta": meta,
        "overview": overview,
        "timeline": timeline,
        "facts": facts,
        "files": files,
        "entities": entities,
        "recall": recall,
        "review": review,
    }


def make_meta(subject: Subject) -> dict[str, Any]:
    """Return what a page says of itself.

    Commands on it begin with the *prefix* and, for a tree, end with the *suffix*.
    """
    home, texts, selection = subject.home, subject.texts, subject.selection
    context = home.context
    shown = {
        "since": texts.local(selection.since.isoformat()) if selection.since else "",
        "agent": selection.agent or "",
        "crew": selection.crew or "",
        "restricted facts": "included" if selection.include_restricted else "",
    }
    return {
        "made_at": texts.local(context.now_text),
        "place": str(getattr(home, "path", None) or context.home),
        "workspace": context.workspace,
        "prefix": " ".join(map(shlex.quote, context.command_prefix)),
        "suffix": f" --path {shlex.quote(str(home.path))}" if isinstance(home, Tree) else "",
        "selection": {name: value for name, value in shown.items() if value},
        "notes": subject.notes,
    }


def _collect_review(subject: Subject) -> list[dict[str, Any]]:
    """Return what waits for a decision; agents have no review queue."""
    home, texts, selection, notes = subject.home, subject.texts, subject.selection, subject.notes
    access = home.context.access
    if not access.is_operator and access.actor.kind != "lead":
        notes.append("Agents have no review queue.")
        return []
    rows = []
    quotes = Quotes(home, texts)
    page = home.review.list_items(limit=MOST_ITEMS)
    if page.next:
        notes.append(f"Only the first {MOST_ITEMS} review items are shown.")
    for item in page.items:
        if selection.agent and item.agent != selection.agent:
            continue
        if selection.crew and item.crew != selection.crew:
            continue
        if item.kind == "contradiction":
            approve = [
                make_command(home, "review approve", item.id, "--keep", k)
                for k in ("A", "B", "both")
            ]
        else:
            approve = [make_command(home, "review approve", item.id)]
        try:
            detail = home.review.show(item.id, explain=True)
            change, evidence = detail.change, detail.explanation
        except CrewmemError as error:  # what it is about may be gone
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
        rows.append(
            {
                "id": item.id,
                "kind": item.kind,
                "title": texts.clean(item.title, file=item.id),
                "at": texts.local(item.created_at),
                "by": item.created_by,
                "crew": item.crew,
                "agent": item.agent,
                "fact": item.fact_id,
                "sides": sides,
                "change": _show_change(texts, item, "\n".join(change)).split("\n")
                if change
                else [],
                "evidence": [texts.clean(line) for line in evidence],
                "approve": approve,
                "reject": f'{make_command(home, "review reject", item.id)} --reason "…"',
            }
        )
    return rows


def _show_change(texts: Texts, item: ReviewItem, change: str) -> str:
    """Return what a decision would change; refused text is quoted, for who may release it."""
    if item.kind == "quarantine":
        return "\n".join(f"> {line}" for line in texts.cut(redact(change)).split("\n"))
    return texts.clean(change, file=item.id)
