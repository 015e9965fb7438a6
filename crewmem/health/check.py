"""What a check of ``crewmem doctor`` is."""

from __future__ import annotations

from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene


class Check(Protocol):
    """One check: the shape of a module in `crewmem.health.checks`.

    Attributes:
        NAME: Its id, as ``home.permissions``. Scripts name it: it never changes.
        CATEGORY: What it is about, as ``home``; ``--only`` takes it as well.
    """

    NAME: str
    CATEGORY: str

    def look(self, scene: Scene) -> list[Finding]:
        """Return what there is to say, at least one thing, problems alone if any.

        Nothing is made, changed or brought up to date, not even a timestamp. `id` and
        `category` are filled in by `diagnose`.
        """

    def mend(self, scene: Scene, finding: Finding) -> None:
        """Do what *finding* promises as its `fix`; called only where it promises.

        It is safe to do at any time, beside other processes, and twice.
        """


def by_hand(scene: Scene, finding: Finding) -> None:
    """Mend nothing: what this check finds is for a person to decide.

    Bound as `mend` by checks that never promise a fix.
    """
