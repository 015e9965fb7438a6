"""Bringing the model into a home: whole or not at all, and from where it was meant."""

from pathlib import Path

import pytest
from services import answered

from crewmem.backends import fetch as fetching
from crewmem.backends.embed import install as installing
from crewmem.backends.embed import weights
from crewmem.backends.embed.install import install
from crewmem.errors.backends import (
    BadAnswerError,
    ModelDamagedError,
    ModelMissingError,
    UnreachableError,
)
from crewmem.errors.disk import NotWritableError

SMALL = {"model.safetensors": b"weights " * 9_000, "tokenizer.json": b"tokens " * 500}
"""A model that is quickly brought: what the real one is recognised by is set to it."""


@pytest.fixture(name="home")
def _home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture(name="small", autouse=True)
def _small(request, monkeypatch):
    """Take `SMALL` for what was published; no package is installed."""
    from hashlib import sha256

    if "weights" in request.fixturenames:
        return
    for name, content in SMALL.items():
        monkeypatch.setitem(weights.SIZES, name, len(content))
        monkeypatch.setitem(weights.HASHES, name, sha256(content).hexdigest())
    monkeypatch.setattr(installing, "packaged", lambda: None)


def put(directory, **changed):
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in SMALL.items():
        (directory / name).write_bytes(changed.get(name.partition(".")[0], content))
    return directory


def held(home):
    """Return what the home has, by name."""
    directory = home / weights.INSTALLED
    found = directory.iterdir() if directory.exists() else []
    return {each.name: each.read_bytes() for each in found}


def serve(contents, log=()):
    """Return what answers with *contents* by name, and from the middle if asked."""

    def respond(_server, connection, line, headers, _body):
        name = line.split()[1].rpartition("/")[2]
        start = int(headers.get("range", "bytes=0-")[6:-1])
        if isinstance(log, list):
            log.append((name, start))
        status = 206 if start else 200
        answered(connection, status, contents[name][start:])

    return respond


def test_from_a_directory(tmp_path, home):
    """A directory that was named is copied from; what is not the model stays there."""
    source = put(tmp_path / "source")
    (source / "README.md").write_text("more")
    done = install(str(home), named=str(source), url="http://127.0.0.1:9")
    assert held(home) == SMALL
    assert (done.source, done.path) == (str(source), f"{home}/{weights.INSTALLED}")
    assert done.size == sum(map(len, SMALL.values()))
    assert Path(done.path, "model.safetensors").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("named", ["", "model.safetensors", "package"])
def test_from_what_means_the_directory(tmp_path, home, named):
    """A file in it, and a folder that has it as its model, mean the directory."""
    put(tmp_path / "package/model")
    path = tmp_path / ("package" if named == "package" else f"package/model/{named}")
    install(str(home), named=str(path), url="http://127.0.0.1:9")
    assert held(home) == SMALL


def test_again(tmp_path, home):
    """What is there and whole stays as it is; what is missing or damaged is renewed."""
    source = str(put(tmp_path / "source"))
    install(str(home), named=source, url="http://127.0.0.1:9")
    assert install(str(home), named=source, url="x").source is None
    (home / weights.INSTALLED / "tokenizer.json").write_bytes(b"x" * 3_500)
    done = install(str(home), named=source, url="http://127.0.0.1:9")
    assert done.files == ["tokenizer.json"]
    assert held(home) == SMALL


@pytest.mark.parametrize("which", ["model", "tokenizer"])
@pytest.mark.parametrize("change", [b"", b"x", None])
def test_from_what_is_not_the_model(tmp_path, home, which, change):
    """A directory that holds another model is refused, and no file of it is taken."""
    name = {"model": "model.safetensors", "tokenizer": "tokenizer.json"}[which]
    other = SMALL[name][:-1] + b"!" if change is None else change
    source = put(tmp_path / "source", **{which: other})
    with pytest.raises(ModelDamagedError, match=name):
        install(str(home), named=str(source), url="http://127.0.0.1:9")
    assert name not in held(home)
    assert "model.safetensors" not in held(home)


def test_from_nowhere(tmp_path, home):
    """A directory that is not there, or empty, is said to hold no model."""
    (tmp_path / "empty").mkdir()
    for name in ("empty", "none"):
        with pytest.raises(ModelMissingError, match=name):
            install(str(home), named=str(tmp_path / name), url="http://127.0.0.1:9")
    assert held(home) == {}


def test_from_the_network(server, home):
    """Without a directory and without the package it is fetched, and counted."""
    ticks = []
    url = server(serve(SMALL)).url
    done = install(
        str(home), named=None, url=f"{url}/main/", tick=lambda *each: ticks.append(each)
    )
    assert held(home) == SMALL
    assert done.source == f"{url}/main/"
    assert ticks[-1] == (70, 70)


def test_from_where_it_is_kept(server, home):
    """Files are fetched from where a listing redirects to."""
    kept = server(serve(SMALL)).url

    def respond(_server, connection, line, *_request):
        name = line.split()[1].rpartition("/")[2]
        answered(connection, 302, b"", [f"location: {kept}/blobs/{name}"])

    install(str(home), named=None, url=server(respond).url)
    assert held(home) == SMALL


def test_what_breaks_off_is_taken_up(server, home, monkeypatch, waits):
    """A download that breaks off goes on from where it was."""
    monkeypatch.setattr(fetching, "Timing", lambda: waits.timing)
    log = []

    def respond(started, connection, line, headers, body):
        if "range" in headers or line.split()[1].endswith("json"):
            serve(SMALL, log)(started, connection, line, headers, body)
            return
        whole = SMALL["model.safetensors"]
        head = f"HTTP/1.1 200 X\r\ncontent-length: {len(whole)}\r\n\r\n"
        connection.sendall(head.encode() + whole[:5_000])
        raise EOFError

    install(str(home), named=None, url=server(respond).url)
    assert held(home) == SMALL
    assert ("model.safetensors", 5_000) in log


def test_no_network(home, monkeypatch, waits):
    """Where the network is not, that is said, and nothing is left."""
    monkeypatch.setattr(fetching, "Timing", lambda: waits.timing)
    with pytest.raises(UnreachableError, match="connection refused"):
        install(str(home), named=None, url="http://127.0.0.1:9")
    assert held(home) == {}


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>log in first</html>", SMALL["tokenizer.json"] + b"x"],
    ids=["nothing", "a page", "too much"],
)
def test_what_comes_is_of_another_size(server, home, content):
    """What is shorter or longer than the model is not taken for it."""
    with pytest.raises(BadAnswerError, match="bytes long"):
        install(
            str(home), named=None, url=server(serve(dict.fromkeys(SMALL, content))).url
        )
    assert held(home) == {}


def test_what_comes_is_something_else(server, home):
    """What has the right size and another hash is not taken."""
    contents = {name: content[::-1] for name, content in SMALL.items()}
    with pytest.raises(BadAnswerError, match="published"):
        install(str(home), named=None, url=server(serve(contents)).url)
    assert held(home) == {}


@pytest.mark.parametrize("status", [404, 403, 500])
def test_what_is_not_served(server, home, status):
    """A refusal of the server is said."""

    def respond(_server, connection, *_request):
        answered(connection, status, b"\x1b[2J")

    with pytest.raises(UnreachableError, match=f"HTTP {status}"):
        install(str(home), named=None, url=server(respond).url)
    assert held(home) == {}


def test_redirects_in_a_circle(server, home):
    """Redirects have an end."""

    def respond(_server, connection, line, *_request):
        answered(connection, 302, b"", [f"location: {line.split()[1]}"])

    with pytest.raises(BadAnswerError, match="without an end"):
        install(str(home), named=None, url=server(respond).url)


@pytest.mark.parametrize("at", [0, 1])
def test_interrupted(tmp_path, home, monkeypatch, at):
    """Interrupted at any file, what there is is whole, and no model without weights."""
    source = str(put(tmp_path / "source"))
    written = iter(range(9))
    write = installing.disk.write

    def interrupted(*args):
        if next(written) == at:
            raise KeyboardInterrupt
        write(*args)

    monkeypatch.setattr(installing.disk, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install(str(home), named=source, url="")
    names = ["tokenizer.json", "model.safetensors"][:at]
    assert held(home) == {name: SMALL[name] for name in names}
    assert not weights.Place(f"{home}/{weights.INSTALLED}", "home").is_complete
    monkeypatch.undo()


def test_a_home_that_cannot_be_written(reachable, nobody):
    """Where the home may not be written that is said, and nothing is changed."""
    source = put(reachable / "source")
    home = reachable / "home"
    home.mkdir(mode=0o555)
    with nobody(), pytest.raises(NotWritableError):
        install(str(home), named=str(source), url="")
    assert held(home) == {}


def test_the_real_model(weights, home):
    """The weights package is installed from when nothing is named."""
    done = install(str(home), named=None, url="http://127.0.0.1:9")
    assert done.source == weights
    assert done.size == 91_334_623
    assert {each.name for each in Path(done.path).iterdir()} == {*SMALL}
