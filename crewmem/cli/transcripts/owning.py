"""Whose a log is, and whether anything is learned of it."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.cli.app import App
    from crewmem.cli.transcripts.extraction import How
    from crewmem.cli.transcripts.roots import Crews, Where
    from crewmem.memories.desk import Desk
    from crewmem.transcripts.log import Log
    from crewmem.transcripts.read import Stream
    from crewmem.transcripts.source import Source

    Open = Callable[[Source, Log], Stream]

NOBODY = ""
"""Whose what nobody was named for is, in a plan."""

USUAL_MINUTES = 5
"""As often as the timer reads logs: who wants no less needs no look at the clock."""

JITTER = 30
"""Seconds that a timer may come early."""


class Owning:
    """Tells whose logs are.

    Attributes:
        owners: Whose logs are whose, as it is set.
        strange: Files whose lines nobody knows.
    """

    def __init__(
        self, app: App, where: Where, crews: Crews, desk: Desk, how: How
    ) -> None:
        from crewmem.transcripts.source import owners

        self._app, self._where, self._crews, self._how = app, where, crews, how
        self.owners = owners(
            app.settings.transcripts_agents, app.workspace, is_usual=how.is_usual
        )
        self._unowned: Counter[str] = Counter()
        self.strange: list[str] = []
        self._left_out: set[str] = set()
        self._resting = self._due(desk) if how.is_due else frozenset()

    @property
    def unowned(self) -> int:
        """How many logs are nobody's."""
        return sum(self._unowned.values())

    def _due(self, desk: Desk) -> frozenset[str]:
        """Return the agents whose logs were read so lately that they may rest."""
        from datetime import timedelta

        from crewmem import times
        from crewmem.transcripts.cursor_store import newest_read

        resting: set[str] = set()
        for agent, at in newest_read(desk.memories.db, desk.workspace).items():
            minutes = self._crews.minutes.get(agent, 0)
            rest = timedelta(minutes=minutes, seconds=-JITTER)
            if minutes > USUAL_MINUTES and self._app.now - times.from_text(at) < rest:
                resting.add(agent)
        return frozenset(resting)

    def owner(self, source: Source, log: Log, opened: Open) -> tuple[str | None, Log]:
        """Return whose *log* is, None if it is not to be read; and its format."""
        agent = log.cursor.agent if log.cursor else None
        if log.cursor is None:
            agent, log = self._looked(source, log, opened)
            if log.form is None:
                return None, log
        who = self._app.actor
        if agent not in self._crews.agents:
            agent = self._where.agent or (None if who.is_operator else who.name)
        elif not who.is_operator and agent != who.name:
            return None, log  # somebody else's
        if agent is None:
            self._unowned[log.form.NAME if log.form else ""] += 1
            return (NOBODY if self._how.is_plan else None), log
        if agent in self._resting or agent in self._crews.off:
            self._leave_out(agent)
            return None, log
        return agent, log

    def _looked(self, source: Source, log: Log, opened: Open) -> tuple[str | None, Log]:
        """Return whose *log* is, as its beginning tells, and its format."""
        from crewmem.transcripts.read import look
        from crewmem.transcripts.source import owner

        stream = opened(source, log)
        with closing(stream):
            looked = look(stream, log.form)
        if looked.form is None:
            if looked.lines:  # else nothing that is whole is in it yet
                self.strange.append(log.file)
            return None, log
        name = looked.form.NAME
        whose = source.whose if self._how.is_usual else ""
        agent = owner(name, whose, looked.project, self.owners)
        return agent, log._replace(form=looked.form)

    def _leave_out(self, agent: str) -> None:
        if agent in self._crews.off and agent not in self._left_out:
            self._left_out.add(agent)
            why = self._crews.off[agent]
            self._app.out.warn(f"nothing is learned for {agent}: {why}")

    def tell(self) -> None:
        """Say of which logs nobody knows whose they are, and how to say it."""
        unowned = {} if self._how.is_due else self._unowned
        for name, count in sorted(unowned.items()):
            what = "transcript" if count == 1 else "transcripts"
            self._app.out.warn(
                f"{count:,} {what} of {name} {'is' if count == 1 else 'are'} nobody's: "
                "name the agent with --agent SLUG, or for good with "
                f"crewmem config set transcripts.agents {name}=SLUG"
            )
