"""The stimulus line: orders and answers as text, in any cutting, and a simulated device that obeys them."""

from __future__ import annotations

import asyncio
import time

import pytest

from drivers.errors import PortLost
from drivers.ports.memory import memory_pair
from drivers.simulated.tablelink_end import TableLinkEnd
from hil.conformance import orders
from hil.conformance.orders import StimulusLine
from hil.conformance.simulated import Obeying, serve
from hil.stimulus import FORMS, MAX_LINE, Answer, Lines, NotAnOrder, Order, parse_answer, parse_order

GOOD = [
    "hello",
    "deal 8S",
    "deal T?",
    "misread",
    "cut",
    "lid open",
    "empty",
    "jam off",
    "back",
    "key 255 hold",
    "slot 4a",
    "reset",
]


@pytest.mark.parametrize("line", GOOD)
def test_an_order_is_read_and_written_the_same(line: str) -> None:
    assert str(parse_order(line)) == line


def test_every_verb_is_among_the_examples() -> None:
    assert {line.split()[0] for line in GOOD} == set(FORMS)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "unknown"),
        ("DEAL 8S", "unknown"),
        ("dance", "unknown"),
        ("deal", "deal needs more"),
        ("deal 1S", "deal does not take '1S'"),
        ("deal 8S 9S", "does not take"),
        ("key 256 down", "does not take"),
        ("key 3", "does not take"),
        ("slot 100", "does not take"),
        ("hello you", "does not take"),
        ("deal 8S" + " " * MAX_LINE, "too long"),
    ],
)
def test_what_is_no_order_is_refused_with_the_reason(line: str, why: str) -> None:
    with pytest.raises(NotAnOrder, match=why):
        parse_order(line)


def test_lines_come_out_the_same_however_the_bytes_are_cut() -> None:
    data = b"deal 8S\r\n\r\n\ncut\nreset\nlid op"
    whole = Lines().feed(data)
    bytewise = Lines()
    assert [line for byte in data for line in bytewise.feed(bytes([byte]))] == whole == ["deal 8S", "cut", "reset"]


def test_endless_input_keeps_one_line_and_is_no_order() -> None:
    lines = Lines()
    assert lines.feed(b"x" * 10_000) == []
    assert len(lines._kept) <= MAX_LINE + 2
    [line] = lines.feed(b"\n")
    with pytest.raises(NotAnOrder, match="too long"):
        parse_order(line)


@pytest.mark.parametrize("text", ["ok", "ok shoe", "no: stopped", "no: "])
def test_answers_are_read(text: str) -> None:
    assert str(parse_answer(text)).strip() == text.strip()


@pytest.mark.parametrize("text", ["", "OK", "okay", "yes", "no stopped"])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(NotAnOrder, match="an answer is ok"):
        parse_answer(text)


def answers(role: str, *lines: str) -> list[str]:
    async def talk() -> list[str]:
        near, far = memory_pair()
        task = asyncio.create_task(serve(far, Obeying(TableLinkEnd(role, clock=time.monotonic))))
        came, found = Lines(200), []
        for line in lines:
            await near.write(line.encode() + b"\n")
            while not (got := came.feed(await near.read())):
                pass
            found += got
        await near.close()
        await task
        return found

    return asyncio.run(talk())


def test_a_simulated_device_obeys_and_refuses_in_words() -> None:
    assert answers("shoe", "hello", "deal 8S", "key 1 down", "deal 1S", "slot 80", "lid open", "reset", "nonsense") == [
        "ok shoe",
        "ok",
        "no: unknown",
        "no: deal does not take '1S'",
        "ok -",
        "ok",
        "ok",
        "no: unknown",
    ]
    assert answers("panel", "key 0 down", "deal 8S") == ["ok", "no: unknown"]
    full = answers("shoe", *["deal 2C"] * 32)
    assert full == ["ok"] * 30 + ["no: stopped"] * 2
    assert answers("panel", *["key 0 down"] * 33)[-1] == "no: full"


async def test_a_stimulus_line_that_says_nothing_or_nonsense_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "PATIENCE", 0.05)
    near, far = memory_pair()
    line = StimulusLine(near, "/dev/x")
    with pytest.raises(PortLost, match="did not answer 'hello'"):
        await line.obey(Order("hello"))
    await far.write(b"Arduino ready\n")
    with pytest.raises(PortLost, match="strangely"):
        await line.obey(Order("hello"))
    await far.close()
    with pytest.raises(PortLost):
        await line.obey(Order("hello"))


def test_an_answer_says_what_it_says() -> None:
    assert str(Answer(True, "01")) == "ok 01"
    assert str(Answer(False, "full")) == "no: full"
