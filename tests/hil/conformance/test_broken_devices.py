"""Every deliberately broken device fails exactly the ids that it breaks, and those alone."""

from __future__ import annotations

import pytest

from hil.conformance.rules import RULES
from tests.hil.conformance.broken import ALL, Broken
from tests.hil.conformance.rig import failures, tried


@pytest.mark.parametrize("broken", ALL, ids=lambda broken: broken.end.__qualname__ and broken.name)
def test_it_fails_exactly_the_ids_that_it_breaks(broken: Broken) -> None:
    report = tried(broken.end(), broken.role, key=broken.key)
    assert set(failures(report)) == broken.fails, failures(report)
    assert not report.conforms


def test_at_least_one_device_breaks_each_rule_that_is_tried() -> None:
    broken = frozenset().union(*(each.fails for each in ALL))
    assert broken == {rule.id for rule in RULES.values() if rule.is_tried}
