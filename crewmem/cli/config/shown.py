"""How settings are shown."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.settings.kinds import Setting, Value


class Shown(NamedTuple):
    """A setting as it is in force.

    Attributes:
        key: What it is called.
        value: Its value: a text, a number, or true or false.
        origin: Where that comes from: ``default``, ``tuned``, the configuration file
            with the line, a variable, or an option.
        default: Its value where nobody sets it.
        variable: The environment variable that sets it.
        wanted: What it may be.
        about: What it is for.
    """

    key: str
    value: Value
    origin: str
    default: Value
    variable: str
    wanted: str
    about: str


def shown(app: App, setting: Setting) -> Shown:
    """Return *setting* as it is in force."""
    return Shown(
        key=setting.key,
        value=app.settings.value(setting),
        origin=app.loaded.origin(setting),
        default=setting.default,
        variable=setting.variable,
        wanted=setting.wanted,
        about=setting.about,
    )
