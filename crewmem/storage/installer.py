"""How crewmem was installed, so that hints name the command that works."""

import sys
from pathlib import Path


def install_hint(extra: str) -> str:
    """Return the command that installs an extra, such as ``minilm``.

    >>> install_hint("minilm").endswith("'crewmem[minilm]'")
    True
    """
    prefix = Path(sys.prefix)
    if "pipx" in prefix.parts:
        return f"pipx install --force 'crewmem[{extra}]'"
    if "uv" in prefix.parts and "tools" in prefix.parts:
        return f"uv tool install --force 'crewmem[{extra}]'"
    if (prefix / "uv-receipt.toml").exists() or _installer() == "uv":
        return f"uv pip install 'crewmem[{extra}]'"
    if sys.prefix != sys.base_prefix:
        return f"{prefix / 'bin' / 'pip'} install 'crewmem[{extra}]'"
    return f"pip install 'crewmem[{extra}]'"


def _installer() -> str:
    """Return the program that installed crewmem, as its metadata say."""
    for path in Path(__file__).parents[2].glob("crewmem-*.dist-info/INSTALLER"):
        return path.read_text(encoding="utf-8").strip()
    return ""
