"""The program's entry: as little as possible before the first line of a command."""

from __future__ import annotations

import gc
import os
import sys
from types import ModuleType


class _Late(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        del sys.modules[self.__name__]
        module = __import__(self.__name__)
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


def main() -> None:
    """Run the command line and end the process with its status."""
    # A command lives for milliseconds: collecting its garbage, and taking the
    # interpreter apart at its end, cost a quarter of a search.
    gc.disable()
    # click and dataclasses import inspect, and use it only to print help.
    sys.modules.setdefault("inspect", _Late("inspect"))
    try:
        from crewmem.cli.root import run
    except KeyboardInterrupt:  # later ones are told by `run`
        os._exit(130)
    os._exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
