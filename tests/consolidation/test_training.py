"""The shipped weights are those that the training script makes."""

import json

import pytest

from crewmem.consolidation.training.fit import WEIGHTS, fit_all


def test_weights_of_lasting_statements_are_those_of_the_training_text():
    shipped = json.loads(WEIGHTS.read_text("utf-8"))
    for speaker, model in fit_all().items():
        assert model["bias"] == pytest.approx(shipped[speaker]["bias"], abs=0.01)
        stored, fitted = shipped[speaker]["weights"], model["weights"]
        for cue in stored.keys() | fitted.keys():  # very small ones are left out
            assert fitted.get(cue, 0.0) == pytest.approx(stored.get(cue, 0.0), abs=0.01), cue
