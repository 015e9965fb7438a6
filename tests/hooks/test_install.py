"""Installing hooks: merged, refused whole, and taken back byte for byte."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from crewmem import __version__
from crewmem.errors import ConflictError, RefusedError
from crewmem.hooks.install import (
    apply_install,
    apply_remove,
    plan_install,
    plan_remove,
    show_install,
)
from crewmem.hooks.programs import PROGRAMS, HookCommands, InstallLocation
from crewmem.hooks.receipts import list_receipts
from crewmem.hooks.status import find_entries_home, list_entries
from crewmem.hooks.switches import find_switched_off

COMMANDS = HookCommands(
    ("/opt/crewmem/bin/crewmem", "--home", "/srv/my memory"), ("--agent", "ada")
)

STOP = b'{"hooks": [{"type": "command", "command": "say done"}]}'

CONFIGURATIONS = {
    "claude": (
        ".claude/settings.json",
        b'{\r\n\t// mine\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": [%s]\r\n\t},\r\n}\r\n'
        % STOP,
    ),
    "codex": (
        ".codex/config.toml",
        b"# mine\nmodel = 'o3' # fast\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\n"
        b"type = 'command'\ncommand = 'say done'\n".replace(b"\n", b"\r\n"),
    ),
    "gemini": (
        ".gemini/settings.json",
        b'{"mcpServers": {"other": {"command": "x"}}, "z": [1,  2]}',
    ),
    "opencode": (".config/opencode/opencode.jsonc", b'{\n  // comments\n  "theme": "x",\n}'),
    "openclaw": (".openclaw/openclaw.json", b'{"plugins": {"entries": {"p": {"enabled": true}}}}'),
}


@pytest.fixture
def place(tmp_path):
    (tmp_path / "user").mkdir()
    return InstallLocation(tmp_path / "user", None, {})


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "memory"


def list_hook_entries(memory, *, find_agents=lambda project: ["ada"], **options):
    return list_entries(memory, find_agents=find_agents, **options)


def install(name, place, memory, commands=COMMANDS):
    program = PROGRAMS[name]
    changes = plan_install(program, place, commands, memory)
    apply_install(program, place, changes, memory)
    return changes


def remove(name, place, memory):
    changes = plan_remove(PROGRAMS[name], place, COMMANDS, memory)
    apply_remove(PROGRAMS[name], place, changes, memory)
    return changes


def snapshot(directory):
    return {p: p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_installation_on_an_empty_machine_leaves_nothing_when_removed(name, place, memory):
    (place.user / "keep").write_text("x")
    before = snapshot(place.user)
    changes = install(name, place, memory)
    assert {change.action for change in changes} == {"create"}
    assert any("SKILL.md" in str(change.path) for change in changes)
    assert {c.action for c in install(name, place, memory)} == {"unchanged"}
    remove(name, place, memory)
    assert snapshot(place.user) == before
    assert [p.name for p in place.user.iterdir()] == ["keep"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_new_home_knows_of_entries_that_are_there_already(name, place, memory):
    install(name, place, memory)
    shutil.rmtree(memory / "hooks")
    changes = install(name, place, memory)
    assert {change.action for change in changes} == {"unchanged"}
    assert {each.path for each in list_receipts(memory)} == {str(c.path) for c in changes}


def test_skill_is_removed_though_its_home_is_gone(place, memory):
    install("claude", place, memory)
    shutil.rmtree(memory)
    plan = plan_remove(PROGRAMS["claude"], place, COMMANDS._replace(options=()), memory)
    apply_remove(PROGRAMS["claude"], place, plan, memory)
    assert not list(place.user.rglob("SKILL.md"))
    assert b"crewmem" not in b"".join(snapshot(place.user).values())


@pytest.mark.parametrize("name", PROGRAMS)
def test_configuration_of_others_is_merged_and_restored(name, place, memory):
    relative, content = CONFIGURATIONS[name]
    path = place.user / relative
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    install(name, place, memory)
    merged = path.read_bytes()
    assert merged != content
    for line in content.splitlines() if b"\n" in content else ():
        if line.strip() not in (b"{", b"}", b"},"):
            assert line.strip().rstrip(b"}]") in merged
    assert (b"\r\n" in content) == (b"\r\n" in merged)
    assert merged.count(b"\n") == merged.count(b"\r\n") or b"\r\n" not in content
    assert {c.action for c in install(name, place, memory)} == {"unchanged"}
    remove(name, place, memory)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["claude", "gemini", "opencode", "openclaw"])
def test_empty_objects_and_lists_are_filled_and_restored(name, place, memory):
    content = (
        b'{"hooks": {\n // none yet\n}, "mcpServers": {}, "mcp": {"servers": {}},'
        b' "plugins": {"entries": {}}}'
    )
    path = place.user / CONFIGURATIONS[name][0]
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    install(name, place, memory)
    assert b"crewmem" in path.read_bytes()
    assert {c.action for c in install(name, place, memory)} == {"unchanged"}
    remove(name, place, memory)
    assert path.read_bytes() == content


OWN_SERVERS = {
    "claude": (".claude.json", b'{"mcpServers": {"crewmem": {"command": "mine", "args": []}}}'),
    "codex": (".codex/config.toml", b"[mcp_servers.crewmem]\ncommand = 'mine' # as I like it\n"),
    "gemini": (".gemini/settings.json", b'{"mcpServers": {"crewmem": {"command": "mine"}}}'),
    "opencode": (".config/opencode/opencode.jsonc", b'{"mcp": {"crewmem": {"type": "local"}}}'),
    "openclaw": (".openclaw/openclaw.json", b'{"mcp": {"servers": {"crewmem": {"url": "x"}}}}'),
}


@pytest.mark.parametrize("name", OWN_SERVERS)
def test_own_server_of_our_name_comes_back_when_removed(name, place, memory):
    relative, content = OWN_SERVERS[name]
    path = place.user / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    install(name, place, memory)
    assert b"/opt/crewmem/bin/crewmem" in path.read_bytes()
    install(name, place, memory, COMMANDS._replace(options=("--agent", "bob")))
    remove(name, place, memory)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_removing_keeps_what_was_changed_meanwhile(name, place, memory):
    relative, content = CONFIGURATIONS[name]
    path = place.user / relative
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    install(name, place, memory)
    if name == "codex":
        path.write_bytes(path.read_bytes() + b'\r\n[projects."/x"]\r\ntrust_level = "trusted"\r\n')
        remove(name, place, memory)
        values = tomllib.loads(path.read_text())
        assert values["projects"]["/x"]["trust_level"] == "trusted"
        assert values["hooks"] == tomllib.loads(content.decode())["hooks"]
    else:
        path.write_bytes(path.read_bytes().replace(b"{", b'{"added": 1, ', 1))
        remove(name, place, memory)
        assert b'"added": 1' in path.read_bytes()
        assert tuple(map(path.read_bytes().count, (b"say done", b"mcpServers"))) != (0, 0)
    assert b"crewmem" not in path.read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"{'a' 1}",
        b"[1]",
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b"\xff",
        b'{"a":1,"a":2}',
    ],
)
def test_configuration_that_cannot_be_merged_is_refused_whole(content, place, memory):
    path = place.user / ".claude/settings.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    before = snapshot(place.user)
    with pytest.raises(RefusedError, match=r"settings\.json"):
        install("claude", place, memory)
    assert snapshot(place.user) == before


def test_hint_of_a_refused_configuration_names_its_project(place, memory, tmp_path):
    project = tmp_path / "shop"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude/settings.json").write_text("{")
    with pytest.raises(RefusedError) as error:
        install("claude", place._replace(project=project), memory)
    assert error.value.command == f"hooks install claude --project {project} --print"


@pytest.mark.parametrize("name", PROGRAMS)
def test_read_only_configuration_is_refused_before_anything_is_written(name, place, memory):
    path = place.user / CONFIGURATIONS[name][0]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    path.chmod(0o444)
    before = snapshot(place.user)
    with pytest.raises(RefusedError, match=f"{path.name}.* nothing was written: it is marked read"):
        install(name, place, memory)
    assert snapshot(place.user) == before
    assert {c.path for c in show_install(PROGRAMS[name], place, COMMANDS)} > {path}


@pytest.mark.parametrize("content", ["", " \n", "\ufeff", "\ufeff{}", "{a: 'b', /* c */}\n"])
def test_configuration_of_openclaw_may_be_empty_or_json5(content, place, memory):
    path = place.user / ".openclaw/openclaw.json"
    path.parent.mkdir()
    path.write_text(content)
    install("openclaw", place, memory)
    assert "allowPromptInjection" in path.read_text()
    assert {c.action for c in install("openclaw", place, memory)} == {"unchanged"}
    remove("openclaw", place, memory)
    assert path.read_text() == content


def test_hooks_of_codex_stay_in_their_file_when_a_person_adds_some_to_the_other(place, memory):
    install("codex", place, memory)
    config = place.user / ".codex/config.toml"
    config.write_bytes(CONFIGURATIONS["codex"][1] + config.read_bytes())
    assert {each.action for each in install("codex", place, memory)} == {"unchanged"}
    assert "hook codex" not in config.read_text()


def test_each_update_of_toml_adds_the_same_lines(place, memory):
    config = place.user / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text("hooks = 3")
    sizes = set()
    for name in ("ada", "bob", "eve"):
        install("codex", place, memory, COMMANDS._replace(options=("--agent", name)))
        config.write_text(f"# {name}\n{config.read_text()}")  # so that nothing is put back whole
        sizes.add(len(config.read_text()) - config.read_text().count("#") * 6)
    assert len(sizes) == 1


def test_removing_forgets_a_configuration_that_is_gone(place, memory):
    install("claude", place, memory)
    (place.user / ".claude/settings.json").unlink()
    (gone, *_) = list_hook_entries(memory, user=place.user, variables={}, agents={"ada": True})
    assert (gone.problem, "hooks install claude" in gone.hint) == ("the file is gone", True)
    remove("claude", place, memory)
    assert list_hook_entries(memory, user=place.user, variables={}, agents={"ada": True}) == []
    assert not (place.user / ".claude").exists()


def test_comments_behind_our_tables_of_toml_stay(place, memory):
    config = place.user / ".codex/config.toml"
    config.parent.mkdir(parents=True)
    own = "[hooks]\n[[hooks.Stop]]\nhooks = [{type = 'command', command = 'say done'}]\n"
    config.write_text(own)
    install("codex", place, memory)
    more = "# what else there is\n\n[mcp_servers.other]\ncommand = 'x'\n# end\n"
    config.write_text(f"{config.read_text()}\n{more}")
    remove("codex", place, memory)
    assert config.read_text() == f"{own}\n{more}"


def test_hooks_stay_in_the_file_of_codex_that_has_them(place, memory):
    config, other = place.user / ".codex/config.toml", place.user / ".codex/hooks.json"
    config.parent.mkdir(parents=True)
    config.write_text("[[hooks.Stop]]\nhooks = [{type = 'command', command = 'say done'}]\n")
    install("codex", place, memory)
    other.write_text("{}\n")
    assert {change.action for change in install("codex", place, memory)} == {"unchanged"}
    assert other.read_text() == "{}\n"


def test_broken_toml_is_refused_whole(place, memory):
    path = place.user / ".codex/config.toml"
    path.parent.mkdir(parents=True)
    for content in ("a = ", "mcp_servers = {a = {}}\n", "mcp_servers = 3\n"):
        path.write_text(content)
        with pytest.raises(RefusedError, match=r"config\.toml"):
            install("codex", place, memory)
        assert path.read_text() == content
    assert not (place.user / ".agents").exists()


def test_another_agent_replaces_the_entries(place, memory):
    install("claude", place, memory)
    install("claude", place, memory, COMMANDS._replace(options=("--agent", "bob")))
    text = (place.user / ".claude/settings.json").read_text()
    assert "--agent bob" in text
    assert "--agent ada" not in text
    remove("claude", place, memory)
    assert not (place.user / ".claude").exists()


def test_skill_names_commands_of_the_home(place):
    commands = HookCommands(("/opt/bin/crewmem", "--home", "/srv/our memory"), ())
    (skill,) = [
        target for target in PROGRAMS["claude"].find_targets(place, commands) if target.text
    ]
    examples = re.findall(r"`(crewmem [^`]*)`", skill.text)
    assert len(examples) == 6
    assert all(each.startswith("crewmem --home '/srv/our memory' ") for each in examples)


@pytest.mark.parametrize("option", ["--agent", "--fallback"])
def test_skill_names_commands_of_the_agent(option, home_path, tmp_path):
    commands = HookCommands(("crewmem", "--home", str(home_path)), (option, "ada"))
    place = InstallLocation(tmp_path, None, {})
    (skill,) = [t for t in PROGRAMS["claude"].find_targets(place, commands) if t.text]
    (note,) = re.findall(r"`crewmem ([^`]* note [^`]*)`", skill.text)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CLAUDECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "crewmem", *shlex.split(note)],
        capture_output=True, text=True, env=environ, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(home_path.rglob("agents/ada/.memory/daily/*.md"))


def test_configuration_that_changed_since_the_plan_is_not_overwritten(place, memory):
    state = place.user / ".claude.json"
    state.write_text('{"numStartups": 1}')
    program = PROGRAMS["claude"]
    changes = plan_install(program, place, COMMANDS, memory)
    state.write_text('{"numStartups": 2}')
    with pytest.raises(ConflictError, match="has just changed"):
        apply_install(program, place, changes, memory)
    assert state.read_text() == '{"numStartups": 2}'
    assert not (place.user / ".claude").exists()
    install("claude", place, memory)
    changes = plan_remove(program, place, COMMANDS, memory)
    state.write_text(state.read_text().replace("2", "3"))
    with pytest.raises(ConflictError):
        apply_remove(program, place, changes, memory)
    remove("claude", place, memory)
    assert state.read_text() == '{"numStartups": 3}'


def test_skill_of_another_home_is_replaced_with_its_entries(place, memory, tmp_path):
    install("claude", place, memory)
    shutil.rmtree(memory / "hooks")
    commands = HookCommands(("/opt/crewmem", "--home", "/srv/new home"), ("--agent", "ada"))
    changes = plan_install(PROGRAMS["claude"], place, commands, tmp_path / "new")
    assert {change.action for change in changes} == {"update"}


def test_skill_that_a_person_changed_is_kept(place, memory):
    install("claude", place, memory)
    skill = place.user / ".claude/skills/crewmem/SKILL.md"
    skill.write_text("mine")
    actions = {c.path: c.action for c in install("claude", place, memory)}
    assert actions[skill] == "keep"
    remove("claude", place, memory)
    assert skill.read_text() == "mine"
    assert list_hook_entries(memory, user=place.user, variables={}, agents={"ada": True}) == []


def test_linked_configuration_is_written_where_it_is(place, memory, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles/settings.json").write_text("{}\n")
    (place.user / ".claude").mkdir()
    link = place.user / ".claude/settings.json"
    link.symlink_to(tmp_path / "dotfiles/settings.json")
    install("claude", place, memory)
    assert link.is_symlink()
    assert "SessionStart" in json.loads(link.read_text())["hooks"]
    remove("claude", place, memory)
    assert (tmp_path / "dotfiles/settings.json").read_text() == "{}\n"


PROGRAM = f"""#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in
  *--version) echo crewmem {__version__} ;;
  *) sleep "$DELAY"; echo '{{"result": {{}}}}' ;;
esac
"""


def test_status_names_what_is_wrong_with_an_entry(place, memory, tmp_path):
    calls = tmp_path / "calls"

    def states(agent="ada", delay="0", limit=60.0):
        environ = {"PATH": os.environ["PATH"], "CALLS": str(calls), "DELAY": delay}
        entries = list_hook_entries(
            memory,
            user=place.user,
            variables=environ,
            limit=limit,
            agents={agent: True},
        )
        return {each.entry: each.problem for each in entries}

    program = tmp_path / "crewmem"
    install("claude", place, memory, COMMANDS._replace(words=(str(program),)))
    assert "does not exist or is not executable" in states()["Stop"]
    program.write_text(PROGRAM)
    program.chmod(0o755)
    assert set(states().values()) == {""}
    assert len(calls.read_text().splitlines()) == 4  # two commands, each with its version
    assert states(agent="bob")["mcp"] == "there is no agent 'ada'"
    moved = tmp_path / "moved"
    install("claude", place, memory, COMMANDS._replace(words=(str(program), "--home", str(moved))))
    assert states()["Stop"] == f"it uses the home {moved}"
    install("claude", place, memory, COMMANDS._replace(words=(str(program),)))
    assert "more than" in states(delay="0.2", limit=0.1)["PreToolUse"]
    (place.user / ".claude/settings.json").write_text("{}")
    (place.user / ".claude/skills/crewmem/SKILL.md").unlink()
    assert states()["Stop"] == "the entry is missing"
    assert states()["file"] == "the file is gone"


@pytest.mark.parametrize(
    ("name", "file", "text", "setting", "entry"),
    [
        ("claude", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks", "Stop"),
        (
            "claude",
            "project/.claude/settings.local.json",
            '{"disableAllHooks": true}',
            "disableAllHooks",
            "Stop",
        ),
        (
            "claude",
            "project/.claude/settings.local.json",
            '{"disabledMcpjsonServers": ["crewmem"]}',
            "disabledMcpjsonServers",
            "mcp",
        ),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks", "Stop"),
        (
            "gemini",
            ".gemini/settings.json",
            '{"hooksConfig": {"enabled": false}}',
            "hooksConfig.enabled",
            "AfterAgent",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            '{"hooksConfig": {"disabled": ["crewmem"]}}',
            "hooksConfig.disabled",
            "AfterAgent",
        ),
        (
            "openclaw",
            ".openclaw/openclaw.json",
            '{"plugins": {"allow": ["voice-call"]}}',
            "plugins.allow",
            "plugin",
        ),
    ],
)
def test_status_says_that_an_entry_is_switched_off(
    name, file, text, setting, entry, place, memory, tmp_path
):
    if file.startswith("project/"):
        place = place._replace(project=place.user / "project")
    path = place.user / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    program = tmp_path / "crewmem"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    install(name, place, memory, COMMANDS._replace(words=(str(program),)))
    environ = {"PATH": os.environ["PATH"], "CALLS": str(tmp_path / "calls"), "DELAY": "0"}
    entries = list_hook_entries(memory, user=place.user, variables=environ, agents={"ada": True})
    problems = {each.entry: (each.problem, each.hint) for each in entries}
    assert problems[entry] == (f"switched off by {setting}", "")
    assert problems["file"] == ("", "")
    if entry != "mcp":
        assert problems["mcp"] == ("", "")


def test_status_names_an_entry_for_which_no_agent_gets_an_answer(place, memory):
    project = place.user / "project"
    project.mkdir()
    anyone = COMMANDS._replace(options=())
    install("claude", place._replace(project=project), memory, anyone)

    def find_problem(agents, working):
        entries = list_hook_entries(
            memory, user=place.user, variables={}, agents=agents, find_agents=lambda _: working
        )
        return next(each for each in entries if each.entry == "Stop")

    entry = find_problem({"ada": True}, [])
    assert entry.problem == f"not exactly one agent works in {project}"
    assert f"hooks install claude --project {project}" in entry.hint
    entry = find_problem({"ada": False}, ["ada"])
    assert (entry.problem, entry.hint) == ("switched off for agent ada, whose memory is off", "")
    assert "is not executable" in find_problem({"ada": True}, ["ada"]).problem


def test_setting_of_the_project_counts_before_that_of_the_user(place, memory):
    for folder, value in ((".claude", "true"), ("project/.claude", "false")):
        (place.user / folder).mkdir(parents=True)
        (place.user / folder / "settings.json").write_text(f'{{"disableAllHooks": {value}}}')
    project = place._replace(project=place.user / "project")
    assert find_switched_off(PROGRAMS["claude"], place) == {"hooks": "disableAllHooks"}
    assert find_switched_off(PROGRAMS["claude"], project) == {}


def test_status_names_a_plugin_that_is_missing_in_the_configuration(place, memory):
    install("openclaw", place, memory)
    path = place.user / ".openclaw/openclaw.json"
    values = json.loads(path.read_text())
    del values["plugins"]["entries"]["crewmem"]
    path.write_text(json.dumps(values))
    entries = list_hook_entries(memory, user=place.user, variables={}, agents={"ada": True})
    assert {each.entry: each.problem for each in entries}["plugin"] == "the entry is missing"


def test_status_tries_the_entries_of_a_project_in_it(place, memory, tmp_path):
    project, calls = tmp_path / "project", tmp_path / "calls"
    project.mkdir()
    program = tmp_path / "crewmem"
    program.write_text(PROGRAM.replace("$@", "$PWD"))
    program.chmod(0o755)
    commands = COMMANDS._replace(words=(str(program),))
    install("claude", place._replace(project=project), memory, commands)

    environ = {"PATH": os.environ["PATH"], "CALLS": str(calls), "DELAY": "0"}
    entries = list_hook_entries(memory, user=place.user, variables=environ, agents={"ada": True})
    assert {each.problem for each in entries} == {""}
    assert set(calls.read_text().splitlines()) == {str(project)}


def test_command_with_an_open_quote_is_found_and_replaced(place, memory):
    install("claude", place, memory, COMMANDS._replace(words=("/opt/crewmem", "--home", "/srv/m")))
    path = place.user / ".claude/settings.json"
    path.write_text(path.read_text().replace("/opt/crewmem", "/opt/'crewmem"))
    assert find_entries_home(PROGRAMS["claude"], place) == Path("/srv/m")
    entries = list_hook_entries(memory, user=place.user, variables={}, agents={"ada": True})
    assert "/opt/'crewmem does not exist" in {e.entry: e.problem for e in entries}["Stop"]


def test_status_names_a_damaged_configuration(place, memory):
    install("codex", place, memory)
    (place.user / ".codex/config.toml").write_text("a = = 1\n")
    entries = list_hook_entries(memory, user=place.user, variables={}, agents={"ada": True})
    assert any("unreadable: Invalid value" in each.problem for each in entries)
