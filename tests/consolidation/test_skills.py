from crewmem.consolidation.skills import find_skills
from crewmem.security.scanner import Scanner
from crewmem.sessions.procedures import Procedure

STEPS = ("git pull --rebase", "make test", "make release VERSION=1.2", "git push --tags")


def procedure(session, steps=STEPS, statuses=None, **fields):
    goal = fields.pop("goal", "Release a new version")
    return Procedure(
        session,
        goal,
        steps=list(steps),
        turns=list(range(4, 4 + len(steps))),
        exit_statuses=list(statuses or (0,) * len(steps)),
        **fields,
    )


def test_procedure_of_three_sessions_is_one_candidate_with_evidence():
    found = find_skills(
        [
            procedure("s_1"),
            procedure("s_2", (*STEPS[:2], "make release VERSION=1.3", STEPS[3])),
            procedure("s_3", ("git status", *STEPS)),
        ],
        Scanner(),
    )
    (skill,) = found
    assert skill.text.startswith("---\nname: git-pull-make-test-release-push\n")
    assert "3. `make release …`" in skill.text
    assert "1. `git pull --rebase`" in skill.text
    assert "git status" not in skill.text
    assert [each.split(":")[0] for each in skill.evidence] == ["s_1", "s_2", "s_3"]


def test_two_sessions_or_a_failed_run_are_not_enough():
    assert not find_skills([procedure("s_1"), procedure("s_2")], Scanner())
    assert not find_skills([procedure("s_1"), procedure("s_2"), procedure("s_2")], Scanner())
    failed = procedure("s_3", statuses=(0, 1, 0, 0))
    assert not find_skills([procedure("s_1"), procedure("s_2"), failed], Scanner())


def test_procedures_that_begin_alike_stay_apart():
    runs = [procedure(f"s_{n}", (f"just run test -k a{n}", "just run lint")) for n in range(3)]

    (skill,) = find_skills(runs, Scanner())

    assert skill.name == "just-run-test-lint"
    assert "1. `just run test -k …`\n2. `just run lint`\n" in skill.text
