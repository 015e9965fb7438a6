"""Which file is of which tier."""

import pytest

from crewmem.cli.places import TIERS
from crewmem.errors.files import KeyMissingError
from crewmem.files.tiers import PRIOR, Tier, file_of, prior, tier_of


@pytest.mark.parametrize(
    ("file", "tier"),
    [
        ("AGENT.md", "agent"),
        ("PERSONA.md", "persona"),
        ("pins.md", "pins"),
        ("BRIEF.md", "brief"),
        ("lessons.md", "lessons"),
        ("daily/2026-04-01.md", "daily"),
        ("daily/archive/2026/2026-04-01.md", "daily"),
        ("peers/0123456789abcdef.md", "peer"),
        ("users/0123456789abcdef.md", "user"),
        ("topics/deploys.md", "topic"),
        ("learned/2026-04-01.md", "learned"),
        ("CREW.md", "crew"),
        ("notes.md", "other"),
        ("deep/AGENT.md", "other"),
    ],
)
def test_the_place_tells_the_tier(file, tier):
    """By its name at the top, by its folder below."""
    assert tier_of(file) == tier


def test_all_of_a_workspace_is_the_workspaces():
    """Whatever its files are called."""
    assert tier_of("AGENT.md", workspace=True) == "workspace"
    assert tier_of("notes.md", workspace=True) == "workspace"


def test_a_tier_and_a_key_name_a_file():
    """And a tier of many files needs a key."""
    assert file_of("agent", None) == "AGENT.md"
    assert file_of("daily", "2026-04-01") == "daily/2026-04-01.md"
    assert file_of("topic", "deploys.md") == "topics/deploys.md"
    with pytest.raises(KeyMissingError):
        file_of("topic", None)


def test_the_prior_only_decides_between_equals():
    """It is within a tenth of 1, topics first and daily notes last."""
    order = sorted(Tier, key=prior)
    assert (order[0], order[-1]) == (Tier.DAILY, Tier.TOPIC)
    assert all(0.9 <= prior(tier) <= 1.1 for tier in Tier)
    assert set(PRIOR) < set(Tier)


def test_the_command_line_knows_the_same_tiers():
    """Its list, which saves an import, is this one."""
    assert list(Tier) == list(TIERS)
