"""The sample crew that ships in the package."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

import crewmem
from crewmem.files.tiers import Tier, tier_of

SAMPLE = Path(crewmem.__file__).parent / "sample"
WORKSPACE = SAMPLE / "home" / "workspaces" / "default"
FILES = sorted(path for path in (SAMPLE / "home").rglob("*") if path.is_file())

CAPS = {
    Tier.AGENT: 4_000,
    Tier.PERSONA: 1_500,
    Tier.PINS: 8_000,
    Tier.BRIEF: 4_000,
    Tier.LESSONS: 64_000,
    Tier.DAILY: 100_000,
    Tier.CREW: 4_000,
    Tier.TOPIC: 16_000,
    Tier.LEARNED: 64_000,
    Tier.WORKSPACE: 16_000,
}
SOFT = 0.8
OF_AGENTS = {
    Tier.AGENT, Tier.PERSONA, Tier.PINS, Tier.BRIEF, Tier.LESSONS, Tier.DAILY,
}  # fmt: skip
OF_CREWS = {
    Tier.CREW, Tier.PERSONA, Tier.PINS, Tier.LESSONS, Tier.DAILY, Tier.TOPIC,
    Tier.LEARNED,
}  # fmt: skip

MENTION = re.compile(r"(?:(agent|crew):)?([\w./-]+\.md)\b(?::(\d+))?")
ENTRY = re.compile(r"- ([01]\d|2[0-3]):[0-5]\d — \S")
LESSON = re.compile(r"- \[(?:positive|negative|neutral)\] (\d{4}-\d\d-\d\d) — \S")
QUESTIONS = {
    "Where the deploy key is": ("topics/deploys.md", "`kv/harbor/deploy`"),
    "Why the webhook failed": ("topics/billing-webhook.md", "keeps the *last*"),
    "Who is on call": ("topics/on-call.md", "| 2026-04-14 | Zoë |"),
    "How on-call hands over": ("topics/on-call.md", "Tuesday, 10:00"),
    "Connections limit": ("topics/postgres.md", "`max_connections` is **200**"),
    "Retries: what we decided": ("topics/billing-webhook.md", "three retries"),
}


def name_of(path):
    """Return what a test on *path* is called."""
    return path.relative_to(WORKSPACE).as_posix()


def registry():
    return json.loads((SAMPLE / "registry.json").read_text(encoding="utf-8"))


def memory_of(path):
    """Return the memory directory that holds *path*."""
    return next(parent for parent in path.parents if parent.name == "memory")


def owner_of(path):
    """Return ``workspace``, ``crew``, or the slug of the agent whose *path* it is."""
    parts = path.relative_to(WORKSPACE).parts
    if parts[0] == "memory":
        return "workspace"
    return "crew" if parts[2] == "shared" else parts[3]


def tier(path):
    below = path.relative_to(memory_of(path)).as_posix()
    return tier_of(below, workspace=owner_of(path) == "workspace")


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")


def fields(path):
    """Return the front matter of *path*, by key."""
    rows = lines(path)
    closing = rows.index("---", 1)
    return dict(row.split(": ", 1) for row in rows[1:closing])


def places(mentioner, address, name):
    """Return where the *name* that *mentioner* holds could be, likeliest first."""
    if address:
        crew, _, below = name.partition("/")
        root = WORKSPACE / "crews" / crew
        if address == "crew":
            return [root / "shared" / "memory" / below]
        slug, _, below = below.partition("/")
        return [root / "agents" / slug / "memory" / below]
    shared = WORKSPACE / "crews" / registry()["crew"]["slug"] / "shared" / "memory"
    roots = (memory_of(mentioner), shared, WORKSPACE / "memory")
    return [root / name for root in roots]


def mentions(path):
    """Return (text, file or None, line or None) for each memory file *path* names."""
    found = []
    for match in MENTION.finditer(path.read_text(encoding="utf-8")):
        address, name, line = match.groups()
        candidates = [p for p in places(path, address, name) if p.is_file()]
        found.append((match[0], next(iter(candidates), None), line and int(line)))
    return found


def rules(path):
    """Return the sections of a learned file, each a rule."""
    return re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


DAILY = [path for path in FILES if tier(path) is Tier.DAILY]
TOPICS = [path for path in FILES if tier(path) is Tier.TOPIC]
LEARNED = [path for path in FILES if tier(path) is Tier.LEARNED]
LESSONS = [path for path in FILES if tier(path) is Tier.LESSONS]


def test_registry():
    """The registry names one crew, led by one of its agents, who are all there."""
    crew, agents = registry()["crew"], registry()["agents"]
    root = WORKSPACE / "crews" / crew["slug"]
    assert sorted(p.name for p in (WORKSPACE / "crews").iterdir()) == [crew["slug"]]
    assert sorted(p.name for p in (root / "agents").iterdir()) == sorted(
        agent["slug"] for agent in agents
    )
    assert [a["slug"] for a in agents if a["role"] == "lead"] == [crew["lead"]]
    assert {agent["role"] for agent in agents} == {"agent", "lead"}


def test_shape():
    """The sample shows every tier that a person may look into, over five weeks."""
    assert {tier(path) for path in FILES} == set(CAPS)
    days = [date.fromisoformat(path.stem) for path in DAILY]
    assert (max(days) - min(days)).days >= 35
    assert all(day.weekday() < 5 for day in days)
    notes = Counter(owner_of(path) for path in DAILY)
    assert all(notes[agent["slug"]] >= 8 for agent in registry()["agents"])
    assert 60_000 <= sum(path.stat().st_size for path in FILES) <= 90_000


def test_every_agent_is_whole():
    """An agent has every tier of its own; the lead, who writes briefs, has none."""
    for agent in registry()["agents"]:
        mine = {tier(path) for path in FILES if owner_of(path) == agent["slug"]}
        brief = {Tier.BRIEF} if agent["role"] == "lead" else set()
        assert mine == OF_AGENTS - brief


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_tier(path):
    """A file lies where its owner has that tier."""
    allowed = {"workspace": {Tier.WORKSPACE}, "crew": OF_CREWS}
    assert tier(path) in allowed.get(owner_of(path), OF_AGENTS)
    assert not any(part.startswith(".") for part in path.relative_to(SAMPLE).parts)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_text(path):
    """A file is UTF-8 with plain line ends, no stray blanks, and a final newline."""
    raw = path.read_bytes()
    text = raw.decode("utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert {char for char in text if not char.isprintable()} == {"\n"}
    assert not any(line != line.rstrip() for line in text.split("\n"))
    assert sum(line.lstrip().startswith("```") for line in text.split("\n")) % 2 == 0


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_cap(path):
    """A file stays below the soft limit of its tier, so a fresh home warns of none."""
    assert path.stat().st_size < SOFT * CAPS[tier(path)]


@pytest.mark.parametrize("path", TOPICS, ids=name_of)
def test_topic(path):
    """A topic opens with front matter, closed, and the day it was last true."""
    assert lines(path)[0] == "---"
    assert set(fields(path)) == {"title", "tags", "updated"}
    assert re.fullmatch(r"\[[a-z]+(?:, [a-z]+)*\]", fields(path)["tags"])
    newest = max(date.fromisoformat(daily.stem) for daily in DAILY)
    assert date.fromisoformat(fields(path)["updated"]) <= newest


@pytest.mark.parametrize("path", DAILY, ids=name_of)
def test_daily(path):
    """A day's note is named by a real date, and its title has the right weekday."""
    day = date.fromisoformat(path.stem)
    title = lines(path)[0]
    if title.startswith("# "):
        assert f"{day:%A} {day.day} {day:%B}" in title


@pytest.mark.parametrize("path", DAILY, ids=name_of)
def test_entries(path):
    """An entry is stamped as ``append-daily`` does, and a section's go forward."""
    for section in re.split(r"^## .*$", "\n".join(lines(path)), flags=re.MULTILINE):
        entries = [row for row in section.split("\n") if row.startswith("- ")]
        assert all(ENTRY.match(entry) for entry in entries)
        stamps = [entry[2:7] for entry in entries]
        assert stamps == sorted(stamps)


@pytest.mark.parametrize("path", LESSONS, ids=name_of)
def test_lessons(path):
    """A lesson is one line: its kind, its day, what was learned; oldest first."""
    title, blank, *entries, end = lines(path)
    assert (title[:2], blank, end) == ("# ", "", "")
    found = [LESSON.match(entry) for entry in entries]
    assert all(found)
    days = [date.fromisoformat(match[1]) for match in found]
    assert days == sorted(days)


@pytest.mark.parametrize("path", LEARNED, ids=name_of)
def test_rules(path):
    """A learned rule has two sources or more, older than itself, and a confidence."""
    assert date.fromisoformat(path.stem)
    for rule in rules(path):
        title, source, confidence, blank, *body = rule.split("\n")
        assert title.startswith("Rule: ")
        assert source.startswith("**Source:** ")
        assert 0 < float(confidence.removeprefix("**Confidence:** ")) <= 1
        assert blank == ""
        assert "".join(body)
        sources = MENTION.findall(source)
        assert len(set(sources)) >= 2
        assert all(Path(name).stem <= path.stem and line for _, name, line in sources)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_mentions(path):
    """A memory file that is named is there, and a line that is cited has text."""
    for text, target, line in mentions(path):
        assert target, f"{text} is nowhere"
        if line:
            assert lines(target)[line - 1].strip(), f"{text} is empty"


def test_mentions_are_many():
    """The notes lean on one another: topics, rules and dailies cite across owners."""
    found = [(path, target) for path in FILES for _, target, _ in mentions(path)]
    assert len(found) > 40
    assert any(owner_of(path) != owner_of(target) for path, target in found)


def test_citations_say_what_they_cite():
    """The cited line is the one that was meant, not one near it."""
    harbor = WORKSPACE / "crews" / "harbor"
    cited = {
        "keeps the last, and": "agents/ledger/memory/daily/2026-03-12.md",
        "38,200 requests": "agents/winch/memory/daily/2026-03-12.md",
        "6 x 8 x 5 = 240": "agents/winch/memory/daily/2026-03-24.md",
        "is eight hours by the wall": "agents/ledger/memory/daily/2026-03-30.md",
        "It does not rewrite": "agents/ledger/memory/daily/2026-04-09.md",
        "queue behind the queue": "agents/winch/memory/daily/2026-04-09.md",
    }
    lines_cited = {
        lines(target)[line - 1]
        for path in FILES
        for _, target, line in mentions(path)
        if line
    }
    for words, file in cited.items():
        held = [row for row in lines(harbor / file) if words in row]
        assert lines_cited.intersection(held), words


@pytest.mark.parametrize("question", QUESTIONS)
def test_question(question):
    """What a newcomer asks stands in a heading, and the answer right below it."""
    name, answer = QUESTIONS[question]
    shared = WORKSPACE / "crews" / "harbor" / "shared" / "memory"
    text = (shared / name).read_text(encoding="utf-8")
    section = next(part for part in text.split("\n## ") if part.startswith(question))
    assert answer in section


def test_no_secret():
    """No file holds what looks like a key, a token or a connection string."""
    shapes = re.compile(
        r"[0-9a-f]{32}|[A-Za-z0-9+/_]{40}|://[^\s/]+:[^\s/]+@|BEGIN [A-Z ]*KEY"
        r"|\b(?:AKIA|ghp_|sk-|xox)\w|(?:password|secret|token)\s*[=:]\s*\S",
        re.IGNORECASE,
    )
    for path in FILES:
        assert not shapes.search(path.read_text(encoding="utf-8")), path


def test_many_shapes():
    """Accents, fences, tables, setext headings and other languages are all there."""
    everything = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    assert all(name in everything for name in ("Zoë", "José", "Jiří", "Renée"))
    assert all(each in everything for each in ("Schlüsseln", "Hodiny nelžou"))
    assert re.search(r"^```sql$", everything, re.MULTILINE)
    assert re.search(r"^  ```", everything, re.MULTILINE)
    assert re.search(r"^\w.*\n-{3,}$", everything, re.MULTILINE)
    assert re.search(r"^\|---", everything, re.MULTILINE)


# What happened to the crew

HAPPENED = [
    json.loads(line)
    for line in (SAMPLE / "journal.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_the_journal_is_of_the_crew():
    """Entries are of its agents, over the weeks of its notes, and have fixed ids."""
    slugs = {agent["slug"] for agent in registry()["agents"]}
    assert {each["agent_id"] for each in HAPPENED} == slugs
    assert {each["crew_id"] for each in HAPPENED} == {registry()["crew"]["slug"]}
    assert 60 <= len(HAPPENED) <= 90
    times = [each["ts"] for each in HAPPENED]
    assert times == sorted(times)
    days = [date.fromisoformat(path.stem) for path in DAILY]
    assert min(days) <= date.fromisoformat(times[0][:10])
    assert date.fromisoformat(times[-1][:10]) <= max(days)
    ids = {each["id"] for each in HAPPENED}
    assert len(ids) == len(HAPPENED)
    assert all(re.fullmatch(r"j_[0-9a-z]{12}", each) for each in ids)


def test_the_journal_has_something_of_each():
    """There is what recall selects, what is tagged, and what it leaves alone."""
    kinds = Counter(each["entry_type"] for each in HAPPENED)
    wanted = ("peer.escalation", "keeper.decision", "memory.consolidated")
    assert all(kinds[each] >= 3 for each in wanted)
    assert kinds["approval.denied"] == kinds["summary.generated"] == 1
    assert {"exec.output_chunk", "container.metrics"} <= {*kinds}
    assert {each["severity"] for each in HAPPENED} == {
        "info",
        "notice",
        "warn",
        "error",
    }
    assert sum("refs" in each for each in HAPPENED) >= 5
    sessions = Counter(each["trace_id"] for each in HAPPENED if "trace_id" in each)
    assert len(sessions) >= 8
    assert max(sessions.values()) >= 8


def test_the_journal_names_files_that_there_are():
    """A memory file that an entry names is its agent's, or its crew's."""
    harbor = WORKSPACE / "crews" / "harbor"
    named = [each for each in HAPPENED if "file" in each["payload"]]
    assert len(named) >= 5
    for each in named:
        owners = (harbor / "agents" / each["agent_id"], harbor / "shared")
        assert any(
            (owner / "memory" / each["payload"]["file"]).is_file() for owner in owners
        )


def test_the_journal_keeps_secrets_out():
    """No entry holds what looks like a key."""
    text = (SAMPLE / "journal.jsonl").read_text(encoding="utf-8")
    assert not re.search(r"[0-9a-f]{32}|[A-Za-z0-9+/_]{40}|AKIA|ghp_|sk-", text)
