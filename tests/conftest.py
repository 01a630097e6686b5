"""Settings for every test; holds no fixture that only one folder needs."""

import os

import pytest
from hypothesis import settings

pytest_plugins = ("pytester",)  # for the tests of hil.plugin

# `ci` tries the same examples in every run, so that a red run is about the change under test. `explore` looks for new
# ones and prints what replays a failure (`make explore`); what it finds becomes an @example.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("explore", derandomize=False, print_blob=True, deadline=None, max_examples=1_000)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
settings.load_profile(PROFILE)


def pytest_report_header(config: pytest.Config) -> str:
    return f"hypothesis: profile {PROFILE}, {'the same examples each run' if PROFILE == 'ci' else 'fresh examples'}"
