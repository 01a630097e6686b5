"""The TableLink link by itself, on a fake clock: roles, keys, marks, slots, and what each event becomes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from drivers import base
from drivers.base import Mark, Ready, Refused
from drivers.errors import BadSetting
from drivers.simulated.shoe_ends import TableLinkShoeEnd
from drivers.simulated.tablelink_end import TableLinkEnd
from drivers.tablelink_link import LOCK, TableLinkLink, read_key
from firmware_protocol.tablelink import messages
from firmware_protocol.tablelink.device import Described
from tests.drivers.shoes.bench import Bench, counted_nonces

KEY = bytes(range(16))


def joined(bench: Bench) -> Bench:
    bench.join()
    bench.until(lambda: bool(bench.readies))
    return bench


def tablelink_end(bench: Bench) -> TableLinkEnd:
    assert isinstance(bench.end, TableLinkEnd)
    return bench.end


def tablelink(bench: Bench) -> TableLinkLink:
    assert isinstance(bench.link, TableLinkLink)
    return bench.link


def test_first_contact_says_who_it_is_that_it_is_simulated_and_that_nothing_can_be_compared() -> None:
    bench = joined(Bench("tablelink"))
    assert bench.readies == [
        Ready(
            identity="SIM0001, firmware 1.0.0",
            proven=False,
            words="first contact: there is nothing to compare with",
            simulated=True,
            since=Mark(tablelink_end(bench).boot, 0),
        )
    ]


def test_a_cable_that_was_out_a_moment_loses_nothing_and_proves_it() -> None:
    bench = joined(Bench("tablelink"))
    bench.shoe.deal()
    bench.wait(0.1)
    bench.part()
    bench.shoe.deal()
    bench.shoe.deal()
    bench.wait(2)
    bench.join()
    bench.until(lambda: len(bench.cards) == 3)
    assert bench.cards == bench.shoe.dealt
    assert bench.readies[1].proven
    assert bench.readies[1].words == "nothing was missed"


def test_an_event_is_kept_by_the_shoe_until_it_is_committed_and_comes_again_to_a_restarted_host() -> None:
    bench = joined(Bench("tablelink", commits=False))
    for _ in range(3):
        bench.shoe.deal()
    bench.until(lambda: len(bench.cards) == 3)
    bench.wait(10)
    assert bench.cards == bench.shoe.dealt, "sent again and again, told once"
    assert tablelink_end(bench).queued == 3
    first = bench.told(base.CardRead)[0]
    assert first.mark == Mark(tablelink_end(bench).boot, 1)
    assert first.sequence == "1"
    tablelink(bench).committed(first.mark)
    bench.wait(0.1)
    assert tablelink_end(bench).queued == 2

    bench.restart_host(TableLinkLink("shoe", known=first.mark, fresh=counted_nonces()))
    bench.until(lambda: len(bench.cards) == 5)
    assert bench.cards[3:] == bench.shoe.dealt[1:]
    assert bench.readies[-1].proven


def test_a_restarted_host_that_knows_nothing_is_told_everything_the_shoe_kept_and_that_it_is_unproven() -> None:
    bench = joined(Bench("tablelink", commits=False))
    bench.shoe.deal()
    bench.until(lambda: len(bench.cards) == 1)
    bench.restart_host(TableLinkLink("shoe", fresh=counted_nonces()))
    bench.until(lambda: len(bench.cards) == 2)
    assert bench.cards == bench.shoe.dealt * 2
    assert not bench.readies[-1].proven


def test_a_shoe_that_restarts_is_told_and_what_it_had_not_delivered_is_called_gone() -> None:
    bench = joined(Bench("tablelink"))
    bench.shoe.deal()
    bench.wait(0.1)
    bench.end.reboot()
    bench.until(lambda: len(bench.readies) == 2)
    assert [type(change) for change in bench.changes] == [Ready, base.Lost, Ready]
    assert not bench.readies[1].proven
    assert "restarted" in bench.readies[1].words


def test_a_mark_of_a_count_that_is_over_acknowledges_nothing() -> None:
    bench = joined(Bench("tablelink", commits=False))
    for _ in range(3):
        bench.shoe.deal()
    bench.until(lambda: len(bench.cards) == 3)
    old = bench.told(base.CardRead)[-1].mark
    assert old is not None
    bench.end.reboot()
    bench.until(lambda: len(bench.readies) == 2)
    bench.shoe.deal()
    bench.until(lambda: len(bench.cards) == 4)
    tablelink(bench).committed(old)
    tablelink(bench).committed(Mark(tablelink_end(bench).boot, 77))
    bench.wait(1)
    assert tablelink_end(bench).queued == 1


def test_a_device_of_another_role_is_refused_in_words_once_and_never_used() -> None:
    bench = Bench("tablelink")
    bench.faults.switch("wrong_identity", 1)
    tablelink(bench).show(LOCK, b"\1")
    bench.shoe.deal()
    bench.join()
    bench.wait(30)
    assert bench.said == [
        Refused(
            words="SIM0001, firmware 1.0.0 answered as a sign, not as a shoe",
            advice="Connect the shoe here, or correct the port: croupier devices",
        )
    ]
    assert not tablelink_end(bench).slots
    assert not tablelink_end(bench).host_there
    bench.faults.switch("wrong_identity", None)
    bench.until(lambda: bench.cards == bench.shoe.dealt and tablelink_end(bench).locked, 10)


def test_a_device_with_no_role_at_all_is_refused() -> None:
    bench = Bench("tablelink")
    tablelink_end(bench)._described = Described(serial="SIM0001", roles=0)
    bench.join()
    bench.until(lambda: bool(bench.said))
    assert isinstance(bench.said[0], Refused)
    assert "device without a role" in bench.said[0].words


@pytest.mark.parametrize(
    ("host_key", "device_key", "words"),
    [
        (KEY, None, "a key is configured and the device uses none"),
        (None, KEY, "the device wants its key and none is configured"),
        (KEY, KEY[::-1], "the device answered with another key than the one configured"),
    ],
)
def test_keys_that_do_not_fit_are_refused_with_advice(
    host_key: bytes | None, device_key: bytes | None, words: str
) -> None:
    bench = Bench("tablelink", link=TableLinkLink("shoe", key=host_key, fresh=counted_nonces()))
    bench.end = TableLinkShoeEnd(bench.faults, key=device_key)
    bench.join()
    bench.wait(20)
    assert [change.words for change in bench.said if isinstance(change, Refused)] == [words]
    assert isinstance(bench.said[0], Refused)
    assert "key_file" in bench.said[0].advice


def test_a_shoe_and_a_host_with_the_same_key_work_together() -> None:
    bench = Bench("tablelink", link=TableLinkLink("shoe", key=KEY, fresh=counted_nonces()))
    bench.end = bench.shoe.end = TableLinkShoeEnd(bench.faults, key=KEY)
    joined(bench)
    bench.shoe.deal()
    bench.until(lambda: bench.cards == bench.shoe.dealt)


def test_every_event_of_a_shoe_becomes_the_table_s_own() -> None:
    bench = joined(Bench("tablelink"))
    end = tablelink_end(bench)
    end.add(messages.CardEvent, 0x38, 1)
    end.add(messages.CardEvent, 0x48, 0)
    end.add(messages.CardEvent, 0x7F, 0)
    end.add(messages.MisreadEvent, 3)
    end.add(messages.MisreadEvent, 9)
    end.add(messages.CutCardEvent)
    end.add(messages.LidEvent, 1)
    end.add(messages.EmptyEvent)
    end.add(messages.JamEvent, 1)
    end.add(messages.BackfeedEvent)
    end.add(messages.TamperEvent, 4)
    end.add(messages.PowerEvent, 1)
    end.add(messages.PowerEvent, 2)
    end.add(messages.SelfTestEvent, 0)
    end.add(messages.SelfTestEvent, 7)
    bench.until(lambda: not end.queued)
    plain = [(type(each).__name__, each) for each in bench.told(base.DeviceEvent)]
    boot = end.boot
    wanted: list[base.DeviceEvent] = [
        base.CardRead(card="8S", second_try=True),
        base.CardRead(card="8?"),
        base.Misread(reason="the card was not read"),
        base.Misread(reason="two cards at once", cards=2),
        base.Misread(reason="reason 9"),
        base.CutCardSeen(),
        base.LidMoved(open=True),
        base.ShoeEmptied(),
        base.Jammed(jammed=True),
        base.CardRanBack(),
        base.TamperSeen(words="the device reports tampering of kind 4"),
        base.PowerChanged(words="the supply is low", good=False),
        base.PowerChanged(words="the supply is good again", good=True),
        base.Noticed(words="the self test passed"),
        base.FaultReported(words="the self test failed with number 7", code=7),
    ]
    assert plain == [
        (type(each).__name__, structs.replace(each, mark=Mark(boot, number), sequence=str(number)))
        for number, each in enumerate(wanted, 1)
    ]


def test_keys_get_their_names_and_a_release_is_acknowledged_without_a_word() -> None:
    bench = Bench("tablelink", link=TableLinkLink("panel", keys={1: "deal"}, fresh=counted_nonces()))
    end = bench.end = TableLinkEnd("panel", faults=bench.faults)  # type: ignore[assignment]
    joined(bench)
    for number, action in ((1, 1), (1, 2), (1, 0), (5, 1)):
        end.key(number, action)
    bench.wait(1)
    assert [(each.key, each.held) for each in bench.told(base.KeyPressed)] == [("deal", False), ("deal", True)]
    assert [each.words for each in bench.told(base.Noticed)] == ["key 5 has no name in the configuration"]
    assert end.queued == 0, "a panel's events are acknowledged when they are told"
    assert all(each.mark is None for each in bench.told(base.DeviceEvent))


def test_an_event_that_means_nothing_is_acknowledged_with_those_before_it_and_never_before_them() -> None:
    bench = joined(Bench("tablelink", commits=False))
    end = tablelink_end(bench)
    end.key(1, 0)
    bench.shoe.deal()
    end.key(1, 0)
    end.key(2, 0)
    bench.shoe.deal()
    bench.until(lambda: len(bench.cards) == 2)
    bench.wait(1)
    assert end.queued == 4, "the first release went at once, the others wait for the card before them"
    mark = bench.told(base.CardRead)[0].mark
    assert mark is not None
    tablelink(bench).committed(mark)
    bench.wait(1)
    assert end.queued == 1


def test_slots_are_shown_after_they_are_answered_and_anew_after_every_connection() -> None:
    bench = joined(Bench("tablelink"))
    link, end = tablelink(bench), tablelink_end(bench)
    assert link.shown()
    assert link.capabilities >= {"lock", "simulated"}
    link.show(LOCK, b"\1")
    assert not link.shown()
    bench.until(link.shown)
    assert end.locked
    link.show(LOCK, b"\1")
    assert link.shown(), "the same again is nothing new"
    bench.part()
    assert not link.shown()
    end.reboot()
    assert not end.locked
    bench.join()
    bench.until(link.shown)
    assert end.locked


def test_noise_is_told_once_in_five_seconds_with_its_count() -> None:
    bench = joined(Bench("tablelink"))
    for _ in range(40):
        bench.receive(b"noise\0")
        bench.wait(0.1)
    noticed = [each.words for each in bench.told(base.Noticed)]
    assert noticed == ["the line brought 1 piece that could not be used; the last: no frame of TableLink"]
    bench.wait(2)
    noticed = [each.words for each in bench.told(base.Noticed)]
    assert noticed[1:] == ["the line brought 39 pieces that could not be used; the last: no frame of TableLink"]


def test_a_key_file_is_read_and_a_wrong_one_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "shoe.key"
    path.write_text(KEY.hex() + "\n")
    assert read_key(str(path)) == KEY
    assert read_key("") is None
    for wrong in ("", "xyz", "00" * 15, "00" * 33, "é" * 32):
        path.write_text(wrong)
        with pytest.raises(BadSetting, match="holds no key"):
            read_key(str(path))
    with pytest.raises(BadSetting, match=r"nothing\.key cannot be read: No such file"):
        read_key(str(tmp_path / "nothing.key"))
