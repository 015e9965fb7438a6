"""Credentials of a hundred kinds, as notes hold them, and what only looks like one.

``credentials.txt`` has a kind a line: its name, what a variable of it is called, and
its form; ``lookalikes.txt`` has a form a line. In a form ``{h32}`` is 32 drawn
hexadecimal digits: no key is written down here.
"""

from __future__ import annotations

import random
import re
import string
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent

LETTERS = {
    "a": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "h": "0123456789abcdef",
    "k": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_letters + string.digits + "-_",
    "U": string.ascii_uppercase + string.digits,
}
"""What a letter of a form stands for."""

DRAWN = re.compile(r"\{([abdhkluU])(\d+)\}")

SEED = 11

CARRIERS = {
    "prose": "The NAME for staging is VALUE, keep it until Friday.",
    "env": "LOG_LEVEL=info\nexport KEY=VALUE\nPORT=8080",
    "json": '{"name": "harbor", "settings": {"KEY": "VALUE", "retries": 3}}',
    "yaml": "    - name: KEY\n      value: VALUE",
    "url": "https://api.harbor.example.net/v1/items?page=2&KEY=VALUE",
    "code": "client = Client(region='eu', KEY='VALUE')",
    "table": "| what | value |\n|---|---|\n| NAME | VALUE |",
    "chat": "<bo> KEY: VALUE (do not lose it)",
}
"""What a credential stands in."""

DISGUISES = {
    "base64": lambda text: b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "url": lambda text: "".join(f"%{each:02x}" for each in text.encode()),
    "entities": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "escapes": lambda text: "".join(f"\\x{ord(each):02x}" for each in text),
    "unseen": "\u200b".join,
    "wide": lambda text: "".join(
        chr(ord(each) + 0xFEE0) if each > " " else each for each in text
    ),
    "cut": lambda text: f'"{text[: len(text) // 2]}" + "{text[len(text) // 2 :]}"',
}
"""How it is hidden."""

NOTES = ("{}", "Note of the day:\n\n- {}\n- done by noon", "```\n{}\n```")
"""Where what looks like one stands."""


def secrets() -> Iterator[tuple[str, str]]:
    """Yield texts with a credential, each with what it stands in, always the same."""
    dice = random.Random(SEED)  # noqa: S311 - what is drawn opens nothing
    for line in (HERE / "credentials.txt").read_text("utf-8").splitlines():
        name, key, form = line.split("|")
        for carrier, text in CARRIERS.items():
            value = _drawn(form, dice)
            filled = text.replace("NAME", name).replace("KEY", key)
            yield f"secret in {carrier}", filled.replace("VALUE", value)
        for disguise, hide in DISGUISES.items():
            yield f"secret as {disguise}", hide(f"{key}={_drawn(form, dice)}")


def lookalikes() -> Iterator[str]:
    """Yield texts with what only looks like a credential."""
    dice = random.Random(SEED)  # noqa: S311 - what is drawn opens nothing
    for form in (HERE / "lookalikes.txt").read_text("utf-8").splitlines():
        for note in NOTES:
            yield note.replace("{}", _drawn(form, dice))


def _drawn(form: str, dice: random.Random) -> str:
    """Return *form* with its gaps filled."""
    return DRAWN.sub(
        lambda gap: "".join(dice.choices(LETTERS[gap[1]], k=int(gap[2]))), form
    )
