"""Which ttys came with a USB device, on a made-up kernel tree laid out as a Pi's is."""

from pathlib import Path

import pytest

from drivers.ports.sysfs import UsbTty, ttys


class Tree:
    """A little of /sys and /dev."""

    def __init__(self, root: Path) -> None:
        self.sys, self.dev = root / "sys", root / "dev"
        (self.sys / "class/tty").mkdir(parents=True)
        self.dev.mkdir()

    def device(self, place: str, vid: str, pid: str, **texts: str) -> Path:
        folder = self.sys / "devices/platform/usb1" / place
        folder.mkdir(parents=True)
        for name, text in {"idVendor": vid, "idProduct": pid, **texts}.items():
            (folder / name).write_text(text + "\n")
        return folder

    def tty(self, name: str, device: Path, interface: int, *, usb_serial: bool) -> None:
        """A USB-serial adapter has one folder more than a CDC-ACM device."""
        folder = device / f"{device.name}:1.{interface}"
        folder.mkdir(exist_ok=True)
        (folder / "bInterfaceNumber").write_text(f"{interface:02x}\n")
        behind = folder / name if usb_serial else folder
        behind.mkdir(exist_ok=True)
        entry = behind / "tty" / name
        entry.mkdir(parents=True)
        (entry / "device").symlink_to(behind)
        (self.sys / "class/tty" / name).symlink_to(entry)

    def link(self, kind: str, name: str, tty: str) -> None:
        folder = self.dev / "serial" / kind
        folder.mkdir(parents=True, exist_ok=True)
        (self.dev / tty).touch()
        (folder / name).symlink_to(f"../../{tty}")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_an_adapter_is_found_with_all_its_names(tree: Tree) -> None:
    adapter = tree.device("1-1.2", "0403", "6001", serial="A9007", manufacturer="FTDI", product="FT232R USB UART")
    tree.tty("ttyUSB0", adapter, 0, usb_serial=True)
    tree.link("by-id", "usb-FTDI_FT232R_USB_UART_A9007-if00-port0", "ttyUSB0")
    tree.link("by-path", "platform-usb-0:1.2:1.0-port0", "ttyUSB0")
    assert ttys(tree.sys, tree.dev) == [
        UsbTty(
            name="ttyUSB0",
            vid=0x0403,
            pid=0x6001,
            serial="A9007",
            manufacturer="FTDI",
            product="FT232R USB UART",
            interface=0,
            usb_path="1-1.2",
            by_id="usb-FTDI_FT232R_USB_UART_A9007-if00-port0",
            by_path="platform-usb-0:1.2:1.0-port0",
        )
    ]


def test_a_device_without_texts_has_empty_ones(tree: Tree) -> None:
    tree.tty("ttyACM0", tree.device("1-1", "1209", "ca4d"), 2, usb_serial=False)
    (found,) = ttys(tree.sys, tree.dev)
    assert (found.serial, found.manufacturer, found.product, found.by_id, found.by_path) == ("", "", "", "", "")
    assert (found.interface, found.path) == (2, "/dev/ttyACM0")


def test_ten_comes_after_two(tree: Tree) -> None:
    adapter = tree.device("1-1", "0403", "6011")
    for number in (10, 2, 0):
        tree.tty(f"ttyUSB{number}", adapter, number, usb_serial=True)
    assert [tty.name for tty in ttys(tree.sys, tree.dev)] == ["ttyUSB0", "ttyUSB2", "ttyUSB10"]


def test_a_tty_that_is_no_usb_device_is_left_out(tree: Tree) -> None:
    (tree.sys / "class/tty/tty0").mkdir()
    uart = tree.sys / "devices/platform/serial8250"
    (uart / "tty/ttyS0").mkdir(parents=True)
    (uart / "tty/ttyS0/device").symlink_to(uart)
    (tree.sys / "class/tty/ttyS0").symlink_to(uart / "tty/ttyS0")
    assert ttys(tree.sys, tree.dev) == []


def test_a_tty_that_goes_while_we_look_is_left_out(tree: Tree) -> None:
    adapter = tree.device("1-1", "0403", "6001")
    tree.tty("ttyUSB0", adapter, 0, usb_serial=True)
    (adapter / "idProduct").write_text("")
    assert ttys(tree.sys, tree.dev) == []


def test_a_machine_without_sysfs_has_none(tmp_path: Path) -> None:
    assert ttys(tmp_path / "sys", tmp_path / "dev") == []


def test_this_machine_can_be_asked() -> None:
    assert isinstance(ttys(), list)
