"""The settings that recall is tuned by, and what it is measured against.

They are declared apart, for `Settings` is long; there is no other reason.
"""

from __future__ import annotations

from crewmem.settings.kinds import Flag, Number, Text, Whole
from crewmem.settings.shapes import is_path, when


class Measured:
    """Settings of `Settings`."""

    __slots__ = ()

    recall_max_results = Whole(5, "Most results of a recall.", least=1, most=100)
    recall_max_chars = Whole(
        8_000,
        "Most characters of what a recall lays before a model; of tokens, 2,000.",
        least=100,
        most=1_000_000,
    )
    recall_words_weight = Number(
        1.1,
        "How much words count against meaning, where events and memories are recalled.",
        least=0,
        most=5,
    )
    recall_prior_weight = Number(
        0.2,
        "How much the weight of events and memories counts, where they are recalled.",
        least=0,
        most=1,
    )
    eval_suite = Text(
        "",
        "Suite that recall is measured with; empty is eval/suite.jsonl of the home.",
        check=lambda text: text == "sample" or is_path(text),
        wanted="an absolute path, or sample",
        table="eval",
    )
    eval_enabled = Flag(
        True, "Whether timers measure recall, where there is a suite.", table="eval"
    )
    eval_max_false_injection = Number(
        0.02,
        "Most of the questions without an answer that may get one.",
        least=0,
        most=1,
        table="eval",
    )
    eval_min_precision = Number(
        0.80,
        "Least part of what is laid before a model that answers.",
        least=0,
        most=1,
        table="eval",
    )
    eval_min_recovery = Number(
        0.95,
        "Least part of recoveries that give back what they should.",
        least=0,
        most=1,
        table="eval",
    )
    eval_max_p95_ms = Number(
        500.0,
        "Most milliseconds that 95 of 100 recalls take.",
        least=1,
        most=600_000,
        table="eval",
    )
    eval_max_tokens = Number(
        2_000.0,
        "Most tokens of what is laid before a model, in the mean.",
        least=1,
        most=1_000_000,
        table="eval",
    )
    tune_enabled = Flag(
        True,
        "Whether timers tune recall, where there is a suite and its gates hold.",
        table="tune",
    )
    timers_eval = when("04:00", "measure recall, where there is a suite")
    timers_tune = when("04:30", "tune recall, once it passed its gates")
