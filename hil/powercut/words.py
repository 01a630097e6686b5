"""What the guest says to the outside, a line each. Whatever does not begin so is the table's log."""

from __future__ import annotations

from typing import Final

MOUNTING: Final = "@mounting"  # the disk, from now on
NO_DISK: Final = "@no-disk"  # the image could not be mounted
REPLAYED: Final = "@replayed"  # ext4 found its journal in use, as behind a cut
EVIDENCE: Final = "@evidence"  # the journal was copied out as the cut left it
UP: Final = "@up"  # the table answers
AWAITED: Final = "@card"  # SHOE COUNT: a card is awaited
ASKS: Final = "@asks"
REFUSED: Final = "@refused"
FULL: Final = "@full"  # the disk is
ENDED: Final = "@ended"  # STATUS: the table's process, which nobody told to end
