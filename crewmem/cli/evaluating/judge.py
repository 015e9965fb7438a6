"""The real recall, recovery and promotion, as a suite puts its cases to them.

All cases see one state: the database is read in one transaction, and so are the
vectors; indexes of memory files are brought up to date once, and then taken as they
are. Nothing is counted, kept or written by asking.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager

from crewmem.cli.app import App
from crewmem.cli.places import Chosen
from crewmem.errors import CrewmemError, DataError
from crewmem.evaluation.evaluate import Means
from crewmem.evaluation.outcome import Retrieved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    import apsw

    from crewmem.cli.recalling.asking import Subject
    from crewmem.evaluation.case import Case
    from crewmem.evaluation.evaluate import Config
    from crewmem.vectors.store import VectorStore

GIVEN: Mapping[str, Any] = {
    "budget": None,
    "max_results": None,
    "min_relevance": None,
    "no_gate": False,
}
"""The options of a recall to which nobody says anything."""

OPTION = "--config"


@contextmanager
def judging(app: App, workspaces: Sequence[str]) -> Iterator[Means]:
    """Yield what cases are put to, all in the state that the home of *app* is in now.

    Args:
        app: Of an operator.
        workspaces: Whose indexes are brought up to date before.
    """
    from crewmem.db.connect import one_moment
    from crewmem.db.derived import in_memory
    from crewmem.vectors.store import VECTORS, VectorStore

    indexes = [path for name in workspaces for path in _refresh(_named(app, name))]
    stamps = [*map(_stamp, indexes)]
    with ExitStack() as stack:
        if app.truth_to_read is not None:
            stack.enter_context(one_moment(app.truth_to_read))
        db = _vectors(app) or in_memory(VECTORS)
        vectors = VectorStore(db, again=VECTORS.again)
        stack.callback(vectors.close)
        stack.enter_context(one_moment(db))
        yield _Judge(app, vectors).means
    if [*map(_stamp, indexes)] != stamps:
        app.out.warn(
            "memory files were indexed anew meanwhile: not all is of one state"
        )


def _vectors(app: App) -> apsw.Connection | None:
    """Open the vectors of the home; None if there are none, or none to be read."""
    from crewmem.cli.embedding import is_none
    from crewmem.db.derived import open_to_read
    from crewmem.vectors.store import VECTORS

    if is_none(app) or not app.home.is_dir():
        return None
    try:
        timeout = app.settings.busy_timeout
        return open_to_read(app.home, VECTORS, busy_timeout=timeout)
    except DataError as error:
        app.out.warn(str(error))
        return None


def _named(app: App, workspace: str, acting: str | None = None) -> App:
    """Return *app* in *workspace*, as somebody else if that is said."""
    given = dict(app.given)
    if workspace != app.workspace:  # else commands in a block would name it
        given["workspace"] = workspace
    if acting:
        given["acting"] = acting
    inner = App(app.world, given)
    loaded = app.loaded.with_option("workspace", workspace, "--workspace")
    shared = {"truth_to_read": app.truth_to_read} if app.home.is_dir() else {}
    vars(inner).update(out=app.out, now=app.now, loaded=loaded, **shared)
    return inner


def _stamp(index: Path) -> tuple[int, int, int] | None:
    """Return by what it is known whether *index* was changed; None without one."""
    try:
        found = index.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _refresh(app: App) -> list[Path]:
    """Bring indexes of memory files up to date, as a question does; return them."""
    from crewmem.cli.access import access
    from crewmem.cli.places import places
    from crewmem.files.opening import opened
    from crewmem.files.store import INDEX_NAME

    try:
        found, _ = places(app, Chosen(None, None, None, None))
    except CrewmemError:
        return []  # there are none, or the questions say what is wrong
    for place in found:
        try:
            with opened(place, access(app)):
                pass
        except CrewmemError as error:
            app.out.warn(str(error))
    return [place.path / INDEX_NAME for place in found]


class _Judge:
    """Asks one state of a home."""

    def __init__(self, app: App, vectors: VectorStore) -> None:
        self._app, self._vectors = app, vectors
        self._promoted: dict[tuple[str, datetime | None], list[str]] = {}

    @property
    def means(self) -> Means:
        return Means(self.retrieve, self.recover, self.promote)

    def _world(self, case: Case, config: Config, *, as_agent: bool = True) -> App:
        """Return the world as who asks in *case* sees it, at its time."""
        from crewmem.cli.evaluating.corpus import slug

        base = self._app
        workspace = slug(case.workspace) if case.workspace else base.workspace
        is_agent = as_agent and case.agent
        acting = f"agent:{case.agent}" if is_agent else None
        inner = _named(base, workspace, acting)
        loaded = inner.loaded
        for key, value in config.items():
            loaded = loaded.with_option(key, f"{value:g}", OPTION)
        vars(inner).update(loaded=loaded, now=case.now or base.now, held=self._vectors)
        return inner

    def _whose(self, case: Case, config: Config) -> tuple[Subject, Chosen]:
        from crewmem.cli.recalling.asking import subject

        chosen = Chosen(None, None, None, case.agent)
        return subject(self._world(case, config), chosen), chosen

    def retrieve(self, case: Case, config: Config) -> Retrieved:
        """Recall as ``crewmem recall`` does."""
        from crewmem.cli.recalling.laid import OUT
        from crewmem.cli.recalling.run import budget_of, lay
        from crewmem.prompt.tokens import tokens

        began = time.perf_counter()
        whose, chosen = self._whose(case, config)
        budget = budget_of(whose, GIVEN, case.query)
        laying = lay(whose, case.query, chosen, GIVEN, budget).laying
        took = 1000 * (time.perf_counter() - began)
        others = [each.ref for each in laying.fates if each.fate == OUT]
        text = laying.laid.text
        return Retrieved(
            found=(*(hit.ref for hit in laying.hits), *others),
            injected=tuple(laying.refs(laying.laid.shown)),
            did_inject=bool(text),
            tokens=tokens(text),
            latency_ms=took,
            violations=self._violations(whose, case, laying.hits),
        )

    def _violations(
        self, whose: Subject, case: Case, hits: Sequence[Any]
    ) -> tuple[str, ...]:
        from crewmem.cli.evaluating.allowed import is_allowed

        if not hits:
            return ()
        everybody = self._world(case, {}, as_agent=False)
        return tuple(hit.ref for hit in hits if not is_allowed(hit, whose, everybody))

    def recover(self, case: Case, config: Config) -> str:
        """Return the block that ``crewmem recover`` prints."""
        from crewmem.cli.recovering.run import USUAL_TOKENS, recover
        from crewmem.prompt.budget import Budget

        whose, _ = self._whose(case, config)
        most = whose.settings.get("recall_max_tokens", USUAL_TOKENS)
        return recover(whose, case.session, "", Budget(int(most), "t")).text

    def promote(self, case: Case, config: Config) -> list[str]:
        """Return what ``crewmem knowledge maintain`` would promote."""
        from crewmem.cli.knowledge.maintaining import maintained

        app = self._world(case, config, as_agent=False)
        key = app.workspace, case.now
        if key not in self._promoted:
            steps = maintained(app, dry_run=True)
            self._promoted[key] = [s.id for s in steps if s.action == "promoted"]
        return self._promoted[key]
