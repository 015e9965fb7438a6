"""The rooms, the doors between them, and what only some of them may do."""

import ast
import re
from functools import cache
from pathlib import Path

import crewmem

ROOT = Path(crewmem.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

GROUND = {
    "errors": set(),
    "records": set(),
    "typed": set(),
    "ids": {"digests", "errors"},
    "times": {"errors"},
    "digests": set(),
    "answers": set(),
    "decode": set(),
    "encode": {"times"},
    "scope": {"errors", "ids", "records"},
    "disk": {"errors", "ids", "records"},
    "settings": {"errors", "ids", "records", "times"},
    "threats": {"records"},
}
"""What is under every room, and what of it stands on what."""

DOORS = {
    "cli": {
        "backends",
        "bundles",
        "consolidation",
        "db",
        "episodes",
        "evaluation",
        "files",
        "health",
        "hybrid",
        "jobs",
        "journal",
        "knowledge",
        "memories",
        "prompt",
        "proposals",
        "recall",
        "registry",
        "retrieval",
        "sample",
        "transcripts",
        "vectors",
    },
    "prompt": {
        "recall",
        "files",
        "journal",
        "memories",
        "episodes",
        "vectors",
        "retrieval",
        "db",
    },
    "bundles": {
        "registry",
        "files",
        "journal",
        "episodes",
        "memories",
        "proposals",
        "transcripts",
        "db",
    },
    "recall": {"files", "episodes", "journal", "memories", "retrieval"},
    "health": {
        "consolidation",
        "proposals",
        "files",
        "registry",
        "jobs",
        "journal",
        "episodes",
        "memories",
        "prompt",
        "transcripts",
        "vectors",
        "retrieval",
        "db",
    },
    "files": {"journal", "vectors", "retrieval", "db"},
    "registry": {"files", "db", "sample"},
    "jobs": {"journal", "db"},
    "journal": {"db"},
    "memories": {"hybrid", "journal", "vectors", "retrieval", "db"},
    "consolidation": {
        "proposals",
        "files",
        "journal",
        "episodes",
        "memories",
        "retrieval",
        "vectors",
        "registry",
        "db",
    },
    "proposals": {"memories", "journal", "db"},
    "evaluation": {"db"},
    "knowledge": {"proposals", "memories"},
    "transcripts": {"knowledge", "prompt", "memories", "journal", "db"},
    "vectors": {"retrieval", "db"},
    "backends": {"retrieval", "db"},
    "episodes": {"hybrid", "journal", "vectors", "retrieval", "db"},
    "hybrid": {"retrieval"},
    "retrieval": set(),
    "db": set(),
    "sample": set(),
}
"""Each room, and the rooms that it has a door to."""

NUMBERS = {"vectors", "backends"}
"""Rooms that compute with numpy, besides what `retrieval` has for them."""

ONLY = {
    "click": lambda path: path.parts[0] == "cli",
    "rich": lambda path: path.parts[0] == "cli",
    "platformdirs": lambda path: path == Path("cli/app.py"),
    "apsw": lambda path: path.parts[0] == "db" or path.stem.endswith("store"),
    "fcntl": lambda path: path.parts[0] == "disk",
    "numpy": lambda path: (
        path.parts[0] in NUMBERS
        or path in {Path("retrieval/numerics.py"), Path("retrieval/vectors.py")}
    ),
    **dict.fromkeys(
        ["httpcore", "httpx", "tokenizers"], lambda path: path.parts[0] == "backends"
    ),
    "subprocess": lambda path: path.parts[0] == "backends",
    **dict.fromkeys(
        [
            "asyncio",
            "http",
            "multiprocessing",
            "pickle",
            "requests",
            "shutil",
            "socket",
            "sqlite3",
            "ssl",
            "threading",
            "urllib",
        ],
        lambda _: False,
    ),
}
"""Libraries that have an address; of most it is nowhere."""

WRITES = {
    "chmod",
    "chown",
    "fchmod",
    "fchown",
    "fdatasync",
    "fsync",
    "ftruncate",
    "hardlink_to",
    "link",
    "makedirs",
    "mkdir",
    "mkfifo",
    "mknod",
    "mkdtemp",
    "mkstemp",
    "NamedTemporaryFile",
    "removedirs",
    "rename",
    "renames",
    "rmdir",
    "rmtree",
    "symlink",
    "symlink_to",
    "TemporaryDirectory",
    "TemporaryFile",
    "touch",
    "truncate",
    "unlink",
    "utime",
    "write_bytes",
    "write_text",
}
"""Functions and methods that change what is on disk, whatever they are called on."""

CALLED_LIKE_IT = {
    "write_text": "formatter",  # click's, which writes help
}
"""What is called like one of `WRITES` and is none, by what it is called on."""

WRITING_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"}

SQL = re.compile(
    r"\bselect\b.+\bfrom\b|\binsert (or \w+ )?into\b|\bupdate \w+\s+set\b"
    r"|\bdelete from\b|\b(create|drop|alter) (table|index|view|virtual|trigger)\b"
    r"|^\s*pragma \w+|^\s*begin (immediate|deferred|exclusive)|^\s*(attach|vacuum)\b",
    re.DOTALL,
)
"""A statement, in lower case as ours are."""

WORDS = Path("threats/table.py")
"""All words that rules know, one after the other: they say nothing together."""

LONGEST_MODULE, LONGEST_FUNCTION = 350, 60


@cache
def nodes(module):
    """Return every node of *module*, of which those for types alone are left out."""
    tree = ast.parse(module.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = [ast.Pass()]
    return list(ast.walk(tree))


def of_kind(module, *kinds):
    return [node for node in nodes(module) if isinstance(node, kinds)]


def inside(module):
    """Return *module* as a path below the package."""
    return module.relative_to(ROOT)


def room_of(module):
    return inside(module).parts[0].removesuffix(".py")


def imports(module):
    """Yield the dotted names that *module* imports when it runs."""
    for node in of_kind(module, ast.Import):
        yield from (alias.name for alias in node.names)
    for node in of_kind(module, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls(module):
    """Yield (what on, name, call) of every call of a function or a method."""
    for node in of_kind(module, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr, node
        elif isinstance(node.func, ast.Name):
            yield "", node.func.id, node


def texts(module):
    """Yield every text in *module* that is no docstring."""
    docs = {id(node.value) for node in of_kind(module, ast.Expr)}
    for node in of_kind(module, ast.Constant):
        if isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def test_rooms_use_their_doors():
    """A room imports only itself, the rooms it has a door to, and the ground."""
    wrong = []
    for module in MODULES:
        room = room_of(module)
        if room not in GROUND and len(inside(module).parts) == 1:
            continue  # the entry of the program
        allowed = GROUND[room] if room in GROUND else DOORS[room] | GROUND.keys()
        names = [name.split(".") for name in imports(module)]
        reached = {name[1] for name in names if name[0] == "crewmem" and name[1:]}
        if extra := reached - allowed - {room, "__version__"}:
            wrong.append(f"{inside(module)} imports {', '.join(sorted(extra))}")
    assert wrong == []


def test_every_room_is_in_the_table():
    """There is no room that the table of doors does not know, and none it makes up."""
    rooms = {inside(each).parts[0] for each in MODULES if len(inside(each).parts) > 1}
    assert rooms == DOORS.keys() | {name for name in GROUND if (ROOT / name).is_dir()}


def test_doors_lead_downwards():
    """No two rooms lean on each other, through however many others."""
    order, left = [], {**GROUND, **DOORS}
    while left:
        free = [room for room, doors in left.items() if doors <= {*order}]
        assert free, f"these lean on each other: {sorted(left)}"
        order += free
        left = {room: doors for room, doors in left.items() if room not in order}


def test_libraries_stay_in_their_places():
    """SQL, the terminal and the network are each reached from few modules or none."""
    wrong = [
        f"{inside(module)} imports {library}"
        for module in MODULES
        for library in {name.split(".")[0] for name in imports(module)} & ONLY.keys()
        if not ONLY[library](inside(module))
    ]
    assert wrong == []


def test_one_room_writes_files():
    """Nothing but `disk` makes, changes or removes a file."""
    wrong = [
        f"{inside(module)}:{call.lineno} {ast.unparse(call)}"
        for module in MODULES
        if room_of(module) != "disk"
        for owner, name, call in calls(module)
        if writes(owner, name, call)
    ]
    assert wrong == []


def writes(owner, name, call):
    """Tell whether a call changes what is on disk."""
    if name in WRITES:
        return CALLED_LIKE_IT.get(name) != owner
    if owner == "os" and name == "open":
        return bool(set(re.findall(r"O_\w+", ast.unparse(call))) & WRITING_FLAGS)
    if name == "open":
        given = [each for each in call.args[:2] if isinstance(each, ast.Constant)]
        given += [each.value for each in call.keywords if each.arg == "mode"]
        modes = [str(each.value) for each in given if isinstance(each, ast.Constant)]
        return any(re.fullmatch("[rbt]*[wax+][rbt+]*", mode) for mode in modes)
    return owner == "os" and name in {"replace", "remove"}


def test_statements_stand_in_stores():
    """SQL is in stores and in `db`, and nowhere else."""
    wrong = [
        f"{inside(module)}:{line} {text}"
        for module in MODULES
        if room_of(module) != "db" and not module.stem.endswith("store")
        if inside(module) != WORDS
        for line, text in texts(module)
        if SQL.search(text)
    ]
    assert wrong == []


def test_modules_say_what_they_hold():
    """Every module begins with a sentence of what is in it."""
    wrong = []
    for module in MODULES:
        doc = ast.get_docstring(nodes(module)[0]) or ""
        if not doc.partition("\n\n")[0].endswith((".", "?", ":")):
            wrong.append(f"{inside(module)}: {doc!r}")
    assert wrong == []


def test_modules_are_short():
    """A module can be read whole."""
    wrong = [
        f"{inside(module)} has {lines} lines"
        for module in MODULES
        if (lines := module.read_text("utf-8").count("\n")) > LONGEST_MODULE
    ]
    assert wrong == []


def test_functions_are_short():
    """A function fits on a screen."""
    wrong = [
        f"{inside(module)}:{node.lineno} {node.name} has {lines} lines"
        for module in MODULES
        for node in of_kind(module, ast.FunctionDef, ast.AsyncFunctionDef)
        if (lines := node.end_lineno - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert wrong == []


def test_only_the_output_prints():
    """Nothing prints past `Output`, where stored text is made visible."""
    wrong = [
        f"{inside(module)}:{call.lineno}"
        for module in MODULES
        for owner, name, call in calls(module)
        if (owner, name) == ("", "print")
    ]
    assert wrong == []


def test_only_the_command_line_knows_the_world():
    """The environment and the clock reach all other rooms as arguments."""
    asked = {
        ("os", "environ"),
        ("os", "getenv"),
        ("sys", "argv"),
        ("sys", "stdin"),
        ("sys", "stdout"),
        ("sys", "stderr"),
        ("datetime", "now"),
        ("date", "today"),
        ("time", "time"),
    }
    wrong = [
        f"{inside(module)}:{node.lineno}"
        for module in MODULES
        if room_of(module) not in {"cli", "__main__"}
        and inside(module) != Path("retrieval/numerics.py")  # OpenBLAS reads it
        for node in of_kind(module, ast.Attribute)
        if isinstance(node.value, ast.Name) and (node.value.id, node.attr) in asked
    ]
    assert wrong == []


def test_the_checks_see():
    """Each pattern above finds what it is there to find, and no more."""
    for statement in (
        "select path\n  from files",
        "insert or replace into files values (?)",
        "update crews set lead = :lead",
        "  pragma user_version",
        "create virtual table words using fts5(text)",
    ):
        assert SQL.search(statement)
    for sentence in ("Select a file from the list.", "update the index", "begin"):
        assert not SQL.search(sentence)
    for code, is_write in (
        ("os.open(path, os.O_RDONLY | os.O_NONBLOCK)", False),
        ("os.open(path, os.O_RDWR | os.O_CREAT)", True),
        ("os.replace(a, b)", True),
        ("text.replace(a, b)", False),
        ("open(path)", False),
        ("open(path, 'rb')", False),
        ("open(path, 'w')", True),
        ("path.open(mode='ab')", True),
        ("path.open('r+')", True),
        ("path.write_text(text)", True),
        ("formatter.write_text(text)", False),
    ):
        call = ast.parse(code, mode="eval").body
        owner = call.func.value.id if isinstance(call.func, ast.Attribute) else ""
        name = call.func.attr if owner else call.func.id
        assert writes(owner, name, call) == is_write, code
