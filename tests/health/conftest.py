"""A home on which commands run in this process, and the checks of doctor."""

import gc
import io
import json
import os
import shlex
import shutil

import pytest

from crewmem.cli.main import run
from crewmem.home import create_home
from crewmem.home import open as open_home


class Place:
    """A home with a crew, its agents ada and bob, and what doctor says of it."""

    def __init__(self, path, capsysbinary, monkeypatch):
        self.path, self._capture, self._monkeypatch = path, capsysbinary, monkeypatch

    def run(self, *words, stdin=b"", home=True):
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capture.readouterr()
        gc.collect()  # closes the databases of the command before, as its process would
        status = run([*(("--home", str(self.path)) if home else ()), *words])
        out, err = self._capture.readouterr()
        return status, out.decode(), err.decode()

    def ok(self, *words, **options):
        status, out, err = self.run(*words, **options)
        assert status == 0, err
        return out

    def open(self, **options):
        options.setdefault("settings", {"timezone": "UTC"})
        return open_home(self.path, **options)

    def check(self, id_, *words):
        """Return the findings of one check."""
        _, out, err = self.run("doctor", "--only", id_, "--json", *words)
        assert out, err
        return json.loads(out)["data"]["findings"]

    def is_sound(self, id_):
        return all(each["status"] == "pass" for each in self.check(id_))

    def find(self, id_, status="warn"):
        """Return the finding of a check that found something; all of them name it."""
        wrong = [each for each in self.check(id_) if each["status"] in ("warn", "fail")]
        assert wrong, f"{id_} found nothing"
        assert {each["id"] for each in wrong} == {id_}
        assert wrong[0]["status"] == status
        return wrong[0]

    def repair(self, finding):
        """Run the command that a finding prints, as it is printed."""
        for command in finding["fix"].split(" && "):
            words = shlex.split(command)
            assert words[0] == "crewmem", finding
            status, _, err = self.run(*words[1:], home=False)
            assert status in (0, 1), err
            assert "bug" not in err

    def heals(self, id_, status="warn"):
        """Check that the printed command repairs what the check found."""
        finding = self.find(id_, status)
        self.repair(finding)
        assert self.is_sound(id_), self.check(id_)
        return finding

    @property
    def crew(self):
        return self.path / "workspaces/default/crews/web/shared/.memory"

    def put(self, file, text, *, mode="w"):
        """Write a file of the crew as somebody outside crewmem does."""
        path = self.crew / file
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(0o600)
        return path

    def execute(self, sql, *params, file="crewmem.db"):
        """Change a database behind crewmem's back."""
        import apsw

        connection = apsw.Connection(str(self.path / file))
        rows = connection.execute(sql, params).fetchall()
        connection.close()
        return rows


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A home to copy: making one takes longer than most tests."""
    path = tmp_path_factory.mktemp("template") / "home"
    create_home(path)
    with open_home(path) as home:
        home.registry.add_crew("web", lead="ada")
        home.registry.add_agent("ada", crew="web")
    return path


@pytest.fixture
def place(template, tmp_path, capsysbinary, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "CREWMEM_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    monkeypatch.setenv("CREWMEM_TIMEZONE", "UTC")
    monkeypatch.chdir(tmp_path)
    found = Place(tmp_path / "home", capsysbinary, monkeypatch)
    shutil.copytree(template, found.path)
    found.crew.mkdir(parents=True, exist_ok=True, mode=0o700)
    gc.collect()
    gc.freeze()  # so that collecting looks only at what the test makes
    return found


@pytest.fixture
def embedding(place, monkeypatch):
    """The home with the model that runs in process."""
    monkeypatch.setenv("CREWMEM_EMBEDDER", "auto")
    return place
