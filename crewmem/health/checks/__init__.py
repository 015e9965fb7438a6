"""The checks of doctor, one module a category; `health.doctor` loads them by name."""
