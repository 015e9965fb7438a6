"""Skill candidates: procedures that sessions repeat with success.

A skill candidate is the text of a SKILL.md in a review item, where no agent program reads it.
Approving it writes it where the agent programs look for skills.
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

MIN_SESSIONS = 3
"""Minimum number of sessions in which the procedure succeeded."""

MIN_STEPS = 2
"""Minimum number of steps: a single command is not a procedure."""

OUTPUT = re.compile(r"\s*(?:2>&1|\|\s*(?:head|tail)\b[^|&;]*)")
"""Parts of a command that only redirect or shorten its output."""

SAME_PROCEDURE = 0.6
"""Minimum Jaccard index of the steps of runs of one procedure."""

SKILL_DIRECTORIES = {
    ".claude": ".claude/skills",
    ".codex": ".agents/skills",
    ".gemini": ".gemini/skills",
    ".openclaw": ".openclaw/skills",
    ".opencode": ".opencode/skills",
    ".config/opencode": ".config/opencode/skills",
}
"""Where an agent program looks for skills, by the directory that shows its presence."""


@dataclass(frozen=True, slots=True)
class SkillCandidate:
    """A procedure that sessions repeated.

    Attributes:
        text: The SKILL.md.
        evidence: ``session:turn exit statuses`` of each run.
        crew: "" if the runs are of several crews; likewise *agent*.
        key: Key of the review item: a hash of the steps.
    """

    name: str
    text: str
    evidence: list[str]
    crew: str
    agent: str
    key: str


def find_skills(procedures: Iterable[Procedure], scanner: Scanner) -> list[SkillCandidate]:
    """Return a candidate for each procedure that succeeded in at least `MIN_SESSIONS` sessions."""
    successful = [
        each for each in procedures if len(each.steps) >= MIN_STEPS and not any(each.exit_statuses)
    ]
    shapes = [frozenset(list_shapes(each.steps)) for each in successful]
    pairs = sorted((a, b) for a, b, _ in find_similar_pairs(shapes, SAME_PROCEDURE))
    groups: dict[int, list[Procedure]] = {}
    for each, leader in zip(successful, group_texts(len(successful), pairs, ()), strict=True):
        groups.setdefault(leader, []).append(each)
    candidates = []
    for runs in groups.values():
        if len({run.session for run in runs}) >= MIN_SESSIONS:
            candidate = _make_candidate(runs)
            if not scanner.has_attack(candidate.text):
                candidates.append(candidate)
    return sorted(candidates, key=lambda each: each.name)


def propose_skills(
    candidates: Iterable[SkillCandidate], review: ReviewStore, *, dry_run: bool = False
) -> dict[str, str]:
    """Put skill candidates into review.

    Returns:
        The id of each new review item, by name of the candidate; "" with *dry_run*. A candidate
        that waits already, or was decided on the same evidence, is not included.
    """
    added = {}
    for each in candidates:
        payload = {
            "name": each.name,
            "text": each.text,
            "evidence": each.evidence,
            "origin": "agent",  # agents ran the commands
        }
        if review.find_known("skill", each.key, payload):
            continue
        added[each.name] = ""
        if not dry_run:
            added[each.name] = review.add(
                "skill",
                f"Skill: {each.name}",
                payload=payload,
                crew=each.crew,
                agent=each.agent,
                key=each.key,
            )
    return added


def list_shapes(steps: Sequence[str]) -> list[str]:
    """Return the program and subcommand of each step, which are the same for other arguments.

    >>> list_shapes(["git commit -m 'one'", "just test -k two"])
    ['git commit', 'just test']
    """
    shapes = []
    for step in steps:
        words = re.findall(r"[\w./-]+", re.sub(r"\"[^\"]*\"|'[^']*'", "", step))
        shapes.append(" ".join([word for word in words if not word.startswith("-")][:2]))
    return shapes


def _merge_steps(steps: Sequence[str]) -> str:
    """Return the words with which all commands begin, without redirections of their output.

    >>> _merge_steps(["just test -k one 2>&1 | tail -5", "just test -k two"])
    'just test -k …'
    """
    commands = [OUTPUT.sub("", step).split() for step in steps]
    columns = zip(*commands, strict=False)
    common = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, columns)]
    is_same = all(len(words) == len(common) for words in commands)
    return " ".join(common if is_same else [*common, "…"])


def _make_name(steps: Sequence[str]) -> str:
    """Return the name of a skill: the programs and subcommands of its steps.

    >>> _make_name(["just test -k …", "just fmt && just lint"])
    'just-test-fmt-lint'
    """
    words = [
        word
        for step in steps
        for command in re.split(r"[;&|]+", step)
        for word in re.findall(r"(?<![\w./-])[a-z][a-z0-9_]*(?![\w./])", command)[:3]
    ]
    unique = [word for word in dict.fromkeys(words) if word != "cd"]
    return "-".join(unique[:6])[:40].strip("-") or "procedure"


def _find_common_steps(runs: Sequence[Procedure]) -> list[str]:
    """Return the steps of the first run that most runs have, without their different arguments.

    Detours of single sessions are left out.
    """
    shapes = [list_shapes(run.steps) for run in runs]
    common = []
    for step, shape in zip(runs[0].steps, shapes[0], strict=True):
        if sum(shape in run_shapes for run_shapes in shapes) * 2 <= len(runs):
            continue
        same_steps = []
        for run, run_shapes in zip(runs, shapes, strict=True):
            same_shape = [
                s for s, other in zip(run.steps, run_shapes, strict=True) if other == shape
            ]
            if same_shape:
                same_steps.append(_find_most_similar(step, same_shape))
        common.append(redact(_merge_steps(same_steps)))
    return common


def _find_most_similar(step: str, others: Sequence[str]) -> str:
    """Return the one of *others* that has the most words of *step*."""
    words = set(step.split())
    return max(others, key=lambda other: len(words.intersection(other.split())))


def _make_candidate(runs: Sequence[Procedure]) -> SkillCandidate:
    """Return the skill candidate of several runs of one procedure."""
    runs = sorted(runs, key=lambda run: (len(run.steps), run.session))
    steps = _find_common_steps(runs)
    title = ", then ".join(steps)
    goal = redact(" ".join(runs[0].goal.split())[:120])
    name = _make_name(steps)
    evidence = [
        f"{run.session}:{run.turns[0]} exit {','.join(map(str, run.exit_statuses))}" for run in runs
    ]
    text = "\n".join(
        [
            "---",
            f"name: {name}",
            f"description: {json.dumps(f'Runs {title}; asked for as: {goal}', ensure_ascii=False)}",
            "---",
            "",
            f"# {title}",
            "",
            f"{len({run.session for run in runs})} sessions did this with success.",
            f"The first was asked: {goal}",
            "",
            *(f"{number}. `{step}`" for number, step in enumerate(steps, 1)),
            "",
            "## Evidence",
            "",
            *(f"- {each}" for each in evidence),
            "",
        ]
    )
    crews = {run.crew for run in runs}
    agents = {run.agent for run in runs}
    shapes = sorted(list_shapes(runs[0].steps))
    return SkillCandidate(
        name=name,
        text=text,
        evidence=evidence,
        crew=crews.pop() if len(crews) == 1 else "",
        agent=agents.pop() if len(agents) == 1 else "",
        key=sha256("\n".join(shapes).encode()).hexdigest()[:16],
    )


class SkillHandler(Handler):
    """An inert SKILL.md; approval writes it where agent programs find skills."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Write the skill. A different skill with the same name is never replaced."""
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
    """Return where the agent programs of a project or home directory look for skills.

    If no program has a directory there, this is ``.agents/skills``, which most of them read.
    """
    directories = [
        base / skills for program, skills in SKILL_DIRECTORIES.items() if (base / program).is_dir()
    ]
    return directories or [base / ".agents" / "skills"]
