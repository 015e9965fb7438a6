"""Services that misbehave: each ends soon, in a failure that says what was wrong."""

import json
import socket
import time

import pytest
from services import (
    always,
    answered,
    babble,
    broken_off,
    drip,
    hang,
    hung_up,
    in_turn,
    lengthy,
    moved,
    serving,
)

from crewmem.backends.embed import Means, kind
from crewmem.backends.embed.service import REST_SECONDS
from crewmem.backends.http import MOST_WAIT, TRIES, Client, Timing
from crewmem.backends.said import MOST
from crewmem.errors.backends import (
    BadAnswerError,
    RequestRefusedError,
    UnreachableError,
)
from crewmem.settings import Settings

KEY = "sk-secret-0123456789abcdef"

GOOD = {"embeddings": [[3, 4]]}


@pytest.fixture(name="ollama")
def _ollama(waits):
    """``ollama(url)``: an embedder that asks there, and waits on no clock."""
    from crewmem.backends.embed.ollama import Ollama

    made = []

    def make(url, *, seconds=60, timing=waits.timing, secrets=()):
        client = Client("it", url, seconds=seconds, timing=timing, secrets=secrets)
        made.append(Ollama(client, "any"))
        return made[-1]

    yield make
    for each in made:
        each.close()


def failure(embedder, server, expected):
    """Return what is said when the *server* is asked for a vector."""
    with pytest.raises(expected) as raised:
        embedder(server.url).embed(["key"])
    text = str(raised.value)
    assert text.isprintable()
    assert len(text) < MOST + 100
    return text


def test_nobody_there(ollama, waits):
    """Where nobody listens it is tried three times, with waits that grow."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(UnreachableError, match="connection refused"):
        ollama(f"http://127.0.0.1:{port}").embed(["key"])
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize("host", ["a" * 70 + ".local", "a..b"])
def test_a_host_that_can_be_none(ollama, host):
    """What cannot be the name of a host is a service that is not there."""
    with pytest.raises(UnreachableError):
        ollama(f"http://{host}:1").embed(["words"])


def test_waits_are_spread(waits):
    """By chance waits are up to half longer: those who failed together come apart."""
    timing = waits.timing._replace(chance=lambda: 0.999)
    client = Client("it", "http://127.0.0.1:9", seconds=60, timing=timing)
    with pytest.raises(UnreachableError):
        client.post(client.request("/", {}))
    assert waits == pytest.approx([0.75, 1.5], abs=0.001)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_passes_is_tried_again(server, ollama, waits, status):
    """Too many requests, and a failure of the service, are waited for."""
    started = server(in_turn((status, {}), (status, {}), (200, GOOD)))
    assert ollama(started.url).embed(["key"])[0] == pytest.approx([0.6, 0.8])
    assert waits == [0.5, 1.0]


def test_it_is_not_tried_for_ever(server, ollama):
    """Three failures are enough."""
    started = server(always(500, {"error": "out of memory"}))
    text = failure(ollama, started, UnreachableError)
    assert "HTTP 500: out of memory" in text
    assert len(started.asked) == TRIES


def test_who_has_waited_does_not_wait_again(server, ollama, waits):
    """A service that could not be used is let alone for a while, then asked again."""
    started = server(in_turn(*[(500, {"error": "busy"})] * TRIES, (200, GOOD)))
    embedder = ollama(started.url)
    for _ in range(3):
        with pytest.raises(UnreachableError, match="HTTP 500: busy"):
            embedder.embed(["key"])
    assert len(started.asked) == TRIES
    waits.sleep(REST_SECONDS)
    assert embedder.embed(["key"])[0] == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("status", [400, 401, 403, 413, 418])
def test_what_stays_is_not_tried_again(server, ollama, status):
    """Refusals are not repeated."""
    started = server(always(status, {"error": {"message": "no"}}))
    failure(ollama, started, (RequestRefusedError, UnreachableError))
    assert len(started.asked) == 1


def test_retry_after_is_honoured(server, ollama, waits):
    """As long as the service asks for is waited, in seconds or until a time."""
    date = "date: Fri, 01 May 2026 09:30:00 GMT"
    later = "retry-after: Fri, 01 May 2026 09:30:09 GMT"
    started = server(
        in_turn((429, {}, ["retry-after: 7"]), (503, {}, [date, later]), (200, GOOD))
    )
    ollama(started.url).embed(["key"])
    assert waits == [7.0, 9.0]


@pytest.mark.parametrize(
    "value", ["100000", "9" * 400, "-5", "soon", "1e9", "٣", "inf", ""]
)
def test_retry_after_is_not_obeyed_blindly(server, ollama, waits, value):
    """A wait is capped, whatever is asked for."""
    header = f"retry-after: {value}".encode().decode("latin-1")
    started = server(in_turn((429, {}, [header]), (200, GOOD)))
    ollama(started.url).embed(["key"])
    assert waits == [MOST_WAIT if value[:1] in {"1", "9"} and "e" not in value else 0.5]


def test_waiting_ends_with_the_time(server, ollama, waits):
    """No wait is begun that would not end before the time that all tries have."""
    started = server(always(429, {}, ["retry-after: 3600"]))
    with pytest.raises(UnreachableError, match="too many requests"):
        ollama(started.url, seconds=20).embed(["key"])
    assert waits == []
    assert len(started.asked) == 1


@pytest.mark.parametrize(
    "respond",
    [
        hang,
        drip(b"HTTP/1.1 200 X\r\ncontent-length: 99999\r\n\r\n", b" "),
        drip(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        drip(b"HTTP/1.1 200 X\r\nx-drip: ", b"a"),
        drip(b"HTTP/1.1 ", b"2"),
    ],
    ids=["hang", "body", "chunks", "header", "status line"],
)
def test_what_never_ends_is_ended(server, ollama, respond):
    """A server that hangs, or drips, is left when the time of the request is up."""
    started = server(respond)
    begun = time.monotonic()
    with pytest.raises(UnreachableError, match=r"within 0.1 seconds|many bytes|line"):
        ollama(started.url, seconds=0.1, timing=Timing()).embed(["key"])
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("respond", [broken_off, hung_up, babble])
def test_broken_connections(server, ollama, respond):
    """A server that closes in the middle, or speaks something else, is asked thrice."""
    started = server(respond)
    failure(ollama, started, UnreachableError)
    assert len(started.asked) == TRIES


STRANGE = {
    "no JSON": b"<html>",
    "half JSON": b'{"embeddings": [[1',
    "no UTF-8": b'{"embeddings": "\xff"}',
    "deep JSON": b"[" * 100_000,
    "huge integer": b'{"embeddings": [[' + b"9" * 5_000 + b"]]}",
    "nothing": b"",
    "null": None,
    "a list": [[1.0, 2.0]],
    "a text": "vectors",
}

BAD = {
    "no field": {},
    "null vectors": {"embeddings": None},
    "vectors by name": {"embeddings": {"0": [1, 2]}},
    "none": {"embeddings": []},
    "too many": {"embeddings": [[1, 2], [3, 4]]},
    "an empty one": {"embeddings": [[]]},
    "no list": {"embeddings": [1.0]},
    "texts for numbers": {"embeddings": [["1.0", "2.0"]]},
    "truths for numbers": {"embeddings": [[True, False]]},
    "a null in it": {"embeddings": [[1.0, None]]},
    "too deep": {"embeddings": [[[1.0]]]},
    "NaN": {"embeddings": [[1.0, float("nan")]]},
    "Infinity": {"embeddings": [[1.0, float("inf")]]},
    "overflow": b'{"embeddings": [[1e999, 1.0]]}',
    "large integer": {"embeddings": [[10**400 // 10**0, 1]]},
    "squares overflow": {"embeddings": [[1e300, 1e300]]},
    "zeros": {"embeddings": [[0.0, 0.0]]},
    "nearly zeros": {"embeddings": [[1e-200, 0]]},
}


@pytest.mark.parametrize("document", STRANGE.values(), ids=STRANGE)
def test_answers_of_something_else(server, ollama, document):
    """What is no object of JSON is of no service that embeds: no text is at fault."""
    failure(ollama, server(always(200, document)), UnreachableError)


@pytest.mark.parametrize("document", BAD.values(), ids=BAD)
def test_answers_that_are_no_vectors(server, ollama, document):
    """What is not exactly as many vectors of finite numbers as texts is refused."""
    failure(ollama, server(always(200, document)), BadAnswerError)


def test_vectors_of_another_size(server, ollama):
    """A service that changes its mind on the size of vectors is not believed."""
    started = server(in_turn((200, GOOD), (200, {"embeddings": [[1, 2, 3]]})))
    embedder = ollama(started.url)
    embedder.embed(["key"])
    with pytest.raises(BadAnswerError, match="3 numbers, not 2"):
        embedder.embed(["key"])


@pytest.mark.parametrize("model", ["nomic-embed-text", "nomic-embed-text:latest"])
def test_the_size_of_known_models(server, waits, model):
    """Of a model that is known, the first vector has to be of its size already."""
    from crewmem.backends.embed.ollama import Ollama

    client = Client(
        "it", server(always(200, GOOD)).url, seconds=60, timing=waits.timing
    )
    embedder = Ollama(client, model)
    with pytest.raises(BadAnswerError, match="2 numbers, not 768"):
        embedder.embed(["key"])
    embedder.close()


@pytest.mark.parametrize("is_told", [True, False])
def test_long_answers(server, ollama, is_told):
    """An answer of 17 MiB is left, whether it says its length or not."""
    assert "16 MiB" in failure(
        ollama, server(lengthy(17, is_told=is_told)), UnreachableError
    )


def test_packed_answers(server, ollama):
    """An answer that was packed without being asked for is not unpacked."""
    import gzip

    body = gzip.compress(json.dumps(GOOD).encode())
    failure(
        ollama, server(always(200, body, ["content-encoding: gzip"])), UnreachableError
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/api/embed",
        "http://127.0.0.1:1/api/embed",
        "https://127.0.0.1:{port}/api/embed",
        "//example.com/",
        "http://127.0.0.1:{port}@example.com/",
        "file:///etc/passwd",
    ],
)
def test_redirects_to_another_host(server, ollama, status, location):
    """What is sent, and the key, go to no other host than the one that was set."""
    started = server(moved(location, status))
    assert "another host" in failure(ollama, started, UnreachableError)
    assert len(started.asked) == 1


@pytest.mark.parametrize("location", ["http://[", "http://a:b/", "http://\x00/"])
def test_redirects_to_nowhere(server, ollama, location):
    """A redirect to what is no URL leads elsewhere, too."""
    started = server(always(307, b"", [f"location: {location}"]))
    failure(ollama, started, UnreachableError)


def test_redirects_on_the_host(server, ollama):
    """A redirect to another path of the same host is followed, with the same text."""
    started = server(in_turn((307, b"", ["location: /v2/embed"]), (200, GOOD)))
    ollama(started.url).embed(["key"])
    assert started.asked[1][0].split()[1] == "/v2/embed"
    assert started.asked[0][2] == started.asked[1][2]


def test_redirects_in_a_circle(server, ollama):
    """Redirects have an end."""
    started = server(always(307, b"", ["location: /api/embed"]))
    assert "without an end" in failure(ollama, started, UnreachableError)


@pytest.mark.parametrize(
    "said",
    [
        "\x1b[2J\x1b]0;owned\x07gone",
        "\u202eevil\u2066",
        "zero\u200bwidth\ufeff\U000e0041",
        "line\nafter\rline\u2028\u2029\x85\x00",
        "long " * 10_000,
    ],
)
def test_messages_of_services_are_made_fit(server, ollama, said):
    """What a service says is repeated in one line, short, with nothing hidden in it."""
    text = failure(ollama, server(always(400, {"error": said})), RequestRefusedError)
    assert "HTTP 400: " in text


@pytest.mark.parametrize(
    "said",
    [
        f"invalid key {KEY}",
        f"invalid key {KEY[:14]}...",
        f"key{KEY}{KEY}",
        f"x{KEY[4:]}",
        "a" * (MOST - 12) + KEY,
    ],
)
def test_keys_are_not_repeated(server, said):
    """A key that a service echoes, or a good part of it, is in no message."""
    for name, variable in (("openai", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY")):
        started = server(always(401, {"error": {"message": said}}))
        means = Means(Settings({f"{name}_url": started.url}), "", {variable: KEY})
        embedder = kind(name).create(means, "any")
        with pytest.raises(UnreachableError) as raised:
            embedder.embed(["key"])
        embedder.close()
        text = str(raised.value) + repr(raised.value.details) + repr(vars(embedder))
        assert not any(KEY[i : i + 8] in str(raised.value) for i in range(len(KEY) - 7))
        assert "HTTP 401" in text


def test_no_proxy_is_asked(server, ollama, monkeypatch):
    """Proxies that the environment names are not used: memory would go there."""
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ollama(server(always(200, GOOD)).url).embed(["key"]).shape == (1, 2)


def test_one_connection_serves_many_requests(server, ollama):
    """Batches go over one connection."""
    connections = set()

    def respond(_server, connection, *request):
        connections.add(connection.fileno())
        texts = request[2]["input"]
        answered(connection, 200, {"embeddings": [[1, 2]] * len(texts)})

    ollama(server(respond).url).embed(["key"] * 200)
    assert len(connections) == 1


def gemini(url, rotation, keys, waits):
    from crewmem.backends.embed.gemini import Gemini
    from crewmem.backends.embed.keys import Key

    client = Client("it", url, seconds=60, timing=waits.timing, secrets=keys)
    found = [Key(key, key) for key in keys]
    return Gemini(client, "any", found, in_turn=rotation == "round-robin")


def used(started):
    return [headers["x-goog-api-key"] for _, headers, _ in started.asked]


VALUES = {"embeddings": [{"values": [3, 4]}]}


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_keys_fail_over(server, waits, status):
    """When a key is refused or used up, the other is taken at once, and kept."""

    def respond(_server, connection, _line, headers, _body):
        is_first = headers["x-goog-api-key"] == "first"
        answered(connection, *((status, {}) if is_first else (200, VALUES)))

    started = server(respond)
    embedder = gemini(started.url, "failover", ["first", "second"], waits)
    for _ in range(2):
        embedder.embed(["key"])
    embedder.close()
    assert used(started) == ["first", "second", "second"]
    assert waits == []


@pytest.mark.parametrize("status", [400, 404, 413])
def test_keys_are_not_rotated_for_other_faults(server, waits, status):
    """A refusal that is not about the key is not tried with another."""
    started = server(always(status, {}))
    embedder = gemini(started.url, "failover", ["first", "second"], waits)
    with pytest.raises((RequestRefusedError, UnreachableError)):
        embedder.embed(["key"])
    embedder.close()
    assert used(started) == ["first"]


def test_keys_take_turns(server, waits):
    """With round-robin each request has the next key."""
    started = server(always(200, VALUES))
    embedder = gemini(started.url, "round-robin", ["first", "second"], waits)
    for _ in range(4):
        embedder.embed(["key"])
    embedder.close()
    assert used(started) == ["first", "second", "first", "second"]


@pytest.mark.parametrize("rotation", ["failover", "round-robin"])
def test_keys_that_all_fail(server, waits, rotation):
    """With every key refused there were three tries at most, and an end."""
    for status, tries in ((401, 2), (503, TRIES)):
        started = server(always(status, {}))
        embedder = gemini(started.url, rotation, ["first", "second"], waits)
        with pytest.raises(UnreachableError, match=f"HTTP {status}"):
            embedder.embed(["key"])
        embedder.close()
        assert len(started.asked) == tries
        assert {*used(started)} == {"first", "second"}


@pytest.mark.parametrize(
    "rows",
    [
        [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}],
        [{"index": 1, "embedding": [1, 2]}, {"index": 2, "embedding": [1, 2]}],
        [{"index": True, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}],
        [{"embedding": [1, 2]}, {"embedding": [1, 2]}],
        [[1, 2], [1, 2]],
        [{"index": "0", "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}],
    ],
)
def test_rows_are_numbered(server, waits, rows):
    """OpenAI's rows may come in any order, but each with a number of its own."""
    from crewmem.backends.embed.openai import OpenAI

    started = server(always(200, {"data": rows}))
    client = Client("it", started.url, seconds=60, timing=waits.timing)
    embedder = OpenAI(client, "any", [])
    with pytest.raises(UnreachableError, match="numbered"):
        embedder.embed(["one", "two"])
    embedder.close()
    assert "authorization" not in started.asked[0][1]


def test_keys_go_where_they_belong(server, waits):
    """A key is in the header that is meant for it, and in no URL."""
    from crewmem.backends.embed.keys import Key
    from crewmem.backends.embed.openai import OpenAI

    rows = {"data": [{"index": 0, "embedding": [1, 2]}]}
    started = server(always(200, rows))
    client = Client("it", started.url, seconds=60, timing=waits.timing, secrets=[KEY])
    embedder = OpenAI(client, "any", [Key(KEY, "OPENAI_API_KEY")])
    embedder.embed(["one"])
    embedder.close()
    line, headers, body = started.asked[0]
    assert headers["authorization"] == f"bearer {KEY}"
    assert KEY not in line + json.dumps(body)
    assert line.startswith("POST ")


def test_an_old_ollama_is_asked_once_what_it_can(server, ollama):
    """Where there is no /api/embed, texts are sent one by one from then on."""

    def respond(_server, connection, line, _headers, body):
        if line.split()[1] == "/api/embeddings":
            answered(connection, 200, {"embedding": [len(body["prompt"]), 1]})
        else:
            answered(connection, 405, b"405 method not allowed")

    started = server(respond)
    embedder = ollama(started.url)
    embedder.embed(["one", "three"])
    embedder.embed(["four"])
    paths = [line.split()[1] for line, _, _ in started.asked]
    assert paths == ["/api/embed", *["/api/embeddings"] * 3]


def test_a_model_that_is_not_there(server, ollama):
    """That Ollama has not pulled the model is said as Ollama says it."""
    said = 'model "any" not found, try pulling it first'
    started = server(always(404, {"error": said}))
    assert said in failure(ollama, started, UnreachableError)


def test_texts_are_sent_whole(server, ollama):
    """Ollama is told to refuse what is too long, rather than to cut it."""
    started = server(always(200, GOOD))
    ollama(started.url).embed(["key"])
    assert started.asked[0][2]["truncate"] is False


def test_serving_ends():
    """The servers of these tests leave nothing behind."""
    with serving(hang) as started:
        assert started.url.startswith("http://127.0.0.1:")
    assert not any(each.is_alive() for each in started.threads)
