"""Where the user's directories are."""

from pathlib import Path

import pytest

from crewmem.config import find_home_directory, find_user_directory


@pytest.fixture(autouse=True)
def user(monkeypatch, tmp_path):
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_home_lies_in_the_data_directory(user, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert find_home_directory(None) == user / ".local/share/crewmem"
    assert find_user_directory("cache") == user / ".cache/crewmem"


def test_variables_name_other_directories_when_they_are_absolute(user, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert find_user_directory("data") == Path("/srv/data/crewmem")
    assert find_user_directory("cache") == user / ".cache/crewmem"


def test_a_mac_has_its_library(user, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    assert find_user_directory("data") == user / "Library/Application Support/crewmem"
