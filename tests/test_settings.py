"""Settings, their declarations, and where they are read from."""

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.errors import SettingError
from crewmem.errors.settings import (
    BadSettingError,
    ConfigSyntaxError,
    ConfigUnreadableError,
    UnknownSettingError,
)
from crewmem.settings import SETTINGS, Settings, find
from crewmem.settings.config_file import MOST_BYTES
from crewmem.settings.kinds import Flag, Number, Whole
from crewmem.settings.load import load

law = settings(deadline=None)


@pytest.fixture(name="config")
def _config(tmp_path):
    path = tmp_path / "config.toml"

    def write(text):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def origins(loaded):
    return {setting.key: origin for setting, _, origin in loaded.listed()}


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_every_setting_says_what_it_is(setting):
    """Every setting has a sentence, a variable, and a default that it may have."""
    assert re.fullmatch(r"[A-Z].*[^.]\.", setting.about)
    assert setting.variable == "CREWMEM_" + setting.key.upper().replace(".", "_")
    assert setting.key.replace(".", "_") == setting.name
    assert setting.checked(setting.default) == setting.default
    assert setting.wanted
    assert getattr(Settings(), setting.name) == setting.default


def test_the_defaults_are_those_of_the_specification():
    """Without file and variables, settings are their defaults, and say so."""
    loaded = load(None, {})
    now = loaded.settings
    assert (now.busy_timeout, now.workspace, now.timezone) == (30.0, "default", "")
    assert (now.chunk_chars, now.search_limit) == (1_000, 10)
    assert (now.max_file_bytes, now.directory_bytes) == (8_388_608, 10_000_000)
    assert now.caps == {
        "agent": 4_000,
        "persona": 1_500,
        "pins": 8_000,
        "brief": 4_000,
        "lessons": 64_000,
        "daily": 100_000,
        "peer": 1_500,
        "crew": 4_000,
        "topic": 16_000,
        "learned": 64_000,
        "user": 1_500,
        "workspace": 16_000,
    }
    assert set(origins(loaded).values()) == {"default"}


def test_settings_are_frozen():
    """Settings do not change once they are read."""
    with pytest.raises(AttributeError):
        Settings().busy_timeout = 1.0


def test_later_places_win(config):
    """An older variable gives way to the file, that to ours, and ours to options."""
    path = config("# ours\nworkspace = 'filed'\n[caps]\nagent = 5_000\n")
    older = {"ENGRAM_NAMESPACE": "older"}
    ours = {**older, "CREWMEM_WORKSPACE": "ours", "CREWMEM_CAPS_AGENT": " 6000 "}

    loaded = load(None, older)
    assert loaded.settings.workspace == "older"
    assert origins(loaded)["workspace"] == "ENGRAM_NAMESPACE"

    loaded = load(path, older)
    assert (loaded.settings.workspace, loaded.settings.caps_agent) == ("filed", 5_000)
    assert origins(loaded)["workspace"] == f"{path}:2"
    assert origins(loaded)["caps.agent"] == f"{path}:4"

    loaded = load(path, ours)
    assert (loaded.settings.workspace, loaded.settings.caps_agent) == ("ours", 6_000)
    assert origins(loaded)["workspace"] == "CREWMEM_WORKSPACE"
    assert origins(loaded)["caps.agent"] == "CREWMEM_CAPS_AGENT"

    optional = loaded.with_option("workspace", "typed", "--workspace")
    assert optional.settings.workspace == "typed"
    assert origins(optional)["workspace"] == "--workspace"
    assert origins(optional)["caps.agent"] == "CREWMEM_CAPS_AGENT"
    assert optional.settings.caps_agent == 6_000
    assert loaded.settings.workspace == "ours"

    assert load(None, ours).settings.workspace == "ours"


def test_a_fallback_that_is_not_asked_is_not_judged(config):
    """A name of the older system that no slug has only matters where it would count."""
    environ = {"ENGRAM_NAMESPACE": "My_Project"}
    assert load(config("workspace = 'ours'"), environ).settings.workspace == "ours"
    with pytest.raises(BadSettingError, match="ENGRAM_NAMESPACE: workspace should be"):
        load(None, environ)


def test_variables_that_are_no_settings_are_left_alone():
    """Unknown variables are no errors, and empty ones count as not set."""
    environ = {"CREWMEM_HOME": "/x", "CREWMEM_NOW": "?", "CREWMEM_BUSY_TIMEOUT": ""}
    assert load(None, environ).settings.busy_timeout == 30.0


@pytest.mark.parametrize(
    ("variable", "text", "wanted"),
    [
        ("BUSY_TIMEOUT", "soon", "a number from 0 to 3,600"),
        ("BUSY_TIMEOUT", "nan", "a number from 0 to 3,600"),
        ("BUSY_TIMEOUT", "-0.1", "a number from 0 to 3,600"),
        ("BUSY_TIMEOUT", "1e999", "a number from 0 to 3,600"),
        ("BUSY_TIMEOUT", "\udcff", "a number from 0 to 3,600"),
        ("SEARCH_LIMIT", "0", "a whole number from 1 to 50"),
        ("SEARCH_LIMIT", "51", "a whole number from 1 to 50"),
        ("SEARCH_LIMIT", "1.5", "a whole number from 1 to 50"),
        ("SEARCH_LIMIT", "9" * 9_999, "a whole number from 1 to 50"),
        ("CAPS_DAILY", "10 MB", "a whole number from 1 to 1,073,741,824"),
        ("WORKSPACE", "a/b", "a slug"),
        ("WORKSPACE", "-a", "a slug"),
        ("TIMEZONE", "Nowhere", "a time zone that this system knows"),
        ("TIMEZONE", "../UTC", "a time zone that this system knows"),
        ("TIMEZONE", "\udcff", "a time zone that this system knows"),
    ],
)
def test_a_bad_variable_is_named(variable, text, wanted):
    """A variable that cannot be read is an error that names it and what is wanted."""
    with pytest.raises(BadSettingError) as raised:
        load(None, {f"CREWMEM_{variable}": text})
    message = str(raised.value)
    assert message.startswith(f"CREWMEM_{variable}: ")
    assert f"should be {wanted}" in message
    assert len(message) < 300


def test_a_zone_that_is_known():
    """A time zone is a name of the system's database."""
    zone = load(None, {"CREWMEM_TIMEZONE": " Europe/Berlin\n"}).settings.timezone
    assert zone == "Europe/Berlin"


def test_a_number_may_be_whole(config):
    """A number that is written without a point is that number."""
    loaded = load(config("busy_timeout = 5"), {})
    assert repr(loaded.settings.value(find("busy_timeout", ""))) == "5.0"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("busy_timeout = '5'", 1, """a number from 0 to 3,600, not "'5'\""""),
        ("\nbusy_timeout = true", 2, "a number from 0 to 3,600, not 'true'"),
        ("busy_timeout = nan", 1, "a number from 0 to 3,600, not 'nan'"),
        ("busy_timeout = 3600.1", 1, "not '3600.1'"),
        ("busy_timeout = 1" + "0" * 400, 1, "not '1000"),
        ("search_limit = 0x" + "f" * 9_000, 1, "not '0xffff"),
        ("search_limit = 10.0", 1, "a whole number from 1 to 50, not '10.0'"),
        ("# é\r\n\r\nsearch_limit = false", 3, "not 'false'"),
        ("\ufeffsearch_limit = 51", 1, "not '51'"),
        ("workspace = 'A b'", 1, "not 'A b'"),
        ("workspace = 5", 1, "not '5'"),
        ("x = 1", 1, "there is no setting 'x'"),
        ("caps = 5", 1, "caps should be a table: [caps], not '5'"),
        ("[[caps]]\nagent = 5", 1, "caps should be a table: [caps], not 'a table'"),
        ("[caps]\n\n'agent' = 0", 3, "caps.agent should be a whole number from 1"),
        ("a = '''\n'''\ncaps . 'agent' = 0", 1, "there is no setting 'a'"),
        ("caps = {crew = 1, agent = 0}", 1, "caps.agent should be"),
        ("[caps.agent]\nx = 1", 1, "1 to 1,073,741,824, not 'a table'"),
        ("caps.agent.x = 1", 1, "1 to 1,073,741,824, not 'a table'"),
        ("caps.agent = [\n1]", 1, "1 to 1,073,741,824, not '[\\n1]'"),
        ("[caps]\nbudget = 5", 2, "there is no setting 'caps.budget'"),
        ('"caps.agent" = 5', 1, "there is no setting '\"caps.agent\"'"),
        ('workspace = """\nA\n"""\n', 1, "not 'A\\n'"),
        ("\n[nothing]\n", 2, "there is no setting 'nothing'"),
        ("\n[nothing.here]\n", 2, "there is no setting 'nothing'"),
        ("\nnothing.here = 1\n", 2, "there is no setting 'nothing'"),
        (".".join("a" * 5_000) + " = 1", 1, "there is no setting 'a'"),
    ],
)
def test_a_mistake_in_the_file_is_found_by_line(config, text, line, message):
    """A mistake in the file is an error that names the file, the line and the key."""
    path = config(text)
    with pytest.raises((BadSettingError, UnknownSettingError)) as raised:
        load(path, {})
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert message in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("busy_timout", "Did you mean busy_timeout?"),
        ("caps.agents", "Did you mean caps.agent?"),
        ("caps_agent", "Did you mean caps.agent?"),
        ("qqq", "crewmem config list names all."),
    ],
)
def test_a_misspelled_key_is_answered_with_the_nearest(typed, hint):
    """A key that is not known is an error whose hint is the nearest one."""
    with pytest.raises(UnknownSettingError) as raised:
        find(typed, "the command line")
    assert raised.value.hint == hint


def test_a_known_key_is_found():
    """A setting is found by its key."""
    assert find("caps.agent", "here").default == 4_000


def test_a_file_that_is_not_there_says_nothing(tmp_path):
    """No file, no home, and a home that is a file, are no settings."""
    (tmp_path / "file").touch()
    for path in ("config.toml", "none/config.toml", "file/config.toml"):
        assert set(origins(load(tmp_path / path, {})).values()) == {"default"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a = 1\nb = '\xff'", "line 2 is not UTF-8"),
        (b"a = 1\nb\n", "at line 2, column 2"),
        (b"a = 1\na = 2", "Cannot overwrite a value"),
        (b"a = \0", "not valid TOML"),
        (b"a = " + b"[" * 5_000, "nested too deeply"),
        (b"a = " + b"9" * 5_000, "digits"),
        (b"\xef\xbb\xbf\xef\xbb\xbf", "Invalid statement"),
        (b"\xff\xfea\0", "line 1 is not UTF-8"),
    ],
)
def test_a_file_that_is_not_toml(config, content, reason):
    """A file that is not TOML in UTF-8 is an error that says where."""
    with pytest.raises(ConfigSyntaxError, match=reason):
        load(config(content), {})


def test_a_byte_order_mark_is_no_mistake(config):
    """What some editors put before the text changes nothing."""
    assert load(config("\ufeffsearch_limit = 5"), {}).settings.search_limit == 5
    assert load(config("\ufeff# nothing"), {}).settings.search_limit == 10


def test_what_is_no_file_is_said(tmp_path):
    """A directory, a FIFO, a loop of links and a device are errors, not waited for."""
    (tmp_path / "directory").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "directory", tmp_path / "fifo", tmp_path / "loop"):
        with pytest.raises(ConfigUnreadableError, match=f"{path} cannot be read: "):
            load(path, {})
    with pytest.raises(ConfigUnreadableError, match="it is not a regular file"):
        load("/dev/null", {})


def test_a_huge_file_is_not_read(config):
    """A file of over a quarter of a megabyte is no configuration."""
    with pytest.raises(ConfigUnreadableError, match="over 262,144 bytes"):
        load(config(b"#" * (MOST_BYTES + 1)), {})
    assert load(config(b"#" * MOST_BYTES), {})


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_file_that_may_not_be_read(config):
    """A file that we may not read is an error."""
    path = config("")
    path.chmod(0)
    with pytest.raises(ConfigUnreadableError, match="Permission denied"):
        load(path, {})


def test_descriptors_are_closed(config, tmp_path):
    """Reading leaves no file open."""
    free = os.dup(0)
    os.close(free)
    load(config("search_limit = 5"), {})
    with pytest.raises(ConfigUnreadableError):
        load(tmp_path, {})
    assert os.dup(0) == free
    os.close(free)


def test_failures_end_with_status_3():
    """Whatever is wrong with the settings ends with status 3."""
    for error in (BadSettingError, ConfigUnreadableError, UnknownSettingError):
        assert issubclass(error, SettingError)
        assert error.exit_code == 3


spellings = (
    st.text(max_size=20)
    | st.integers().map(str)
    | st.floats().map(str)
    | st.sampled_from(["1", "25", "300", "a-b", "UTC", "0x10", "1_0", " 3 ", "1e1"])
)


@law
@given(st.sampled_from(list(SETTINGS.values())), spellings)
def test_whatever_a_variable_says_is_a_value_or_an_error(setting, text):
    """Whatever a variable says, it is a value within its bounds or an error."""
    try:
        loaded = load(None, {setting.variable: text})
    except BadSettingError:
        return
    value = getattr(loaded.settings, setting.name)
    assert type(value) is type(setting.default)
    assert loaded.settings.value(setting) == value
    assert setting.checked(value) == value
    if isinstance(setting, Number | Whole):
        assert setting.least <= value <= setting.most


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("ON", True), ("0", False), ("no", False)]
)
def test_a_flag_is_on_or_off(text, value):
    """It is spelled in several ways, and anything else is an error."""
    flag = Flag(default=True, about="")
    flag.__set_name__(Settings, "flag")
    assert flag.parse(text, "here") is value
    for wrong in ("2", "perhaps", ""):
        with pytest.raises(BadSettingError):
            flag.parse(wrong, "here")
    with pytest.raises(ValueError, match="true or false"):
        flag.checked(1)


@law
@given(
    st.floats(-10, 10) | st.integers(-10, 10) | st.booleans() | st.text() | st.none()
)
def test_bounds_are_allowed_and_nothing_beyond(value):
    """A bound is within the bounds; true, text and a half are no whole numbers."""
    whole, number = Whole(1, "", least=-3, most=3), Number(1, "", least=-3, most=3)
    is_number = type(value) in (int, float) and -3 <= value <= 3
    for setting, fits in (
        (whole, is_number and type(value) is int),
        (number, is_number),
    ):
        setting.__set_name__(Settings, "some")
        if fits:
            assert setting.checked(value) == value
        else:
            with pytest.raises(ValueError, match="from -3 to 3"):
                setting.checked(value)


@pytest.mark.parametrize("text", [None, "\ufeff# a comment\n\r\n  # another"])
def test_what_sets_nothing_loads_no_reader(config, tmp_path, text):
    """Without a file, or with one of comments, nothing is loaded to read it."""
    path = config(text) if text else tmp_path / "none"
    code = (
        "import sys; import crewmem.errors.settings; before = set(sys.modules);"
        "from crewmem.settings.load import load; load(sys.argv[1], {});"
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = ("ids", "settings", "settings.kinds", "settings.load")
    loaded = (*loaded, "settings.config_file", "settings.shapes", "settings.measured")
    expected = {f"crewmem.{each}" for each in loaded}
    assert set(done.stdout.split()) == expected
