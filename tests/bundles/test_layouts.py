"""What of other programs' notes goes where."""

import pytest
from bundles_sources import opened, tarred, zipped

from crewmem.bundles.layouts import layout
from crewmem.bundles.reading import Aim
from crewmem.errors.bundles import BundleDamagedError, LayoutUnknownError
from crewmem.errors.cli import GroupNeededError

OPENCLAW = {
    "SOUL.md": "Calm.\n",
    "IDENTITY.md": "I am Mira.\n",
    "MEMORY.md": "The pier is closed.\n",
    "TOOLS.md": "Use rg.\n",
    "USER.md": "Likes short answers.\n",
    "AGENTS.md": "We deploy on Tuesdays.\n",
    "README.md": "What this is.\n",
    "memory/2026-04-30.md": "Wrote the plan.\n",
    "memory/ideas.md": "A winch.\n",
    "memory/2026-13-01.md": "No such day.\n",
    "memory/old/2025.md": "Deep.\n",
    "vectors/one.bin": "x",
    "sessions/a.jsonl": "{}",
    ".git/config": "x",
}


def test_openclaw_is_mapped(folder, read):
    """Pages of OpenClaw go to persona, agent, crew and days; the rest is named."""
    form, documents, out = read(folder(OPENCLAW), with_crew=True)
    assert form == "openclaw"
    assert documents == {
        "agent:PERSONA.md": "## IDENTITY.md\n\nI am Mira.\n\n## SOUL.md\n\nCalm.\n",
        "agent:AGENT.md": (
            "## MEMORY.md\n\nThe pier is closed.\n\n## TOOLS.md\n\nUse rg.\n\n"
            "## memory/2026-13-01.md\n\nNo such day.\n\n"
            "## memory/ideas.md\n\nA winch.\n"
        ),
        "agent:daily/2026-04-30.md": "Wrote the plan.\n",
        "crew:CREW.md": "We deploy on Tuesdays.\n",
    }
    assert out.keys() == {
        "README.md",
        "USER.md",
        "memory/old/2025.md",
        "sessions/a.jsonl",
        "vectors/one.bin",
    }
    assert "--operator" in out["USER.md"]


def test_what_is_about_a_person_needs_the_person(folder, read):
    """USER.md goes where --operator says, and is a crew's user where it is a crew's."""
    _, documents, _ = read(folder(OPENCLAW), person="0" * 16)
    assert documents[f"agent:peers/{'0' * 16}.md"] == "Likes short answers.\n"
    _, documents, _ = read(folder(OPENCLAW), person="0" * 16, agent=None)
    assert documents[f"crew:users/{'0' * 16}.md"] == "Likes short answers.\n"


def test_what_is_the_crews_is_held_back(folder, read):
    """For an agent nothing goes to its crew, unless that is asked for."""
    _, documents, out = read(folder(OPENCLAW))
    assert not any(name.startswith("crew:") for name in documents)
    assert "--with-crew" in out["AGENTS.md"]


def test_for_a_crew_all_is_the_crews(folder, read):
    """Where a crew is named, an agent's page becomes a part of the crew's."""
    _, documents, _ = read(folder(OPENCLAW), agent=None)
    assert {name.partition(":")[0] for name in documents} == {"crew"}
    assert "## AGENTS.md\n\nWe deploy" in documents["crew:CREW.md"]
    assert "## MEMORY.md\n\nThe pier" in documents["crew:CREW.md"]


NANOCLAW = {
    "groups/global/CLAUDE.md": "For all.\n",
    "groups/pier/CLAUDE.md": "The pier.\n",
    "groups/pier/notes.md": "Wet.\n",
    "groups/pier/logs/one.md": "Deep.\n",
    "groups/dock/CLAUDE.md": "The dock.\n",
    "src/index.ts": "x",
}


def test_nanoclaw_has_groups(folder, read):
    """One group goes to the agent, the one of all to the crew."""
    form, documents, out = read(folder(NANOCLAW), group="pier", with_crew=True)
    assert form == "nanoclaw"
    assert documents == {
        "agent:AGENT.md": (
            "## groups/pier/CLAUDE.md\n\nThe pier.\n\n## groups/pier/notes.md\n\nWet.\n"
        ),
        "crew:CREW.md": "For all.\n",
    }
    assert out.keys() == {
        "groups/dock/CLAUDE.md",
        "groups/pier/logs/one.md",
        "src/index.ts",
    }


@pytest.mark.parametrize("group", [None, "quay"])
def test_one_of_several_groups_is_named(folder, read, group):
    """Of several groups one has to be named, and the failure says which there are."""
    with pytest.raises(GroupNeededError) as failure:
        read(folder(NANOCLAW), group=group)
    assert "dock, pier" in failure.value.hint


def test_the_only_group_is_meant(folder, read):
    """Where there is one group, it is the one."""
    _, documents, _ = read(folder({"groups/pier/CLAUDE.md": "The pier.\n"}))
    assert documents == {"agent:AGENT.md": "The pier.\n"}


OKF = {
    "okf.yaml": (
        'format: okf\nversion: "0.1"\ngenerator: crewship\ndocuments:\n'
        "  - path: agent.md\n    tier: agent\n    tags: [a, 'b']\n"
        "  - path: topic.md\n    tier: crew\n    sources:\n      - one.md\n"
        "  - path: broken.md\n    tier: agent\n"
        "  - path: bad.md\n    tier: agent\n"
        "  - path: gone.md\n    tier: agent\n"
        "  - path: pins.md\n    tier: pins\n"
        "  - path: lore-2026-04-01.md\n    tier: learned\n"
    ),
    "agent.md": "---\ntype: agent\ntitle: Mira\ncrewship_path: AGENT.md\n---\n\n# M\n",
    "topic.md": (
        "---\ntype: crew\nscope: crew\n"
        "crewship_path: harbor/topics/winch.md\n---\n\nW\n"
    ),
    "broken.md": "---\ntype: [agent\n---\n\nThe body.\n",
    "bad.md": "---\ntype: agent\ncrewship_path: .quarantine/x.md\n---\n\nPoison.\n",
    "pins.md": "---\ntype: pins\n---\n\n- pin\n",
    "lore-2026-04-01.md": "---\ntype: learned\n---\n\nA rule.\n",
    "extra.md": "Not listed.\n",
}


def test_okf_is_mapped(folder, read):
    """Pages of OKF go where they say, or by their type; front matter is left behind."""
    form, documents, out = read(folder(OKF), with_crew=True)
    assert form == "okf"
    assert documents == {
        "agent:AGENT.md": "# M\n",
        "agent:pins.md": "- pin\n",
        "crew:topics/winch.md": "W\n",
        "crew:learned/2026-04-01.md": "A rule.\n",
    }
    assert out.keys() == {"broken.md", "bad.md", "gone.md", "extra.md"}
    assert "front matter" in out["broken.md"]
    assert "hidden" in out["bad.md"]


def test_front_matter_that_is_not_read_costs_its_page(folder, read):
    """A body whose fields cannot be read goes nowhere else."""
    _, documents, out = read(folder(OKF), with_crew=True)
    assert "The body" not in str(documents)
    assert "broken.md" in out


@pytest.mark.parametrize(
    "manifest",
    ["format: other\n", "format: okf\ndocuments: {a: b}\n", "\tformat: okf\n", "- a\n"],
)
def test_a_manifest_that_is_not_read_ends_it(folder, read, manifest):
    """What okf.yaml says is not guessed at."""
    with pytest.raises(BundleDamagedError, match=r"okf\.yaml"):
        read(folder({"okf.yaml": manifest, "a.md": "x\n"}))


def test_okf_is_known_by_its_pages(folder, read):
    """Without a manifest, pages that say their type are OKF; a zip is read, too."""
    pages = {"one.md": "---\ntype: agent\n---\n\nOne.\n", "two.md": "Two.\n"}
    wanted = "## one.md\n\nOne.\n\n## two.md\n\nTwo.\n"
    for source in (
        folder(pages),
        opened(zipped(pages)),
        opened(zipped({f"b/{k}": v for k, v in pages.items()})),
    ):
        form, documents, _ = read(source)
        assert form == "okf"
        assert documents == {"agent:AGENT.md": wanted}


TREE = {
    "crews/harbor/shared/.memory/CREW.md": "# Crew\n",
    "crews/harbor/shared/.memory/topics/winch.md": "Winch.\n",
    "crews/harbor/shared/.memory/.quarantine/x.md": "Poison.\n",
    "crews/harbor/agents/mira/.memory/AGENT.md": "# Mira\r\n",
    "crews/harbor/agents/mira/.memory/index.sqlite": "x",
    "crews/harbor/agents/pilot/.memory/AGENT.md": "# Pilot\n",
    ".memory/NOTES.md": "Notes.\n",
}


def test_live_trees_keep_their_bytes(folder):
    """A tree of several crews says whose each file is; hidden and derived stay out."""
    reading = layout("crewship").read(folder(TREE), Aim())
    assert {
        (each.crew, each.agent, each.file, each.content) for each in reading.documents
    } == {
        ("harbor", "mira", "AGENT.md", b"# Mira\r\n"),
        ("harbor", "pilot", "AGENT.md", b"# Pilot\n"),
        ("harbor", None, "CREW.md", b"# Crew\n"),
        ("harbor", None, "topics/winch.md", b"Winch.\n"),
        (None, None, "NOTES.md", b"Notes.\n"),
    }
    left_out = [each.source for each in reading.left_out]
    assert left_out == ["crews/harbor/agents/mira/.memory/index.sqlite"]


def test_one_of_a_tree_can_be_asked_for(folder, read):
    """An agent that is named gets its own files, and its crew's with --with-crew."""
    _, documents, out = read(folder(TREE))
    assert documents == {"agent:AGENT.md": "# Mira\r\n"}
    assert "crews/harbor/agents/pilot/.memory/AGENT.md" in out
    _, documents, _ = read(folder(TREE), with_crew=True)
    assert documents.keys() == {
        "agent:AGENT.md",
        "crew:CREW.md",
        "crew:topics/winch.md",
    }


@pytest.mark.parametrize("above", ["", ".memory/"])
def test_a_directory_alone_is_whose_is_said(folder, read, above):
    """A .memory directory, or its parent, is for whom the command names."""
    files = {f"{above}AGENT.md": "# M\n", f"{above}daily/2026-04-30.md": "D\n"}
    form, documents, _ = read(folder(files))
    assert form == "crewship"
    assert documents == {"agent:AGENT.md": "# M\n", "agent:daily/2026-04-30.md": "D\n"}


def test_the_predecessors_folders_are_known(folder, read):
    """What its jobs wrote below a crew goes where it is written now."""
    files = {
        "CREW.md": "C\n",
        "harbor/topics/pins.md": "- p\n",
        "harbor/topics/learned-2026-04-01.md": "L\n",
        "harbor/topics/winch.md": "W\n",
    }
    _, documents, _ = read(folder(files), agent=None)
    assert documents == {
        "crew:CREW.md": "C\n",
        "crew:pins.md": "- p\n",
        "crew:learned/2026-04-01.md": "L\n",
        "crew:topics/winch.md": "W\n",
    }


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", "MEMORY.md", "notes.md"])
def test_a_page_alone_is_an_agents(single, read, name):
    """One page goes into AGENT.md as it is, of a crew into CREW.md."""
    source = single(f"somewhere/{name}", "# Notes\n\nText.\n")
    assert read(source)[:2] == ("single", {"agent:AGENT.md": "# Notes\n\nText.\n"})
    assert read(source, agent=None)[1] == {"crew:CREW.md": "# Notes\n\nText.\n"}


def test_a_page_of_a_day_is_a_daily_note(single, read):
    """A page that is called by a day is the note of that day."""
    assert read(single("2026-04-30.md", "D\n"))[1] == {
        "agent:daily/2026-04-30.md": "D\n"
    }


def test_pages_of_a_project_are_taken_alone(folder, read):
    """Of a directory of work only the pages for agents are memory."""
    files = {
        "CLAUDE.md": "C\n",
        "AGENTS.md": "A\n",
        "README.md": "R\n",
        "src/a.py": "x",
    }
    form, documents, out = read(folder(files))
    assert form == "single"
    assert documents == {"agent:AGENT.md": "## AGENTS.md\n\nA\n\n## CLAUDE.md\n\nC\n"}
    assert out.keys() == {"README.md", "src/"}


def test_what_is_no_text_is_left_out(folder, read):
    """Foreign files that are empty, too large or not UTF-8 are named, and left out."""
    files = {
        "SOUL.md": b"\xff\xfe\x00",
        "IDENTITY.md": " \n",
        "MEMORY.md": "x" * ((1 << 20) + 1),
        "TOOLS.md": "t\n",
    }
    _, documents, out = read(folder(files))
    assert documents == {"agent:AGENT.md": "t\n"}
    assert out.keys() == {"SOUL.md", "IDENTITY.md", "MEMORY.md"}


def test_what_nobody_knows_is_said(folder, single, read):
    """Where no layout fits it is an error, and nothing is guessed."""
    for source in (folder({"a.py": "x"}), folder({}), single("x.bin", "x")):
        with pytest.raises(LayoutUnknownError):
            read(source)


def test_tars_of_trees_are_read(read):
    """A live tree may be packed, below a directory of its own."""
    content = tarred([("./backup/AGENT.md", b"# M\n"), ("./backup/pins.md", b"- p\n")])
    _, documents, _ = read(opened(content))
    assert documents == {"agent:AGENT.md": "# M\n", "agent:pins.md": "- p\n"}
