"""The language model that is set, as far as is known without asking it. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NONE, EXTRACTIVE = "none", "extractive"
"""What the setting says where no model is wanted."""

NEAR = (".local", ".lan", ".internal", ".home.arpa")
"""How names end that only the own network knows."""

PLAIN = "http://"


class Language(NamedTuple):
    """What writes summaries and draws rules.

    Attributes:
        setting: What the setting llm says: ``none``, or which.
        model: The model, or the program; "" for none.
        where: The URL of its service, or "".
        keys: Where its key comes from; empty if there is none.
        lack: What is missing to use it; "" if nothing is known to be.
        hint: What brings it; "" if nothing is missing.
    """

    setting: str = NONE
    model: str = ""
    where: str = ""
    keys: Sequence[str] = ()
    lack: str = ""
    hint: str = ""

    @property
    def is_wanted(self) -> bool:
        """Tell whether a model is to be asked at all."""
        return self.setting not in {NONE, EXTRACTIVE}

    @property
    def is_overheard(self) -> bool:
        """Tell whether all it is told goes through other networks as it is."""
        return not _is_near(self.where)


def _is_near(url: str) -> bool:
    """Tell whether what goes to *url* is encrypted, or stays in the own network."""
    if not url.startswith(PLAIN):
        return True
    host = _host(url)
    if "." not in host and ":" not in host:
        return True  # localhost, or a name of the own network
    from ipaddress import ip_address  # for the few

    try:
        return not ip_address(host).is_global
    except ValueError:
        return host.endswith(NEAR)


def _host(url: str) -> str:
    place = url.removeprefix(PLAIN).partition("/")[0].lower()
    if place.startswith("["):
        return place[1:].partition("]")[0]
    return place.partition(":")[0]
