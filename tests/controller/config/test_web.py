"""Where a table listens and writes: addresses, certificates, sockets, and nothing exposed by mistake."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from controller.config.model import WebSection
from tests.controller.config.conftest import Writer, keys, shown


@pytest.fixture
def pem(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate and its key, made for this test."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl on this machine to make a certificate with")
    certificate, key = tmp_path / "table.crt", tmp_path / "table.key"
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=table"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    key.chmod(0o600)
    return certificate, key


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.168.1.20", "[fe80::1]", "table7.local"])
def test_a_table_does_not_listen_beyond_its_machine_by_mistake(writer: Writer, host: str) -> None:
    problem = writer.problem(web=f'[web]\nlisten = "{host}:8021"\n')
    assert (problem.key, shown(problem)) == ("web.listen", f'"{host}:8021"')
    assert "insecure = true" in problem.message
    config = writer.good(web=f'[web]\nlisten = "{host}:8021"\ninsecure = true\n')
    assert config.web == WebSection(host=host.strip("[]"), port=8021, insecure=True)
    assert ["nothing is encrypted" in note.message for note in config.notes] == [True]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "[::1]", "localhost"])
def test_on_its_own_machine_it_may_listen(writer: Writer, host: str) -> None:
    assert writer.good(web=f'[web]\nlisten = "{host}:1"\n').notes == ()


@pytest.mark.parametrize(
    ("listen", "words"),
    [
        ("127.0.0.1", "no port number"),
        ("[::1]", "no port number"),
        ("127.0.0.1:0", "1 to 65535"),
        ("127.0.0.1:65536", "1 to 65535"),
        ("127.0.0.1:http", "1 to 65535"),
        (":8021", "no address"),
        ("::1:8021", "brackets"),
        ("[127.0.0.1]:80", "no IPv6 address"),
        ("127.0.0.256:80", "no IPv4 address"),
        ("http://localhost:80", "brackets"),
        ("a b:80", "no host's name"),
        ("", "no port number"),
    ],
)
def test_an_address_that_is_none_is_told_with_how_to_write_one(writer: Writer, listen: str, words: str) -> None:
    problem = writer.problem(web=f'[web]\nlisten = "{listen}"\n')
    assert words in problem.message
    assert '"127.0.0.1:8021"' in problem.message


def test_with_a_certificate_it_may_listen_everywhere(writer: Writer, pem: tuple[Path, Path]) -> None:
    certificate, key = pem
    config = writer.good(web='[web]\nlisten = "0.0.0.0:443"\ncertificate = "table.crt"\nkey = "table.key"\n')
    assert config.web == WebSection(host="0.0.0.0", port=443, certificate=certificate, key=key)
    assert config.notes == ()


def test_a_key_that_everybody_may_read_is_noted(writer: Writer, pem: tuple[Path, Path]) -> None:
    pem[1].chmod(0o644)
    notes = writer.good(web='[web]\ncertificate = "table.crt"\nkey = "table.key"\n').notes
    assert ["chmod 600" in note.message for note in notes] == [True]


def test_a_certificate_and_a_key_that_do_not_belong_together(writer: Writer, pem: tuple[Path, Path]) -> None:
    for spoil in (pem[1], pem[0]):
        good = spoil.read_bytes()
        spoil.write_text("no PEM at all\n")
        problem = writer.problem(web='[web]\ncertificate = "table.crt"\nkey = "table.key"\n')
        assert (problem.key, "can't be used together" in problem.message) == ("web.certificate", True)
        spoil.write_bytes(good)


def test_a_key_with_a_password_is_refused_and_not_asked_for(writer: Writer, pem: tuple[Path, Path]) -> None:
    locked = pem[1].with_name("locked.key")
    subprocess.run(
        ["openssl", "ec", "-aes256", "-in", pem[1], "-passout", "pass:secret", "-out", locked],
        check=True,
        capture_output=True,
    )
    problem = writer.problem(web='[web]\ncertificate = "table.crt"\nkey = "locked.key"\n')
    assert problem.key == "web.certificate"


def test_half_of_a_certificate_and_files_that_are_not_there(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "one.pem").touch()
    half = writer.problem(web='[web]\nlisten = "0.0.0.0:1"\ncertificate = "one.pem"\n')
    assert "without key" in half.message
    assert "without certificate" in writer.problem(web='[web]\nkey = "one.pem"\n').message
    problems = writer.problems(web='[web]\nlisten = "0.0.0.0:1"\ncertificate = "gone.pem"\nkey = "folder"\n')
    assert keys(problems) == ["web.certificate", "web.key"]
    assert "not there" in problems[0].message
    assert "a folder" in problems[1].message


# The socket and the journal


def test_a_socket_that_is_left_over_is_no_problem(writer: Writer, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "table.sock"))
    assert writer.good(web="[web]\n").socket == tmp_path / "table.sock"


def test_what_is_no_socket_is_not_replaced(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "table.sock").write_text("precious")
    assert "is no socket" in writer.problem().message
    assert writer.problem(web="[web]\n").key == "web.socket"


def test_a_path_too_long_for_a_socket(writer: Writer) -> None:
    long = "x" * 120
    assert "at most 107" in writer.problem(web=f'[web]\nsocket = "{long}"\n').message
    assert "set socket in [web]" in writer.problem(journal=f'[journal]\npath = "{long}.db"\n').message


def test_the_socket_is_beside_the_journal(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    config = writer.good(journal='[journal]\npath = "data/seven.db"\n')
    assert (config.journal, config.socket) == (tmp_path / "data/seven.db", tmp_path / "data/seven.sock")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "is empty"),
        ("~/t.db", "a shell"),
        (".", "a folder"),
        ("/", "a folder"),
        ("table.toml", "this configuration itself"),
    ],
)
def test_a_journal_that_cannot_be(writer: Writer, path: str, words: str) -> None:
    problem = writer.problem(journal=f'[journal]\npath = "{path}"\n')
    assert (problem.key, words in problem.message) == ("journal.path", True)


def test_a_configuration_of_the_journals_name_needs_another(writer: Writer, tmp_path: Path) -> None:
    writer.path = tmp_path / "table.db"
    assert "the journal is another file" in writer.problem().message


def test_a_folder_that_is_not_there_yet_is_noted(writer: Writer) -> None:
    notes = writer.good(journal='[journal]\npath = "later/table.db"\n').notes
    assert ["not there yet" in note.message for note in notes] == [True]


def test_the_socket_is_not_the_journal(writer: Writer) -> None:
    assert "another one" in writer.problem(web='[web]\nsocket = "table.db"\n').message


def test_sites_that_may_frame_the_pages(writer: Writer) -> None:
    config = writer.good(web='[web]\nframed_by = ["https://studio.local", "http://127.0.0.1:8030"]\n')
    assert config.web is not None
    assert config.web.framed_by == ("https://studio.local", "http://127.0.0.1:8030")


@pytest.mark.parametrize("wrong", ['"https://studio.local"', '["studio.local"]', '["https://a.b/page"]', "[5]"])
def test_what_is_no_site_is_told(writer: Writer, wrong: str) -> None:
    assert writer.problem(web=f"[web]\nframed_by = {wrong}\n").key.startswith("web.framed_by")


HOTSPOT = "name=Croupier\npassword=p4ssword-of-7\naddress=10.42.21.1/24\n"
EVERYWHERE = '[web]\nlisten = "0.0.0.0:8021"\ninsecure = true\nhotspot = "hotspot"\n'


def hotspot_file(writer: Writer, text: str = HOTSPOT, mode: int = 0o600) -> Path:
    path = writer.folder / "hotspot"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_network_of_its_own(writer: Writer) -> None:
    path = hotspot_file(writer)
    config = writer.good(web=EVERYWHERE)
    assert config.web is not None
    assert (config.web.hotspot, config.web.hotspot_on_sign) == (path, False)
    assert ["nothing is encrypted" in note.message for note in config.notes] == [True]


def test_guests_in_the_network_that_pins_cross_are_pointed_out(writer: Writer) -> None:
    hotspot_file(writer)
    config = writer.good(web=EVERYWHERE + "hotspot_on_sign = true\n")
    assert config.web is not None
    assert config.web.hotspot_on_sign
    assert [note.key for note in config.notes] == ["web.listen", "web.hotspot_on_sign"]
    assert "guests" in config.notes[1].message


def test_pages_that_nobody_in_the_network_can_open_are_pointed_out(writer: Writer) -> None:
    hotspot_file(writer)
    (note,) = writer.good(web='[web]\nhotspot = "hotspot"\n').notes
    assert note.key == "web.hotspot"
    assert 'listen = "0.0.0.0:8021"' in note.message


def test_a_network_that_is_switched_off_keeps_no_table_from_starting(writer: Writer) -> None:
    notes = [note for note in writer.good(web=EVERYWHERE).notes if note.key == "web.hotspot"]
    assert ["is not there" in note.message for note in notes] == [True]
    assert "sudo croupier-hotspot on" in notes[0].message


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        (HOTSPOT, 0o644, "others may read"),
        (HOTSPOT, 0o640, "chmod 600"),
        ("p4ssword-of-7", 0o600, "line 1 is not one of"),
        (HOTSPOT.replace("p4ssword-of-7", "p4ss"), 0o600, "8 to 63"),
    ],
)
def test_a_file_that_is_no_network_is_told(writer: Writer, text: str, mode: int, words: str) -> None:
    hotspot_file(writer, text, mode)
    problem = writer.problem(web=EVERYWHERE)
    assert (problem.key, words in problem.message) == ("web.hotspot", True)
    assert "p4ss" not in problem.message


def test_a_folder_is_no_network(writer: Writer) -> None:
    (writer.folder / "hotspot").mkdir()
    assert "is no file" in writer.problem(web=EVERYWHERE).message


def test_a_sign_without_a_network_has_nothing_to_show(writer: Writer) -> None:
    problem = writer.problem(web="[web]\nhotspot_on_sign = true\n")
    assert (problem.key, "without hotspot" in problem.message) == ("web.hotspot_on_sign", True)


@pytest.mark.parametrize("line", ["hotspot = 5", 'hotspot = ""', 'hotspot = "~/hotspot"', 'hotspot_on_sign = "yes"'])
def test_what_is_no_path_and_no_flag_is_told(writer: Writer, line: str) -> None:
    hotspot_file(writer)
    web = "[web]\n" if line.startswith("hotspot =") else EVERYWHERE
    assert writer.problem(web=f"{web}{line}\n").key == f"web.{line.split()[0]}"
