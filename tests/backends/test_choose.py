"""Which embedder is chosen, and why; or why none is."""

import os

import pytest

from crewmem.backends.embed import EMBEDDERS, Means, choose, kind, weights
from crewmem.backends.embed.keys import Key, keys
from crewmem.errors.settings import ConfigUnreadableError
from crewmem.settings import SETTINGS, Settings

KEYS = {"OPENAI_API_KEY": "sk-0123456789", "GEMINI_API_KEY": "g-0123456789"}

MINILM, NOMIC = "all-MiniLM-L6-v2", "nomic-embed-text"

OLLAMA = {"ollama_url": "http://127.0.0.1:11434"}


@pytest.fixture(name="placed")
def _placed(tmp_path):
    """A directory that looks like the model's; nothing reads what is in it."""
    for name, size in weights.SIZES.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    pytest.importorskip("tokenizers")
    return {"model_dir": str(tmp_path)}


NOWHERE = {"model_dir": "/nowhere"}


def chosen(values, environ=None, stored=None):
    return choose(Means(Settings(values), "/nowhere", environ or {}), stored)


def named(values, environ=None, stored=None):
    embedder = chosen(values, environ, stored).embedder
    return embedder and (embedder.name, embedder.model)


def test_the_model_in_process_comes_first(placed):
    """Where its weights are, minilm is chosen, also before Ollama."""
    assert named(placed) == named({**placed, **OLLAMA}) == ("minilm", MINILM)


@pytest.mark.parametrize("name", weights.SIZES)
def test_a_file_that_is_not_whole_is_named(placed, name):
    """Weights that are cut off are told from weights that are not there."""
    path = f"{placed['model_dir']}/{name}"
    os.truncate(path, 1000)
    found = chosen(placed)
    assert found.embedder is None
    assert f"minilm: {path} is not the whole file" in found.why


def test_ollama_comes_next():
    """Without weights Ollama is chosen, where its URL is set."""
    assert named({**NOWHERE, **OLLAMA}) == ("ollama", NOMIC)


def test_services_with_keys_are_chosen_by_name_only():
    """A key in the environment is no leave to send memory anywhere."""
    none = chosen(NOWHERE, KEYS)
    assert none.embedder is None
    assert "minilm: its weights are not in /nowhere" in none.why
    assert none.hint == "crewmem config set model_dir DIR"
    for name, model in (
        ("openai", "text-embedding-3-small"),
        ("gemini", "gemini-embedding-001"),
    ):
        assert named({**NOWHERE, "embedder": name}, KEYS) == (name, model)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_what_is_named_and_lacks_something(name):
    """What was named is not replaced by another: it is said what it lacks."""
    none = chosen({**NOWHERE, "embedder": name})
    assert none.embedder is None
    assert name in none.why
    assert none.hint


def test_none_is_none(placed):
    """The setting none turns embedding off, whatever is there."""
    assert chosen({**placed, **OLLAMA, "embedder": "none"}, KEYS).embedder is None


def test_the_model_of_the_store_is_kept(placed):
    """While the store has vectors, their model goes before what else is there."""
    values = {**placed, **OLLAMA}
    assert named(values, stored=NOMIC) == ("ollama", NOMIC)
    assert named(values, stored="bge-m3") == ("ollama", "bge-m3")
    assert named(values, stored=MINILM) == ("minilm", MINILM)


def test_the_model_of_the_store_may_be_out_of_reach(placed):
    """Where the store's model cannot be had, there is none rather than another."""
    without = chosen(placed, stored=NOMIC)
    assert without.embedder is None
    assert NOMIC in without.why
    assert "ollama_url" in without.hint
    keyed = chosen(placed, KEYS, "text-embedding-3-small")
    assert keyed.embedder is None
    assert keyed.hint == "crewmem config set embedder openai"
    other = chosen({**placed, "embedder": "minilm"}, stored=NOMIC)
    assert other.embedder is None
    assert other.hint == "crewmem episodes reembed"


def test_a_server_of_ones_own_needs_no_key():
    """What answers as OpenAI does, elsewhere, may do without a key."""
    values = {"embedder": "openai", "openai_url": "http://127.0.0.1:8080/v1"}
    assert named(values) == ("openai", "text-embedding-3-small")


def test_the_setting_names_every_embedder():
    """What may be set is what there is, and each module says its own name."""
    for name in EMBEDDERS:
        assert name == kind(name).NAME
        parsed = SETTINGS["embedder"].parse(name, "here")
        assert parsed == name


def test_keys_from_a_file(tmp_path):
    """Where no variable holds a key, a file does, one a line."""
    file = tmp_path / "keys"
    file.write_text("# ours\n\n first \nsecond\n")
    found = keys({}, ["A", "B"], str(file))
    assert [each.value for each in found] == ["first", "second"]
    assert {each.origin for each in found} == {str(file)}
    found = keys({"B": " b "}, ["A", "B"], str(file))
    assert found == [Key("b", "B")]
    found = keys({"A": "a", "B": "b"}, ["A", "B"], "")
    assert found == [Key("a", "A"), Key("b", "B")]


def test_keys_that_could_forge_a_header():
    """What holds a line's end, or is no ASCII, is no key."""
    assert keys({"A": "a\r\nx-evil: 1", "B": "ключ"}, ["A", "B"], "") == []


def test_keys_do_not_show():
    """A key is not in what a traceback or a log would print of it."""
    assert "secret" not in repr(Key("secret", "A"))


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"x" * 70_000])
def test_files_of_keys_that_are_none(tmp_path, content):
    """A file that is missing, no text or huge is said to be unreadable."""
    file = tmp_path / "keys"
    if content:
        file.write_bytes(content)
    with pytest.raises(ConfigUnreadableError) as raised:
        keys({}, [], str(file))
    assert str(file) in str(raised.value)
