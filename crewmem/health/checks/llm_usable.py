"""The language model: is there all that is needed to ask the one that is set?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.language import Language
    from crewmem.health.scene import Scene

NAME = "llm.usable"
CATEGORY = "llm"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell which model is asked, or what is missing for it, or keeps it from answering.

    A service is asked whether it is there, not for an answer, and no program is run:
    that takes minutes, and maybe costs. A job that gets none says so, and goes on.
    """
    language = scene.language
    if not language.is_wanted:
        return [passed("no language model: jobs work with what stands there, as set")]
    if language.lack:
        return [
            warned(
                f"the setting llm is {language.setting}, but {language.lack}",
                expected="a model that can be asked, or the setting llm at none",
                repair=language.hint,
            )
        ]
    if language.is_overheard:  # and the key is not sent for this
        return [_overheard(scene, language)]
    if trouble := scene.language_trouble():
        return [
            warned(
                f"{language.setting}, {language.model}: {trouble}",
                expected="a model that answers; until then jobs do without it",
            )
        ]
    return [passed(_told(language))]


def _told(language: Language) -> str:
    where = f" at {language.where}" if language.where else ""
    keys = f", key from {', '.join(language.keys)}" if language.keys else ""
    return f"{language.setting}: {language.model}{where}{keys}"


def _overheard(scene: Scene, language: Language) -> Finding:
    return warned(
        f"{_told(language)}: what it is told goes there unencrypted",
        expected="a URL of https",
        repair=scene.command("config", "set", "llm_url", "URL"),
    )
