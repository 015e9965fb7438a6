"""Who runs the command: a home and a data directory, wherever that is."""

import sys

import platformdirs
import pytest

from crewmem.cli.user import linux_data_path, login, user_home


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
@pytest.mark.parametrize("data", ["", " ", "/data", "/with space"])
@pytest.mark.parametrize("home", ["/home/ada", "/", "/a b"])
def test_the_data_directory_is_that_of_platformdirs(data, home, monkeypatch):
    """It is computed without that library, and is the same."""
    environ = {"HOME": home, "XDG_DATA_HOME": data}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    theirs = platformdirs.user_data_path("crewmem", appauthor=False)
    assert linux_data_path(environ) == str(theirs)


def test_the_home_is_what_the_environment_says():
    """What is no absolute path is none."""
    assert user_home({"HOME": "/home/ada"}) == "/home/ada"
    assert user_home({"HOME": "here"}).startswith("/")


def test_who_is_nowhere_is_at_the_root(monkeypatch):
    """In a container a number may be all that is known of who runs it."""

    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert user_home({}) == "/"
    assert linux_data_path({}) == "/.local/share/crewmem"


def test_a_login_name_is_looked_for_in_the_environment():
    """Without one the number stands for it."""
    assert login({"LOGNAME": "ada", "USER": "bo"}) == "ada"
    assert login({"LOGNAME": "", "USER": "bo"}) == "bo"
    assert login({}).startswith("uid")
