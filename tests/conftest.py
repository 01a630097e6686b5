"""Settings for every test; holds no fixture that only one folder needs."""

import os

import pytest
from hypothesis import settings

# Said in full, because Hypothesis has a profile `ci` of its own that takes over where $CI is set and would
# replay the same examples for ever. Ours looks for new ones, and prints what replays a failure.
settings.register_profile("ci", derandomize=False, print_blob=True, deadline=None, max_examples=100)
settings.register_profile("thorough", settings.get_profile("ci"), max_examples=5_000)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
settings.load_profile(PROFILE)


def pytest_report_header(config: pytest.Config) -> str:
    seed = config.getoption("--hypothesis-seed", default=None)
    return f"hypothesis: profile {PROFILE}, seed {'fresh for each test' if seed is None else seed}"
