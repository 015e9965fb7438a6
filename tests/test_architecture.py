"""The layers of the package, and rules that hold in all of it."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "crewmem"

LAYERS = [
    {"errors", "ids", "times", "documents", "protocols", "origins", "access", "config", "context"}
    | {"storage", "text", "security", "embeddings", "llm", "sample"},
    {"files", "journal", "facts", "registry"},
    {"search"},
    {"jobs", "consolidation", "sessions", "prompt", "review", "health", "evaluation"}
    | {"transfer", "operators", "hosts", "purging"},
    {"home"},
    {"cli", "mcp", "hooks", "report"},
]
"""Packages and modules, the lowest layer first. The first layer is one package to itself."""

WORK_IMPORTS = {
    "jobs": LAYERS[3] - {"jobs"},
    "consolidation": {"review", "sessions"},
    "evaluation": {"prompt", "transfer"},
    "health": {"hosts"},
    "hosts": {"review"},
    "purging": {"sessions"},
    "sessions": {"prompt", "review"},
    "transfer": {"hosts", "review", "sessions"},
}
"""Which packages of the work layer import which others."""

FRONT_END_IMPORTS = {"cli": LAYERS[5]}

LATE_IMPORTS = {
    "__init__.py": "the public API, unless the command line runs",
    "__main__.py": "everything, so that the script itself costs nothing",
    "home.py": "each part and each job, when it is first used",
    "embeddings/local.py": "what needs numpy",
    "embeddings/store.py": "what needs numpy",
    "files/memory_index.py": "indexing: most commands find no changed file; scan results, status",
    "hooks/answers.py": "what only the start of a session needs",
    "hosts/connection.py": "what needs psycopg",
    "jobs/actions.py": "the weekly backup",
    "jobs/sweep.py": "embedding: most sweeps find no new text",
    "mcp/server.py": "what the first call of a tool needs",
    "search/mentions.py": "finding names: most sweeps find no new text",
}
"""Modules that import others of crewmem inside functions, and what. Any module may do so in a
cached property that hands out a part. The command line is not listed: it imports each command when
it is called."""


@cache
def parse_modules() -> dict[Path, ast.Module]:
    """Return the syntax tree of each module."""
    return {p: ast.parse(p.read_text(encoding="utf-8")) for p in sorted(PACKAGE.rglob("*.py"))}


def walk_statements(
    statements: Iterable[ast.stmt], *, is_inner: bool = False
) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield statements and those inside them, each with whether a function holds it."""
    for statement in statements:
        yield statement, is_inner
        below = is_inner or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from walk_statements(getattr(statement, name, ()), is_inner=below)


def find_imports_of_types(tree: ast.Module) -> list[ast.stmt]:
    """Return imports of `Home` for type checkers alone: jobs and health are given a home."""
    return [
        node
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module == "crewmem.home"
    ]


@cache
def find_imports() -> dict[Path, list[tuple[str, bool]]]:
    """Return for each module what it imports of crewmem, and whether inside a function."""
    found: dict[Path, list[tuple[str, bool]]] = {}
    for path, tree in parse_modules().items():
        found[path] = []
        of_types = find_imports_of_types(tree)
        for node, is_inner in walk_statements(tree.body):
            if node in of_types:
                continue
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
                if node.module == "crewmem":
                    names = [f"crewmem.{alias.name}" for alias in node.names]
            found[path] += [(name, is_inner) for name in names]
    return found


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def layer_of(part: str) -> int | None:
    return next((i for i, layer in enumerate(LAYERS) if part in layer), None)


def test_layers_import_only_downwards():
    wrong = []
    for path, imports in find_imports().items():
        own = part_of(path)
        layer = layer_of(own)
        if layer is None:
            continue
        for name, _ in imports:
            if not name.startswith("crewmem."):
                continue
            other = name.split(".")[1]
            other_layer = layer_of(other)
            if other == own or other_layer is None:
                continue
            allowed = other_layer < layer or layer == 0 == other_layer
            allowed |= other in WORK_IMPORTS.get(own, ()) or other in FRONT_END_IMPORTS.get(own, ())
            if not allowed:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert wrong == []


def test_work_packages_import_without_circles():
    for own, others in WORK_IMPORTS.items():
        for other in others:
            assert own == other or own not in WORK_IMPORTS.get(other, ()), (own, other)


def is_part(node: ast.stmt) -> bool:
    """Return whether a function is a cached property, which may import what it returns."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(each, ast.Name) and each.id == "cached_property" for each in node.decorator_list
    )


def test_imports_of_crewmem_stand_at_the_top():
    wrong = []
    for path, tree in parse_modules().items():
        module = str(path.relative_to(PACKAGE))
        if module in LATE_IMPORTS or part_of(path) == "cli":
            continue
        parts = [node for node, _ in walk_statements(tree.body) if is_part(node)]
        in_parts = {id(node) for part in parts for node, _ in walk_statements(part.body)}
        wrong += [
            f"{module}:{node.lineno} imports {node.module}"
            for node, is_inner in walk_statements(tree.body)
            if is_inner and isinstance(node, ast.ImportFrom) and id(node) not in in_parts
            if node.module and node.module.startswith("crewmem")
        ]
    assert wrong == []


def test_modules_with_late_imports_are_listed_while_they_have_some():
    listed = {PACKAGE / module for module in LATE_IMPORTS}
    late = {
        path
        for path, imports in find_imports().items()
        if any(is_inner and name.startswith("crewmem") for name, is_inner in imports)
    }
    assert listed - late == set()


def test_only_one_module_writes_files():
    allowed = {"storage/filesystem.py", "storage/sqlite.py", "storage/locks.py"}
    wrong = []
    for path, tree in parse_modules().items():
        name = str(path.relative_to(PACKAGE))
        if name in allowed or "train" in str(path):
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            function = node.func
            called = function.attr if isinstance(function, ast.Attribute) else ""
            called = function.id if isinstance(function, ast.Name) else called
            if called in ("write_text", "write_bytes"):
                wrong.append(f"{name}:{node.lineno} calls {called}")
            values = [a.value for a in node.args if isinstance(a, ast.Constant)]
            is_mode = any(isinstance(v, str) and v and set(v) <= set("wxab+t") for v in values[-1:])
            if called == "open" and is_mode:
                wrong.append(f"{name}:{node.lineno} opens a file for writing")
    assert wrong == []


def test_no_module_hides_imports_or_replaces_modules():
    for path in find_imports():
        text = path.read_text(encoding="utf-8")
        assert "TYPE_CHECKING = False" not in text, path
        assert "sys.modules[" not in text, path
