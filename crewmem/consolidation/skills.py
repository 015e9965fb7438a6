"""Skill candidates: procedures that sessions repeat with success, as an inert SKILL.md in review.

No program reads it there. Approving it writes it where the agent programs look for skills.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from pathlib import Path

from crewmem.consolidation.cluster import group_texts
from crewmem.errors import ConflictError, RefusedError
from crewmem.review.handlers import Choice, Handler
from crewmem.review.store import ReviewItem, ReviewStore
from crewmem.security.scanner import Scanner
from crewmem.security.secrets import redact
from crewmem.sessions.procedures import Procedure
from crewmem.storage.filesystem import make_directory, replace_file
from crewmem.text.similarity import find_similar_pairs

SESSIONS_MIN = 3
"""Sessions that must have done the same with success."""

STEPS_MIN = 2
"""Steps of a procedure: one command is none."""

OUTPUT = re.compile(r"\s*(?:2>&1|\|\s*(?:head|tail)\b[^|&;]*)")
"""What only shortens or joins the output of a command."""

SIMILAR = 0.6
"""Jaccard index of their steps from which two procedures are one."""


SKILL_DIRECTORIES = {
    ".claude": ".claude/skills",
    ".codex": ".agents/skills",
    ".gemini": ".gemini/skills",
    ".openclaw": ".openclaw/skills",
    ".opencode": ".opencode/skills",
    ".config/opencode": ".config/opencode/skills",
}
"""Directories of agent programs, each with where it looks for skills."""


@dataclass(frozen=True, slots=True)
class SkillCandidate:
    """A procedure that sessions repeated."""

    name: str
    text: str
    evidence: list[str]
    crew: str
    agent: str
    key: str


def find_skills(procedures: Iterable[Procedure], scanner: Scanner) -> list[SkillCandidate]:
    """Return a candidate for each procedure that three or more sessions did with success."""
    good = [
        each for each in procedures if len(each.steps) >= STEPS_MIN and not any(each.exit_statuses)
    ]
    shapes = [frozenset(shape_of(each.steps)) for each in good]
    pairs = sorted((first, second) for first, second, _ in find_similar_pairs(shapes, SIMILAR))
    groups: dict[int, list[Procedure]] = {}
    for each, leader in zip(good, group_texts(len(good), pairs, ()), strict=True):
        groups.setdefault(leader, []).append(each)
    found = []
    for chosen in groups.values():
        if len({each.session for each in chosen}) >= SESSIONS_MIN:
            candidate = _make_skill(chosen)
            if not scanner.has_attack(candidate.text):
                found.append(candidate)
    return sorted(found, key=lambda each: each.name)


def propose_skills(candidates: Iterable[SkillCandidate], review: ReviewStore) -> dict[str, str]:
    """Put skill candidates into review.

    Returns:
        The review item of each new candidate, by name. What waits already, or was decided on the
        same evidence, is not returned.
    """
    known = {item.id for item in review.list_items(kind="skill", status="", limit=0)}
    added = {}
    for each in candidates:
        item = review.add(
            "skill",
            f"Skill: {each.name}",
            payload={
                "name": each.name,
                "text": each.text,
                "evidence": each.evidence,
                "origin": "agent",  # who ran the commands
            },
            crew=each.crew,
            agent=each.agent,
            key=each.key,
        )
        if item not in known:
            added[each.name] = item
    return added


def shape_of(steps: Sequence[str]) -> list[str]:
    """Return what steps have in common when their arguments differ: program and subcommand."""
    shapes = []
    for step in steps:
        words = re.findall(r"[\w./-]+", re.sub(r"\"[^\"]*\"|'[^']*'", "", step))
        named = [word for word in words if not word.startswith("-")]
        shapes.append(" ".join(named[:2]))
    return shapes


def _common_words(steps: Sequence[str]) -> str:
    """Return the words that commands begin with alike, without what only shortens their output.

    >>> _common_words(["just test -k one 2>&1 | tail -5", "just test -k two"])
    'just test -k …'
    """
    split = [OUTPUT.sub("", step).split() for step in steps]
    places = zip(*split, strict=False)
    shared = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, places)]
    return " ".join(shared if all(len(each) == len(shared) for each in split) else [*shared, "…"])


def _make_name(steps: Sequence[str]) -> str:
    """Return the name of a skill: the programs and subcommands of its steps.

    >>> _make_name(["just test -k …", "just fmt && just lint"])
    'just-test-fmt-lint'
    """
    words = [
        word
        for step in steps
        for part in re.split(r"[;&|]+", step)
        for word in re.findall(r"(?<![\w./-])[a-z][a-z0-9_]*(?![\w./])", part)[:3]
    ]
    named = [word for word in dict.fromkeys(words) if word != "cd"]
    return "-".join(named[:6])[:40].strip("-") or "procedure"


def _make_skill(group: Sequence[Procedure]) -> SkillCandidate:
    group = sorted(group, key=lambda each: (len(each.steps), each.session))
    shapes = [shape_of(each.steps) for each in group]
    # The steps of the shortest run that most runs have: detours of single sessions drop out.
    first = group[0]
    kept = [
        (step, shape)
        for step, shape in zip(first.steps, shapes[0], strict=True)
        if sum(shape in other for other in shapes) * 2 > len(group)
    ]
    alike = [
        [
            max(
                (each for each, other in zip(run.steps, has, strict=True) if other == shape),
                key=lambda each: len(set(each.split()) & set(step.split())),
            )
            for run, has in zip(group, shapes, strict=True)
            if shape in has
        ]
        for step, shape in kept
    ]
    common = [redact(_common_words(steps)) for steps in alike]
    title = ", then ".join(common)
    goal = redact(" ".join(first.goal.split())[:120])
    slug = _make_name(common)
    sessions = sorted({each.session for each in group})
    key = sha256("\n".join(sorted(shapes[0])).encode()).hexdigest()[:16]
    steps = [f"{number}. `{step}`" for number, step in enumerate(common, 1)]
    evidence = [
        f"{each.session}:{each.turns[0]} exit {','.join(map(str, each.exit_statuses))}"
        for each in group
    ]
    text = "\n".join(
        [
            "---",
            f"name: {slug}",
            f"description: {json.dumps(f'Runs {title}; asked for as: {goal}', ensure_ascii=False)}",
            "---",
            "",
            f"# {title}",
            "",
            f"{len(sessions)} sessions did this with success, first when asked: {goal}",
            "",
            *steps,
            "",
            "## Evidence",
            "",
            *(f"- {each}" for each in evidence),
            "",
        ]
    )
    crews = {each.crew for each in group}
    agents = {each.agent for each in group}
    return SkillCandidate(
        name=slug,
        text=text,
        evidence=evidence,
        crew=crews.pop() if len(crews) == 1 else "",
        agent=agents.pop() if len(agents) == 1 else "",
        key=key,
    )


class SkillHandler(Handler):
    """An inert SKILL.md; approval writes it where agent programs find skills."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Write the skill; a different file of its name is never replaced."""
        name, text = item.payload["name"], item.payload["text"]
        if not name.replace("-", "").isalnum():
            raise RefusedError(f"'{name}' cannot be the name of a skill", code="bad-skill-name")
        if self.home.context.scanner.has_attack(text):
            raise RefusedError("the scanner refuses the text of the skill", code="attack")
        done = []
        projects = self.home.registry.get_agent(item.agent).projects if item.agent else ()
        places = [Path(each) for each in projects] or [Path.home()]
        for directory in (each for place in places for each in find_skill_directories(place)):
            path = directory / name / "SKILL.md"
            data = text.encode()
            if path.exists() and path.read_bytes() != data:
                raise ConflictError(f"{path} exists and is another skill", code="skill-exists")
            make_directory(path.parent)
            replace_file(path, data)
            done.append(f"wrote {path}")
        return done

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        return ["nothing was written"]

    def describe(self, item: ReviewItem) -> list[str]:
        return [f"+ {line}" for line in str(item.payload["text"]).split("\n")]


def find_skill_directories(base: Path) -> list[Path]:
    """Return where agent programs look for skills in a project, or in a person's home.

    Those count that have a directory there; without any, it is the one that most programs read.
    """
    found = [
        base / skills for program, skills in SKILL_DIRECTORIES.items() if (base / program).is_dir()
    ]
    return found or [base / ".agents" / "skills"]
