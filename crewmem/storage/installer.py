"""Detects how crewmem was installed, so that hints name a command that works."""

import shlex
import sys
from pathlib import Path


def format_extra_command(extra: str) -> str:
    """Return the command that installs an extra, such as ``minilm``.

    >>> format_extra_command("minilm").endswith("'crewmem[minilm]'")
    True
    """
    installer = find_installer()
    if installer in ("pipx", "uv tool"):  # upgrades keep the extras that were installed this way
        return f"{installer} install --force 'crewmem[{extra}]'"
    return format_install_command(f"crewmem[{extra}]")


def format_install_command(*arguments: str) -> str:
    """Return the command that runs ``pip install`` with *arguments* for crewmem's environment."""
    command = {
        "pipx": "pipx runpip crewmem install",
        "uv tool": f"uv pip install --python {shlex.quote(sys.executable)}",
        "uv": "uv pip install",
        "pip": "pip install",
        "venv": f"{shlex.quote(str(Path(sys.prefix, 'bin', 'pip')))} install",
    }[find_installer()]
    return f"{command} {shlex.join(arguments)}"


def find_installer() -> str:
    """Return ``pipx``, ``uv tool``, ``uv``, ``pip``, or ``venv`` for pip in a venv."""
    prefix = Path(sys.prefix)
    if "pipx" in prefix.parts:
        return "pipx"
    if "uv" in prefix.parts and "tools" in prefix.parts:
        return "uv tool"
    if (prefix / "uv-receipt.toml").exists() or _read_installer() == "uv":
        return "uv"
    return "pip" if sys.prefix == sys.base_prefix else "venv"


def _read_installer() -> str:
    """Return the installer that the metadata of crewmem names; "" if there is none."""
    for path in Path(__file__).parents[2].glob("crewmem-*.dist-info/INSTALLER"):
        return path.read_text(encoding="utf-8").strip()
    return ""
