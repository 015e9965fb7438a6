"""Running command lines in this process, as a user would."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.cli.main import run


class Result(NamedTuple):
    """What a command line did."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """The JSON on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error of the JSON on standard error."""
        return json.loads(self.err.strip().splitlines()[-1])["error"]


class Terminal(io.TextIOWrapper):
    """Output that takes itself for a terminal; its width is in the variable COLUMNS."""

    def isatty(self) -> bool:
        return True


def run_crewmem(*words: str | Path, stdin: bytes = b"", terminal: bool = False) -> Result:
    """Run ``crewmem WORDS`` and return its status and output."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    if terminal:
        out = Terminal(io.BytesIO(), "utf-8", write_through=True)
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run([str(word) for word in words])
    finally:
        sys.stdin = before
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Result(status, *texts)


def read_tree(path: Path) -> dict[str, object]:
    """Return every file of a tree with its bytes, mode and modification time."""
    return {
        str(each.relative_to(path)): (
            each.lstat().st_mode,
            each.lstat().st_mtime_ns,
            each.read_bytes() if each.is_file() else None,
        )
        for each in sorted(path.rglob("*"))
    }


def check_schema(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> None:
    """Assert that *value* is what a schema of `schemas` says, and nothing else."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        problems = []
        for choice in schema["anyOf"]:
            try:
                check_schema(value, choice, root, at)
                return
            except AssertionError as error:
                problems.append(str(error))
        raise AssertionError(f"{at}: none fits: {problems}")
    if "const" in schema:
        assert value == schema["const"], at
    if "enum" in schema:
        assert value in schema["enum"], f"{at}: {value!r} not in {schema['enum']}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds:
        names = {
            "string": str,
            "integer": int,
            "number": (int, float),
            "boolean": bool,
            "null": type(None),
            "array": list,
            "object": dict,
        }
        fits = any(isinstance(value, names[kind]) for kind in kinds)
        if isinstance(value, bool) and "boolean" not in kinds:
            fits = False
        assert fits, f"{at}: {value!r} is not {kinds}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            assert name in value, f"{at}: {name} is missing"
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        for name, item in value.items():
            if name in properties:
                check_schema(item, properties[name], root, f"{at}.{name}")
            elif isinstance(others, dict):
                check_schema(item, others, root, f"{at}.{name}")
            else:
                assert not properties, f"{at}: {name} is not in the schema"
    if isinstance(value, list):
        for index, item in enumerate(value):
            first = schema.get("prefixItems", [])
            inner = first[index] if index < len(first) else schema.get("items", {})
            check_schema(item, inner, root, f"{at}[{index}]")
