"""A headless browser, a crowded home, and texts that try to be more than text."""

import json
import os
import shutil
from pathlib import Path

import pytest
from payloads import PAYLOADS

from crewmem.report.report import make_report
from crewmem.report.texts import Selection

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="session")
def browser():
    """Chromium, or a skip with the reason."""
    named = os.environ.get("CREWMEM_TEST_BROWSER", "")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)}; or set CREWMEM_TEST_BROWSER")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def save_page(tmp_path):
    """Write the report of a home into a file, and return its address."""

    def save(home, **options) -> str:
        path = tmp_path / "report.html"
        path.write_text(make_report(home, Selection(**options)).html, encoding="utf-8")
        return path.as_uri()

    return save


@pytest.fixture
def crowded(home):
    """A home with something in every section."""
    facts = home.facts
    deploy = facts.add(
        "Deploys happen on Tuesdays", kind="decision", topic_key="deploys/day", entities=["Kontor"]
    )
    facts.edit(deploy.id, "Deploys happen on Thursdays", reason="the crew moved them")
    facts.add(
        "The deploy key is in the vault",
        kind="lesson",
        spans=[{"quote": "put it into the vault", "session": "s_abcdefghjkmn", "line": 12}],
    )
    held = facts.add("Staging is in Oslo", kind="fact")
    other = facts.add("Staging is in Bergen", kind="fact")
    facts.supersede(held.id, other.id, reason="it moved")
    facts.add("Salaries are secret", sensitivity="restricted", agent="bob")
    home.memory.write(
        "# Deploys\n\nRun `make deploy` with **care**; see [the guide](https://example.org).\n\n"
        "1. tag\n2. push\n   - wait for Kontor\n\n| host | port |\n|---|---|\n| db-1 | 5432 |\n",
        tier="topic", key="deploys", crew="web", mode="replace",
    )  # fmt: skip
    home.memory.write(
        "# Deploys\n\nNobody deploys on Fridays.\n",
        tier="topic", key="deploys", crew="web", mode="replace",
    )  # fmt: skip
    home.memory.write("# Ada\n\nAda keeps the deploy key.\n", tier="agent", agent="ada", crew="web")
    home.journal.append("deploy.done", "Ada deployed Kontor to db-1", crew="web", agent="ada")
    home.review_items.add(
        "contradiction",
        "Where is staging?",
        payload={
            "a": {"text": "Staging is in Oslo", "fact": held.id, "evidence": []},
            "b": {"text": "Staging is in Bergen", "fact": other.id, "evidence": []},
        },
    )
    home.recall("where is the deploy key?")
    home.health.measure_all()
    return home


@pytest.fixture
def poisoned(home, tmp_path):
    """A home with every payload in every field that takes text."""
    for number, payload in enumerate(PAYLOADS):
        name = "".join(c for c in payload if c.isprintable())[:150]
        added = home.facts.add(
            f"{number} {payload}",
            title=f"{number} {name}",
            tags=[name],
            entities=[name],
            spans=[{"quote": payload, "file": payload, "line": 1, "session": ""}],
            metadata={"evidence": [payload]},
        )
        home.facts.edit(added.id, f"{number} {payload} again", reason=payload)
        home.facts.vote(added.id, up=True, reason=payload)
        home.journal.append(
            "note.taken", f"{number} {payload}", payload={"text": payload}, agent="ada", crew="web"
        )
        home.review_items.add("share", f"{number} {payload}", payload={"to": payload})
        home.review_items.add(
            "contradiction",
            f"{number} {payload}",
            payload={side: {"text": payload, "evidence": [payload]} for side in "ab"},
        )
        home.recall(f"{number} {payload}", count=False)
        if "/" not in name and len(name.encode()) < 200:
            _write(home, f"topics/{name}.md", f"# {payload}\n\n{payload}\n\n- `{payload}`\n")
    lines = "".join(f"# {p}\n\n- {p}\n\n| {p} |\n|---|\n| {p} |\n\n> {p}\n\n" for p in PAYLOADS)
    _write(home, "topics/all.md", lines)
    logs = tmp_path / "logs"
    logs.mkdir()
    rows = [
        {"role": "user", "content": payload, "ts": f"2026-04-30T10:00:{number:02}Z"}
        for number, payload in enumerate(PAYLOADS)
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    (logs / "session.jsonl").write_text(f"{text}\n")
    home.sessions.logs.sync(program="plain", root=logs)
    return home


def _write(home, name: str, text: str) -> None:
    path = Path(home.context.crew_memory("web")) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
