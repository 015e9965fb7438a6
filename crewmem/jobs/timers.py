"""What timers are written from, whatever runs them. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.settings.whens import When


class Timers(NamedTuple):
    """The timers of a home.

    Attributes:
        tag: What tells them from those of other homes; "" for the usual one.
        program: The words that call crewmem, the first an absolute path.
        home: The home.
        workspace: The only one that they look after; None for all.
        whens: When each job is due, of those that are wanted, in their order.
        zone: The name of the zone of days; "" for that of the system.
        writable: Directories that jobs write to.
        is_open: Whether a program of the person's is run, that may need anything.
        on_failure: What is run when a job failed; none logs how the jobs are.
    """

    tag: str
    program: Sequence[str]
    home: str
    workspace: str | None
    whens: Mapping[str, When]
    zone: str = ""
    writable: Sequence[str] = ()
    is_open: bool = False
    on_failure: Sequence[str] = ()

    def command(self, *words: str) -> list[str]:
        """Return the words that call crewmem so that it works on this home."""
        where = ["--workspace", self.workspace] if self.workspace else []
        return [*self.program, "--home", self.home, *where, *words]

    def run(self, job: str, *options: str) -> list[str]:
        """Return the words that run *job*."""
        return self.command("timers", "run", job, *options)
