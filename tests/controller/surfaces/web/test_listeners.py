"""The web's sockets and its token file: made for their owner alone, or refused in words."""

from __future__ import annotations

import os
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from controller.surfaces.web import listeners
from controller.surfaces.web.listeners import listen_tcp, listen_unix, remove_unix, socket_path
from controller.surfaces.web.refusals import WebRefused
from controller.surfaces.web.token_file import LENGTH, read_or_make_token, token_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


# The owner's socket


def test_only_its_owner_can_open_the_socket_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with listen_unix(tmp_path / "s"):
            assert mode(tmp_path / "s") == 0o600
        assert os.umask(0) == 0, "and the umask is as it was"
    finally:
        os.umask(before)


def test_what_a_daemon_that_died_left_behind_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    listen_unix(path).close()
    assert path.exists(), "as after a kill"
    with listen_unix(path), socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))


def test_a_live_one_is_refused_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with listen_unix(path):
        with pytest.raises(WebRefused, match=r"is that of a daemon that is running\. A table has one daemon"):
            listen_unix(path)
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(str(path))


def test_a_busy_one_is_a_live_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "BACKLOG", 0)
    path = tmp_path / "s"
    with listen_unix(path), socket.socket(socket.AF_UNIX) as first:
        first.connect(str(path))
        with pytest.raises(WebRefused, match="daemon that is running"):
            listen_unix(path)


def test_a_file_of_that_name_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("mine")
    with pytest.raises(WebRefused, match="something else is there"):
        listen_unix(path)
    assert path.read_text() == "mine"
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(WebRefused, match="something else is there"):
        listen_unix(tmp_path / "link")


def test_a_name_that_can_not_be_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(WebRefused, match="too long a name"):
        listen_unix(tmp_path / ("x" * 120))
    with pytest.raises(WebRefused, match=r"No such file or directory.*must be able to write into"):
        listen_unix(tmp_path / "nowhere" / "s")


def test_the_name_goes_with_the_daemon_unless_it_is_anothers_by_now(tmp_path: Path) -> None:
    path = socket_path(tmp_path / "table.db")
    assert path.name == "table.socket"
    listen_unix(path).close()
    inode = path.lstat().st_ino
    remove_unix(path, inode + 1)
    assert path.exists()
    remove_unix(path, inode)
    assert not path.exists()
    remove_unix(path, inode)


# TCP


def test_a_taken_port_names_who_has_it() -> None:
    with listen_tcp("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(WebRefused) as refused:
            listen_tcp("127.0.0.1", port)
    name = Path("/proc/self/comm").read_text().strip()
    assert f"can't listen on 127.0.0.1:{port}: {name} (pid {os.getpid()}) listens there already" in str(refused.value)
    assert "give the web another port" in refused.value.advice


def test_a_taken_port_is_told_also_where_nobody_says_who_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(listeners, "PROC", tmp_path)
    with listen_tcp("127.0.0.1", 0) as first, pytest.raises(WebRefused, match="another program listens there"):
        listen_tcp("127.0.0.1", first.getsockname()[1])


@pytest.mark.parametrize(
    ("host", "words"),
    [("no.such.host.invalid", "there is no address"), ("203.0.113.7", "this machine has no address 203.0.113.7")],
)
def test_an_address_that_is_not_ours_is_told(host: str, words: str) -> None:
    with pytest.raises(WebRefused, match=words):
        listen_tcp(host, 0)


def test_a_port_can_be_used_again_at_once() -> None:
    with listen_tcp("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        first.setblocking(True)
        with socket.create_connection(("127.0.0.1", port)):
            first.accept()[0].close()  # we close first, so that the kernel remembers the port
    with listen_tcp("127.0.0.1", port) as again:
        assert again.getsockname()[1] == port


# The token


def test_a_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = token_path(tmp_path / "table.db")
    assert path == tmp_path / "table.token"
    before = os.umask(0)
    try:
        token = read_or_make_token(path)
    finally:
        os.umask(before)
    assert mode(path) == 0o600
    assert len(token) >= LENGTH
    assert read_or_make_token(path) == token
    assert list(tmp_path.iterdir()) == [path], "nothing else is left"
    path.unlink()
    assert read_or_make_token(path) != token


@pytest.mark.parametrize("wide", [0o644, 0o640, 0o604, 0o620])
def test_a_token_that_others_may_read_is_refused(wide: int, tmp_path: Path) -> None:
    path = tmp_path / "table.token"
    read_or_make_token(path)
    path.chmod(wide)
    with pytest.raises(WebRefused, match=rf"others may read the token file .*mode {wide:04o}.*chmod 600"):
        read_or_make_token(path)


@pytest.mark.parametrize("text", [b"", b"short\n", b"x" * 16 + b" " + b"y" * 30, b"\xff" * 40, b"\n\n"])
def test_a_file_without_a_token_in_it_is_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "table.token"
    path.write_bytes(text)
    path.chmod(0o600)
    with pytest.raises(WebRefused, match=r"holds no token .*Delete the file; a new one is made"):
        read_or_make_token(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x" * 40)
    link, pipe, folder = tmp_path / "link", tmp_path / "pipe", tmp_path / "folder"
    link.symlink_to(tmp_path / "real")
    os.mkfifo(pipe, 0o600)
    folder.mkdir(0o700)
    for path in (link, pipe, folder, tmp_path / "nowhere" / "token"):
        with pytest.raises(WebRefused, match="token file"):
            read_or_make_token(path)


def test_some_that_make_it_at_once_get_the_same(tmp_path: Path) -> None:
    path = tmp_path / "table.token"
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: read_or_make_token(path), range(8)))
    assert len(set(found)) == 1
    assert list(tmp_path.iterdir()) == [path]
