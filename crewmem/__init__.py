"""Memory for crews of AI agents, on disk.

home = crewmem.open("ours", actor="agent:ada")
home.facts.add("Deploys happen on Tuesdays", kind="decision")
print(home.recall("when do we deploy?").text)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers; at run time __getattr__ imports it
    from crewmem import errors
    from crewmem.home import Home, Tree, open  # noqa: A004 - crewmem.open, as in gzip.open

__version__ = "0.1.0"

__all__ = ["Home", "Tree", "errors", "open"]


def __getattr__(name: str) -> object:
    """Import the public API when it is first used: the command line starts without it."""
    if name == "errors":
        return import_module("crewmem.errors")
    if name in __all__:
        from crewmem import home

        return getattr(home, name)
    raise AttributeError(f"module 'crewmem' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
