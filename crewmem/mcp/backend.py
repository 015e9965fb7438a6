"""What the server answers with: the home, opened for each request and closed again.

Nothing is held between two requests, so that other processes may change the home meanwhile. Only
the embedder stays, because it is slow to load.
"""

from collections.abc import Callable, Mapping
from typing import Any

from crewmem.home import Home
from crewmem.mcp import calls
from crewmem.mcp.server import Backend, Resource
from crewmem.prompt.sanitize import sanitize

MAX_RESOURCES = 500


def make_backend(open_home: Callable[[], Home]) -> Backend:
    """Return the answers of the home that *open_home* opens."""
    embedders: dict[tuple[str, ...], Any] = {}

    def with_home(work: Callable[[Home], Any]) -> Any:
        with open_home() as home:
            names = ("embedder", "embedder_model", "embedder_url")
            key = tuple(str(home.settings[name]) for name in names)
            if key in embedders:
                home.embedder = embedders[key]
            try:
                return work(home)
            finally:
                loaded = vars(home).get("embedder")
                if loaded is not None:
                    embedders[key] = loaded

    def call(name: str, arguments: Mapping[str, Any]) -> str:
        return str(with_home(lambda home: calls.call_tool(home, name, arguments)))

    def list_resources() -> list[Resource]:
        def work(home: Home) -> list[Resource]:
            files = home.memory.list_files(limit=MAX_RESOURCES)
            return [Resource(sanitize(each.file), f"{each.tier} file") for each in files]

        found: list[Resource] = with_home(work)
        return found

    return Backend(
        call,
        list_resources,
        lambda name: str(with_home(lambda home: sanitize(home.memory.read(name).text))),
        lambda: str(with_home(lambda home: home.recall_start().text)),
    )
