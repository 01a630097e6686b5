"""The file with the table's own network: read whole or refused in words, in which no password ever stands."""

from __future__ import annotations

import contextlib
import errno
import os
from ipaddress import IPv4Interface
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from controller.hotspot import BadHotspot, Hotspot, parse_hotspot, read_hotspot

SECRET = "p4ssword-of-7"
GOOD = f"name=Croupier\npassword={SECRET}\naddress=10.42.21.1/24\n"
ADDRESS = IPv4Interface("10.42.21.1/24")


def written(path: Path, text: str = GOOD, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_it_is_read(tmp_path: Path) -> None:
    assert read_hotspot(written(tmp_path / "hotspot")) == Hotspot("Croupier", SECRET, ADDRESS)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("Harbour Hall 7", "x=y=z=x=y"),
        ("Großer Saal", "eight ch"),
        (" spaces ", "a" * 63),
        ("ü" * 16, "0123456789abcdefABCDEF" + "0" * 42),
        ('"; \\ , : =#[]', '"; \\ , : =#[]'),
    ],
)
def test_every_name_and_password_of_the_standard_is_taken(name: str, password: str) -> None:
    text = f"name={name}\npassword={password}\naddress=10.42.21.1/24\n"
    assert parse_hotspot(text.encode()) == Hotspot(name, password, ADDRESS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1 is not"),
        (SECRET, "line 1 is not"),
        (GOOD + SECRET, "line 4 is not"),
        (GOOD + f"{SECRET}=x", "line 4 is not"),
        (GOOD + "\n", "line 4 is not"),
        (GOOD.replace("name=", "ssid="), "line 1 is not"),
        (GOOD + f"password={SECRET}", "line 4 says password a second time"),
        ("name=Croupier\naddress=10.42.21.1/24", "no line password="),
        (f"password={SECRET}\naddress=10.42.21.1/24", "no line name="),
        (f"name=Croupier\npassword={SECRET}", "no line address="),
        (GOOD.replace("Croupier", ""), "1 to 32 bytes"),
        (GOOD.replace("Croupier", "ü" * 17), "1 to 32 bytes"),
        (GOOD.replace("Croupier", "Crou\tpier"), "can be seen"),
        (GOOD.replace("\n", "\r\n"), "can be seen"),
        (GOOD.replace(SECRET, SECRET[:7]), "8 to 63"),
        (GOOD.replace(SECRET, SECRET + "ü"), "8 to 63"),
        (GOOD.replace(SECRET, SECRET * 5), "8 to 63"),
        (GOOD.replace(SECRET, "z" * 64), "8 to 63"),
        (GOOD.replace("10.42.21.1/24", "here"), "the address is not one"),
        (GOOD.replace("10.42.21.1/24", SECRET), "the address is not one"),
        (GOOD + "x" * 5000, "more than 4096 bytes"),
    ],
)
def test_what_is_wrong_is_told_without_what_stands_there(text: str, words: str, tmp_path: Path) -> None:
    path = written(tmp_path / "hotspot", text)
    with pytest.raises(BadHotspot) as caught:
        read_hotspot(path)
    told = str(caught.value)
    assert words in told
    assert str(path) in told
    assert "sudo croupier-hotspot on" in told
    assert SECRET[:7] not in told
    assert caught.value.__cause__ is None


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "hotspot"
    path.write_bytes(GOOD.replace("Croupier", "Stra\xdfe").encode("latin-1"))
    path.chmod(0o600)
    with pytest.raises(BadHotspot, match="no UTF-8"):
        read_hotspot(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    for each in (raw, GOOD.encode() + raw, GOOD.encode().replace(b"Croupier", raw)):
        with contextlib.suppress(BadHotspot):
            parse_hotspot(each)


def test_where_there_is_no_file_there_is_no_network(tmp_path: Path) -> None:
    assert read_hotspot(tmp_path / "hotspot") is None
    assert read_hotspot(written(tmp_path / "file") / "hotspot") is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o601])
def test_a_file_that_others_may_read_is_refused(mode: int, tmp_path: Path) -> None:
    with pytest.raises(BadHotspot, match=rf"others may read .* \(mode 0{mode:o}\).*chmod 600"):
        read_hotspot(written(tmp_path / "hotspot", mode=mode))


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(0o700)
    for name in ("pipe", "folder"):
        with pytest.raises(BadHotspot, match="is no file"):
            read_hotspot(tmp_path / name)


def test_a_file_of_somebody_else_is_told(tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch("controller.hotspot.os.open", side_effect=PermissionError(errno.EACCES, "Permission denied"))
    with pytest.raises(BadHotspot, match="can't be read by this user: Permission denied"):
        read_hotspot(written(tmp_path / "hotspot"))


def test_a_name_that_the_system_has_no_file_for_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadHotspot, match="can't be read by this user"):
        read_hotspot(tmp_path / ("x" * 300))


@pytest.mark.parametrize(
    ("name", "password", "text"),
    [
        ("Croupier", "abcdefgh", "WIFI:T:WPA;S:Croupier;P:abcdefgh;;"),
        ("a;b", 'p:a,s\\s"w', 'WIFI:T:WPA;S:a\\;b;P:p\\:a\\,s\\\\s\\"w;;'),
        ("x;P:other;;", "\\;\\;\\;\\;", "WIFI:T:WPA;S:x\\;P\\:other\\;\\;;P:\\\\\\;\\\\\\;\\\\\\;\\\\\\;;;"),
        ("Großer Saal", "abc def=#", "WIFI:T:WPA;S:Großer Saal;P:abc def=#;;"),
    ],
)
def test_a_phone_reads_the_name_and_the_password_as_they_are(name: str, password: str, text: str) -> None:
    assert Hotspot(name, password, ADDRESS).joining == text


@given(st.text(min_size=1), st.text(min_size=8))
def test_no_name_and_no_password_gets_out_of_its_place(name: str, password: str) -> None:
    assert fields(Hotspot(name, password, ADDRESS).joining) == ["T:WPA", f"S:{name}", f"P:{password}", ""]


def fields(text: str) -> list[str]:
    """As a phone takes them apart: a backslash makes an ordinary character of the next one."""
    assert text.startswith("WIFI:")
    found, rest = [""], iter(text.removeprefix("WIFI:"))
    for each in rest:
        if each == "\\":
            found[-1] += next(rest)
        elif each == ";":
            found.append("")
        else:
            found[-1] += each
    assert found.pop() == ""
    return found


def test_it_can_be_printed_without_its_password() -> None:
    hotspot = Hotspot("Croupier", SECRET, ADDRESS)
    assert SECRET not in f"{hotspot} {hotspot!r} {[hotspot]}"
