"""The embedder of a command: chosen from the settings, made of what is here."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.embed import Choice, Embedder, Means
    from crewmem.cli.app import App
    from crewmem.episodes.stores import Stores

CHOICES = "crewmem.embedders"
"""Where a command keeps what it has chosen."""


def means(app: App) -> Means:
    """Return what embedders are made from."""
    from crewmem.backends.embed import Means

    return Means(app.settings, str(app.home), app.world.environ)


def choice(app: App, *, stored_model: str | None) -> Choice:
    """Choose the embedder that the settings ask for, and say why; nothing is loaded.

    Args:
        app: The world.
        stored_model: The model of the vectors that the store has, None if none.
    """
    from crewmem.backends.embed import choose

    context = click.get_current_context()
    known: dict[str | None, Choice] = context.meta.setdefault(CHOICES, {})
    if stored_model not in known:  # a model is loaded once, whatever stores are asked
        chosen = known[stored_model] = choose(means(app), stored_model)
        if chosen.embedder:
            context.call_on_close(chosen.embedder.close)
    return known[stored_model]


def is_none(app: App) -> bool:
    """Tell whether nothing is to be embedded, and nothing ever was.

    There is no more to ask of embedders and vectors then, which takes milliseconds.
    """
    return app.settings.embedder == "none" and not is_begun(app)


def is_begun(app: App) -> bool:
    """Tell whether anything of the home was ever embedded: there is a store for it."""
    from crewmem.vectors import FILE

    return app.held is not None or (app.home / FILE).exists()


def stored_model(app: App) -> str | None:
    """Return the model of most vectors that the store has, None if it has none."""
    from crewmem.cli.remembered import all_stores_to_read
    from crewmem.episodes.spaces import models

    stores = all_stores_to_read(app)
    found = models(stores.vectors.spaces()) if stores else []
    return found[0].name if found else None


def embedder(app: App, *, stored_model: str | None) -> Embedder | None:
    """Return the embedder that is chosen, None when recall goes by words alone."""
    return choice(app, stored_model=stored_model).embedder


def keep_outcome(app: App, stores: Stores, outcome: tuple[str, str] | None) -> None:
    """Keep whether the embedder could be asked, once the answer is out; never fail.

    So `status` knows of one that is down, and of one that is back, before a sweep does.

    Args:
        outcome: The model, and why it could not be asked; "" if it could.
    """
    if outcome is None:
        return
    from crewmem.episodes.reached import unreached

    model, reason = outcome
    if reason or unreached(stores.vectors, model):
        click.get_current_context().call_on_close(lambda: _kept(app, model, reason))


def _kept(app: App, model: str, reason: str) -> None:
    from contextlib import closing, suppress

    from crewmem.episodes.reached import keep_reached, keep_unreached
    from crewmem.errors import CrewmemError
    from crewmem.vectors.store import VectorStore

    with (
        suppress(CrewmemError),
        closing(VectorStore.open_to_write(app.home, busy_timeout=0)) as vectors,
    ):
        if reason:
            keep_unreached(vectors, model, reason, app.now)
        else:
            keep_reached(vectors, model)
