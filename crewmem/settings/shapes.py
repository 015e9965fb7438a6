"""What texts may be settings, and settings that are like others but for a word."""

from __future__ import annotations

from crewmem.ids import is_slug
from crewmem.settings.kinds import Text, Whole

BYTES_MOST = 1 << 30
"""Most bytes that a setting may allow: a file is held in memory whole."""


MODEL_MOST = 200
"""Most characters of a model's name: longer ones are pasted by mistake."""

MODEL_WANTED = f"a model's name, at most {MODEL_MOST} characters"

WHEN_WANTED = "a span that divides a day, as 30s or 6h; 03:00; sun 04:30; or off"
"""What `whens.read` takes, for messages."""

URL_WANTED = "a URL of http or https, without a user, a query or a fragment"


def cap(default: int, what: str) -> Whole:
    """Return the setting of how long *what* may be."""
    return Whole(
        default, f"Most bytes of {what}.", least=1, most=BYTES_MOST, table="caps"
    )


def is_zone(name: str) -> bool:
    """Tell whether *name* is a time zone that this system knows."""
    from crewmem import times  # 5 ms, for those who set a zone only

    try:
        times.zone(name)
    except ValueError:
        return False
    return True


def is_line(text: str) -> bool:
    """Tell whether *text* is one line, or nothing."""
    return text.isprintable()


def is_path(text: str) -> bool:
    """Tell whether *text* is an absolute path, or nothing."""
    return not text or (text.startswith("/") and text.isprintable())


def is_when(text: str) -> bool:
    """Tell whether *text* is a time that timers know."""
    from crewmem.settings import whens  # for those who set one only

    return whens.is_when(text)


PROGRAMS = frozenset({"openclaw", "claude", "codex", "plain"})
"""As in transcripts/formats, which no setting is read with; a test compares."""

OWNERS_WANTED = "pairs as claude=SLUG, openclaw/NAME=SLUG or /dir=WORKSPACE/SLUG"
"""What `is_owners` takes, for messages."""


def is_owners(text: str) -> bool:
    """Tell whether *text* is pairs of what names session logs, and an agent."""
    for each in text.split():
        name, mark, whom = each.rpartition("=")
        names = whom.split("/")
        is_name = name in PROGRAMS or name.startswith(("/", "openclaw/"))
        if not (mark and is_name and len(names) < len("a/b")):
            return False
        if not all(map(is_slug, names)):
            return False
    return text.isprintable()


def owners(about: str) -> Text:
    """Return the setting of whose session logs are whose."""
    wanted = OWNERS_WANTED
    return Text("", about, check=is_owners, wanted=wanted, table="transcripts")


def when(default: str, what: str) -> Text:
    """Return the setting of when timers do *what*."""
    about = f"When timers {what}."
    return Text(default, about, check=is_when, wanted=WHEN_WANTED, table="timers")


def is_model(name: str) -> bool:
    """Tell whether *name* may be that of a model."""
    return name.isascii() and name.isprintable() and 0 < len(name) <= MODEL_MOST


def is_model_or_empty(name: str) -> bool:
    """Tell whether *name* may be that of a model, or is nothing."""
    return not name or is_model(name)


def is_command(text: str) -> bool:
    """Tell whether *text* is a program and its arguments, or nothing."""
    if not text:
        return True
    from shlex import split  # for those who set one only

    try:
        return text.isprintable() and bool(split(text)[0])
    except (ValueError, IndexError):
        return False


def is_url(url: str) -> bool:
    """Tell whether *url* is one of http or https, and holds no secret."""
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    return (
        scheme in {"http", "https"}
        and bool(host)
        and "@" not in host  # a password would be printed by config list
        and url.isascii()
        and url.isprintable()
        and not {*" ?#\\"} & {*url}
    )


def is_url_or_empty(url: str) -> bool:
    """Tell whether *url* is one of http or https, or nothing."""
    return not url or is_url(url)
