"""TL-090 and TL-095: which version both speak, and a device that does not complain."""

from __future__ import annotations

import random
from typing import Final

from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import Refused
from hil.conformance.case import ANSWER_S, Case
from hil.conformance.checks.framing import answers
from hil.conformance.reading import message_words
from hil.conformance.verdicts import Failed

BURSTS: Final = 6


async def highest(case: Case) -> None:
    """That it lies in what was offered is watched."""
    mark = case.talk.mark
    await case.talk.hello(200, 255)
    refused = await case.talk.wait_for(Refused, ANSWER_S, mark)
    newest = refused.max_version if refused is not None else 1
    for low, high in ((1, 1), (0, 1), (1, 2), (1, 199), (0, 199)):
        identity = await case.ask(low, high)
        if identity.version != min(high, newest):
            raise Failed(
                f"HELLO offered {low} to {high}, it speaks up to {newest}, and IDENTITY says version {identity.version}"
            )
    await case.ask()


async def quiet(case: Case) -> None:
    """Ids that are nobody's are watched; here noise, bad frames and unknown ids come all at once."""
    await case.open()
    chance, mark = random.Random(95), case.talk.mark
    for _ in range(BURSTS):
        noise = bytes(chance.randrange(256) for _ in range(60))
        await case.talk.send_bytes(noise + b"\x00", "noise")
        await case.talk.send_bytes(encode_frame(bytes([chance.randrange(0x2B, 0x80)]) + noise[:20]), "an unknown id")
        await case.talk.listen(0.2)
    for heard in filter(answers, case.talk.log[mark:]):
        raise Failed(f"noise and unknown ids were answered with {message_words(heard.message)}")


CHECKS: Final = {"TL-090": highest, "TL-095": quiet}
