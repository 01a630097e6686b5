"""Why the web can't be started, for the person who must act."""

from __future__ import annotations


class WebRefused(OSError):
    """`words` say what is wrong with which file or address; `advice` what a person does now. Nothing was started."""

    def __init__(self, words: str, *, advice: str = "") -> None:
        self.words, self.advice = words, advice
        super().__init__(". ".join(part.rstrip(".") for part in (words, advice) if part) + ".")
