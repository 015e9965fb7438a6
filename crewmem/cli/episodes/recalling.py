"""Asking the episodes within reach, with whatever embeds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from crewmem.cli.app import App
    from crewmem.cli.episodes.whose import Whose
    from crewmem.episodes.hit import Recalled
    from crewmem.episodes.recall import Policy, Recaller
    from crewmem.episodes.stores import Stores
    from crewmem.hybrid.dense import Sense


def ask(
    app: App,
    stores: Stores | None,
    whose: Whose,
    policy: Policy,
    texts: Sequence[str],
    *,
    without: Collection[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[Recaller | None, list[Recalled]]:
    """Return what answers each of *texts*; nothing does where there is no journal.

    What belongs to an agent of *without* is left out, and what happened before *since*,
    or at *until* or later.
    """
    from crewmem.episodes.hit import Recalled

    if stores is None or is_off(app, stores, whose):
        nothing = Recalled("sparse", "sparse-only", [], 0, 0.0, 0.0, 0, [])
        return None, [nothing] * len(texts)
    from crewmem.cli.embedding import keep_outcome
    from crewmem.episodes.recall import Asker, Recaller
    from crewmem.journal.tokenizer import stemmer, tokenizer

    owners = stores.episodes.owners(
        app.reach(whose.scope), crew=whose.crew, agent=whose.agent, without=without
    )
    name = "" if app.actor.is_operator else app.actor.name
    sense, state, why = sensed(app, stores, policy.mode)
    recaller = Recaller(
        stores,
        Asker(name, app.workspace, owners, app.now, since, until),
        policy,
        tokenize=tokenizer(stores.journal.db),
        stems=stemmer(stores.journal.db),
        sense=sense,
        state=state,
        why=why,
    )
    answers = recaller.recall(texts)
    keep_outcome(app, stores, recaller.embedder)
    return recaller, answers


def is_off(app: App, stores: Stores, whose: Whose) -> bool:
    """Tell whether who asks, or is asked for, has no memory; that is a warning."""
    from crewmem.registry.crews_store import without_memory

    acting = None if app.actor.is_operator else app.actor.name
    asked = {each for each in (whose.agent, acting) if each}
    off = asked and asked & without_memory(stores.journal.db, app.workspace)
    for slug in sorted(off):
        app.out.warn(
            f"nothing is recalled for {slug}: its memory is off "
            f"(crewmem agent set {slug} --memory on)"
        )
    return bool(off)


def sensed(app: App, stores: Stores, mode: str) -> tuple[Sense | None, str, str]:
    """Return what questions are embedded with, and in which state recall is.

    Where nothing embeds them, also why; "" if nobody expected otherwise.
    """
    if mode == "sparse":
        return None, "", ""
    from crewmem.cli.embedding import choice, is_begun, is_none

    if mode == "hybrid" and is_none(app):
        return None, "", ""
    from crewmem.backends.embed import REEMBED
    from crewmem.episodes.anchor import FOREIGN, is_foreign
    from crewmem.episodes.spaces import models, space_of
    from crewmem.hybrid.seeker import DEGRADED, SPARSE

    kept = stores.vectors.spaces() if is_begun(app) else []
    stored, mine = models(kept), models(kept, app.workspace)
    chosen = choice(app, stored_model=stored[0].name if stored else None)
    if chosen.embedder is None:
        is_other = stored and chosen.hint == REEMBED
        state = DEGRADED if is_other else SPARSE
        return None, state, chosen.why if mode == "dense" or stored else ""
    model = chosen.embedder.model
    if others := sum(each.vectors for each in mine if each.name != model):
        app.out.warn(
            f"{others:,} vectors are of another model than {model}, and are not "
            "compared: crewmem episodes reembed"
        )
    same = next((each for each in mine if each.name == model), None)
    if same is None:
        why = _why_nothing(app, stores)
        return None, DEGRADED if why else "", why
    if is_foreign(stores.episodes, kept, app.workspace):
        return None, DEGRADED, f"{FOREIGN}: crewmem episodes sweep makes them anew"
    from crewmem.hybrid.dense import Sense

    space = space_of(app.workspace, same.name, same.dim)
    return Sense(chosen.embedder, stores.vectors, space), "", ""


def _why_nothing(app: App, stores: Stores) -> str:
    """Say that no episode has a vector; "" if there is none that could have one."""
    from crewmem.scope import Reach

    if not stores.episodes.count(stores.episodes.owners(Reach(app.workspace))):
        return ""
    return "no episode is embedded yet: crewmem episodes sweep does it"


def noted(
    app: App,
    verb: str,
    asked: Sequence[tuple[str, str]],
    answers: Sequence[Recalled],
    k: int,
    latency_ms: float,
    injected: Sequence[str] = (),
) -> None:
    """Keep what was asked and answered, if the home may be written; never fail.

    Args:
        injected: What of the answers went before a model.
    """
    from crewmem.cli.searched import keep
    from crewmem.journal.recalls_store import Recall

    rows = [
        Recall(
            workspace=app.workspace,
            at=app.now,
            actor=str(app.actor),
            verb=verb,
            query=text,
            mode=each.mode,
            k=k,
            ids=ids,
            relevances=[hit.relevance for hit in each.hits],
            cosines=[hit.cosine for hit in each.hits],
            injected=[each for each in ids if each in injected],
            latency_ms=latency_ms,
        )
        for (_, text), each in zip(asked, answers, strict=True)
        for ids in [[hit.entry_id for hit in each.hits]]
    ]
    keep(app, *rows)
