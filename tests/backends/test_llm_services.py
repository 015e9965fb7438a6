"""Services of language models that misbehave: each ends soon, and says what was."""

import gzip
import json
import signal
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
    spoken,
    talking,
)

from crewmem.backends.http import MOST_WAIT, TRIES, Timing
from crewmem.backends.llm import Means, choose, kind
from crewmem.backends.llm.account import key
from crewmem.backends.llm.ollama import WINDOW, window
from crewmem.backends.llm.openai import THOUGHTS
from crewmem.backends.llm.service import MOST_BYTES, access
from crewmem.backends.said import MOST
from crewmem.errors import BackendError
from crewmem.errors.backends import (
    BadReplyError,
    ModelUnreachableError,
    RequestRefusedError,
)
from crewmem.settings import Settings

KEY = "sk-secret-0123456789abcdef"

KEYS = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}

PATHS = {
    "ollama": "/api/chat",
    "openai": "/chat/completions",
    "anthropic": "/v1/messages",
}

MATERIAL = {"Errors": ["The export failed"]}

TOKENS = 6_000
"""Of an answer, unless it is set otherwise."""


@pytest.fixture(name="name", params=PATHS)
def _name(request):
    """Each kind of service."""
    return request.param


@pytest.fixture(name="model")
def _model(name, waits):
    """``model(url)``: a model of that kind at *url*, that waits on no clock."""

    def make(url, *, timing=waits.timing, **values):
        values = {"llm_url": url, "llm_model": "loom"} | values
        means = Means(Settings(values), KEYS)
        found = None if name == "ollama" else key(means, kind(name).ACCOUNT)
        made = type(kind(name).create(means))
        return made(access(means, "it", url, found), timing)

    return make


@pytest.fixture(name="well")
def _well(name):
    """What says that all is well."""
    return spoken(PATHS[name], "All is well.")


def asked(model):
    return model.answer("Sum up.", MATERIAL, most=400)


def failure(model, server, expected=BackendError):
    """Return what is said when a model of the *server* is asked."""
    with pytest.raises(expected) as raised:
        asked(model(server.url))
    text = str(raised.value)
    assert text.isprintable()
    assert len(text) < MOST + 100
    return text


# What is asked


def test_who_instructs_is_told_apart(server, name, model):
    """The instruction goes where a service takes one, and no note gets there."""
    started = server(talking(lambda _: "Well."))
    asked(model(started.url))
    (line, headers, body), *_ = started.asked
    assert line == f"POST {PATHS[name]} HTTP/1.1"
    system, user = (
        (body["system"], body["messages"][0]["content"])
        if name == "anthropic"
        else (each["content"] for each in body["messages"])
    )
    assert system.startswith("Sum up.\n")
    assert "export failed" not in system
    assert user.startswith("<<< NOTES-")
    assert "- The export failed\n" in user
    assert [each["role"] for each in body["messages"]][-1] == "user"
    assert headers["accept-encoding"] == "identity"


def test_it_is_asked_for_the_same_again(server, name, model):
    """No chance, an end to the answer, and all of it at once."""
    started = server(talking(lambda _: "Well."))
    asked(model(started.url))
    body = started.asked[0][2]
    assert (body["stream"], body["model"]) == (False, "loom")
    options = body["options"] if name == "ollama" else body
    assert options["temperature"] == 0
    assert options["num_predict" if name == "ollama" else "max_tokens"] == TOKENS


def test_ollama_is_asked_to_read_all(server, waits):
    """It drops what is over its usual window, so one that is large enough is set."""
    started = server(talking(lambda _: "Well."))
    values = {"llm_url": started.url, "llm_model": "loom"}
    made = kind("ollama").create(Means(Settings(values), {}))
    for material in (MATERIAL, {"Errors": ["It broke. " * 350] * 30}):
        made.answer("Sum up.", material, most=400)
    short, long = (each[2] for each in started.asked)
    assert (short["truncate"], short["shift"], short["think"]) == (False, False, False)
    assert short["options"]["num_ctx"] == WINDOW
    assert long["options"]["num_ctx"] == 4 * WINDOW
    assert [window(each) for each in (1, WINDOW, WINDOW + 1)] == [8_192, 8_192, 16_384]
    assert waits == []


def test_budgets_are_set(server, name, model):
    """No more is told, and no more is asked for, than the settings say."""
    started = server(talking(lambda told: f"{len(told)}"))
    made = model(started.url, llm_material_chars=10_000, llm_answer_chars=2_000)
    said = made.answer("Sum up.", {"Errors": ["It broke. " * 300] * 50}, most=400)
    assert 9_000 < int(said) < 11_000
    body = started.asked[0][2]
    options = body["options"] if name == "ollama" else body
    assert options["num_predict" if name == "ollama" else "max_tokens"] == 500


def test_keys_go_where_they_belong(server, name, model):
    """A key is in the header that is meant for it, and nowhere else."""
    started = server(talking(lambda _: "Well."))
    asked(model(started.url))
    line, headers, body = started.asked[0]
    held = {each for each, value in headers.items() if KEY in value}
    wanted = {"openai": {"authorization"}, "anthropic": {"x-api-key"}, "ollama": set()}
    assert held == wanted[name]
    assert KEY not in line + json.dumps(body)
    assert name != "anthropic" or headers["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_anthropic_may_be_named_with_its_version(server, end):
    """Some write its URL with /v1, and some without."""
    started = server(talking(lambda _: "Well."))
    values = {"llm_url": f"{started.url}{end}", "llm_model": "loom"}
    asked(kind("anthropic").create(Means(Settings(values), KEYS)))
    assert started.asked[0][0].split()[1] == "/v1/messages"


def test_no_proxy_is_asked(server, model, monkeypatch):
    """Proxies that the environment names are not used: memory would go there."""
    for variable in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    assert asked(model(server(talking(lambda _: "Well.")).url)) == "Well."


# What a model cannot do


COMPLAINTS = {
    "param": lambda wish: {"error": {"message": "Not here.", "param": wish}},
    "message": lambda wish: {"error": {"message": f"'{wish}' is deprecated"}},
    "text": lambda wish: {"error": f"this model does not know {wish}"},
    "bare": lambda wish: {"object": "error", "message": f"{wish}?", "param": None},
}
"""How services say that they do not know a parameter."""


def refusing(*wishes, by):
    """Return what refuses each of *wishes*, as services do, and then says well."""

    def respond(_server, connection, line, _headers, body):
        for wish in wishes:
            if wish in body:
                answered(connection, 400, COMPLAINTS[by](wish))
                return
        answered(connection, 200, spoken(line.split()[1], "Well."))

    return respond


@pytest.mark.parametrize("by", COMPLAINTS)
def test_what_a_model_does_not_know_is_not_asked_for(server, name, model, by):
    """Models that think refuse a temperature; then it is left out, from then on."""
    wishes = {
        "ollama": ["think"],
        "openai": ["temperature", "max_tokens"],
        "anthropic": ["temperature"],
    }[name]
    started = server(refusing(*wishes, by=by))
    made = model(started.url)
    assert asked(made) == asked(made) == "Well."
    assert len(started.asked) == len(wishes) + 2
    last = started.asked[-1][2]
    assert not {*wishes} & last.keys()
    assert name != "openai" or last["max_completion_tokens"] == TOKENS + THOUGHTS


def test_adapting_has_an_end(server, model):
    """A service that refuses whatever it is asked is not asked for ever."""
    every = ["temperature", "max_tokens", "max_completion_tokens", "think", "model"]

    def respond(_server, connection, _line, _headers, body):
        wish = next(each for each in every if each in body)
        answered(connection, 400, {"error": {"message": "no", "param": wish}})

    started = server(respond)
    failure(model, started, RequestRefusedError)
    assert len(started.asked) <= TRIES


# What cannot be reached


def test_nobody_there(model, waits):
    """Where nobody listens it is tried three times, with waits that grow."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ModelUnreachableError, match="connection refused"):
        asked(model(f"http://127.0.0.1:{port}"))
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize("status", [401, 403, 404, 405])
def test_what_is_refused_is_not_tried_again(server, model, status):
    """A key that is wrong, and a model that is not there, stay so."""
    started = server(always(status, {"error": {"message": f"no {KEY} of yours"}}))
    text = failure(model, started, ModelUnreachableError)
    assert f"HTTP {status}: no " in text
    assert len(started.asked) == 1


@pytest.mark.parametrize(
    ("status", "field"), [(400, "error"), (413, "message"), (422, "detail")]
)
def test_what_is_asked_may_be_refused(server, model, status, field):
    """Another text may be answered: that is another failure."""
    started = server(always(status, {field: "the prompt is too long"}))
    text = failure(model, started, RequestRefusedError)
    assert f" refused: HTTP {status}: the prompt is too long" in text
    assert len(started.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_what_passes_is_tried_again(server, model, waits, well, status):
    """Too many requests, and a failure of the service, are waited for."""
    started = server(in_turn((status, {}), (status, b"<html>"), (200, well)))
    assert asked(model(started.url)) == "All is well."
    assert waits == [0.5, 1.0]


def test_it_is_not_tried_for_ever(server, model):
    """Three failures are enough."""
    started = server(always(529, {}))
    assert "it is overloaded" in failure(model, started, ModelUnreachableError)
    assert len(started.asked) == TRIES


@pytest.mark.parametrize(("value", "wait"), [("7", 7.0), ("99999", MOST_WAIT)])
def test_retry_after_is_honoured_and_capped(server, model, waits, well, value, wait):
    """As long as the service asks for is waited, but never for minutes."""
    started = server(in_turn((429, {}, [f"retry-after: {value}"]), (200, well)))
    asked(model(started.url))
    assert waits == [wait]


def test_waiting_ends_with_the_time(server, model, waits):
    """No wait is begun that would not end before the time that an answer has."""
    started = server(always(429, {}, ["retry-after: 3600"]))
    with pytest.raises(ModelUnreachableError, match="too many requests"):
        asked(model(started.url, llm_timeout=20.0))
    assert waits == []


@pytest.mark.parametrize(
    "respond",
    [
        hang,
        drip(b"HTTP/1.1 200 X\r\ncontent-length: 99999\r\n\r\n", b" "),
        drip(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        drip(b"HTTP/1.1 200 X\r\nx-drip: ", b"a"),
    ],
    ids=["hang", "body", "chunks", "header"],
)
def test_what_never_ends_is_ended(server, model, respond):
    """A service that hangs, or drips, is left when the time of an answer is up."""
    started = server(respond)
    begun = time.monotonic()
    with pytest.raises(ModelUnreachableError, match=r"within 0.1 seconds|many bytes"):
        asked(model(started.url, llm_timeout=0.1, timing=Timing()))
    assert time.monotonic() - begun < 5
    assert len(started.asked) == 1


def test_a_model_may_be_silent_while_it_writes(server, model, well, monkeypatch):
    """No bytes for long are no fault of who says nothing before all is written."""
    monkeypatch.setattr("crewmem.backends.transport.READ_SECONDS", 0.01)

    def respond(server, connection, *_request):
        server.ended.wait(0.05)
        answered(connection, 200, well)

    assert asked(model(server(respond).url)) == "All is well."


@pytest.mark.parametrize("respond", [broken_off, hung_up, babble])
def test_broken_connections(server, model, respond):
    """A service that hangs up, or speaks something else, is asked thrice."""
    started = server(respond)
    failure(model, started, ModelUnreachableError)
    assert len(started.asked) == TRIES


def test_an_interruption_is_not_waited_with(server, model):
    """Who presses ^C while a model writes is rid of it."""

    def interrupted(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupted)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            asked(model(server(hang).url, timing=Timing()))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# What is no answer

BAD = {
    "no JSON": b"<html>",
    "half JSON": b'{"message": {"content": "All is',
    "no UTF-8": b'{"message": "\xff"}',
    "deep JSON": b"[" * 100_000,
    "huge integer": b'{"created": ' + b"9" * 5_000 + b"}",
    "nothing": b"",
    "null": None,
    "a list": ["All is well."],
    "a text": "All is well.",
    "no field": {},
    "other fields": {"response": "All is well."},
}


@pytest.mark.parametrize("document", BAD.values(), ids=BAD)
def test_what_is_no_answer(server, model, document):
    """What is not in the form that is promised is not used, and not asked again."""
    started = server(always(200, document))
    assert "answer of loom is not used" in failure(model, started, BadReplyError)
    assert len(started.asked) == 1


@pytest.mark.parametrize(
    "text", [None, 7, True, ["All is well."], {"text": "well"}, "", " \n", "\x1b[2J"]
)
def test_texts_that_are_none(server, name, model, text):
    """Of another type, empty, or acting on a terminal: that is no text."""
    document = spoken(PATHS[name], text)
    failure(model, server(always(200, document)), BadReplyError)


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("ollama", {"message": ["well"], "done": True}),
        ("ollama", {"message": {"content": "well"}}),
        ("ollama", {"message": {"content": "well"}, "done": False}),
        ("ollama", {"message": {"content": "well"}, "done": "true"}),
        ("openai", {"choices": []}),
        ("openai", {"choices": {"0": {"message": {"content": "well"}}}}),
        ("openai", {"choices": [None]}),
        ("openai", {"choices": [{"message": "well"}]}),
        ("openai", {"choices": [{"text": "well"}]}),
        ("anthropic", {"content": "well"}),
        ("anthropic", {"content": []}),
        ("anthropic", {"content": ["well"]}),
        ("anthropic", {"content": [{"type": "tool_use", "text": "well"}]}),
        ("anthropic", {"content": [{"type": "text", "text": "we"}, {"type": "text"}]}),
    ],
)
def test_shapes_that_are_others(server, model, document):
    """An answer that is not all there, or in another place, is none."""
    failure(model, server(always(200, document)), BadReplyError)


@pytest.mark.parametrize(
    ("name", "document", "reason"),
    [
        (
            "ollama",
            {"message": {"content": "All i"}, "done": True, "done_reason": "length"},
            "cut off: the setting llm_answer_chars",
        ),
        (
            "openai",
            {"choices": [{"message": {"content": "A"}, "finish_reason": "length"}]},
            "cut off: the setting llm_answer_chars",
        ),
        (
            "openai",
            {"choices": [{"message": {"content": None}, "finish_reason": "length"}]},
            "cut off: the setting llm_answer_chars",
        ),
        (
            "openai",
            {"choices": [{"message": {"content": None, "refusal": "I will not."}}]},
            "refused to answer",
        ),
        (
            "openai",
            {"choices": [{"message": {}, "finish_reason": "content_filter"}]},
            "refused to answer",
        ),
        (
            "anthropic",
            {"content": [{"type": "text", "text": "A"}], "stop_reason": "max_tokens"},
            "cut off: the setting llm_answer_chars",
        ),
        (
            "anthropic",
            {
                "content": [{"type": "text", "text": "A"}],
                "stop_reason": "model_context_window_exceeded",
            },
            "cut off: the setting llm_material_chars",
        ),
        ("anthropic", {"content": [], "stop_reason": "refusal"}, "refused to answer"),
    ],
)
def test_answers_that_are_not_all(server, model, document, reason):
    """What was cut off, or withheld, is not used; what would help is said."""
    assert reason in failure(model, server(always(200, document)), BadReplyError)


def test_a_failure_that_looks_like_success(server, model):
    """Some gateways tell of a failure with status 200: it is told as it is."""
    document = {"error": {"message": f"no credits {KEY[:4]}", "code": 402}}
    text = failure(model, server(always(200, document)), ModelUnreachableError)
    assert "no credits" in text


def test_thoughts_beside_an_answer_are_left_out(server):
    """Anthropic's blocks of thought are no part of the answer; its texts all are."""
    blocks = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "All is "},
        {"type": "text", "text": "well."},
    ]
    document = {"content": blocks, "stop_reason": "end_turn"}
    started = server(always(200, document))
    values = {"llm_url": started.url, "llm_model": "loom"}
    made = kind("anthropic").create(Means(Settings(values), KEYS))
    assert asked(made) == "All is well."


def test_an_answer_that_repeats_the_fence_is_refused(server, model):
    """A model that copies its prompt has not followed it."""
    started = server(talking(lambda told: f"Sure: {told[-400:]}"))
    assert "repeats what it was asked" in failure(model, started, BadReplyError)


@pytest.mark.parametrize("is_told", [True, False])
def test_long_answers(server, model, is_told):
    """An answer of 5 MiB is left, whether it says its length or not."""
    assert f"{MOST_BYTES >> 20} MiB" in failure(
        model, server(lengthy(5, is_told=is_told)), BadReplyError
    )


def test_packed_answers(server, model, well):
    """An answer that was packed without being asked for is not unpacked: no bomb is."""
    for body in (json.dumps(well).encode(), b" " * (30 << 20)):
        packed = gzip.compress(body)
        started = server(always(200, packed, ["content-encoding: gzip"]))
        assert "no JSON" in failure(model, started, BadReplyError)


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/",
        "https://127.0.0.1:{port}/",
        "//example.com/",
        "http://127.0.0.1:{port}@example.com/",
        "file:///etc/passwd",
    ],
)
def test_redirects_to_another_host(server, model, location):
    """What is sent, and the key, go to no other host than the one that was set."""
    started = server(moved(location))
    assert "another host" in failure(model, started, BadReplyError)
    assert len(started.asked) == 1


def test_redirects_on_the_host(server, model, well):
    """A redirect to another path of the same host is followed, but in no circle."""
    started = server(in_turn((307, b"", ["location: /there"]), (200, well)))
    assert asked(model(started.url)) == "All is well."
    assert started.asked[1][0].split()[1] == "/there"
    circle = server(always(307, b"", ["location: /there"]))
    assert "without an end" in failure(model, circle, BadReplyError)


@pytest.mark.parametrize(
    "said",
    [
        "\x1b[2J\x1b]0;owned\x07gone",
        "\u202eevil\u2066",
        "line\nafter\rline\u2028\u2029\x85\x00",
        "long " * 10_000,
        f"invalid key {KEY}",
        f"key{KEY[:14]}... {KEY[6:]}",
    ],
)
@pytest.mark.parametrize("status", [400, 401])
def test_messages_of_services_are_made_fit(server, name, model, said, status):
    """What a service says is told in one short line, without what hides, and no key."""
    text = failure(model, server(always(status, {"error": {"message": said}})))
    assert f"HTTP {status}: " in text
    if "key" in said and name != "ollama":
        assert not any(KEY[i : i + 8] in text for i in range(len(KEY) - 7))


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_nothing_of_it_holds_a_key(server, model):
    """Neither a model nor its failures show the key where they are printed."""
    made = model("http://127.0.0.1:9")
    assert KEY not in repr(vars(made))
    with pytest.raises(BackendError) as raised:
        asked(model(server(always(401, {"error": KEY})).url))
    assert KEY not in repr(raised.value.details)


# Whether it is there


@pytest.mark.parametrize(
    ("status", "document", "said"),
    [
        (200, {"data": []}, ""),
        (200, b"<html>", ""),
        (429, {}, ""),
        (401, {"error": {"message": f"no {KEY}"}}, "HTTP 401: no "),
        (403, {}, "HTTP 403: it is forbidden"),
        (503, {}, "HTTP 503: it is not available"),
        (307, b"", "without an end"),
    ],
)
def test_it_can_be_seen_whether_a_service_is_there(
    server, model, name, status, document, said
):
    """It is asked once, for nothing that is written, with the key and a short wait."""
    started = server(always(status, document, ["location: /there"]))
    made = model(started.url)
    told = made.trouble()
    assert said in told
    assert bool(said) == bool(told)
    assert name == "ollama" or KEY[8:] not in told
    line, headers, body = started.asked[0]
    asked_for = {
        "ollama": ("POST /api/show HTTP/1.1", {"model": "loom"}),
        "openai": ("GET /models HTTP/1.1", None),
        "anthropic": ("GET /v1/models HTTP/1.1", None),
    }
    assert (line, body) == asked_for[name]
    assert (KEY in str(headers)) == (name != "ollama")
    assert len(started.asked) == (3 if status == 307 else 1)


@pytest.mark.parametrize("respond", [hang, broken_off, hung_up, babble])
def test_it_is_not_waited_for_long_to_see_that(server, model, respond):
    """A service that is not itself is told, after one try."""
    started = server(respond)
    made = model(started.url, llm_timeout=0.1, timing=Timing())
    assert "cannot be used" in made.trouble()
    assert len(started.asked) == 1


def test_a_model_that_is_not_there_is_seen(server, name, model):
    """Ollama says so; others may have no list of models, which is no fault."""
    said = {"error": "model 'loom' not found"}
    trouble = model(server(always(404, said)).url).trouble()
    assert ("model 'loom' not found" in trouble) == (name == "ollama")


def test_nothing_is_asked_before_there_is_a_question():
    """Choosing a model speaks to nobody."""
    values = {"llm": "ollama", "llm_model": "loom", "llm_url": "http://203.0.113.1"}
    assert choose(Means(Settings(values), {})).model.name == "ollama"
