"""What can be wrong with the people of a table, for the person who must act."""

from __future__ import annotations


class PeopleRefused(OSError):
    """A file that can't be used. `words` say what is wrong with which file; `advice` what a person does now."""

    def __init__(self, words: str, *, advice: str = "") -> None:
        self.words, self.advice = words, advice
        super().__init__(". ".join(part.rstrip(".") for part in (words, advice) if part) + ".")


class BadName(ValueError):
    """A name that nobody can have, or that is taken or unknown."""


class BadPin(ValueError):
    """A PIN that would be guessed, or is none."""
