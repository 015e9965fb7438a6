"""The installer of crewmem, so that hints name a command that works."""

import shlex
import sys
from pathlib import Path


def install_hint(extra: str) -> str:
    """Return the command that installs an extra, such as ``minilm``.

    >>> install_hint("minilm").endswith("'crewmem[minilm]'")
    True
    """
    installer = find_installer()
    if installer in ("pipx", "uv tool"):  # they keep requested extras when they upgrade
        return f"{installer} install --force 'crewmem[{extra}]'"
    return package_hint(f"crewmem[{extra}]")


def package_hint(*words: str) -> str:
    """Return the command that installs a package beside crewmem; *words* are pip's arguments."""
    command = {
        "pipx": "pipx runpip crewmem install",
        "uv tool": f"uv pip install --python {shlex.quote(sys.executable)}",
        "uv": "uv pip install",
        "pip": "pip install",
        "venv": f"{shlex.quote(str(Path(sys.prefix, 'bin', 'pip')))} install",
    }[find_installer()]
    return f"{command} {shlex.join(words)}"


def find_installer() -> str:
    """Return the installer of crewmem: pipx, uv tool, uv, pip, or venv for pip in a venv."""
    prefix = Path(sys.prefix)
    if "pipx" in prefix.parts:
        return "pipx"
    if "uv" in prefix.parts and "tools" in prefix.parts:
        return "uv tool"
    if (prefix / "uv-receipt.toml").exists() or _installer() == "uv":
        return "uv"
    return "pip" if sys.prefix == sys.base_prefix else "venv"


def _installer() -> str:
    """Return the installer that crewmem's metadata name."""
    for path in Path(__file__).parents[2].glob("crewmem-*.dist-info/INSTALLER"):
        return path.read_text(encoding="utf-8").strip()
    return ""
