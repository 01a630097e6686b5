"""A link run over memory ports: handshake deadlines in words, floods, writes that hang, order, and no task left."""

from __future__ import annotations

import asyncio
import random

import pytest

from drivers import errors, stream
from drivers.base import CardRead, Lost, Misread, Ready, Refused, Said
from drivers.ports.memory import CAPACITY, MemoryPort, memory_pair
from drivers.stream import StreamDevice
from tests.drivers.scripted import others, until
from tests.drivers.tiny_link import TinyLink

READY = Ready(identity="tiny", proven=True, words="nothing was missed")
HANDSHAKE_S = 60.0  # on the clock of the bench, which goes on only when a test says so


class Bench:
    """A stream device on a memory port whose far end is in the test's hand."""

    def __init__(self, link: TinyLink) -> None:
        self.link = link
        self.said: list[Said] = []
        self.far: MemoryPort | None = None
        self.now = 0.0
        self.device = StreamDevice(
            link, self._open, kind="shoe", driver="tiny", address="memory", clock=lambda: self.now
        )
        self.serving: asyncio.Task[None] | None = None

    async def _open(self) -> MemoryPort:
        near, self.far = memory_pair()
        return near

    async def begin(self) -> MemoryPort:
        await self.device.open()
        self.serving = asyncio.create_task(self.device.serve(self.said.append))
        assert self.far is not None
        return self.far

    async def later(self, seconds: float) -> None:
        """Time goes by, and the device had its turns to notice."""
        self.now += seconds
        self.device.wake()
        for _ in range(10):
            await asyncio.sleep(0)

    async def end(self) -> Exception | None:
        """What ended `serve`, once it did; and whether it left something."""
        assert self.serving is not None
        result = (await asyncio.gather(self.serving, return_exceptions=True))[0]
        await self.device.close()
        assert others() == set()
        assert self.link.calls.count("opened") == self.link.calls.count("closed")
        return result if isinstance(result, Exception) else None

    async def stop(self) -> None:
        assert self.serving is not None
        self.serving.cancel()
        assert await self.end() is None


async def test_what_a_device_sends_is_reported_in_its_order() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    assert await far.read() == b"hello\n"
    for piece in (b"rea", b"dy\n8S\n9", b"D\n", b"TC\nlost\nready\nAH\n"):
        await far.write(piece)
    await until(lambda: len(bench.said) == 7)
    cards = [CardRead(card=card) for card in ("8S", "9D", "TC", "AH")]
    assert bench.said == [READY, *cards[:3], Lost(words="the device restarted"), READY, cards[3]]
    await bench.stop()


async def test_a_device_that_sends_nothing_is_told_from_one_that_sends_noise() -> None:
    silent, noisy = Bench(TinyLink(handshake_s=3)), Bench(TinyLink(handshake_s=3))
    await silent.begin()
    await silent.later(0)
    await silent.later(3)
    error = await silent.end()
    assert isinstance(error, errors.WrongDevice)
    assert error.words == "memory did not answer as a shoe within 3 seconds; it sent nothing"
    assert "croupier devices" in error.advice
    far = await noisy.begin()
    await far.write(b"\xff" * 17)
    await noisy.later(0)
    await noisy.later(3)
    noise = await noisy.end()
    assert isinstance(noise, errors.WrongDevice)
    assert "it sent 17 bytes, and no answer among them" in noise.words
    assert "17" not in noise.reason
    assert noise.reason != error.reason


async def test_one_byte_is_not_called_bytes() -> None:
    bench = Bench(TinyLink(handshake_s=3))
    far = await bench.begin()
    await far.write(b"x")
    await bench.later(0)
    await bench.later(3)
    assert "it sent 1 byte, and" in str(await bench.end())


async def test_a_link_without_a_handshake_is_ready_at_once_and_waits_for_ever() -> None:
    bench = Bench(TinyLink(handshake_s=None))
    await bench.begin()
    await until(lambda: bench.said == [READY])
    await bench.stop()


async def test_an_answer_in_time_ends_the_deadline() -> None:
    bench = Bench(TinyLink(handshake_s=3))
    far = await bench.begin()
    await bench.later(0)
    await bench.later(2.9)
    await far.write(b"ready\n")
    await until(lambda: bench.said == [READY])
    await bench.later(60)
    assert bench.serving is not None
    assert not bench.serving.done()
    await bench.stop()


async def test_a_lost_device_gets_a_new_deadline_and_its_earlier_bytes_do_not_count() -> None:
    bench = Bench(TinyLink(handshake_s=3))
    far = await bench.begin()
    await bench.later(0)
    await bench.later(2)
    await far.write(b"ready\n8S\nlost\n")
    await until(lambda: len(bench.said) == 3)
    await bench.later(2)
    assert bench.serving is not None
    assert not bench.serving.done()
    await bench.later(1)
    error = await bench.end()
    assert isinstance(error, errors.WrongDevice)
    assert "it sent nothing" in error.words
    assert bench.said == [READY, CardRead(card="8S"), Lost(words="the device restarted")]


async def test_a_device_that_falls_silent_is_asked_again_on_the_same_port() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S, silent_s=3))
    far = await bench.begin()
    assert await far.read() == b"hello\n"
    await far.write(b"ready\n")
    await until(lambda: bench.said == [READY])
    await bench.later(3)
    assert await far.read() == b"hello\n"
    assert bench.said == [READY, Lost(words="nothing was heard")]
    await bench.stop()


async def test_a_device_that_refuses_is_waited_for() -> None:
    bench = Bench(TinyLink(handshake_s=3))
    far = await bench.begin()
    await far.write(b"refused\n")
    await until(lambda: len(bench.said) == 1)
    await bench.later(60)
    await far.write(b"ready\n")
    await until(lambda: len(bench.said) == 2)
    assert bench.said == [Refused(words="the device wants its key", advice="Write the key"), READY]
    await bench.stop()


async def test_what_the_table_asks_is_sent_when_it_wakes_the_link() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    assert await far.read() == b"hello\n"
    bench.link.asked = b"show 5-100\n"
    bench.device.wake()
    assert await far.read() == b"show 5-100\n"
    await bench.stop()


async def test_what_was_asked_while_unplugged_is_sent_after_the_next_open() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    await far.close()
    assert isinstance(await bench.end(), errors.PortLost)
    bench.link.asked = b"show 5-100\n"
    bench.device.wake()
    far = await bench.begin()
    assert await far.read() == b"hello\nshow 5-100\n"
    await bench.stop()


async def test_a_megabyte_of_noise_leaves_the_others_their_turn() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    noise = random.Random(4).randbytes(1 << 20).replace(b"\n", b"\r")
    flood = asyncio.create_task(far.write(noise + b"\nready\n"))
    turns = 0
    while READY not in bench.said:
        await asyncio.sleep(0)
        turns += 1
    assert turns >= len(noise) // CAPACITY
    await flood
    await bench.stop()


async def test_a_flood_that_never_ends_does_not_put_off_the_deadline() -> None:
    bench = Bench(TinyLink(handshake_s=3))
    far = await bench.begin()

    async def flood() -> None:
        while True:
            await far.write(b"\xff" * CAPACITY)

    flooding = asyncio.create_task(flood())
    await bench.later(0)
    await bench.later(3)
    assert bench.serving is not None
    await asyncio.wait((bench.serving,), timeout=20)
    flooding.cancel()
    await asyncio.gather(flooding, return_exceptions=True)
    assert isinstance(await bench.end(), errors.WrongDevice)


async def test_a_device_that_takes_no_bytes_is_timed_out_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "WRITE_S", 0.05)
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    bench.link.asked = b"x" * (2 * CAPACITY)
    await bench.begin()
    error = await bench.end()
    assert isinstance(error, errors.TimedOut)
    assert error.words == "memory took no bytes for 0.05 seconds"
    assert error.advice


async def test_a_device_that_hangs_up_ends_it_with_everything_it_had_sent() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    await far.write(b"ready\n8S\n")
    await far.close()
    assert isinstance(await bench.end(), errors.PortLost)
    assert bench.said[:2] == [READY, CardRead(card="8S")]


async def test_what_came_before_a_hang_up_is_heard_although_the_writer_noticed_it_first() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    bench.link.asked = b"x" * (2 * CAPACITY)  # the writer waits for room
    far = await bench.begin()
    await until(lambda: bench.link.asked == b"")
    await far.write(b"ready\n" + b"8S\n" * 1000)
    await far.close()
    assert isinstance(await bench.end(), errors.PortLost)
    assert bench.said.count(CardRead(card="8S")) == 1000


async def test_the_link_tells_its_events_at_the_end_and_leaves_the_loss_to_the_error() -> None:
    bench = Bench(TinyLink(handshake_s=None))
    far = await bench.begin()
    await until(lambda: bool(bench.said))
    await far.close()
    assert isinstance(await bench.end(), errors.PortLost)
    assert bench.said == [READY, Misread(reason="half a card")]


async def test_a_port_closed_under_it_ends_it() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    await bench.begin()
    await asyncio.sleep(0)
    await bench.device.close()
    await bench.device.close()
    assert isinstance(await bench.end(), errors.PortClosed)


async def test_a_mistake_in_the_link_comes_out_as_it_is() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    await far.write(b"broken\n")
    assert isinstance(await bench.end(), ValueError)


async def test_serving_what_was_not_opened_is_refused() -> None:
    bench = Bench(TinyLink())
    with pytest.raises(errors.PortLost, match="memory is not open"):
        await bench.device.serve(bench.said.append)
    assert bench.link.calls == []


async def test_opening_again_closes_the_old_port() -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    await bench.device.open()
    first = bench.far
    await bench.device.open()
    assert first is not None
    with pytest.raises(errors.PortLost):
        await first.read()
    await bench.device.close()


@pytest.mark.parametrize("turns", range(12))
async def test_cancelled_at_any_moment_it_leaves_no_task(turns: int) -> None:
    bench = Bench(TinyLink(handshake_s=HANDSHAKE_S))
    far = await bench.begin()
    await far.write(b"ready\n8S\n")
    for _ in range(turns):
        await asyncio.sleep(0)
    await bench.stop()
