"""`croupier support-bundle` as a person runs it."""

from __future__ import annotations

import tarfile
from pathlib import Path

from controller.cli.common import USAGE
from tests.controller.cli.conftest import Croupier
from tests.controller.daemon.served import CONFIG, Process


def test_a_bundle_of_a_running_table(croupier: Croupier, tmp_path: Path) -> None:
    process = Process(tmp_path, CONFIG + '[web]\nlisten = "127.0.0.1:0"\n'.replace(":0", ":18093"))
    try:
        process.start()
        process.open()
        process.enter("open_round")
        for code in ("TS", "7D", "9C", "QH"):
            process.enter("card", card=code)
        made = croupier("support-bundle", "-o", "help.tar.gz", "--json")
        assert made.status == 0, made.err
        assert process.stop() == 0
    finally:
        process.close()
    with tarfile.open(tmp_path / "help.tar.gz") as tar:
        content = b"".join(file.read() for member in tar if (file := tar.extractfile(member)) is not None)
    token = (tmp_path / "table.token").read_bytes().strip()
    assert len(token) > 16
    for secret in (token, b"QH", b"9C"):
        assert secret not in content
    assert b"shoe" in content


def test_it_works_without_a_table_and_refuses_bad_places(croupier: Croupier, tmp_path: Path) -> None:
    made = croupier("support-bundle")
    assert made.status == 0
    (file,) = tmp_path.glob("croupier-support-*.tar.gz")
    assert str(file) in made.out
    assert croupier("support-bundle", "-o", str(file)).status == USAGE
    nowhere = croupier("support-bundle", "-o", "no/folder/b.tar.gz", "--json")
    assert (nowhere.status, nowhere.json["error"]) == (USAGE, "no_folder")
