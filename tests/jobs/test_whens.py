"""How schedules are spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors import SettingError
from crewmem.settings import Settings
from crewmem.settings.load import load
from crewmem.settings.shapes import WHEN_WANTED
from crewmem.settings.whens import DAYS, When, is_when, read, spelled

SPANS = [10, 12, 15, 20, 30, 60, 120, 300, 900, 5_400, 3_600, 21_600, 43_200, 86_400]


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("30s", When(seconds=30)),
        ("5m", When(seconds=300)),
        ("90m", When(seconds=5_400)),
        (" 6H ", When(seconds=21_600)),
        ("1d", When(seconds=86_400)),
        ("24h", When(seconds=86_400)),
        ("00:10", When(minute=10)),
        ("3:00", When(minute=180)),
        ("23:59", When(minute=1_439)),
        ("Sun  04:30", When(minute=270, weekday=6)),
        ("off", None),
    ],
)
def test_schedules_are_read(text, when):
    """A schedule is a span that divides a day, a time of day, one of a week, or off."""
    assert read(text) == when
    assert is_when(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "0s",
            "5s",
            "7m",
            "45s",
            "2d",
            "1w",
            "-6h",
            "6",
            "h",
            "1.5h",
            "\u0663\u0660s",
        ),
        *("24:00", "12:60", "12:5", "1200", "::", "sun", "sunday 04:30", "04:30 sun"),
        *("sun 6h", "on", "* * * * *", "90s", "99999999999999999999h"),
    ],
)
def test_what_is_no_schedule_is_refused(text):
    """What a crontab and a timer could not both have is no schedule."""
    assert not is_when(text)
    with pytest.raises(ValueError, match=WHEN_WANTED):
        read(text)


@given(
    st.builds(lambda seconds: When(seconds=seconds), st.sampled_from(SPANS))
    | st.builds(
        lambda minute, day: When(minute=minute, weekday=day),
        st.integers(0, 1_439),
        st.none() | st.integers(0, 6),
    )
)
def test_what_is_spelled_is_read_back(when):
    """A schedule that is spelled is read as what it was."""
    assert read(spelled(when)) == when


@given(st.text(alphabet="0123456789:smhd onf" + "".join(DAYS), max_size=12))
def test_any_text_is_a_schedule_or_none(text):
    """Whatever is typed, it is a schedule that stands its own spelling, or refused."""
    if is_when(text) and (when := read(text)):
        assert read(spelled(when)) == when


def test_a_bad_schedule_is_a_bad_setting(tmp_path):
    """A schedule in the configuration that is none is told with its place."""
    config = tmp_path / "config.toml"
    config.write_text('[timers]\nnightly = "7m"\n')
    with pytest.raises(SettingError, match=r"timers\.nightly"):
        load(config, {})
    config.write_text('[timers]\nnightly = "sat 02:00"\n')
    assert load(config, {}).settings.timers_nightly == "sat 02:00"
    assert Settings().timers_sweep == "30s"
