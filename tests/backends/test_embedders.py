"""What every embedder keeps to, whoever it asks."""

import math

import pytest
from services import answered, serving, unit, vector_of, well

from crewmem.backends.embed import EMBEDDERS, Means, kind
from crewmem.backends.embed.service import BATCH_TEXTS
from crewmem.errors.journal import BlankTextError
from crewmem.settings import Settings

ENVIRON = {"OPENAI_API_KEY": "sk-test-0123456789", "GEMINI_API_KEY": "g-test-0123456"}

DIM = 8


@pytest.fixture(name="embedder", params=[*EMBEDDERS, "ollama, old"])
def _embedder(request, tmp_path):
    """Each embedder that there is, over a service of its own that answers well."""
    name = request.param.partition(",")[0]
    if name == "minilm":
        request.getfixturevalue("weights")
        yield kind(name).create(Means(Settings(), str(tmp_path), {}), "")
        return
    with serving(old_ollama if request.param != name else well(DIM)) as server:
        values = {f"{name}_url": server.url, f"{name}_model": "any"}
        means = Means(Settings(values), str(tmp_path), ENVIRON)
        made = kind(name).create(means, "any")
        yield made
        made.close()


def old_ollama(_server, connection, line, _headers, body):
    """Answer as an Ollama does that embeds one text at a time."""
    if line.split()[1] == "/api/embeddings":
        document = {"embedding": vector_of(body["prompt"], DIM)}
        answered(connection, 200, document)
    else:
        answered(connection, 404, b"404 page not found")


def length(vector):
    return math.sqrt(sum(float(number) ** 2 for number in vector))


def test_vectors_are_unit_rows(embedder):
    """Each text gets a row of float32 whose length is one."""
    vectors = embedder.embed(["the deploy key", "the pier"])
    assert vectors.dtype == "float32"
    assert vectors.shape == (2, embedder.dim)
    assert [length(row) for row in vectors] == pytest.approx([1, 1], abs=1e-6)


def test_no_text_gives_no_row(embedder):
    """Of no texts there are no vectors, of the usual size."""
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_rows_stand_in_the_order_of_texts(embedder):
    """A vector is the same alone and in whatever company, and each in its place."""
    texts = [f"{'the relay ' * (i % 7)}number {i}" for i in range(BATCH_TEXTS + 9)]
    together = embedder.embed(texts)
    assert together.shape == (len(texts), embedder.dim)
    for i in (0, 3, BATCH_TEXTS - 1, BATCH_TEXTS, len(texts) - 1):
        alone = embedder.embed([texts[i]])[0]
        assert together[i] == pytest.approx(alone, abs=2e-6)


def test_it_says_what_it_is(embedder):
    """It has a name that the setting knows, a model and a size."""
    assert embedder.name in EMBEDDERS
    assert embedder.model
    assert embedder.dim == embedder.embed(["size"]).shape[1]


def test_white_space_is_refused(embedder):
    """A text without content is refused, rather than given a vector of nothing."""
    for text in ("", " \n\t"):
        with pytest.raises(BlankTextError):
            embedder.embed(["something", text])


def test_any_text_is_embedded(embedder):
    """Controls, emoji, half a pair and markup are texts as well."""
    texts = [
        "\x1b[31mred\x00",
        "🚀👩‍🚀",
        "half \ud800 a pair",
        "[SEP] [CLS]",
        "\u202eabc",
    ]
    vectors = embedder.embed(texts)
    assert [length(row) for row in vectors] == pytest.approx([1] * 5, abs=1e-6)


def test_short_texts_are_one_piece(embedder):
    """What the model reads at once is embedded as it is."""
    assert embedder.pieces("the deploy key") == ["the deploy key"]
    assert embedder.pieces("") == [""]


def test_long_texts_are_several(embedder):
    """What is longer is embedded in pieces of it, of which each is one piece."""
    text = "The harbor crew keeps its key in the vault beside the pier. " * 700
    pieces = embedder.pieces(text)
    assert len(pieces) > 1
    assert all(piece in text and embedder.pieces(piece) == [piece] for piece in pieces)
    assert text.startswith(pieces[0])
    assert text.rstrip().endswith(pieces[-1].rstrip())


def test_no_more_is_read_than_a_piece(embedder):
    """A long text that is embedded whole is read as far as its first piece."""
    text = "The harbor crew keeps its key in the vault beside the pier. " * 700
    first = embedder.pieces(text)[0]
    assert embedder.embed([text])[0] == pytest.approx(embedder.embed([first])[0])


@pytest.mark.parametrize("name", ["ollama", "openai", "gemini"])
def test_vectors_are_what_was_answered(name, tmp_path):
    """A service's numbers are brought to unit length, and are otherwise its own."""
    with serving(well(DIM)) as server:
        values = {f"{name}_url": server.url}
        means = Means(Settings(values), str(tmp_path), ENVIRON)
        made = kind(name).create(means, "any")
        found = made.embed(["one", "two"])
        made.close()
    assert found[1] == pytest.approx(unit(vector_of("two", DIM)), abs=1e-6)
