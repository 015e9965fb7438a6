"""systemd's manager of one user, asked through ``systemctl``."""

from __future__ import annotations

from crewmem.backends.process import run
from crewmem.errors.backends import BadReplyError, ProgramFailedError
from crewmem.errors.jobs import SchedulerError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "systemctl"

SECONDS = 30.0
"""It answers in milliseconds, or hangs with its bus."""

MOST = 1 << 20
"""Bytes of an answer."""


class Shown(NamedTuple):
    """How a unit is.

    Attributes:
        is_enabled: Whether it is started with the manager.
        is_active: Whether it is running; of a timer, whether it waits for its time.
    """

    is_enabled: bool
    is_active: bool


class Systemctl:
    """The manager of the user that the environment tells of."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {**environ, "LC_ALL": "C", "SYSTEMD_PAGER": ""}

    def trouble(self) -> str:
        """Say why there is none to ask; "" if there is."""
        try:
            self._ask("show-environment")
        except SchedulerError as error:
            return str(error)
        return ""

    def reload(self) -> None:
        """Let it read its files again."""
        self._ask("daemon-reload")

    def enable(self, names: Sequence[str]) -> None:
        """Start these now, and whenever it starts."""
        if names:
            self._ask("enable", "--now", *names)

    def restart(self, names: Sequence[str]) -> None:
        """Start these anew: their files have changed."""
        if names:
            self._ask("restart", *names)

    def disable(self, names: Sequence[str]) -> None:
        """Stop these, and start them no more."""
        if names:
            self._ask("disable", "--now", *names)

    def shown(self, names: Sequence[str]) -> dict[str, Shown]:
        """Return how these units are."""
        if not names:
            return {}
        wanted = "--property=Id,ActiveState,UnitFileState"
        text = self._ask("show", wanted, *names)
        found = {}
        for some in text.split("\n\n"):
            pairs = (line.partition("=") for line in some.splitlines())
            each = {key: value for key, _, value in pairs}
            if name := each.get("Id"):
                enabled = each.get("UnitFileState", "") == "enabled"
                found[name] = Shown(enabled, each.get("ActiveState") == "active")
        return found

    def _ask(self, *words: str) -> str:
        try:
            answer = run(
                [NAME, "--user", "--no-ask-password", *words],
                b"",
                name=NAME,
                seconds=SECONDS,
                most=MOST,
                environ=self._environ,
            )
        except (ProgramFailedError, BadReplyError) as error:
            raise SchedulerError(NAME, getattr(error, "reason", str(error))) from error
        return answer.decode("utf-8", "replace")
