"""Authenticated sessions: what a stranger on the cable can do, and what he can't (section 9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.host import Connected, DeviceRefused
from firmware_protocol.tablelink.messages import (
    Ack,
    CardEvent,
    Hello,
    Identity,
    Message,
    NoSession,
    Ping,
    Pong,
    Ready,
    Refused,
    Resume,
    Show,
    decode_message,
    encode_message,
)
from tests.firmware_protocol.tablelink.ends import (
    BOOT,
    EIGHT_OF_SPADES,
    KEY,
    OTHER_KEY,
    Pair,
    bodies,
    card,
    make_device,
    make_host,
    opened,
    read,
    wire,
)

SESSION = bytes(range(32))


def sealed(message: Message, session: bytes, direction: bytes, counter: int) -> bytes:
    return encode_frame(auth.seal(encode_message(message), session, direction, counter))


# The seal itself


@given(st.binary(min_size=1, max_size=52), st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=8))
def test_only_a_counter_above_all_before_it_is_accepted(body: bytes, counters: list[int]) -> None:
    """TL-082: replayed and reordered frames are refused."""
    plain = bytes([body[0] & 0x7F]) + body[1:]
    opener = auth.Opener(SESSION, auth.FROM_HOST)
    last = -1
    for counter in counters:
        found = opener.open(auth.seal(plain, SESSION, auth.FROM_HOST, counter))
        assert found == (plain if counter > last else None)
        last = max(last, counter)


@given(st.binary(min_size=1, max_size=52), st.data())
def test_no_flipped_bit_and_no_cut_passes(body: bytes, data: st.DataObject) -> None:
    """TL-082: forged and truncated frames are refused, and do not use up their counter."""
    plain = bytes([body[0] & 0x7F]) + body[1:]
    good = auth.seal(plain, SESSION, auth.FROM_DEVICE, 5)
    place = data.draw(st.integers(0, len(good) * 8 - 1))
    flipped = (int.from_bytes(good, "little") ^ 1 << place).to_bytes(len(good), "little")
    cut = good[: data.draw(st.integers(0, len(good) - 1))]
    opener = auth.Opener(SESSION, auth.FROM_DEVICE)
    assert opener.open(flipped) is None
    assert opener.open(cut) is None
    assert opener.open(good) == plain


def test_a_frame_of_the_other_direction_or_of_another_session_is_refused() -> None:
    """TL-081: nothing can be reflected or carried over."""
    frame = auth.seal(b"\x08\x01\x00", SESSION, auth.FROM_HOST, 0)
    assert auth.Opener(SESSION, auth.FROM_DEVICE).open(frame) is None
    assert auth.Opener(bytes(32), auth.FROM_HOST).open(frame) is None
    assert auth.Opener(SESSION, auth.FROM_HOST).open(frame) == b"\x08\x01\x00"


def test_both_nonces_and_the_key_make_the_session() -> None:
    """TL-080"""
    keys = {auth.session_key(k, h * 8, d * 8) for k in (KEY, OTHER_KEY) for h in (b"a", b"b") for d in (b"a", b"b")}
    assert len(keys) == 8


@pytest.mark.parametrize("size", [0, 1, 15, 33, 64])
def test_a_key_has_16_to_32_bytes(size: int) -> None:
    """Section 9, at both ends and in words."""
    for make in (make_host, make_device):
        with pytest.raises(ValueError, match=f"16 to 32 bytes, not {size}"):
            make(key=bytes(size))
        make(key=bytes(16))
        make(key=bytes(32))


# The session


def test_everything_in_a_session_but_hello_is_sealed_with_counters_from_0() -> None:
    """TL-010, TL-082, TL-083"""
    pair = opened(key=KEY, cards=3)
    pair.host.show(0, b"MIN 25")
    pair.commit(3)
    pair.go_on(3)
    to_device, to_host = bodies(b"".join(pair.host_sent)), bodies(b"".join(pair.device_sent))
    assert isinstance(decode_message(to_device[0]), Hello)
    session = pair.session()
    for frames, direction in ((to_device[1:], auth.FROM_HOST), (to_host, auth.FROM_DEVICE)):
        opener = auth.Opener(session, direction)
        assert all(opener.open(frame) is not None for frame in frames)
        assert [int.from_bytes(frame[-12:-8], "little") for frame in frames] == list(range(len(frames)))
    assert decode_message(auth.unseal(to_host[0])).id == Identity.id
    assert pair.host.counts == type(pair.host.counts)()
    assert pair.device.counts == type(pair.device.counts)()


def test_a_plain_session_has_no_sealed_frame() -> None:
    """TL-010"""
    pair = opened(cards=3)
    pair.commit(3)
    assert not any(auth.is_sealed(body) for body in bodies(b"".join(pair.host_sent + pair.device_sent)))


def test_a_counter_is_never_used_twice_even_if_an_identity_comes_twice() -> None:
    """TL-082: each end counts the frames it *sends* in a session; a replayed IDENTITY begins no new session."""
    host, device = make_host(key=KEY), make_device(key=KEY)
    host.connected(0.0)
    device.receive(host.data_to_send(0.0), 0.0)
    identity = device.data_to_send(0.0)
    host.receive(identity, 0.0)
    (first,) = bodies(host.data_to_send(0.0))
    host.receive(identity, 0.1)
    (second,) = bodies(host.data_to_send(0.6))
    assert int.from_bytes(second[-12:-8], "little") > int.from_bytes(first[-12:-8], "little")
    device.receive(encode_frame(first) + encode_frame(second), 0.6)
    assert device.counts.forged == 0


def test_replayed_frames_are_counted_and_change_nothing() -> None:
    """TL-082"""
    pair = opened(key=KEY, cards=2)
    pair.commit(2)
    before = pair.host.counts.forged, pair.device.counts.forged
    to_device, to_host = b"".join(pair.host_sent[1:]), b"".join(pair.device_sent[1:])
    assert pair.device.receive(to_device, 1.0) == []
    assert pair.host.receive(to_host, 1.0) == []
    assert pair.device.data_to_send(1.0) == b""
    assert pair.device.counts.forged == before[1] + len(bodies(to_device))
    assert pair.host.counts.forged == before[0] + len(bodies(to_host))


def test_a_stranger_cannot_acknowledge_a_card_or_make_one_up() -> None:
    """TL-082, TL-084"""
    pair = opened(key=KEY)
    pair.device.add(CardEvent, 0, EIGHT_OF_SPADES, 0)
    pair.device.data_to_send(0.0)
    ack, made_up = Ack(BOOT & 0xFFFF, 1), card(1)
    wrong = auth.session_key(OTHER_KEY, bytes(8), bytes(8))
    attempts = wire(ack) + sealed(ack, wrong, auth.FROM_HOST, 900)
    assert pair.device.receive(attempts, 0.0) == []
    assert pair.device.queued == 1
    assert (pair.device.counts.unsealed, pair.device.counts.forged) == (1, 1)
    assert pair.host.receive(wire(made_up) + sealed(made_up, wrong, auth.FROM_DEVICE, 900), 0.0) == []
    assert (pair.host.counts.unsealed, pair.host.counts.forged) == (1, 1)


def test_a_reflected_frame_is_refused() -> None:
    """TL-081"""
    pair = opened(key=KEY)
    last = pair.host.data_to_send(1.0)
    assert [type(message) for message in read(last)] == [Ping]
    pair.host.receive(last, 1.0)
    assert pair.host.counts.forged == 1


def test_a_strangers_hello_does_not_end_the_session() -> None:
    """TL-024, TL-087"""
    pair = opened(key=KEY)
    for _ in range(3):
        pair.device.receive(wire(Hello(1, 1, b"stranger")), pair.now)
        (answer,) = read(pair.device.data_to_send(pair.now))
        assert isinstance(answer, Identity)
        assert pair.host.receive(wire(answer), pair.now) == []
    pair.add_cards(1)
    pair.talk()
    pair.commit(1)
    assert pair.device.queued == 0
    assert pair.events == [1]


def test_only_an_authenticated_resume_takes_up_the_offer() -> None:
    """TL-084, TL-087"""
    pair = opened(key=KEY)
    pair.device.receive(wire(Hello(1, 1, b"stranger")), 0.0)
    pair.device.data_to_send(0.0)
    pair.device.receive(wire(Resume(1, BOOT, 0)), 0.0)
    assert read(pair.device.data_to_send(0.0)) == [Refused(2, 1, 1)]
    pair.device.receive(sealed(Resume(1, BOOT, 0), SESSION, auth.FROM_HOST, 0), 0.0)
    assert pair.device.data_to_send(0.0) == b""
    pair.go_on(5)
    assert [type(said) for said in pair.host_said] == [Connected]


def test_a_device_with_a_key_ignores_every_plain_frame_but_hello() -> None:
    """TL-084: with a session and without."""
    fresh, busy = make_device(key=KEY), opened(key=KEY).device
    plain = wire(Ping(1), Ack(BOOT & 0xFFFF, 0), Show(0, 1, b"x"), Pong(1), Ready(1, BOOT, 1), NoSession())
    for device in (fresh, busy):
        assert device.receive(plain, 0.0) == []
        assert device.data_to_send(0.0) == b""
        assert device.counts.unsealed == 6


def test_a_device_with_a_key_says_so_even_if_its_maker_forgot() -> None:
    """TL-084"""
    device = make_device(key=KEY)
    device.receive(wire(Hello(1, 1, bytes(8))), 0.0)
    (identity,) = read(device.data_to_send(0.0))
    assert isinstance(identity, Identity)
    assert identity.capabilities & 0x0080


def test_every_offer_has_a_fresh_nonce() -> None:
    """TL-086: as far as the link can see to it; the caller's numbers must last over restarts."""
    device = make_device(key=KEY)
    seen = []
    for _ in range(5):
        device.receive(wire(Hello(1, 1, bytes(8))), 0.0)
        (identity,) = read(device.data_to_send(0.0))
        assert isinstance(identity, Identity)
        seen.append(identity.nonce)
    assert len(set(seen)) == 5


# A key at one end only


@pytest.mark.parametrize(
    ("host_key", "device_key", "words"),
    [
        (KEY, None, "a key is configured and the device uses none"),
        (None, KEY, "the device wants its key and none is configured"),
        (OTHER_KEY, KEY, "another key than the one configured"),
    ],
    ids=["the host alone has a key", "the device alone has a key", "different keys"],
)
def test_ends_that_do_not_share_a_key_refuse_each_other_in_words(
    host_key: bytes | None, device_key: bytes | None, words: str
) -> None:
    """TL-085: said once, asked again each 5 s, and no session at either end."""
    pair = Pair(make_host(key=host_key), make_device(key=device_key))
    pair.talk()
    pair.go_on(21)
    (said,) = pair.host_said
    assert isinstance(said, DeviceRefused)
    assert words in said.words
    assert pair.host.phase == "refused"
    assert not pair.device.is_open
    assert len(pair.host_sent) <= 6


def test_the_host_goes_on_by_itself_once_the_device_has_its_key() -> None:
    """TL-085"""
    pair = Pair(make_host(key=KEY), make_device(key=OTHER_KEY))
    pair.talk()
    pair.device = make_device(key=KEY)
    pair.go_on(6)
    assert [type(said) for said in pair.host_said] == [DeviceRefused, Connected]


def test_an_unauthenticated_refusal_does_not_keep_a_dead_session_alive() -> None:
    """TL-051, TL-083: only a frame of the session is a sign of life; all REFUSED can cause is a new handshake."""
    pair = opened(key=KEY)
    for tenth in range(1, 60):
        pair.host.receive(wire(Refused(1, 1, 1)), tenth / 10)
        pair.host.poll(tenth / 10)
        pair.host.data_to_send(tenth / 10)
    assert pair.host.phase != "open"


def test_an_unauthenticated_no_session_costs_a_handshake_and_no_more() -> None:
    """TL-083"""
    pair = opened(key=KEY, cards=1)
    pair.host_said += pair.host.receive(wire(NoSession()), pair.now)
    pair.talk()
    connected = [said for said in pair.host_said if isinstance(said, Connected)]
    assert [said.proven for said in connected] == [False, True]
    pair.commit(1)
    assert pair.device.queued == 0


def test_a_session_whose_counter_is_used_up_is_replaced() -> None:
    """TL-082: a counter has 32 bits and may not begin again."""
    pair = opened(key=KEY)
    assert pair.host._seal is not None
    pair.host._seal.counter = auth.MAX_COUNTER - 10
    pair.go_on(2)
    pair.add_cards(1)
    pair.talk()
    assert pair.events == [1]
    assert pair.host.phase == "open"


def test_a_device_whose_counter_is_used_up_does_not_fall_over() -> None:
    """TL-082: the device sends more frames than the host, so its counter ends first."""
    pair = opened(key=KEY)
    assert pair.device._seal is not None
    pair.device._seal.counter = auth.MAX_COUNTER - 2
    pair.add_cards(10)
    pair.talk()
    pair.go_on(10)
    assert pair.events == list(range(1, 11))
