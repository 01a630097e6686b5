"""Devices that each break one rule, and which ids the kit must then fail: those and no other. Importing fills ALL."""

from tests.hil.conformance.broken import events, frames, handshake, keys, liveness, messages, state, versions
from tests.hil.conformance.broken.bend import ALL, KEY, BentEnd, Broken

SUBJECTS = (frames, messages, handshake, events, state, liveness, keys, versions)

__all__ = ["ALL", "KEY", "SUBJECTS", "BentEnd", "Broken"]
