"""A self-contained HTML file: template, style, script and data."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

TEMPLATES = Path(__file__).parent / "templates"

UNSAFE = re.compile(
    "[<>&\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters to escape in the data: those that could close its element, and invisible ones."""


class PageSection(NamedTuple):
    """A section of a page.

    Attributes:
        id: Id for the script and for links.
        number: Number to show after the title in the navigation; None for none.
    """

    id: str
    title: str
    number: int | None = None


def render_page(title: str, subtitle: str, sections: Sequence[PageSection], data: Any) -> str:
    """Render a page.

    Args:
        title: Title of the page.
        subtitle: Line below the title.
        sections: Sections in order.
        data: Data of the sections, for the script.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only pages need it

    script = (TEMPLATES / "app.js").read_text(encoding="utf-8")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        script=script,
        script_hash=hash_source(script),
        style=style,
        style_hash=hash_source(style),
        data=dump_data(data),
    )


def hash_source(text: str) -> str:
    """Return the hash by which a content security policy allows an inline script or style."""
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


def dump_data(data: Any) -> str:
    r"""Convert records to JSON that is safe inside a script element.

    >>> dump_data(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_as_object)
    return UNSAFE.sub(_escape, text)


def _as_object(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
