"""What would embed, and for what: asked without loading it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.cli.app import App
    from crewmem.health.recall import Embedding
    from crewmem.health.scene import BadFile, Timed

SAMPLE = "Where is the deploy key?"
"""What an embedder is timed with."""

TIMES = 3
"""How often it is timed."""

PATIENCE = 5.0
"""Seconds that a service is waited for, tries included, to be told that it is slow."""


def embedding(app: App, stored_model: str) -> Embedding:
    """Return what embeds where there are vectors of *stored_model*, "" for none."""
    from crewmem.backends.embed import Means, choose
    from crewmem.health.recall import Embedding

    means = Means(app.settings, str(app.home), app.world.environ)
    chosen = choose(means, stored_model or None)
    if chosen.embedder:
        chosen.embedder.close()  # it is not used
    return Embedding(
        setting=app.settings.embedder,
        name=chosen.embedder.name if chosen.embedder else "",
        model=chosen.embedder.model if chosen.embedder else "",
        why=chosen.why,
        hint=chosen.hint,
    )


def embeds(app: App, known: Embedding | None = None) -> Callable[[str], bool]:
    """Return what tells whether there is an embedder for vectors of a model.

    What is *known* of one need not be asked again.
    """
    can = {known.model: True} if known and known.model else {}

    def can_embed(model: str) -> bool:
        if model not in can:
            can[model] = bool(embedding(app, model).model)
        return can[model]

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


def timed(app: App, stored_model: str) -> Timed | None:
    """Embed a short text a few times; return how long it took at best.

    The first time loads, and another program may hold up one. None if nothing embeds
    where there are vectors of *stored_model*, "" for none.
    """
    from itertools import pairwise
    from time import perf_counter

    from crewmem.backends.embed import Means, choose
    from crewmem.errors import CrewmemError
    from crewmem.health.scene import Timed

    patience = min(app.settings.embedder_timeout, PATIENCE)
    option = app.loaded.with_option("embedder_timeout", str(patience), "doctor")
    means = Means(option.settings, str(app.home), app.world.environ, notes=False)
    chosen = choose(means, stored_model or None)
    if chosen.embedder is None:
        return None
    try:
        stamps = []
        for _ in range(TIMES + 1):
            chosen.embedder.embed([SAMPLE])
            stamps.append(perf_counter())
        took = min(end - start for start, end in pairwise(stamps))
        return Timed(1000 * took)
    except CrewmemError as error:
        return Timed(0.0, str(error))
    finally:
        chosen.embedder.close()
