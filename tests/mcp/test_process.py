"""The server as a process: with the official client, and several on one home."""

import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

COMMAND = [sys.executable, "-m", "crewmem"]


def start(home_path, *options):
    return subprocess.Popen(
        [*COMMAND, "--home", str(home_path), "mcp", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def exchange(server, method, **params):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


@pytest.mark.parametrize("is_modern", [False, True])
def test_official_client_lists_and_calls_every_tool(home_path, is_modern):
    # Loading it takes longer than collecting all other tests of a directory.
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "--home", str(home_path), "mcp", "--agent", "ada"],
        env=dict(os.environ),
    )
    calls = {
        "remember": {"text": "Deploys happen on Tuesdays", "kind": "decision"},
        "recall": {"query": "when do deploys happen?"},
        "note": {"text": "shipped the client"},
        "search_sessions": {"query": "deploys"},
    }

    async def run():
        async with (
            stdio_client(parameters) as (reader, writer),
            ClientSession(reader, writer) as client,
        ):
            if is_modern:
                await client.discover()
            else:
                await client.initialize()
            tools = await client.list_tools()
            assert {tool.name for tool in tools.tools} == {*calls, "read"}
            texts = {}
            for name, arguments in calls.items():
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result
                texts[name] = result.content[0].text
            identifier = texts["remember"].split()[-1].rstrip(".")
            shown = await client.call_tool("read", {"ref": identifier})
            assert "Tuesdays" in shown.content[0].text
            assert "Tuesdays" in texts["recall"]
            resources = (await client.list_resources()).resources
            content = await client.read_resource(resources[0].uri)
            assert "shipped the client" in content.contents[0].text
            prompts = (await client.list_prompts()).prompts
            found = await client.get_prompt(prompts[0].name)
            assert "Tuesdays" in found.messages[0].content.text

    # In a thread of its own: the browser of other tests leaves a loop in this one.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: asyncio.run(asyncio.wait_for(run(), 60))).result()


def test_hundred_calls_from_four_servers_lose_nothing(home_path, make_home):
    stack = contextlib.ExitStack()
    servers = [
        stack.enter_context(start(home_path, "--agent", slug))
        for slug in ("ada", "bob", "cleo", "ada")
    ]

    def work(number):
        server = servers[number]
        for at in range(25):
            name, key = ("note", "text") if at % 2 else ("remember", "text")
            text = f"server {number} says thing number {at} of {number * 100 + at}"
            answer = exchange(server, "tools/call", name=name, arguments={key: text})
            assert not answer["result"]["isError"], answer
        server.stdin.close()
        return server.wait(10)

    with stack, ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [0, 0, 0, 0]
    home = make_home()
    stored = {fact.content for fact in home.facts.list(limit=200).facts}
    notes = "".join(path.read_text() for path in home_path.rglob("daily/*.md"))
    for number in range(4):
        for at in range(25):
            text = f"server {number} says thing number {at} of {number * 100 + at}"
            assert text in (notes if at % 2 else stored)


def test_server_without_agent_ends_with_2_and_names_the_option(home_path, tmp_path):
    done = subprocess.run(
        [*COMMAND, "--home", str(home_path), "mcp"],
        cwd=tmp_path, input="", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "--agent" in done.stderr
    refused = subprocess.run(
        [*COMMAND, "--home", str(home_path), "--as", "operator:kim", "mcp"],
        input="", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 2


def test_server_sees_what_others_wrote_and_holds_no_lock(home_path, make_home):
    with start(home_path, "--agent", "ada") as server:
        assert "result" in exchange(server, "ping")
        make_home("agent:ada").facts.add("The vault is on port 8200")
        answer = exchange(server, "tools/call", name="recall", arguments={"query": "vault port"})
        assert "8200" in answer["result"]["content"][0]["text"]
        server.stdin.close()
        assert server.wait(10) == 0


def test_server_whose_home_is_gone_says_so(home_path):
    with start(home_path, "--agent", "ada") as server:
        assert "result" in exchange(server, "ping")
        home_path.rename(home_path.with_name("elsewhere"))
        answer = exchange(server, "tools/call", name="recall", arguments={"query": "vault port"})
        assert f"there is no home at {home_path}" in answer["result"]["content"][0]["text"]
        server.stdin.close()


def test_first_answer_is_cheap(home_path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    with start(home_path, "--agent", "ada") as server:
        assert "result" in exchange(server, "initialize", protocolVersion="2025-11-25")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds < 0.4, (seconds, time.monotonic() - started)  # 0.1 on an idle machine
