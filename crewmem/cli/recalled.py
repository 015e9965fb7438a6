"""What would embed, and for what: asked without loading it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.cli.app import App
    from crewmem.health.recall import Embedding
    from crewmem.health.scene import BadFile


def embedding(app: App, stored_model: str) -> Embedding:
    """Return what embeds where there are vectors of *stored_model*, "" for none."""
    from crewmem.backends.embed import choose
    from crewmem.cli.embedding import means
    from crewmem.health.recall import Embedding

    chosen = choose(means(app), stored_model or None)
    if chosen.embedder:
        chosen.embedder.close()  # it is not used
    return Embedding(
        setting=app.settings.embedder,
        name=chosen.embedder.name if chosen.embedder else "",
        model=chosen.embedder.model if chosen.embedder else "",
        why=chosen.why,
        hint=chosen.hint,
    )


def embeds(app: App) -> Callable[[str], bool]:
    """Return what tells whether there is an embedder for vectors of a model."""
    known: dict[str, bool] = {}

    def can_embed(model: str) -> bool:
        if model not in known:
            known[model] = bool(embedding(app, model).model)
        return known[model]

    return can_embed


def bad_weights(app: App) -> list[BadFile]:
    """Read the model that runs in process, wherever it is; return what is damaged.

    A file that is not there is none: to install the model is up to a person.
    """
    from crewmem.backends.embed.weights import SIZES, check, open_followed, places
    from crewmem.errors import CrewmemError
    from crewmem.errors.disk import PathMissingError
    from crewmem.health.scene import BadFile

    bad: list[BadFile] = []
    for place in places(app.settings.model_dir, str(app.home)):
        for name in SIZES:
            path = f"{place.path}/{name}"
            try:
                with open_followed(path) as file:
                    check(file, name)
            except PathMissingError:
                continue
            except CrewmemError as error:
                reason = getattr(error, "reason", "") or str(error)
                bad.append(BadFile(path, place.origin, reason))
    return bad
