"""Addresses of ports: what each means, that it is written back the same, and the usual mistakes in words."""

import pytest

from drivers.errors import BadSetting
from drivers.ports.addresses import (
    Address,
    AutoAddress,
    ById,
    ByPath,
    DevicePath,
    Rfc2217Address,
    SocketAddress,
    UsbAddress,
    parse_address,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/dev/ttyUSB0", DevicePath("/dev/ttyUSB0")),
        ("/tmp/a folder/pty", DevicePath("/tmp/a folder/pty")),
        ("by-id:usb-FTDI_FT232R_A1-if00-port0", ById("usb-FTDI_FT232R_A1-if00-port0")),
        ("by-path:pci-0000:00:14.0-usb-0:1:1.0", ByPath("pci-0000:00:14.0-usb-0:1:1.0")),
        ("usb:8765:1234", UsbAddress(0x8765, 0x1234)),
        ("usb:1209:ca4d:SN 0001", UsbAddress(0x1209, 0xCA4D, "SN 0001")),
        ("usb:1209:ca4d:a:b", UsbAddress(0x1209, 0xCA4D, "a:b")),
        ("socket://nport-3.floor:4001", SocketAddress("nport-3.floor", 4001)),
        ("socket://10.0.0.7:65535", SocketAddress("10.0.0.7", 65535)),
        ("socket://[fe80::1]:4001", SocketAddress("fe80::1", 4001)),
        ("rfc2217://shoe:2217", Rfc2217Address("shoe", 2217)),
        ("auto", AutoAddress()),
    ],
)
def test_an_address_means_one_thing_and_is_written_back_the_same(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert str(address) == text


@pytest.mark.parametrize(
    ("mistake", "meant"),
    [
        ("ttyUSB0", "/dev/ttyUSB0"),
        ("dev/ttyACM1", "/dev/ttyACM1"),
        (" /dev/ttyUSB0", "/dev/ttyUSB0"),
        ("auto ", "auto"),
        ("Auto", "auto"),
        ("USB:1209:ca4d", "usb:1209:ca4d"),
        ("usb:0x1209:0xCA4D:Ab", "usb:1209:ca4d:Ab"),
        ("usb:1209:ca4d:", "usb:1209:ca4d"),
        ("by_id:x", "by-id:x"),
        ("by-id:/dev/serial/by-id/x", "by-id:x"),
        ("tcp://moxa:4001", "socket://moxa:4001"),
        ("sokcet://moxa:4001", "socket://moxa:4001"),
        ("socket:moxa:4001", "socket://moxa:4001"),
        ("socket://moxa:4001/", "socket://moxa:4001"),
    ],
)
def test_a_near_miss_names_what_was_meant(mistake: str, meant: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_address(mistake)
    assert f"did you mean {meant!r}?" in str(caught.value)
    parse_address(meant)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("COM3", "Windows"),
        ("usb:1209", "four hexadecimal digits"),
        ("usb:12095:ca4d", "four hexadecimal digits"),
        ("socket://moxa:0", "1 to 65535"),
        ("socket://moxa:70000", "1 to 65535"),
        ("socket://moxa:99999999999999999999", "1 to 65535"),
        ("rfc2217://moxa:telnet", "1 to 65535"),
        ("socket://moxa", "no port number"),
        ("socket://[::1]", "no port number"),
        ("socket://::1:4001", "brackets"),
        ("socket://the moxa:4001", "names no host"),
        ("socket://:4001", "names no host"),
        ("by-id:", "names nothing"),
        ("foo://x:1", "no way to a port"),
        ("the shoe", "is no port"),
        ("", "empty"),
        ("   ", "empty"),
        ("/dev/tty\0USB0", "cannot be seen"),
        ("/dev/ttyUSB0\n", "cannot be seen"),
    ],
)
def test_what_can_never_be_a_port_is_refused_with_what_is_allowed(mistake: str, words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_address(mistake)
    assert words in str(caught.value)
    assert "socket://HOST:PORT" in str(caught.value)
