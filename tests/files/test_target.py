"""Which file a write is about: an allow-list of names."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.errors.files import BadKeyError, KeyMissingError, TierMisplacedError
from crewmem.files.place import Place
from crewmem.files.target import TIERS, target, target_of
from crewmem.files.tiers import Tier, tier_of
from crewmem.scope import Scope

law = settings(deadline=None)

TODAY = dt.date(2026, 5, 1)
AGENT = Place(Path("/a/.memory"), Scope.AGENT, "harbor", "mira")
CREW = Place(Path("/c/.memory"), Scope.CREW, "harbor")
WORKSPACE = Place(Path("/w/.memory"), Scope.WORKSPACE)
SLUG = "0123456789abcdef"


@pytest.mark.parametrize(
    ("place", "tier", "key", "file"),
    [
        (AGENT, "agent", None, "AGENT.md"),
        (AGENT, "brief", None, "BRIEF.md"),
        (AGENT, "daily", None, "daily/2026-05-01.md"),
        (AGENT, "daily", "2024-02-29", "daily/2024-02-29.md"),
        (AGENT, "peer", SLUG, f"peers/{SLUG}.md"),
        (CREW, "crew", None, "CREW.md"),
        (CREW, "pins", None, "pins.md"),
        (CREW, "topic", "deploys.md", "topics/deploys.md"),
        (CREW, "topic", "Größe 2.0 नमस्ते", "topics/Größe 2.0 नमस्ते.md"),
        (CREW, "learned", None, "learned/2026-05-01.md"),
        (CREW, "user", SLUG, f"users/{SLUG}.md"),
        (WORKSPACE, "workspace", "NOTES", "NOTES.md"),
    ],
)
def test_a_tier_and_a_key_name_a_file(place, tier, key, file):
    """And the file's path names the same target."""
    found = target(place, tier, key, today=TODAY)
    assert (found.file, found.ref) == (file, place.ref(file))
    assert target_of(place, file) == found


HOSTILE = (
    "../x",
    "..",
    ".",
    "a/b",
    "a\\b",
    "/etc/passwd",
    ".hidden",
    "a\0b",
    "a\nb",
    "a\x1b[31m",
    "a\x85",
    "a\u202eb",
    "a\u200bb",
    "-rf",
    "x" * 65,
    "\u0928" * 60,
    "a..b",
    "a.",
    "a ",
    "~",
    "a*",
    "$(id)",
    "\udcff",
)


@pytest.mark.parametrize("key", HOSTILE)
def test_a_name_that_could_lead_elsewhere_is_refused(key):
    """Whatever tier it is of, and as a path as well."""
    for place, tier in ((CREW, "topic"), (WORKSPACE, "workspace"), (AGENT, "daily")):
        with pytest.raises(BadKeyError):
            target(place, tier, key, today=TODAY)
    if key != "a/b":  # of a path it is a folder more
        for file in (f"topics/{key}.md", f"daily/{key}/2026-05-01.md"):
            with pytest.raises(BadKeyError):
                target_of(CREW, file)


@pytest.mark.parametrize(
    "key",
    ["2026-02-30", "2026-5-1", "20260501", "today", "2026-05-01T00", "\u0662026-05-01"],
)
def test_days_are_real(key):
    """A daily note is named by a day that there is."""
    with pytest.raises(BadKeyError, match="no day"):
        target(AGENT, "daily", key, today=TODAY)


def test_what_is_one_file_takes_no_key():
    """And what is many takes one."""
    with pytest.raises(BadKeyError, match="takes no key"):
        target(AGENT, "agent", "x", today=TODAY)
    with pytest.raises(KeyMissingError):
        target(CREW, "topic", None, today=TODAY)
    with pytest.raises(BadKeyError, match="hexadecimal"):
        target(AGENT, "peer", "ada", today=TODAY)


TOKEN = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.mark.parametrize(
    ("tier", "key"),
    [("topic", f"see {TOKEN}/x"), ("agent", TOKEN), ("daily", TOKEN), ("user", TOKEN)],
)
def test_what_was_typed_for_a_name_is_told_without_a_secret(tier, key):
    """Text may have been typed in its place; what is told is kept in logs."""
    place = AGENT if tier in {"agent", "daily"} else CREW
    with pytest.raises(BadKeyError) as caught:
        target(place, tier, key, today=TODAY)
    told = f"{caught.value} {caught.value.details}"
    assert TOKEN not in told
    assert "github-token" in told


@pytest.mark.parametrize("place", [AGENT, CREW, WORKSPACE])
def test_a_directory_has_the_tiers_of_its_scope(place):
    """A tier of another scope is refused, by name and by path."""
    for tier in Tier:
        if tier not in TIERS[place.scope]:
            with pytest.raises(TierMisplacedError):
                target(place, tier, "x", today=TODAY)
    with pytest.raises(TierMisplacedError):
        target_of(AGENT, "CREW.md")


@law
@given(st.text(max_size=80), st.sampled_from([AGENT, CREW, WORKSPACE]))
def test_no_path_leads_out(text, place):
    """What is accepted has plain names only, and is of the tier that it says."""
    try:
        found = target_of(place, text)
    except (BadKeyError, TierMisplacedError):
        return
    names = found.file.split("/")
    assert not any(name[0] == "." or ".." in name for name in names)
    assert found.file.isprintable()
    is_workspace = place.scope is Scope.WORKSPACE
    assert found.tier is tier_of(found.file, workspace=is_workspace)


def test_what_is_put_away_and_what_is_of_no_tier_can_be_restored():
    """Notes lie deeper in the archive; other files have plain names."""
    assert target_of(AGENT, "daily/archive/2025/2025-12-31.md").tier is Tier.DAILY
    assert target_of(AGENT, "NOTES.md").tier is Tier.OTHER
    assert target_of(AGENT, "NOTES.MD").file == "NOTES.MD"
    for file in ("what's new (old) — #2.md", "C++/Q&A.md"):
        assert target_of(AGENT, file).file == file
        with pytest.raises(BadKeyError):
            target(CREW, "topic", file, today=TODAY)
    for file in ("NOTES.txt", ".quarantine/x.md", "", "a//b.md", "index.sqlite"):
        with pytest.raises(BadKeyError):
            target_of(AGENT, file)
