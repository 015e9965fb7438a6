"""Commands of `crewmem embedder`."""

import time
from dataclasses import dataclass
from pathlib import Path

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.output import Table
from crewmem.context import DATABASE_FILE
from crewmem.embeddings.choose import EmbedderStatus
from crewmem.embeddings.embed_report import EmbedReport
from crewmem.embeddings.install import download, install_from_directory
from crewmem.embeddings.local import find_packaged_model
from crewmem.errors import NotFoundError
from crewmem.storage.filesystem import make_directory
from crewmem.text.wording import count


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that was installed."""

    model: str
    path: Path


@dataclass(frozen=True, slots=True)
class EmbedderTest:
    """The result of embedding two texts.

    Attributes:
        cosine: Similarity of the two texts, which have the same meaning.
    """

    name: str
    model: str
    dim: int
    milliseconds: float
    cosine: float


@click.group(cls=Group)
def embedder() -> None:
    """Manage the embedding model."""


@embedder.command(answer=EmbedderStatus)
@pass_app
def status(app: App) -> None:
    """Show the embedder in use and why it was chosen."""
    chosen = app.home.describe_embedder()
    lines = [
        f"Embedder: {chosen.name}"
        + (f" ({chosen.model}, {chosen.dim} dimensions)" if chosen.model else "")
    ]
    if chosen.reason:
        lines.append(f"Reason: {chosen.reason}")
    if chosen.missing:
        lines += [f"Missing: {chosen.missing}", *app.next_step(chosen.hint)]
    lines += [
        f"Stored: {count(each.vectors, 'vector')} of {each.model} ({each.dim} dimensions)"
        for each in chosen.stored
    ]
    app.show(chosen, lines)


@embedder.command(answer=InstalledModel)
@click.option(
    "--from",
    "source",
    type=options.PATH,
    metavar="DIR",
    help="A directory with model.safetensors, tokenizer.json and config.json.",
)
@pass_app
def install(app: App, source: str | None) -> None:
    """Install the weights of a local model.

    Without --from, all-MiniLM-L6-v2 is downloaded (91 MB), unless an installed package contains
    it. Any other BERT encoder can be installed from a directory; then set embedder to minilm and
    embedder_model to its name.
    """
    models = app.home_path / "models"
    if (app.home_path / DATABASE_FILE).is_file():
        app.require_operator("install a model")
    if source is None and (packaged := find_packaged_model()) is not None:
        line = f"The weights of {packaged.model} are in {packaged.path}: nothing to download."
        app.show(InstalledModel(packaged.model, packaged.path), [line])
        return
    make_directory(models)
    if source is not None:
        model, path = install_from_directory(Path(source), models)
    else:
        with app.progress("Downloading") as progress:
            path = download(models, progress=progress)
        model = path.name
    app.show(InstalledModel(model, path), [f"Installed {model} in {path}."])


@embedder.command(answer=EmbedderTest)
@pass_app
def test(app: App) -> None:
    """Test the embedder with two short texts."""
    model = app.home.embedder
    if model is None:
        described = app.home.describe_embedder()
        raise NotFoundError(
            f"there is no embedder: {described.missing or described.reason}",
            code="no-embedder",
            hint=described.hint,
        )
    started = time.perf_counter()
    vectors = model.embed(["The deploy key is in the vault.", "Where is the key for deploys?"])
    took = (time.perf_counter() - started) * 1000
    cosine = float(vectors[0] @ vectors[1])
    record = EmbedderTest(model.name, model.model, model.dim, took, cosine)
    lines = [f"{model.name} ({model.model}, {model.dim} dimensions) answered in {took:.0f} ms."]
    lines.append(f"Two texts with the same meaning have cosine {cosine:.2f}.")
    app.show(record, lines)


@embedder.command(answer=list[EmbedReport])
@options.yes
@pass_app
def reembed(app: App, yes: bool) -> None:
    """Embed all texts again with the embedder of the settings."""
    app.require_operator("embed all texts again")
    app.confirm("This discards all vectors and embeds every text again. Continue?", yes=yes)
    reports = app.home.reembed()
    table = Table(
        reports,
        {
            "STORE": lambda each: each.store,
            "EMBEDDED": lambda each: str(each.added),
            "FAILED": lambda each: str(each.failed),
        },
        "All vectors were discarded; the setting embedder is none.",
    )
    app.show(reports, table)
