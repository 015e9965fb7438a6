"""What TAB offers in bash, as bash asks for it: with the line and its own cuts at colons."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "completions" / "crewmem.bash"

PRESS_TAB = f"""
compopt() {{ echo "shell:$2"; }}
source '{SCRIPT}'
COMP_LINE="$1" COMP_POINT=${{#1}} COMP_WORDS=(x) COMP_CWORD=0
_crewmem_completion crewmem
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def press_tab(tmp_path, sample):
    command = tmp_path / "crewmem"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m crewmem "$@"\n')
    command.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "CREWMEM_HOME": str(sample)}

    def press(line):
        words = ["bash", "--norc", "-c", PRESS_TAB, "bash", line]
        done = subprocess.run(words, capture_output=True, text=True, env=variables, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return press


def test_tab_completes_commands_references_ids_and_names(press_tab):
    assert press_tab("crewmem sta") == ["status"]
    assert press_tab("crewmem memory read crew:harbor/C") == ["harbor/CREW.md"]
    assert "workspace:people.md" in press_tab("crewmem memory diff ")
    assert press_tab("crewmem memory write --file crew:harbor/C") == ["harbor/CREW.md"]
    assert press_tab("crewmem memory scan crew:harbor/C") == ["harbor/CREW.md"]
    assert "f_w4xh8q2vbn01" in press_tab("crewmem fact show f_w4")
    assert press_tab("crewmem journal pin j_eg8v6") == press_tab("crewmem journal show j_eg8v6")
    assert len(press_tab("crewmem sessions show s_")) == 1
    assert press_tab("crewmem search keys --agent wi") == ["winch"]
    assert press_tab("crewmem crew show ") == ["harbor"]
    assert press_tab("crewmem config get hooks.m") == ["hooks.min_relevance", "hooks.max_bytes"]
    assert press_tab("crewmem timers run ro") == ["rollup"]


def test_tab_completes_values_of_options(press_tab):
    assert press_tab("crewmem status -w ") == ["default"]
    assert press_tab("crewmem --workspace d") == ["default"]
    assert press_tab("crewmem --as agent:wi") == ["winch"]  # bash cuts at the colon
    assert press_tab("crewmem fact list --kind dec") == ["decision"]
    assert press_tab("crewmem fact add x --kind les") == ["lesson"]
    assert press_tab("crewmem fact add x --agent wi") == ["winch"]
    assert press_tab("crewmem fact share f_w4xh8q2vbn01 --to crew:h") == ["harbor"]
    assert press_tab("crewmem journal add --crew h") == ["harbor"]


def test_tab_after_an_unknown_command_prints_no_error(press_tab):
    assert press_tab("crewmem memory delete ap") == ["append"]


@pytest.mark.parametrize(
    "line",
    ["search --path ", "import --from no", "export -o ", "sessions sync --root ", "status --home "],
)
def test_tab_leaves_paths_to_the_shell(press_tab, line):
    assert press_tab(f"crewmem {line}") == ["shell:default"]


def test_completion_without_the_word_breaks_of_bash(sample):
    variables = {**os.environ, "CREWMEM_HOME": str(sample), "COMP_WORDS": "crewmem sta"}
    variables |= {"COMP_CWORD": "1", "_CREWMEM_COMPLETE": "bash_complete"}
    command = [sys.executable, "-m", "crewmem"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=True)
    assert "status" in done.stdout, done.stderr
