"""What the verbs that measure and tune recall answer with: a part of `answers`."""

from __future__ import annotations

from crewmem.cli.manual.answer import Field, Record, many, one

ANSWERS = {
    "eval run": one("run of a suite, with its cases"),
    "eval runs": many("run of a suite"),
    "eval show": one("run of a suite, with its cases"),
    "eval compare": one("runs, compared"),
    "eval capture": many("case, captured"),
    "eval gate": one("run of a suite, with its cases"),
    "tune run": one("tuned"),
    "tune history": many("tuned setting"),
    "tune rollback": one("tuned settings, taken back"),
}

CASES = (
    Field(
        "outcomes",
        "list of records: outcome of a case",
        "What came of each case.",
        ("outcome of a case",),
    ),
    Field(
        "incident",
        "text or null",
        "The file that tells a person that recall regressed; null for none.",
    ),
)

RECORDS = {
    "run of a suite": Record("crewmem.cli.evaluating.told:Told"),
    "run of a suite, with its cases": Record("crewmem.cli.evaluating.told:Told", CASES),
    "metric of a run": Record("crewmem.cli.evaluating.told:Measured"),
    "category of a run": Record("crewmem.cli.evaluating.told:Category"),
    "gate": Record("crewmem.evaluation.gates:Gate"),
    "outcome of a case": Record("crewmem.evaluation.outcome:Outcome"),
    "runs, compared": Record("crewmem.cli.eval.compare:Compared"),
    "difference of a metric": Record("crewmem.evaluation.comparing:Difference"),
    "case that changed": Record("crewmem.evaluation.comparing:Changed"),
    "case, captured": Record("crewmem.evaluation.capturing:Captured"),
    "tuned": Record("crewmem.cli.evaluating.tuned:Tuned"),
    "step of a setting": Record("crewmem.evaluation.candidates:Candidate"),
    "tuned setting": Record("crewmem.evaluation.snapshot:Snapshot"),
    "tuned settings, taken back": Record("crewmem.cli.tune.rollback:RolledBack"),
}
