"""TAB on a command or an option: a function in a bash that runs already."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Cost, FailedError, Process, Trial
from tests.benchmarks.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

CALLS = 200
"""Of the function in one bash: one takes less than a process can be told by."""

SCRIPT = """
source "$1"
[[ $(complete -p crewmem) =~ -F\\ ([^ ]+) ]] || exit 2
complete="${BASH_REMATCH[1]}"
COMP_LINE="$3" COMP_POINT=${#3}
read -r -a COMP_WORDS <<<"$3"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
current="${COMP_WORDS[COMP_CWORD]}"
COMPREPLY=none
for ((call = 0; call < $2; call++)); do
    "$complete" crewmem "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
done
[[ ${#COMPREPLY[@]} -gt 0 ]]
"""
"""What bash does at TAB; fails when nothing is offered."""


def rows(sizes: Sizes) -> Iterable[Row]:  # noqa: ARG001 - needs no tree
    """Return the rows of completion."""
    for key, line in (
        ("command", "crewmem mem"),
        ("option", "crewmem memory search --li"),
    ):
        yield Row(
            key=f"tab-{key}",
            title=f"TAB on a{'n' if key == 'option' else ''} {key}",
            setup=_tab(line),
            goal=1.2,
            stretch=0.1,
        )


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of a function in one process: what they add to it, for each of them."""

    without: Process
    many: Process

    @property
    def name(self) -> str:
        """What it is, for the table."""
        return self.many.name

    def run(self) -> Cost:
        """Run the process without and with the calls."""
        without, many = self.without.run(), self.many.run()
        return Cost(
            cpu=max(many.cpu - without.cpu, 0.0) / CALLS,
            wall=max(many.wall - without.wall, 0.0) / CALLS,
            peak=many.peak,
        )


def _tab(line: str) -> Setup:
    def setup(bench: Workbench) -> Trial:
        script = bench.directory / "crewmem.bash"
        printed = bench.crewmem("completion", "bash")
        done = subprocess.run(
            printed.argv, env=bench.environ, capture_output=True, check=False
        )
        if done.returncode:
            raise FailedError("crewmem completion bash failed")
        script.write_bytes(done.stdout)

        def bash(calls: int) -> Process:
            options = ["--norc", "--noprofile", "-c", SCRIPT]
            words = ["bash", str(script), str(calls), line]
            return Process(
                name=f"{line}<TAB>",
                argv=[bench.program("bash"), *options, *words],
                environ=bench.environ,
            )

        return Trial(Calls(bash(0), bash(CALLS)), bench.python("pass"))

    return setup
