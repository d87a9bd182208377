"""Where the state of a drive whose media has read errors is: a disk's, and behind its tables what follows here.

Positions are relative to the first word behind the disk's tables. A word for each row of the disk's command table,
and then the table of sectors that are known to be bad, come last.
"""

from __future__ import annotations

from collections.abc import Sequence

RETRIES = 0
"""Revolutions that the drive spends on a sector before it gives up."""
REREADS = 1
"""Revolutions that a recoverable error takes."""
SOFT = 2
"""Sectors that the media is still to read before the next recoverable error; NEVER or, until it is told, WANTED."""
HARD = 3
"""The same of errors that are unrecoverable."""
AT = 4
"""Sector up to which the present pass has been counted."""
PASS = 5
"""Position of the segment that the present pass reads into, or -1; then where and when that pass began."""
PASS_ORIGIN = 6
PASS_PHASE = 7
RECOVERED = 8
"""Errors that were recovered."""
UNREADABLE = 9
"""Commands that ended with an error of the medium."""
LOST = 10
"""Time that was spent on reading again, in ps."""
KNOWN = 11
"""Rows of the table of bad sectors that are taken."""
OLDEST = 12
"""Row that is the next to be given up where the table is full."""
GAVE_UP = 13
"""First word of those of the commands: 0, or one above the sector on which the drive gave up; negative once told."""

NEVER = 2**61
WANTED = -1

BAD_ROWS = 256
BAD_COLUMNS = 2
"""Of each bad sector: its address, and 1 if it cannot be read, 0 if it can be read again with REREADS revolutions."""


def initial(
    slots: int,
    retries: int,
    rereads: int = 1,
    *,
    soft: bool = False,
    hard: bool = False,
    unreadable: Sequence[int] = (),
    marginal: Sequence[int] = (),
) -> list[int]:
    """What follows the state of a disk whose command table has `slots` rows.

    `soft` and `hard` say whether there are recoverable and unrecoverable errors by chance; `unreadable` sectors
    cannot be read until they are written, `marginal` ones always take `rereads` revolutions more.
    """
    table = [(sector, 1) for sector in unreadable] + [(sector, 0) for sector in marginal]
    if len(table) > BAD_ROWS:
        raise ValueError(f"{len(table)} bad sectors; a drive knows {BAD_ROWS} at most")
    state = [retries, rereads, WANTED if soft else NEVER, WANTED if hard else NEVER]
    state += [0, -1, 0, 0, 0, 0, 0, len(table), 0]
    rows = [word for row in table for word in row]
    return [*state, *[0] * slots, *rows, *[0] * (BAD_COLUMNS * BAD_ROWS - len(rows))]
