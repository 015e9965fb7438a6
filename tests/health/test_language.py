"""What is known of the language model that is set."""

import pytest

from crewmem.health.language import Language


@pytest.mark.parametrize("setting", ["none", "extractive"])
def test_no_model_is_wanted(setting):
    """Neither by the name for it, nor by that of what stands in."""
    assert not Language(setting).is_wanted
    assert Language("ollama").is_wanted


@pytest.mark.parametrize(
    ("url", "is_overheard"),
    [
        ("", False),
        ("https://loom.example.org/v1", False),
        ("http://localhost:11434", False),
        ("http://127.0.0.1:11434", False),
        ("http://[::1]:11434/v1", False),
        ("http://10.0.0.7", False),
        ("http://100.64.1.7", False),
        ("http://192.168.1.7:8080/v1", False),
        ("http://ollama:11434", False),
        ("http://box.local", False),
        ("http://loom.internal:80/v1", False),
        ("http://loom.example.org", True),
        ("http://LOOM.example.org:80/v1", True),
        ("http://8.8.8.8", True),
        ("http://[2001:4860:4860::8888]/v1", True),
        ("http://127.0.0.1.example.org", True),
        ("http://local", False),
        ("http://local.example.org/x.local", True),
    ],
)
def test_what_goes_over_foreign_lines_is_known(url, is_overheard):
    """It is encrypted, or stays in the own network, or somebody may hear it."""
    assert Language("openai", "m", url).is_overheard == is_overheard
