"""Commands of `crewmem config`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.output import Table
from crewmem.config import (
    BY_NAME,
    CONFIG_FILE,
    SETTINGS,
    Setting,
    Settings,
    get_setting,
    load_settings,
    write_setting,
)
from crewmem.errors import SettingsError


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting, its value and the origin of the value."""

    name: str
    value: Any
    default: Any
    origin: str
    help: str


@dataclass(frozen=True, slots=True)
class ConfigPath:
    """The settings file."""

    path: Path
    exists: bool


def _complete_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in BY_NAME if name.startswith(incomplete)]


name_argument = click.argument("name", shell_complete=_complete_name)


@click.group(cls=Group)
def config() -> None:
    """Show and change settings."""


@config.command("list", answer=list[SettingValue])
@click.option("--show-origin", is_flag=True, help="Show where each value comes from.")
@pass_app
def list_(app: App, show_origin: bool) -> None:
    """List all settings."""
    if app.has_home:
        app.require_operator("read settings")
    values = [_describe(app.settings, setting) for setting in SETTINGS]
    columns: dict[str, Callable[[SettingValue], str]] = {
        "NAME": lambda each: each.name,
        "VALUE": lambda each: format_value(each.value),
        **(
            {"ORIGIN": lambda each: each.origin}
            if show_origin
            else {"MEANING": lambda each: each.help}
        ),
    }
    app.show(values, Table(values, columns, wraps=True))


@config.command(answer=SettingValue)
@name_argument
@pass_app
def get(app: App, name: str) -> None:
    """Print the value of a setting."""
    if app.has_home:
        app.require_operator("read settings")
    value = _describe(app.settings, get_setting(name))
    is_empty = value.value in ("", [], ())
    app.show(value, ["" if is_empty else format_value(value.value)])


@config.command("set", answer=SettingValue)
@name_argument
@click.argument("values", nargs=-1, metavar="[VALUE]...")
@click.option("--add", is_flag=True, help="Add each VALUE to a list.")
@click.option("--default", "is_default", is_flag=True, help="Reset the setting to its default.")
@pass_app
def set_(app: App, name: str, values: tuple[str, ...], add: bool, is_default: bool) -> None:
    """Change a setting in config.toml."""
    if bool(values) == is_default or (len(values) > 1 and not add) or (add and is_default):
        raise click.UsageError("give one VALUE, several with --add, or --default")
    value = values[0] if values else None
    try:
        app.settings  # noqa: B018 - this reads them
    except SettingsError:
        app.settings = load_settings(None)  # this command can repair bad settings
    app.require_operator("change settings")
    setting = BY_NAME.get(name) if is_default else get_setting(name)
    if setting is not None and setting.secret and value is not None and not value.startswith("$"):
        app.home.context.warn(
            "secret-in-settings",
            f"{name} is stored unencrypted in {app.home_path / CONFIG_FILE}",
            f"set the variable CREWMEM_{name.replace('.', '_').upper()} instead",
        )
    if name == "scan.allow":
        entries = values if add or not value else value.split(",")
        rules = [entry.rpartition(":")[2].strip() for entry in entries]
        app.home.context.scanner.check_rules(filter(None, rules))
    if add and setting is not None and setting.kind not in ("list", "agents"):
        raise click.UsageError(f"{name} is not a list")
    write_setting(app.home_path / CONFIG_FILE, name, values if add else value, is_added=add)
    try:
        settings = load_settings(app.home_path, app.environ)
    except SettingsError as error:  # another setting is bad
        app.home.context.warn(error.code, error.message, error.hint)
        settings = load_settings(None, overrides={name: value} if value is not None else {})
    if setting is None:
        app.show(SettingValue(name, None, None, "", ""), [f"Removed {name}: it is not a setting."])
        return
    described = _describe(settings, setting)
    if name.startswith("scan.") and app.has_home:
        app.home.journal.append(
            "scan.changed",
            f"the setting {name} was changed",
            payload={"value": format_value(described.value)},
        )
    lines = [f"{name} = {format_value(described.value)}"]
    if described.origin.startswith("$"):
        lines.append(f"The variable {described.origin} overrides the file.")
    app.show(described, lines)


@config.command(answer=ConfigPath)
@pass_app
def path(app: App) -> None:
    """Print the path of config.toml."""
    file = app.home_path / CONFIG_FILE
    app.show(ConfigPath(file, file.exists()), [str(file)])


def _describe(settings: Settings, setting: Setting) -> SettingValue:
    value: Any = settings[setting.name]
    if setting.secret and value:
        value = "***"
    return SettingValue(
        setting.name, value, setting.default, settings.origin(setting.name), setting.help
    )


def format_value(value: Any) -> str:
    """Return a value as `config set` takes it; "-" if it is empty."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ", ".join(value) or "-"
    return str(value) if value != "" else "-"
