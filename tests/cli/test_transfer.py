"""The commands `export` and `import`, and `init --sample`, in process."""


def test_import_prints_a_plan_and_writes_with_apply(crewmem, tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Plan.md").write_text("The quay opens at six.\n")
    (tmp_path / "vault" / "a.png").write_bytes(b"\0")
    words = ("import", "--from", str(tmp_path / "vault"), "--agent", "winch")

    plan = crewmem(*words)

    assert "create agent:harbor/winch/topics/Plan.md (23 bytes) <- Plan.md" in plan
    assert "a.png: it is not markdown" in plan
    assert "Nothing was written." in plan
    crewmem("memory", "read", "agent:harbor/winch/topics/Plan.md", status=4)
    assert crewmem.json(*words, "--apply")["applied"]
    assert "quay" in crewmem("memory", "read", "agent:harbor/winch/topics/Plan.md")
    crewmem(*words, "--apply", "--strict", status=1)


def test_import_without_target_or_of_nothing_is_refused(crewmem, tmp_path):
    (tmp_path / "a.md").write_text("x\n")

    crewmem("import", "--from", str(tmp_path / "a.md"), status=2)
    crewmem("import", "--from", str(tmp_path / "missing"), "--agent", "winch", status=4)
    crewmem("--as", "agent:winch", "import", "--from", str(tmp_path / "a.md"), status=8)


def test_plan_names_the_facts_that_the_import_leaves_out(crewmem, tmp_path):
    path = tmp_path / "facts.jsonl"
    path.write_text(
        '{"content": "The depot has two gates"}\n{"content": "x", "kind": "nonsense"}\n'
    )
    plan = crewmem("import", "--from", path)
    assert "facts.jsonl:2: 'nonsense' is not a kind" in plan
    assert "1 fact to add, 0 to change, 0 already there." in plan
    assert crewmem("fact", "list") == "No facts.\n"
    assert "1 fact added, 0 changed, 0 already there." in crewmem(
        "import", "--from", path, "--apply"
    )


def test_facts_come_from_standard_input(crewmem):
    crewmem("import", "--from", "-", "--apply", stdin=b'{"content": "Tea at four"}\n')

    assert "Tea at four" in crewmem("fact", "list")


def test_archive_comes_from_standard_input(crewmem, tmp_path):
    crewmem("remember", "Tea at four")
    crewmem("export", "--out", tmp_path / "b.tar.gz")
    data = (tmp_path / "b.tar.gz").read_bytes()

    assert crewmem.json("import", "--from", "-", stdin=data)["facts"]["records"] == 1
    crewmem("import", "--from", "-", stdin=data[:100], status=5)
    assert "stdin.tar.gz is a damaged archive" in crewmem.err


def test_export_prints_what_it_wrote(crewmem, tmp_path):
    crewmem("remember", "Tea at four")

    text = crewmem("export", "--out", str(tmp_path / "b.tar.gz"))

    assert "1 fact," in text
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o777 == 0o600


def test_export_to_standard_output_is_refused(crewmem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    crewmem("export", "--out", "-", status=2)
    assert f"hint: crewmem --home {crewmem.home} export --out FILE.tar.gz" in crewmem.err
    assert not (tmp_path / "-").exists()


def test_init_installs_the_sample(crewmem, tmp_path):
    crewmem.home = tmp_path / "sample"

    data = crewmem.json("init", "--sample")

    assert data["sample"]["files"] > 50
    assert "deploy key" in crewmem("search", "where is the deploy key")
    assert "winch" in crewmem("agent", "list")


def test_import_says_which_text_is_split_into_how_many_parts(crewmem, tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "short.md").write_text("Brief.\n")
    (vault / "long.md").write_text(
        "".join(f"# Part {i}\n\n" + "A line.\n" * 30 for i in range(110))
    )
    for apply in ([], ["--apply"]):
        out = crewmem("import", "--from", str(vault), "--agent", "winch", *apply)
        assert "long.md is too long for one file: split into 2 parts" in out
        assert "short.md is too long" not in out


def test_strict_import_fails_for_what_is_left_out_but_not_for_a_redacted_secret(crewmem, tmp_path):
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "ci.md"
    note.write_text("The key of CI is AKIAIOSFODNN7EXAMPL2.\n")
    words = ("import", "--from", tmp_path / "notes", "--agent", "winch", "--strict")
    assert "a secret is redacted" in crewmem(*words)
    (tmp_path / "notes" / "empty.md").write_text("")
    assert "it is empty" in crewmem(*words, status=1)
