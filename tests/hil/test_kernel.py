"""The harness of the real kernel, without one: which program, why none, what is started, and whom it believes."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hil.kernel import boot, usbip
from hil.kernel.__main__ import main
from hil.kernel.descriptors import Identity, serial_line, vendor_bulk
from hil.kernel.program import BadProgram, NoLibraries, NoProgram, find_program, install_command, libraries

REPORT = '<testsuites><testsuite tests="41" failures="2" errors="1" skipped="3"/></testsuites>'


def program_at(path: Path, script: str = "exit 0") -> Path:
    """Something that can be run in a kernel's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


# Which program


def test_the_named_program_comes_first_then_the_built_one_then_the_one_beside(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    beside = program_at(tmp_path / "shared/uml/linux-uml")
    root.mkdir()
    assert find_program(root, {}) == beside
    built = program_at(root / ".uml/linux-uml")
    assert find_program(root, {}) == built
    named = program_at(tmp_path / "elsewhere/linux")
    assert find_program(root, {"CROUPIER_UML": str(named)}) == named


def test_without_a_program_the_reason_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(NoProgram, match=r"^SKIPPED: no User-Mode Linux program .* make uml-kernel$"):
        find_program(tmp_path / "checkout", {})


def test_a_built_file_that_cannot_be_run_is_no_program(tmp_path: Path) -> None:
    program_at(tmp_path / ".uml/linux-uml").chmod(0o644)
    with pytest.raises(NoProgram):
        find_program(tmp_path, {})


@pytest.mark.parametrize("named", ["nothing/here", "."])
def test_a_wrong_name_is_a_mistake_and_no_reason_to_skip(tmp_path: Path, named: str) -> None:
    with pytest.raises(BadProgram, match="CROUPIER_UML names"):
        find_program(tmp_path, {"CROUPIER_UML": str(tmp_path / named)})


def test_the_command_fails_for_a_wrong_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROUPIER_UML", "/nothing/here")
    assert main([]) == 2
    assert "CROUPIER_UML names /nothing/here" in capsys.readouterr().err


def test_the_libraries_are_installed_by_hash_and_not_into_the_environment(tmp_path: Path) -> None:
    command = install_command(tmp_path)
    assert "--require-hashes" in command
    assert command[command.index("--target") + 1] == str(tmp_path / ".uml/libraries")


def test_libraries_that_cannot_be_installed_are_a_failure_in_words(tmp_path: Path) -> None:
    (tmp_path / "requirements-kernel.lock").write_text("no-hash-and-no-such-package==0\n")
    with pytest.raises(NoLibraries, match=r"requirements-kernel\.lock could not be installed"):
        libraries(tmp_path)
    assert not (tmp_path / ".uml/libraries/.lock").exists()


# What is started


def test_the_kernel_gets_this_machines_files_and_its_console_is_our_output(tmp_path: Path) -> None:
    command = boot.command(Path("linux-uml"), tmp_path)
    assert command[0] == "linux-uml"
    assert {"rootfstype=hostfs", "rootflags=/", "con0=null,fd:1", f"init={tmp_path / 'init'}"} <= set(command)


def test_the_first_process_runs_pytest_and_powers_off(tmp_path: Path) -> None:
    script = boot.init_script(
        tmp_path / "a checkout", tmp_path, "/venv/bin/python", Path("/lib s"), ["-k", "two words"]
    )
    lines = script.splitlines()
    assert lines[0] == "#!/bin/sh"
    assert f"cd '{tmp_path / 'a checkout'}'" in lines
    pytest_line = next(shlex.split(line) for line in lines if "-m pytest" in line)
    assert pytest_line[0] == "/venv/bin/python"
    assert pytest_line[-2:] == ["-k", "two words"]
    assert "testpaths=hil/kernel/inside" in pytest_line
    assert "CROUPIER_KERNEL_LIBRARIES='/lib s'" in script
    assert lines.index("echo o >/proc/sysrq-trigger") > lines.index(f"echo $? >{tmp_path / 'code'}")


@pytest.mark.parametrize("option", ["--deselect", "--ignore"])
def test_a_test_that_is_left_out_does_not_bring_the_plain_suite_in(tmp_path: Path, option: str) -> None:
    script = boot.init_script(tmp_path, tmp_path, "python", tmp_path, [option, "hil/kernel/inside/test_boot.py"])
    assert "testpaths=hil/kernel/inside" in script


def test_only_the_folder_of_the_result_can_be_written(tmp_path: Path) -> None:
    assert "ro" in boot.command(Path("linux-uml"), tmp_path)
    script = boot.init_script(tmp_path / "checkout", tmp_path / "result", "python", tmp_path, [])
    hostfs = [line for line in script.splitlines() if "hostfs" in line]
    assert hostfs == [f"mount -t hostfs -o {tmp_path / 'result'} hostfs {tmp_path / 'result'}"]


# Whom it believes


def kernel_that(tmp_path: Path, script: str) -> Path:
    """A program that finds the folder for the result as the real one does: by its init."""
    find = 'for word in "$@"; do case $word in init=*) folder=$(dirname "${word#init=}");; esac; done'
    return program_at(tmp_path / "linux", f"{find}\n{script}")


@pytest.mark.parametrize("code", [0, 1, 5])
def test_pytests_own_code_is_handed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int) -> None:
    program = kernel_that(tmp_path, f"echo 'it ran'; echo '{REPORT}' >$folder/junit.xml; echo {code} >$folder/code")
    outcome = boot.run(program, tmp_path, [])
    assert outcome.code == code
    assert outcome.words == f"{'FAILED' if code else 'passed'}: 41 tests in a real kernel, 3 failed, 3 skipped"
    assert "it ran" in capsys.readouterr().out


def test_a_test_known_to_fail_is_not_counted_as_skipped(tmp_path: Path) -> None:
    cases = '<testcase><skipped type="pytest.xfail"/></testcase><testcase><skipped type="pytest.skip"/></testcase>'
    (tmp_path / "junit.xml").write_text(f'<testsuite tests="9" failures="0" errors="0" skipped="2">{cases}</testsuite>')
    (tmp_path / "code").write_text("0\n")
    words = boot.read_outcome(tmp_path, None).words
    assert words == "passed: 9 tests in a real kernel, 0 failed, 1 skipped, 1 known to fail"


@pytest.mark.parametrize("script", ["exit 0", ">$folder/code", "echo panic >$folder/code", "kill -9 $$"])
def test_a_kernel_that_leaves_no_result_has_failed(tmp_path: Path, script: str) -> None:
    outcome = boot.run(kernel_that(tmp_path, script), tmp_path, [])
    assert outcome.code != 0
    assert outcome.words.startswith("FAILED: the kernel stopped before pytest had ended")


def test_a_kernel_that_hangs_is_ended_and_its_last_words_are_shown(tmp_path: Path) -> None:
    program = kernel_that(tmp_path, "echo 0 >$folder/code; echo 'hung here'; sleep 60 & wait")
    outcome = boot.run(program, tmp_path, [], limit_s=1.0)
    assert outcome.code != 0
    assert "ended after 1 seconds" in outcome.words
    assert outcome.words.endswith("hung here")


# What goes over the wire, where no kernel is needed to tell

INTERRUPT_IN = "00000001 00000d05 0001000f 00000001 00000001 00000200 00000040 ffffffff 00000000 00000004 " + "00" * 8
INTERRUPT_OUT = "00000001 00000d06 0001000f 00000000 00000001 00000000 00000040 ffffffff 00000000 00000004 " + "00" * 8


def test_the_headers_of_the_kernels_own_document_are_read() -> None:
    inward = usbip.read_header(bytes.fromhex(INTERRUPT_IN))
    outward = usbip.read_header(bytes.fromhex(INTERRUPT_OUT))
    assert isinstance(inward, usbip.Submit)
    assert isinstance(outward, usbip.Submit)
    assert (inward.number, inward.address, inward.length, inward.follows) == (0xD05, 0x81, 64, 0)
    assert (outward.number, outward.address, outward.length, outward.follows) == (0xD06, 0x01, 64, 64)
    assert usbip.completed(inward, 0, bytes(64))[:28].hex() == "0000000300000d05" + "00" * 16 + "00000040"
    assert usbip.completed(outward, -32)[20:28].hex() == "ffffffe0" + "00000000"
    assert len(usbip.completed(outward, 0)) == len(usbip.unlinked(usbip.Unlink(1, 2), 0)) == usbip.HEADER_SIZE


def test_an_unlink_names_the_transfer_it_ends() -> None:
    header = bytes.fromhex("00000002 00000d07 0001000f 00000000 00000000 00000d05") + bytes(24)
    assert usbip.read_header(header) == usbip.Unlink(0xD07, 0xD05)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("00000009" + "00" * 44, "no USB/IP command 9"),
        (INTERRUPT_IN.replace("ffffffff 00000000", "ffffffff 00000008"), "isochronous"),
    ],
)
def test_a_header_that_no_device_here_understands_is_refused(header: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        usbip.read_header(bytes.fromhex(header))


@pytest.mark.parametrize("descriptor", [vendor_bulk(0x81, 0x01), serial_line(0x81, 0x01, 0x83)])
def test_a_configuration_is_a_chain_of_descriptors_of_the_length_it_says(descriptor: bytes) -> None:
    assert int.from_bytes(descriptor[2:4], "little") == len(descriptor)
    at = 0
    while at < len(descriptor):
        at += descriptor[at]
    assert at == len(descriptor)


def test_a_device_says_who_it_is() -> None:
    who = Identity(vendor=0x1209, product=0xCA4D, serial="S1")
    assert who.device().hex() == "12010002000000400912" + "4dca" + "0001" + "01020301"
    assert who.string(3) == bytes.fromhex("0603") + "S1".encode("utf-16-le")
    assert who.string(4) is None
