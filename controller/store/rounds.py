"""Finds a round in a journal by its number, as quickly in a long one as in a short one. Reads only.

The indexes that it goes by are in the journal's schema. Nothing is believed of them but where to look: the records
themselves are proven.
"""

from __future__ import annotations

from typing import Final

from controller.store import rows
from controller.store.journal import JournalReader
from controller.store.record import Record

# The words of the schema's indexes, or SQLite would not use them.
NUMBER: Final = "json_extract(data, '$.number')"
BEGAN: Final = f"SELECT sequence FROM record WHERE kind = 'RoundBegun' AND {NUMBER} = ?"
NEWEST: Final = f"SELECT sequence FROM record WHERE kind = 'RoundBegun' AND {NUMBER} < ? ORDER BY {NUMBER} DESC LIMIT ?"
SET_UP: Final = "SELECT sequence FROM record WHERE kind = 'TableSetUp' AND sequence < ? ORDER BY sequence DESC LIMIT 1"
SELDOM: Final = (
    "SELECT sequence FROM record WHERE kind IN "
    "('TableSetUp', 'LimitsScheduled', 'LimitsApplied', 'AlertRaised', 'AlertAcknowledged') "
    "AND sequence < ? ORDER BY sequence"
)
OPENED: Final = "SELECT sequence FROM record WHERE kind = 'TableOpened' ORDER BY sequence DESC LIMIT 1"
ALL: Final = (1 << 63) - 1


class RoundReader(JournalReader):
    """A journal whose rounds are looked up, beside the daemon that writes it or in it."""

    def began(self, number: int) -> int | None:
        """The record that began this round."""
        found = self._ask("cannot be read", lambda connection: connection.execute(BEGAN, (number,)).fetchone())
        return None if found is None else int(found[0])

    def newest(self, before: int | None, limit: int) -> list[int]:
        """The records that began rounds, the newest first; only those with numbers below `before`."""
        below = (ALL if before is None else before, limit)
        return [
            int(row[0])
            for row in self._ask("cannot be read", lambda connection: connection.execute(NEWEST, below).fetchall())
        ]

    def set_up(self, sequence: int) -> Record | None:
        """What the table was last set up as before this record."""
        found = self._ask("cannot be read", lambda connection: connection.execute(SET_UP, (sequence,)).fetchone())
        return None if found is None else self._one(found[0])

    def opened(self) -> int | None:
        """The record with which the table was last opened. Looks back through the records of that day."""
        found = self._ask("cannot be read", lambda connection: connection.execute(OPENED).fetchone())
        return None if found is None else int(found[0])

    def seldom(self, before: int = ALL) -> list[Record]:
        """What the table was set up as, limits and alerts: all of it before this record, in order."""
        found = self._ask("cannot be read", lambda connection: connection.execute(SELDOM, (before,)).fetchall())
        return [record for row in found if (record := self._one(row[0])) is not None]

    def _one(self, sequence: int) -> Record | None:
        return self._ask("cannot be read", lambda connection: rows.one(connection, sequence))
