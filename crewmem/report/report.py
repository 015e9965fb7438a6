"""The report of a home."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from crewmem.home import Home
from crewmem.report.decisions import collect_decisions
from crewmem.report.entities import collect_entities
from crewmem.report.facts import collect_facts
from crewmem.report.files import collect_files
from crewmem.report.overview import collect_overview
from crewmem.report.page import PageSection, render_page
from crewmem.report.recalls import NO_RECALLS, collect_recalls
from crewmem.report.sessions import collect_sessions
from crewmem.report.texts import EVERYTHING, PageSubject, Selection
from crewmem.report.timeline import collect_timeline
from crewmem.text.wording import count


@dataclass(frozen=True, slots=True)
class Report:
    """A page.

    Attributes:
        counts: Numbers of the items on it, by section.
        notes: Sentences about what it leaves out.
    """

    html: str
    counts: dict[str, int]
    notes: list[str]


def make_report(home: Home, selection: Selection = EVERYTHING) -> Report:
    """Make the report of a home or tree, as its actor sees it.

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
        PageSection("overview", "Overview"),
        PageSection("timeline", "Timeline", counts["events"]),
        PageSection("facts", "Facts", counts["facts"]),
        PageSection("files", "Files", counts["files"]),
        PageSection("entities", "Entities", counts["entities"]),
        PageSection("recall", "Recall", counts["recalls"]),
        PageSection("review", "Review", counts["review"]),
    ]
    if not home.context.has_db:  # a directory has only files and the names in them
        sections = [section for section in sections if section.number != 0]
    subtitle = f"{meta['place']} · {meta['workspace']} · {meta['made_at']}"
    html = render_page("Crew memory", subtitle, sections, data)
    return Report(html, counts, meta["notes"])


def collect_report(home: Home, selection: Selection = EVERYTHING) -> dict[str, Any]:
    """Return the data of the report for ``templates/app.js``."""
    subject = PageSubject(home, selection)
    has_db = home.context.has_db
    meta, overview = make_meta(subject), collect_overview(subject)
    facts = collect_facts(subject) if has_db else []
    review = collect_decisions(subject, facts) if has_db else []
    sessions = collect_sessions(subject, facts) if has_db else {}
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
        "sessions": sessions,
        "files": files,
        "entities": entities,
        "recall": recall,
        "review": review,
    }


def make_meta(subject: PageSubject) -> dict[str, Any]:
    """Return the metadata of a page.

    Commands on the page begin with the *prefix* and, for a tree, end with the *suffix*.
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
        "place": str(context.place),
        "workspace": context.workspace,
        "prefix": " ".join(map(shlex.quote, context.command_prefix)),
        "suffix": f" --path {shlex.quote(str(context.tree))}" if context.tree else "",
        "selection": {name: value for name, value in shown.items() if value},
        "notes": subject.notes,
    }
