"""Asking the episodes within reach, with whatever embeds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App
    from crewmem.cli.episodes.whose import Whose
    from crewmem.episodes.hit import Recalled
    from crewmem.episodes.recall import Policy, Recaller, Sense
    from crewmem.episodes.stores import Stores


def ask(
    app: App,
    stores: Stores | None,
    whose: Whose,
    policy: Policy,
    texts: Sequence[str],
) -> tuple[Recaller | None, list[Recalled]]:
    """Return what answers each of *texts*; nothing does where there is no journal."""
    from crewmem.episodes.hit import Recalled

    if stores is None:
        nothing = Recalled("sparse", "sparse-only", [], 0, 0.0, 0.0, 0, [])
        return None, [nothing] * len(texts)
    from crewmem.episodes.recall import Asker, Recaller
    from crewmem.journal.listing_store import tokenizer

    owners = whose.owners(app, stores.episodes)
    name = "" if app.actor.is_operator else app.actor.name
    asker = Asker(name, app.workspace, owners, app.now)
    sense, why = sensed(app, stores, policy.mode)
    recaller = Recaller(
        stores,
        asker,
        policy,
        tokenize=tokenizer(stores.journal.db),
        sense=sense,
        why=why,
    )
    return recaller, recaller.recall(texts)


def sensed(app: App, stores: Stores, mode: str) -> tuple[Sense | None, str]:
    """Return what questions are embedded with; None, and why, where nothing does."""
    from crewmem.cli.embedding import choice
    from crewmem.episodes.recall import Sense
    from crewmem.episodes.spaces import models, space_of

    if mode == "sparse":
        return None, ""
    kept = stores.vectors.spaces()
    stored = models(kept)
    chosen = choice(app, stored_model=stored[0].name if stored else None)
    if chosen.embedder is None:
        return None, chosen.why if mode == "dense" or stored else ""
    mine = [
        each
        for each in models(kept, app.workspace)
        if each.name == chosen.embedder.model
    ]
    if not mine:
        return None, "nothing is embedded yet: crewmem episodes sweep does it"
    return Sense(
        chosen.embedder, space_of(app.workspace, mine[0].name, mine[0].dim)
    ), ""


def noted(
    app: App,
    verb: str,
    asked: Sequence[tuple[str, str]],
    answers: Sequence[Recalled],
    k: int,
    latency_ms: float,
) -> None:
    """Keep what was asked and answered, if the home may be written; never fail."""
    from crewmem.journal.recalls_store import Recall, note

    if app.truth_to_read is None:
        return
    for (_, text), each in zip(asked, answers, strict=True):
        row = Recall(
            workspace=app.workspace,
            at=app.now,
            actor=str(app.actor),
            verb=verb,
            query=text,
            mode=each.mode,
            k=k,
            ids=[hit.entry_id for hit in each.hits],
            relevances=[hit.relevance for hit in each.hits],
            cosines=[hit.cosine for hit in each.hits],
            latency_ms=latency_ms,
        )
        if not note(lambda: app.truth, row):
            return
