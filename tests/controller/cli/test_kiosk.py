"""The address that a kiosk opens. What it does with a browser is tested with the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli.kiosk import page_address
from controller.config.model import WebSection


def web(host: str, *, tls: bool = False) -> WebSection:
    file = Path("house.pem") if tls else None
    return WebSection(host=host, port=8021, certificate=file, key=file, insecure=not tls, framed_by=())


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8021/sign"),
        ("0.0.0.0", "http://127.0.0.1:8021/sign"),
        ("::", "http://[::1]:8021/sign"),
        ("::1", "http://[::1]:8021/sign"),
        ("10.42.21.1", "http://10.42.21.1:8021/sign"),
        ("table7.local", "http://table7.local:8021/sign"),
    ],
)
def test_a_page_is_opened_where_this_machine_reaches_it(host: str, address: str) -> None:
    assert page_address(web(host), "sign") == address


def test_a_house_with_a_certificate_is_asked_with_it() -> None:
    assert page_address(web("0.0.0.0", tls=True), "board") == "https://127.0.0.1:8021/board"


def test_a_language_goes_into_the_address() -> None:
    assert page_address(web("127.0.0.1"), "dealer", "es") == "http://127.0.0.1:8021/dealer?lang=es"
