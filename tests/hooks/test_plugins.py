"""The plugins of opencode and OpenClaw, run by node as the programs run them."""

import json
import shutil
import subprocess

import pytest

from crewmem.hooks.programs import PROGRAMS, HookCommands, InstallLocation
from crewmem.storage.programs import find_crewmem

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

OPENCODE = """
const plugin = await module.Crewmem({ directory: "/tmp" });
for (const _ of [1, 2]) {
  const output = { output: error, metadata: { exit: 1 } };
  await plugin["tool.execute.after"](
    { tool: "bash", sessionID: "s", args: { command: "npm test" } }, output);
  given.push(output.output.slice(error.length));
}
"""

OPENCLAW = """
const on = {};
module.default.register({ on: (name, hook) => { on[name] = hook; } });
const ctx = { sessionId: "s", workspaceDir: "/tmp" };
for (const _ of [1, 2]) {
  await on.after_tool_call({ params: { command: "npm test" }, error }, ctx);
  given.push((await on.before_prompt_build({ prompt: "go on" }, ctx))?.prependContext ?? "");
}
"""


COMPACTED_OPENCLAW = """
const on = {};
module.default.register({ on: (name, hook) => { on[name] = hook; } });
const ctx = { sessionId: "s", workspaceDir: "/tmp" };
await on.after_tool_call({ params: { command: "npm test" }, error }, ctx);
await on.after_compaction({}, ctx);
given.push((await on.before_prompt_build({ prompt: "go on" }, ctx))?.prependContext ?? "");
"""


def run_plugin(name, calls, home_path, make_home, tmp_path):
    """Return the texts that the plugin gave while a lesson about an error was known."""
    home = make_home("agent:ada")
    home.facts.add("connect ECONNREFUSED 5433 means that the pooler is down", kind="lesson")
    commands = HookCommands((*find_crewmem(), "--home", str(home_path)), ("--agent", "ada"))
    targets = PROGRAMS[name].find_targets(InstallLocation(tmp_path, None, {}), commands)
    (plugin,) = [target for target in targets if target.path.suffix == ".js"]
    (tmp_path / "plugin.mjs").write_text(plugin.text)
    (tmp_path / "run.mjs").write_text(
        'const module = await import("./plugin.mjs");\n'
        'const error = "Error: connect ECONNREFUSED 5433";\nconst given = [];\n'
        f"{calls}\nconsole.log(JSON.stringify(given));\n"
    )

    done = subprocess.run(
        ["node", tmp_path / "run.mjs"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(("name", "calls"), [("opencode", OPENCODE), ("openclaw", OPENCLAW)])
def test_plugin_brings_what_is_known_of_an_error_once(name, calls, home_path, make_home, tmp_path):
    given = run_plugin(name, calls, home_path, make_home, tmp_path)
    assert ["pooler" in text for text in given] == [True, False]


def test_text_that_waited_when_the_context_was_lost_is_given_once(home_path, make_home, tmp_path):
    (given,) = run_plugin("openclaw", COMPACTED_OPENCLAW, home_path, make_home, tmp_path)
    assert given.count("pooler") == 1
