"""An example: a shoe of a labgrid lab, dealt from and unplugged."""

import pytest


@pytest.fixture
def lab(target):
    driver = target.get_driver("CroupierShoeDriver")
    yield driver
    target.deactivate(driver)


def test_a_card(lab):
    lab.shoe.deal("8S")
    lab.shoe.expect_card("8S")
    assert lab.wire.heard


def test_a_cable_that_was_out(lab):
    with lab.power.out("shoe"):
        lab.shoe.await_lost()
    assert lab.shoe.await_ready().words
