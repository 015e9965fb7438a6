"""Settings of crews and agents, as they are typed and as they are kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.errors.settings import BadSettingError, UnknownSettingError
from crewmem.registry.choices import (
    AGENT_SETTINGS,
    CREW_SETTINGS,
    changes,
    complete,
    defaults,
    parsed,
    wanted,
)

ALL = {**AGENT_SETTINGS, **CREW_SETTINGS}


def allowed(choice):
    """Draw what *choice* takes."""
    if isinstance(choice.default, bool):
        return st.booleans()
    if isinstance(choice.default, str):
        return st.sampled_from(choice.texts)
    if isinstance(choice.default, int):
        return st.integers(choice.least, choice.most)
    return st.floats(choice.least, choice.most).map(lambda x: round(x, 6))


values = st.fixed_dictionaries({}, optional={k: allowed(c) for k, c in ALL.items()})


@settings(deadline=None)
@given(given=values)
def test_what_is_allowed_is_read_as_it_was_meant(given):
    """Every value that a setting may have can be typed, in any case of letters."""
    typed = {key: str(value) for key, value in given.items()}
    found = parsed(typed, ALL)
    assert found == given
    assert [type(each) for each in found.values()] == list(map(type, given.values()))


@settings(deadline=None)
@given(given=values)
def test_only_what_differs_is_kept(given):
    """Defaults are not kept, and all settings come back from what is."""
    kept = changes(complete(given, ALL), ALL)
    assert all(value != ALL[key].default for key, value in kept.items())
    assert complete(kept, ALL) == {**defaults(ALL), **given}


def test_what_is_not_known_is_kept():
    """A setting of a newer crewmem does not get lost when an older one sets another."""
    assert changes({"new": 1, "auto_recall": True}, AGENT_SETTINGS) == {"new": 1}


@pytest.mark.parametrize("text", ["", "  "])
@pytest.mark.parametrize("key", ALL)
def test_nothing_is_the_default(key, text):
    """KEY= takes a setting back to its default."""
    assert parsed({key: text}, ALL) == {key: ALL[key].default}


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("auto_recall", ["2", "maybe", "truefalse"]),
        ("crew_write", ["Lead", "nobody", "propos"]),
        ("consolidate_policy", ["Auto", "ask"]),
        (
            "recall_max_results",
            ["0", "101", "5.0", "1_0", "\u0665", "9" * 5000, "x"],
        ),
        ("recall_min_relevance", ["-0.1", "1.01", "nan", "inf", "half", "0,5"]),
        ("memory_walk_depth", ["-1", "4"]),
    ],
)
def test_what_is_not_allowed_is_named(key, texts):
    """A value that a setting may not have is refused, with what it may be."""
    for text in texts:
        with pytest.raises(BadSettingError) as caught:
            parsed({key: text}, ALL)
        assert caught.value.wanted == wanted(ALL[key])
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("auto_recal", "Did you mean auto_recall?"),
        ("colour", "There is crew_write, consolidate_policy."),
    ],
)
def test_a_setting_that_there_is_not_is_named(key, hint):
    """Of a misspelled setting the nearest is told, else which there are."""
    known = AGENT_SETTINGS if "mean" in hint else CREW_SETTINGS
    with pytest.raises(UnknownSettingError) as caught:
        parsed({key: "1"}, known)
    assert caught.value.hint == hint


@pytest.mark.parametrize("key", ALL)
def test_defaults_are_allowed(key):
    """Every default is a value that could have been typed, and is explained."""
    assert parsed({key: str(ALL[key].default)}, ALL) == {key: ALL[key].default}
    assert ALL[key].help.endswith(".")
