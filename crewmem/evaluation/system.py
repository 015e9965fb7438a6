"""The system under evaluation: the recall of a home, for the agents of the cases."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from crewmem.access import Actor
from crewmem.config import Settings
from crewmem.errors import CrewmemError, NotFoundError
from crewmem.evaluation.corpus import Corpus, load_corpus, rename_refs
from crewmem.evaluation.suite import Case, LineError, Suite
from crewmem.files.references import parse_reference
from crewmem.transfer.sample import install_sample

if TYPE_CHECKING:
    from crewmem.home import Home

Use = Literal["pull", "push"]


class Retrieval(NamedTuple):
    """The result of a recall.

    Attributes:
        refs: The shown refs, best first.
        text: The context block.
        violations: Shown refs that the actor may not read.
    """

    refs: tuple[str, ...]
    text: str
    latency_ms: float
    violations: tuple[str, ...] = ()


class HomeSystem:
    """Runs cases on a home without counting, logging or changing anything.

    Attributes:
        bad_items: Lines of the corpus that are not items.
    """

    def __init__(self, home: Home, corpus: Corpus | None = None) -> None:
        """Use *home*.

        Args:
            corpus: None if the home is evaluated itself.
        """
        self._home = home
        self._ids = corpus.ids if corpus else None
        self.bad_items = corpus.bad if corpus else []
        self._homes: dict[str, Any] = {}
        if not home.context.read_only:
            home.memory_index.refresh()  # once for all actors

    def check(self, suite: Suite) -> Suite:
        """Return *suite* with errors instead of the cases of unknown agents."""
        cases, errors = [], list(suite.errors)
        for case in suite.cases:
            try:
                self._open_home_for(case)
                cases.append(case)
            except NotFoundError as error:
                errors.append(LineError(case.line, error.message))
        return replace(suite, cases=tuple(cases), errors=tuple(sorted(errors)))

    def find_missing(self, suite: Suite) -> list[tuple[int, str]]:
        """Return the line and the ref of each answer of a case that is not in the home."""
        home, known = self._home.as_system(), set((self._ids or {}).values())
        answers = [(case.line, ref) for case in suite.cases for ref in case.relevant]
        known.update(ref for _, ref in answers if ref not in known and _exists(home, ref))
        return [(line, ref) for line, ref in answers if ref not in known]

    def retrieve(self, case: Case, use: Use, settings: Settings) -> Retrieval:
        """Recall the query of a case with the given settings."""
        home = self._open_home_for(case)
        home.context.settings = settings
        budget = f"{settings['hooks.max_bytes']}b" if use == "push" else None
        started = time.perf_counter()
        recalled = home.recall(case.query, budget=budget, count=False, use=use, log=False)
        latency = (time.perf_counter() - started) * 1000
        refs = [item.ref for item in recalled.hits if item.shown]
        violations = tuple(ref for ref in refs if not may_read(home, ref))
        if self._ids is not None:
            refs = rename_refs(refs, self._ids)
        return Retrieval(tuple(refs), recalled.context, latency, violations)

    def recover(self, case: Case) -> str:
        """Return the recovery block of a case; "" if there was no context loss."""
        home = self._open_home_for(case)
        try:
            recovery = home.sessions.recovery.restore(
                agent=case.agent or None, session=case.session
            )
        except CrewmemError:
            return ""
        return str(recovery.text)

    def find_promoted(self, case: Case) -> Sequence[str]:
        """Return the facts that the nightly job would share or confirm, and their sources."""
        plan = self._open_home_for(case).facts.nightly.plan()
        shared = [step for step in plan if step.action in ("shared", "confirmed")]
        return [ref for step in shared for ref in (step.id, *step.sources)]

    def _open_home_for(self, case: Case) -> Any:
        """Return the home as the agent of the case sees it, at the time of the case."""
        name = case.agent if case.kind != "promotion" else ""
        if name not in self._homes:
            home = self._home.as_actor(Actor("agent", name)) if name else self._home.as_system()
            if "vectors" in vars(self._home) or self._home.vectors.exists:
                home.vectors = self._home.vectors
                with contextlib.suppress(CrewmemError):
                    home.embedder = self._home.embedder
            home.context.read_only = True
            self._homes[name] = home
        home = self._homes[name]
        moment = case.now
        home.context.clock = (lambda: moment) if moment else self._home.context.clock
        return home


def may_read(home: Home, ref: str) -> bool:
    """Return whether the actor may read *ref*, as its store decides independently of search."""
    try:
        if ref.startswith("f_"):
            home.facts.get(ref, include_restricted=False)
        elif ref.startswith("j_"):
            home.journal.find_id(ref)
        elif ref.partition(":")[0] in ("agent", "crew", "workspace"):
            reference, locator = parse_reference(ref), home.memory.locator
            if reference.scope is None:
                return False
            directory = locator.find_directory(reference.scope, reference.crew, reference.agent)
            return not locator.read_rule(locator.target(directory, reference.file))
        elif ref.startswith("s_"):
            home.sessions.get(ref.partition(":")[0])
    except CrewmemError:
        return False
    return True


def _exists(home: Home, ref: str) -> bool:
    """Return whether a store has *ref*; *home* must have full rights."""
    if not ref.startswith(("agent:", "crew:", "workspace:")):
        return may_read(home, ref)
    try:
        home.memory.locator.resolve(ref)
    except CrewmemError:
        return False
    return True


@contextlib.contextmanager
def open_system(home: Home, corpus: str) -> Iterator[HomeSystem]:
    """Open the system for a suite: the home, or a temporary home with the suite's corpus.

    Args:
        corpus: "" for the home itself, ``sample``, or a file.
    """
    if not corpus:
        yield HomeSystem(home)
        return
    with tempfile.TemporaryDirectory(prefix="crewmem-eval-") as folder:
        temporary = home.make_temporary(Path(folder) / "home")
        try:
            loaded = None
            if corpus == "sample":
                install_sample(temporary)
            else:
                loaded = load_corpus(temporary, Path(corpus))
            temporary.sweep()
            yield HomeSystem(temporary, loaded)
        finally:
            temporary.close()
