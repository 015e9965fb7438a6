"""A world in which every text holds a word of its own, and who may see which.

What an actor may see is said here a second time, from the table of roles alone, so
that it does not inherit a mistake of `crewmem.scope`.
"""

import io
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from crewmem.cli.app import World
from crewmem.cli.root import run
from crewmem.files.tiers import Tier

WORKSPACES = ("default", "annex")
CREWS = {"harbor": ("pilot", "mira", "tor"), "quay": ("anker", "bo", "mira2")}
"""The agents of each crew, its lead first; both workspaces have the same names."""

GUESTS = {"harbor": ("bo",)}
"""Who belongs to a crew that is not its home."""

CANARY = re.compile("zq[0-9]{4}x")

OPENER = "ada"


class Canary(NamedTuple):
    """Where a word stands, and so who may see it.

    Attributes:
        kind: agent, crew, workspace, peer, user, entry, restricted or note.
        crew: The crew that it is of; None: of none.
        agent: The agent that it is of; None: of none.
    """

    word: str
    workspace: str
    kind: str
    crew: str | None = None
    agent: str | None = None


class Asked(NamedTuple):
    """Who asks, where, and how.

    Attributes:
        role: agent, lead or operator.
        by_path: Whether a tree was named: there nobody knows who belongs to a crew.
        for_opener: Whether what is known of a person is laid before a model.
        for_owner: Whether what is restricted was asked for, or named.
    """

    role: str
    name: str
    workspace: str
    by_path: bool = False
    for_opener: bool = False
    for_owner: bool = False


def may_see(asked, canary):
    """Tell whether who asked may see the text that *canary* stands in."""
    if canary.kind == "note":
        return False  # a note is seen by who wrote it, and here nobody asks as that
    if asked.role == "operator":
        if canary.kind == "restricted" and not asked.for_owner:
            return False
        return asked.by_path or canary.workspace == asked.workspace
    if canary.workspace != asked.workspace and not asked.by_path:
        return False
    if canary.kind == "workspace":
        return True
    own = canary.agent == asked.name
    if asked.by_path:
        in_crew = True
    else:
        members = (*CREWS[canary.crew], *GUESTS.get(canary.crew, ()))
        in_crew = asked.name in members
    return {
        "agent": own,
        "restricted": own and asked.for_owner,
        "crew": in_crew,
        "entry": own or in_crew,
        "peer": own and asked.for_opener,
        "user": in_crew and asked.for_opener,
    }[canary.kind]


class Made(NamedTuple):
    """A world on disk."""

    home: Path
    canaries: dict[str, Canary]

    def leaked(self, asked, text):
        """Return the canaries in *text* that who *asked* may not see."""
        words = sorted(set(CANARY.findall(text)))
        return [
            self.canaries[word]
            for word in words
            if not may_see(asked, self.canaries[word])
        ]

    def copied(self, home):
        """Make *home* a copy of this one."""
        shutil.copytree(self.home, home)
        return Made(home, self.canaries)


def typed(home, *words, acting="operator:ada", stdin="", mount="/nowhere"):
    """Return the status and all that is printed of a command line."""
    out = io.StringIO()
    world = World(
        environ={"CREWMEM_HOME": str(home), "LOGNAME": "ada", "HOME": str(home.parent)},
        mount=mount,
        stdin=io.StringIO(stdin),
        stdout=out,
        stderr=out,
    )
    return run([*words, "--as", acting], world), out.getvalue()


def made(home):
    """Make *home* a world of two workspaces, two crews each, and six agents."""
    canaries = {}

    def canary(workspace, kind, crew=None, agent=None):
        word = f"zq{len(canaries):04}x"
        canaries[word] = Canary(word, workspace, kind, crew, agent)
        return word

    for workspace in WORKSPACES:
        _registered(home, workspace)
        _written(home, workspace, canary)
        _happened(home, workspace, canary)
        _remembered(home, workspace, canary)
    for workspace in WORKSPACES:
        assert typed(home, "-w", workspace, "memory", "reindex")[0] == 0
    assert typed(home, "episodes", "sweep", "--all")[0] == 0
    return Made(home, canaries)


def _registered(home, workspace):
    lines = [f"workspace add {workspace}"] if workspace != "default" else ["init"]
    for crew, agents in CREWS.items():
        lines.append(f"crew add {crew} --lead {agents[0]}")
        lines += [f"agent add {agent} --crew {crew}" for agent in agents]
    for crew, agents in GUESTS.items():
        lines += [f"crew set {crew} --add-member {agent}" for agent in agents]
    for line in lines:
        status, said = typed(home, "-w", workspace, *line.split())
        assert status == 0, said


def _text(word, what):
    return f"# Lantern {word}\n\nThe lantern of {what} hangs at {word}.\n"


FILES = {
    Tier.AGENT: "AGENT.md",
    Tier.PERSONA: "PERSONA.md",
    Tier.PINS: "pins.md",
    Tier.BRIEF: "BRIEF.md",
    Tier.DAILY: "daily/2026-04-30.md",
    Tier.PEER: "peers/{slug}.md",
}

SHARED = {
    Tier.CREW: "CREW.md",
    Tier.PERSONA: "PERSONA.md",
    Tier.PINS: "pins.md",
    Tier.DAILY: "daily/2026-04-30.md",
    Tier.TOPIC: "topics/lantern.md",
    Tier.LEARNED: "learned/2026-04-29.md",
    Tier.USER: "users/{slug}.md",
}


def _written(home, workspace, canary):
    above = home / "workspaces" / workspace
    slug = "0123456789abcdef"
    _put(above / ".memory" / "NOTES.md", _text(canary(workspace, "workspace"), "all"))
    for crew, agents in CREWS.items():
        shared = above / "crews" / crew / "shared" / ".memory"
        for tier, name in SHARED.items():
            kind = "user" if tier is Tier.USER else "crew"
            word = canary(workspace, kind, crew)
            _put(shared / name.format(slug=slug), _text(word, crew))
        for agent in agents:
            own = above / "crews" / crew / "agents" / agent / ".memory"
            for tier, name in FILES.items():
                kind = "peer" if tier is Tier.PEER else "agent"
                word = canary(workspace, kind, crew, agent)
                _put(own / name.format(slug=slug), _text(word, agent))


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _happened(home, workspace, canary):
    for crew, agents in CREWS.items():
        for agent in agents:
            word = canary(workspace, "entry", crew, agent)
            add = ["journal", "add", "note.taken", f"The lantern at {word} was lit"]
            whose = ["--crew", crew, "--agent", agent, "--refs", '{"episodic": true}']
            payload = ["--payload", f'{{"lantern": "{word}"}}']
            status, said = typed(home, "-w", workspace, *add, *whose, *payload)
            assert status == 0, said


def _remembered(home, workspace, canary):
    for crew, agents in CREWS.items():
        _remember(home, workspace, canary(workspace, "crew", crew), "--crew", crew)
        for agent in agents:
            whose = ["--agent", agent]
            own = canary(workspace, "agent", crew, agent)
            _remember(home, workspace, own, *whose, "--topic-key", "lantern")
            secret = canary(workspace, "restricted", crew, agent)
            _remember(home, workspace, secret, *whose, "--sensitivity", "restricted")
    _remember(home, workspace, canary(workspace, "workspace"), "-S", "workspace")
    noted = canary(workspace, "note")
    words = ["scratch", "add", f"The lantern is at {noted}", "--session", "s"]
    status, said = typed(home, "-w", workspace, *words, acting="operator:noah")
    assert status == 0, said


def _remember(home, workspace, word, *whose):
    text = f"The lantern of memory hangs at {word}"
    status, said = typed(home, "-w", workspace, "remember", text, *whose)
    assert status == 0, said
