from generate import find_generated, make_files


def test_manual_pages_schemas_and_completions_are_up_to_date():
    files = make_files()
    assert find_generated() == set(files), "run: python tests/generate.py"
    stale = [path.name for path, text in files.items() if path.read_text("utf-8") != text]
    assert stale == [], "run: python tests/generate.py"
