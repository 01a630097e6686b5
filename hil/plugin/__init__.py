"""The pytest plugin for benches: `pytest -p hil.plugin --bench bench.toml`. Without a bench, devices are simulated.

docs/bench.md tells how a test is written. Nothing here is for the daemon.
"""

from hil.plugin.fixtures import bench, bench_game, clock, console, power, shoe, sign, table, wire
from hil.plugin.hooks import (
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_generate_tests,
    pytest_pyfunc_call,
    pytest_report_header,
    pytest_runtest_makereport,
    pytest_runtest_setup,
    pytest_terminal_summary,
)

__all__ = [
    "bench",
    "bench_game",
    "clock",
    "console",
    "power",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
    "pytest_pyfunc_call",
    "pytest_report_header",
    "pytest_runtest_makereport",
    "pytest_runtest_setup",
    "pytest_terminal_summary",
    "shoe",
    "sign",
    "table",
    "wire",
]
