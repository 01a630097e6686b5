"""bench.toml and markers: every mistake at once, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config.problems import BadConfig
from hil.plugin.bench_file import read_benches
from tests.hil.plugin.conftest import Desk

SHOE = '[bench.shoe]\ndriver = "tablelink"\nport = "/dev/ttyS90"\n'


def refused(folder: Path, text: str) -> list[str]:
    """The messages, each with its line in front."""
    path = folder / "bench.toml"
    path.write_text(text)
    with pytest.raises(BadConfig) as bad:
        read_benches(path)
    return [f"{each.line}: {each.message}" for each in bad.value.problems]


def test_no_file_is_one_simulated_bench() -> None:
    (bench,) = read_benches(None)
    assert bench.name == "simulated"
    assert set(bench.devices) == {"shoe", "sign", "console"}
    assert all(device.simulated for device in bench.devices.values())


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(
        '[[bench]]\nname = "left"\ngame = "monte-carlo"\nready_s = 20\nperson_s = 90\nscreenshots = false\n'
        + SHOE
        + 'baud = 9600\nhand = "none"\nstimulus_command = "./deal --loud \'a b\'"\n'
        '[bench.sign]\ndriver = "escpos"\nport = "/dev/ttyS91"\n'
        '[bench.power]\ncut = "uhubctl -a off"\nrestore = "uhubctl -a on"\n'
    )
    (bench,) = read_benches(path)
    shoe = bench.devices["shoe"]
    assert (bench.name, bench.game, bench.ready_s, bench.person_s, bench.screenshots) == (
        "left", "monte-carlo", 20, 90, False,
    )  # fmt: skip
    assert shoe.found.settings == {"port": "/dev/ttyS90", "baud": 9600}
    assert (shoe.hand, shoe.command, shoe.simulated) == ("none", ("./deal", "--loud", "a b"), False)
    assert bench.supply is not None
    assert bench.supply.cut == ("uhubctl", "-a", "off")
    assert bench.folder == tmp_path


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    told = refused(
        tmp_path,
        '[[bench]]\nnmae = "left"\n[bench.shoe]\ndriver = "tabelink"\n'
        '[[bench]]\nname = "right"\n[bench.shoe]\ndriver = "tablelink"\nprot = "/dev/ttyS90"\nhand = "persona"\n',
    )
    assert [line.partition(":")[0] for line in told] == ["1", "2", "4", "7", "9", "10"]
    assert "lacks name" in told[0]
    assert "did you mean 'name'?" in told[1]
    assert "there is no shoe driver 'tabelink'; did you mean 'tablelink'?" in told[2]
    assert "can't do without it" in told[3]
    assert "did you mean 'port'?" in told[4]
    assert "did you mean 'person'?" in told[5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no [[bench]]"),
        ('[bench]\nname = "a"\n' + SHOE, "write [[bench]], with double brackets"),
        ('[[bench]]\nname = "a"\n', "has no device"),
        ('[[bench]]\nname = "a"\n' + SHOE + '[[bench]]\nname = "b"\n' + SHOE, "is also the port of a shoe (line 5)"),
        (
            '[[bench]]\nname = "a"\n' + SHOE + '[[bench]]\nname = "a"\n' + SHOE.replace("90", "91"),
            "'a' is also the name",
        ),
        ('[[bench]]\nname = "a"\ngame = "blackjak"\n' + SHOE, "Did you mean blackjack?"),
        ('[[bench]]\nname = "a"\nready_s = 0\n' + SHOE, "whole number from 1 to 600"),
        ('[[bench]]\nname = "a"\n' + SHOE + 'stimulus = "auto"\n', "can't be auto"),
        ('[[bench]]\nname = "a"\n' + SHOE + 'stimulus = "sdf"\n', "is no port"),
        ('[[bench]]\nname = "a"\n' + SHOE + 'stimulus = "/dev/ttyS9"\nstimulus_command = "x"\n', "one of the two"),
        ('[[bench]]\nname = "a"\n' + SHOE + '[bench.power]\ncut = "x"\n', "lacks restore"),
        ('[[bench]]\nname = "a"\n' + SHOE + 'stimulus_command = "x \'y"\n', "can't be parted into words"),
        ('[[bench]]\nname = "a"\n[bench.shoe]\ndriver = "simulated"\nhand = "person"\n', "is for real devices"),
        ('[[bench]]\nname = "a"\n[bench.shoe]\ndriver = "simulated"\nprotocol = "x"\n', "there is no 'x'"),
    ],
)
def test_a_wrong_file_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    (told,) = refused(tmp_path, text)
    assert words in told


def test_a_file_that_is_not_there_is_refused_in_words(desk: Desk) -> None:
    result = desk.run("def test_one(shoe): pass", "--bench", "nowhere.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *nowhere.toml: there is no such bench file*"])


def test_wrong_markers_are_refused_at_collection_all_at_once(desk: Desk) -> None:
    result = desk.run(
        """
        import pytest

        @pytest.mark.fault("misred", 0.1)
        def test_a(shoe): pass

        @pytest.mark.fault("misread", 3)
        def test_b(shoe): pass

        @pytest.mark.game("blackjak")
        def test_c(table): pass

        @pytest.mark.game("blackjack")
        def test_d(shoe): pass

        @pytest.mark.fault("misread", device="sho")
        def test_e(shoe): pass

        @pytest.mark.hardware
        def test_f(): pass

        @pytest.mark.fault(0.1)
        def test_g(shoe): pass
        """
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = result.stderr.str()
    for words in (
        "test_a: there is no fault 'misred'; did you mean 'misread'?",
        "test_b: a fault strikes with a chance above 0 and up to 1, not 3.0",
        "test_c: game: There is no game 'blackjak'. Did you mean blackjack?",
        "test_d: game: this test has no table",
        "test_e: fault 'misread': there is no device 'sho'; there are shoe, sign, console",
        "test_f: hardware: this test uses no device",
        "test_g: fault takes a name, a chance and a device",
    ):
        assert words in said
