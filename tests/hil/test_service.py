"""The verdict on the booted unit: what a probe did not say has failed. The guest itself is `make hil-service`."""

from __future__ import annotations

import pytest

from hil.kernel.program import NoProgram
from hil.service import disk, probe
from hil.service.__main__ import verdict

NAMES = [each.__name__ for each in probe.CHECKS]
ALL = [f"CHECK {name} passed" for name in NAMES]


def test_all_that_was_heard_to_pass_has_passed() -> None:
    assert verdict(["systemd said much", *ALL, "CHECKED"], late=False) == (
        f"service: passed: {len(NAMES)} checks under systemd in a guest"
    )


@pytest.mark.parametrize("place", range(len(NAMES)))
def test_a_check_that_was_not_heard_of_has_failed(place: int) -> None:
    said = verdict(ALL[:place] + ALL[place + 1 :], late=False)
    assert said == f"service: FAILED: 1 of {len(NAMES)}: {NAMES[place]} (not heard of: 1)"


def test_a_check_that_failed_is_named() -> None:
    said = verdict([*ALL[1:], f"CHECK {NAMES[0]} FAILED not within 120 s"], late=False)
    assert said == f"service: FAILED: 1 of {len(NAMES)}: {NAMES[0]}"


def test_a_guest_that_was_ended_says_so() -> None:
    assert verdict(ALL[:2], late=True).endswith("the guest was ended before it was done")


def test_whoever_is_not_root_is_told_why_nothing_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(NoProgram, match="SKIPPED"):
        disk.needed()
