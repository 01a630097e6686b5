"""Runs that do not come to their end, or never begin: another device, silence, a hang-up, a restart by itself."""

from __future__ import annotations

import pytest
from cobs import cobs

from drivers.errors import DeviceError
from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import EmptyEvent, Message, NoSession, Ready, Refused
from hil.conformance.line import EndLine
from hil.conformance.run import NoDevice
from hil.conformance.verdicts import Report
from hil.conformance.watch import Breach, Watch
from hil.conformance.words import summary, verdict
from tests.hil.conformance.broken import KEY, BentEnd
from tests.hil.conformance.rig import failures, tried

BOOT = 0x1234ABCD


class Answers(TableLinkEnd):
    """Says the same to whatever comes."""

    answer = b""
    _owes = False

    def receive(self, data: bytes, now: float) -> None:
        self._owes = True

    def data_to_send(self, now: float) -> bytes:
        owes, self._owes = self._owes, False
        return self.answer if owes else b""


def answering(answer: bytes) -> TableLinkEnd:
    end = Answers("shoe")
    end.answer = answer
    return end


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "nothing answered TableLink's HELLO within 6 s"),
        (framed(Refused(1, 2, 3), None), "the device speaks TableLink version 2 to 3, and this kit tries version 1"),
        (framed(NoSession(), None), "HELLO was not answered with IDENTITY but with NO_SESSION"),
        (b"\x051D\x81\xb8\x034F" * 20, "what answers speaks no TableLink"),
        (b"$GPRMC,1234\x00", "what answers speaks no TableLink"),
    ],
    ids=["nobody", "another version", "another answer", "another protocol", "text"],
)
def test_nothing_to_try_is_told_in_words(answer: bytes, words: str) -> None:
    with pytest.raises(NoDevice, match=words):
        tried(answering(answer), "shoe")


def test_another_kind_of_device_is_told_in_words() -> None:
    with pytest.raises(NoDevice, match=r"a shoe was asked for, and a sign is there \(serial SIM0001\)"):
        tried(TableLinkEnd("sign"), "shoe")


def test_a_key_that_is_missing_or_not_wanted_is_told_in_words() -> None:
    with pytest.raises(NoDevice, match="the device wants its key"):
        tried(TableLinkEnd("shoe", key=KEY), "shoe")
    with pytest.raises(NoDevice, match="answers without one: leave --key-file out"):
        tried(TableLinkEnd("shoe"), "shoe", key=KEY)


def test_a_wrong_key_fails_the_rules_of_the_seal_and_says_perhaps_another_key() -> None:
    report = tried(TableLinkEnd("shoe", key=KEY), "shoe", key=bytes(16))
    assert set(failures(report)) == {"TL-080", "TL-081"}
    assert "perhaps another key" in failures(report)["TL-080"]


def test_a_device_whose_every_crc_is_wrong_fails_that_rule_and_the_rest_is_not_tried() -> None:
    report = tried(answering(cobs.encode(bytes(20)) + b"\0"), "shoe")
    assert failures(report) == {"TL-002": "it sent a frame with a wrong CRC, and no good one"}
    assert {result.outcome for result in report.results} == {"fail", "not tried", "not applicable"}
    assert report.device.serial == ""
    assert verdict(report) == "DOES NOT CONFORM: TL-002"
    assert "frames can't be read" in summary(report)


class Dies(BentEnd):
    """Says nothing more once it has heard an unknown id."""

    dead = False

    def receive(self, data: bytes, now: float) -> None:
        self.dead = self.dead or data == encode_frame(b"\x30")
        if not self.dead:
            super().receive(data, now)

    def data_to_send(self, now: float) -> bytes:
        return b"" if self.dead else super().data_to_send(now)


def rest_untried(report: Report, behind: str) -> bool:
    names = [result.id for result in report.results]
    rest = report.results[names.index(behind) + 1 :]
    return all(result.outcome in ("not tried", "not applicable") for result in rest)


def test_a_device_that_goes_silent_ends_the_run_with_what_was_found_and_the_last_good_sign() -> None:
    report = tried(Dies("shoe"), "shoe")
    assert set(failures(report)) == {"TL-012"}
    assert report.ended.startswith("no answer to HELLO for 6 s, while TL-013 was being tried. The last good sign was ")
    assert rest_untried(report, "TL-012")
    assert len(report.of("pass")) == 9
    assert not report.conforms
    assert "The run ended early" in summary(report)


def test_a_device_that_hangs_up_ends_the_run_and_nothing_is_blamed_for_it() -> None:
    end = TableLinkEnd("shoe")
    line = EndLine(end)
    told = []

    class Pulled(list):  # type: ignore[type-arg]
        def append(self, result: object) -> None:
            super().append(result)
            line.unplugged = getattr(result, "id", "") == "TL-004"

    report = tried(end, "shoe", line=line, told=Pulled(told))
    assert report.of("fail") == ()
    assert "hung up, while TL-005 was being tried" in report.ended
    assert "The last good sign was" in report.ended
    assert rest_untried(report, "TL-004")
    assert verdict(report).startswith("No verdict")


def test_a_port_that_is_gone_before_the_first_word_is_the_ports_own_error() -> None:
    end = TableLinkEnd("shoe")
    line = EndLine(end)
    line.unplugged = True
    with pytest.raises(DeviceError, match="hung up"):
        tried(end, "shoe", line=line)


class Restarts(BentEnd):
    """Restarts when it hears an id that it does not know."""

    def receive(self, data: bytes, now: float) -> None:
        if data == encode_frame(b"\x7f" + bytes(10)):
            self.reboot()
        super().receive(data, now)


def test_a_restart_by_itself_is_a_failure_of_what_was_being_tried() -> None:
    report = tried(Restarts("shoe"), "shoe")
    assert set(failures(report)) == {"TL-012"}
    assert not report.ended


def test_what_nobody_asked_for_is_not_tried() -> None:
    report = tried(TableLinkEnd("shoe"), "shoe", only=("TL-001", "TL-050"))
    assert [result.id for result in report.results] == ["TL-001", "TL-050"]
    assert report.conforms


def test_only_what_can_t_be_tried_gives_no_verdict() -> None:
    report = tried(TableLinkEnd("shoe"), "shoe", only=("TL-091", "TL-028"))
    assert not report.conforms
    assert verdict(report) == "No verdict: nothing of what was asked for could be tried"


def test_events_that_come_in_one_read_with_ready_are_counted_from_what_it_says() -> None:
    watch = Watch()
    watch.session_began(None)

    def breaches(message: Message) -> list[Breach]:
        return list(watch.message(message, BOOT, keyed=False))

    assert breaches(Ready(1, BOOT, 4)) == []
    assert [breaches(EmptyEvent(BOOT & 0xFFFF, number, 0)) for number in (4, 5, 4, 6)] == [[], [], [], []]
    ((rule, words),) = breaches(EmptyEvent(BOOT & 0xFFFF, 8, 0))
    assert (rule, words) == ("TL-030", "event 8 came after 6: a gap")
