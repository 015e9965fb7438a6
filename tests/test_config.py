"""Settings: which values are refused, and the line of a file that an error names."""

import pytest

from crewmem.config import load_settings, variable_name
from crewmem.errors import SettingsError


@pytest.mark.parametrize("name", ["jobs.sweep", "jobs.extract", "jobs.consolidate"])
def test_job_cannot_run_every_zero_seconds(name):
    message = rf"{name} cannot be '0h': it must be at least 1s, such as \d+[smh]"
    with pytest.raises(SettingsError, match=message):
        load_settings(None, {variable_name(name): "0h"})

    assert load_settings(None, overrides={name: "1s"}).span(name) == 1


def test_hook_may_search_by_words_at_once():
    assert load_settings(None, overrides={"hooks.time_limit": "0s"}).span("hooks.time_limit") == 0


@pytest.mark.parametrize(
    ("value", "bound"), [("0", "at least 1, such as 5"), ("11", "at most 10, such as 5")]
)
def test_number_out_of_its_range_is_refused(value, bound):
    with pytest.raises(
        SettingsError, match=f"recall.limit cannot be '{value}': it must be {bound}"
    ):
        load_settings(None, overrides={"recall.limit": value})


@pytest.mark.parametrize("value", ["nonsense", "/srv/web=ada", "=agent:ada"])
def test_agent_of_session_logs_needs_a_directory_and_an_agent(value):
    name = "sessions.agents"
    with pytest.raises(SettingsError, match="is not DIR=agent:SLUG"):
        load_settings(None, overrides={name: f"/srv/ops=agent:bob,{value}"})

    assert load_settings(None, overrides={name: "/srv=agent:bob"})[name] == ("/srv=agent:bob",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[recall]\nmin_relevance = 0.1\n\n[hooks]\nmin_relevance = 2\n", 5),
        ("recall.min_relevance = 0.1\nhooks.min_relevance = 2\n", 2),
        ("[recall]\nmin_relevance = 0.1\n[ hooks ] # pushed\n'min_relevance' = 2\n", 4),
        ("recall = {min_relevance = 0.1}\n\nhooks = {min_relevance = 2}\n", 3),
    ],
)
def test_error_names_the_line_of_the_setting(tmp_path, text, line):
    (tmp_path / "config.toml").write_text(text)

    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path)

    assert caught.value.message.startswith(f"{tmp_path}/config.toml:{line}: hooks.min_relevance")


def test_byte_order_mark_of_an_editor_is_no_part_of_the_settings(tmp_path):
    (tmp_path / "config.toml").write_bytes(b'\xef\xbb\xbftimezone = "UTC"\r\n')
    assert load_settings(tmp_path, {})["timezone"] == "UTC"


def test_settings_in_another_encoding_are_named_with_what_repairs_them(tmp_path):
    (tmp_path / "config.toml").write_bytes('timezone = "UTC"'.encode("utf-16"))
    with pytest.raises(SettingsError, match="it is not UTF-8") as caught:
        load_settings(tmp_path, {})
    assert caught.value.command == "doctor --fix --only config.settings"
