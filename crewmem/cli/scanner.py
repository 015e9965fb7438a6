"""The scanner of a command line: the rules there are, and those of the config."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.settings import Settings
    from crewmem.threats.rule import Scan


def scanner(app: App) -> Scan:
    """Return what looks for hidden instructions and secrets in a text.

    Raises:
        BadThreatRuleError: If a rule or an allowance of the settings cannot be used;
            names the place where it was set.
    """
    settings = app.settings
    if not settings.threats_allow and not settings.threats_rules:
        from crewmem.threats.scan import scan

        return scan
    return _configured(app, settings)


def _configured(app: App, settings: Settings) -> Scan:
    from crewmem.errors.settings import BadThreatRuleError
    from crewmem.settings import SETTINGS
    from crewmem.threats.custom import MistakeError, configured

    try:
        return configured(settings.threats_allow, settings.threats_rules)
    except MistakeError as mistake:
        first, *below = mistake.keys
        origin = app.loaded.place(SETTINGS[f"threats.{first}"], *below)
        raise BadThreatRuleError(origin, mistake.keys, mistake.reason) from mistake
