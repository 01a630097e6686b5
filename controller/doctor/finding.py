"""What a check found: how bad it is, in words, and what a person does about it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

from msgspec import Struct

Grade = Literal["good", "look", "broken"]
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)  # the best first


class Finding(Struct, frozen=True):
    """`remedy` is for whoever stands at the table, and empty only where nothing has to be done."""

    subject: str
    grade: Grade
    words: str
    remedy: str = ""


def worst(findings: Iterable[Finding]) -> Grade:
    return max((each.grade for each in findings), key=GRADES.index, default="good")
