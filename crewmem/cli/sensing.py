"""What questions on memories are compared with: the vectors of the workspace."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.hybrid.scoring import Balance
    from crewmem.memories.find import Means


def means(app: App) -> Means:
    """Return what questions on memories are embedded with, and compared to.

    Where nothing does that, it says why, unless nobody expected otherwise.
    """
    from crewmem.cli.embedding import choice, is_none
    from crewmem.cli.remembered import stores_to_read
    from crewmem.memories.find import Means
    from crewmem.memories.spaces import stored
    from crewmem.vectors import FILE

    if is_none(app) or not (app.home / FILE).exists():
        return Means()
    stores = stores_to_read(app)
    kept = stores.vectors.spaces() if stores else []
    mine = stored(kept, app.workspace)
    if stores is None or not mine:
        return Means()  # what waits is told where entries wait as well
    from crewmem.episodes.spaces import models
    from crewmem.hybrid.dense import Sense

    entries = models(kept)
    name = entries[0].name if entries else mine[0].space.model
    chosen = choice(app, stored_model=name)
    if chosen.embedder is None:
        return Means(why=chosen.why)
    model = chosen.embedder.model
    same = next((each.space for each in mine if each.space.model == model), None)
    if same is None:
        why = f"no memory has a vector of {model} yet: crewmem episodes sweep"
        return Means(why=why)
    return Means(Sense(chosen.embedder, stores.vectors, same))


def balance(app: App) -> Balance:
    """Return what counts how much in events and memories that are recalled."""
    from crewmem.hybrid.scoring import USUAL, Balance

    settings = app.settings
    set_so = Balance(settings.recall_words_weight, settings.recall_prior_weight)
    return USUAL if set_so == USUAL else set_so
