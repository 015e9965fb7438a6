"""Settings, shown and changed from the command line."""

import threading
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.cli.config.stored import LOCK, store
from crewmem.errors.settings import ConfigShapeError
from crewmem.settings import SETTINGS
from crewmem.settings.change import changed
from crewmem.settings.unset import unset


@pytest.fixture(name="config")
def _config(home):
    """The configuration file of a home that is there."""
    home.mkdir()
    return home / "config.toml"


def test_list_names_every_setting(crewmem):
    """`config list` shows every setting, its value and what it is for, in order."""
    ran = crewmem("config", "list")
    lines = ran.stdout.splitlines()
    assert lines[0].split() == ["SETTING", "VALUE", "ABOUT"]
    assert [line.split()[0] for line in lines[1:]] == [*SETTINGS]
    for each, line in zip(SETTINGS.values(), lines[1:], strict=True):
        assert line.endswith(each.about)


def test_list_says_where_values_come_from(crewmem, config):
    """With --show-origin the file, the line, the variable or the option is named."""
    config.write_text("# ours\nsearch_limit = 7\n")
    ran = crewmem(
        *["config", "list", "--show-origin", "-w", "lab"],
        environ={"CREWMEM_CHUNK_CHARS": "500"},
    )
    found = {line.split()[0]: line.split()[1:3] for line in ran.stdout.splitlines()}
    assert found["search_limit"] == ["7", f"{config}:2"]
    assert found["chunk_chars"] == ["500", "CREWMEM_CHUNK_CHARS"]
    assert found["workspace"] == ["lab", "--workspace"]
    assert found["busy_timeout"] == ["30.0", "default"]


def test_get_prints_the_value(crewmem, config):
    """`config get` prints the value in force and nothing else, for a script."""
    config.write_text("[caps]\ntopic = 99\n")
    assert crewmem("config", "get", "caps.topic").stdout == "99\n"
    found = crewmem("config", "get", "caps.topic", "--json").json["data"]
    assert (found["value"], found["default"]) == (99, 16_000)
    assert found["origin"] == f"{config}:2"
    assert found["variable"] == "CREWMEM_CAPS_TOPIC"


def test_get_of_what_there_is_not(crewmem):
    """A setting that is misspelled is an error with the nearest there is."""
    ran = crewmem("config", "get", "caps.tpoic", "--json")
    assert (ran.status, ran.stdout) == (3, "")
    assert ran.error["code"] == "unknown_setting"
    assert ran.error["hint"] == "Did you mean caps.topic?"


def test_set_changes_its_line_alone(crewmem, config):
    """`config set` shows what was and what is, and leaves comments and order alone."""
    config.write_text("# ours\nsearch_limit = 7 # few\n\n[caps]\ntopic = 99\n")
    ran = crewmem("config", "set", "search_limit", "20")
    assert ran.stdout == f"search_limit: 7 → 20\n{config}\n"
    crewmem("config", "set", "caps.agent", "5000")
    assert config.read_text() == (
        "# ours\nsearch_limit = 20 # few\n\n[caps]\ntopic = 99\nagent = 5000\n"
    )
    assert crewmem("config", "get", "search_limit").stdout == "20\n"


def test_set_makes_the_file_of_a_home(crewmem, config):
    """A home without a file gets one, which is its owner's business."""
    ran = crewmem("config", "set", "timezone", "Europe/Berlin", "--json")
    assert ran.json["data"] == {
        "key": "timezone",
        "old": None,
        "new": "Europe/Berlin",
        "path": str(config),
    }
    assert tomllib.loads(config.read_text()) == {"timezone": "Europe/Berlin"}
    assert config.stat().st_mode & 0o777 == 0o600


def test_unset_leaves_it_to_the_default(crewmem, config):
    """`config set --unset` takes a setting out, and of one that is not set says so."""
    config.write_text("search_limit = 7\nchunk_chars = 500\n")
    ran = crewmem("config", "set", "search_limit", "--unset")
    assert ran.stdout == f"search_limit: 7 → 10 (default)\n{config}\n"
    assert config.read_text() == "chunk_chars = 500\n"
    ran = crewmem("config", "set", "search_limit", "--unset")
    assert ran.stdout.startswith("search_limit: 10 (default) → 10 (default)\n")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (
            ["search_limit", "900"],
            3,
            "should be a whole number from 1 to 50, not '900'",
        ),
        (["search_limit", "many"], 3, "not 'many'"),
        (["timezone", "Mars/Olympus"], 3, "not 'Mars/Olympus'"),
        (["tiemzone", "UTC"], 3, "there is no setting 'tiemzone'"),
        (["search_limit"], 2, "Give a VALUE, or --unset."),
        (["search_limit", "5", "--unset"], 2, "Give a VALUE, or --unset."),
        (["search_limit", "5", "--as", "agent:mira"], 8, "only operators may"),
        (["search_limit", "5", "--as", "lead:winch"], 8, "only operators may"),
    ],
)
def test_what_may_not_be_changes_nothing(argv, status, message, crewmem, config):
    """A value that no setting may have, and whoever may not set one, change nothing."""
    config.write_text("search_limit = 7\n")
    ran = crewmem("config", "set", *argv)
    assert (ran.status, ran.stdout) == (status, "")
    assert message in ran.stderr
    assert config.read_text() == "search_limit = 7\n"


def test_set_without_a_home(crewmem, home):
    """Settings are kept in a home; where there is none nothing is made."""
    ran = crewmem("config", "set", "search_limit", "5")
    assert ran.status == 4
    assert f"crewmem --home {home} init" in ran.stderr
    assert not home.exists()


def test_set_mends_a_file_that_cannot_be_read(crewmem, config):
    """A bad value stops every command but the one that mends it."""
    config.write_text("search_limit = 'many'\n")
    assert crewmem("config", "list").status == 3
    ran = crewmem("config", "set", "search_limit", "5")
    assert ran.stdout.startswith("search_limit: many → 5\n")
    assert crewmem("config", "get", "search_limit").stdout == "5\n"


def test_set_of_a_file_that_is_not_toml(crewmem, config):
    """A file that is not TOML is left as it is."""
    config.write_text("search_limit = \n")
    ran = crewmem("config", "set", "search_limit", "5")
    assert (ran.status, config.read_text()) == (3, "search_limit = \n")


def test_set_does_not_follow_links(crewmem, config, tmp_path):
    """A configuration file that is a link is not written through."""
    (tmp_path / "elsewhere").write_text("search_limit = 7\n")
    config.symlink_to(tmp_path / "elsewhere")
    assert crewmem("config", "set", "search_limit", "5").status == 8
    assert (tmp_path / "elsewhere").read_text() == "search_limit = 7\n"


@pytest.mark.usefixtures("config")
def test_set_says_what_wins_over_the_file(crewmem):
    """A variable that hides the change is warned of."""
    environ = {"CREWMEM_SEARCH_LIMIT": "3"}
    ran = crewmem("config", "set", "search_limit", "5", "--json", environ=environ)
    assert ran.json["warnings"] == [
        "CREWMEM_SEARCH_LIMIT is set, and wins over the file"
    ]


def test_set_waits_for_its_turn(crewmem, config, home):
    """A change that finds another under way waits for it, and gives up in the end."""
    (home / "locks").mkdir()
    environ = {"CREWMEM_BUSY_TIMEOUT": "0"}
    with disk.open_root(home) as root, disk.lock(root, LOCK, timeout=0):
        ran = crewmem("config", "set", "search_limit", "5", environ=environ)
    assert (ran.status, config.exists()) == (6, False)


def test_changes_at_once_all_survive(config, home):
    """Of many changes at the same time none is lost."""
    caps = [each for each in SETTINGS.values() if each.table == "caps"]
    threads = [
        threading.Thread(target=store, args=(home, each, 1234), kwargs={"timeout": 20})
        for each in caps
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = tomllib.loads(config.read_text())["caps"]
    assert said == {each.path[1]: 1234 for each in caps}


def test_path_needs_nothing(crewmem, home):
    """The path of the file is told whether or not it is there."""
    assert crewmem("config", "path").stdout == f"{home / 'config.toml'}\n"
    found = crewmem("config", "path", "--json").json["data"]
    assert found == {"path": str(home / "config.toml"), "exists": False}


# Taking a setting out of a text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("", ""),
        ("# caps.agent = 1\n", "# caps.agent = 1\n"),
        ("caps.agent = 1\n", ""),
        ("caps.agent = 1", ""),
        ("a = 1\n caps.agent = 1 # ours\nb = 2\n", "a = 1\nb = 2\n"),
        ("a = 1\r\ncaps.agent = 1\r\nb = 2\r\n", "a = 1\r\nb = 2\r\n"),
        ("\ufeffcaps.agent = 1\n", "\ufeff"),
        ("[caps]\nagent = 1\ntopic = 2\n", "[caps]\ntopic = 2\n"),
        ("[caps]\nagent = '''\n[x]\n'''\ntopic = 2\n", "[caps]\ntopic = 2\n"),
        ("[caps]\nagent = 1\n[other]\nagent = 2\n", "[caps]\n[other]\nagent = 2\n"),
        ("'caps' . \"agent\" = 1\n", ""),
        ("caps = { agent = 1 }\na = 1\n", "a = 1\n"),
        ("caps = { agent = 1, topic = 2 }\n", "caps = { topic = 2 }\n"),
        ("caps = { topic = 2, agent = 1 }\n", "caps = { topic = 2 }\n"),
        ("caps = {topic = 2 , agent = 1}\n", "caps = {topic = 2 }\n"),
        ("caps = {a = 2, agent = 1, b = [3, 4]}\n", "caps = {a = 2, b = [3, 4]}\n"),
        ("caps.agent = nan\ncaps.topic = nan\n", "caps.topic = nan\n"),
        ("[[caps]]\nagent = 1\n", "[[caps]]\nagent = 1\n"),
        ("caps = 3\n", "caps = 3\n"),
    ],
)
def test_unset_in_every_shape(text, rest):
    """Wherever TOML lets a setting stand, it is taken out and nothing else is."""
    assert unset(text, "caps.agent", path="here") == rest


def test_unset_of_a_table():
    """A table that stands where a setting should is not taken for one."""
    with pytest.raises(ConfigShapeError):
        unset("[caps.agent]\nx = 1\n", "caps.agent", path="here")


number = st.integers(1, 99)
settings_of = st.dictionaries(
    st.sampled_from(["search_limit", "chunk_chars", "caps.agent", "caps.topic"]), number
)
start = st.sampled_from(
    ["", "# note\n", "caps = {}\n", "caps = { crew = 1 }\n", "[caps]\ncrew = 1 # c\n"]
)


@given(
    text=start, before=settings_of, key=st.sampled_from(["caps.agent", "chunk_chars"])
)
@settings(deadline=None, max_examples=100)
def test_unset_undoes_set(text, before, key):
    """What was set and is taken out again leaves the text saying what it said."""
    for each, value in before.items():
        if each != key:
            text = changed(text, each, value, path="here")
    after = unset(changed(text, key, 7, path="here"), key, path="here")
    assert without_empty(after) == without_empty(text)


def without_empty(text):
    return {key: value for key, value in tomllib.loads(text).items() if value != {}}
