"""Lets the contract's assertions say what differed."""

import pytest

pytest.register_assert_rewrite("tests.drivers.consoles.contract")
