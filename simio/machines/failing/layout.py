"""The state of a drive whose media has read errors: a disk's, and behind its tables what follows here.

Positions are relative to the first word behind the disk's tables. A word for each row of the disk's command table,
and then the table of bad sectors, come last.
"""

from __future__ import annotations

from collections.abc import Sequence

from simio.machines.layout import Layout, State

NEVER = 2**61
WANTED = -1

BAD_ROWS = 256
BAD_COLUMNS = 2
"""Words of a bad sector: its address, and 1 if unreadable, 0 if it can be read again with REREADS revolutions."""

ERRORS = Layout("read errors")
RETRIES = ERRORS.word("retries", "revolutions", about="that the drive spends on a sector before it gives up")
REREADS = ERRORS.word("rereads", "revolutions", 1, about="that a recoverable error takes")
SOFT = ERRORS.word(
    "next recoverable", "sectors", NEVER, about="until then; NEVER or, until a distance is drawn, WANTED"
)
HARD = ERRORS.word("next unrecoverable", "sectors", NEVER, about="as for recoverable errors")
AT = ERRORS.word("read to", about="sector up to which the present pass has been counted")
PASS = ERRORS.word("pass", initial=-1, about="position of the segment that the present pass reads into, or -1")
PASS_ORIGIN = ERRORS.word("pass origin", about="sector where that pass began")
PASS_PHASE = ERRORS.word("pass phase", "ps", about="when that pass began")
RECOVERED = ERRORS.word("recovered", "errors")
UNREADABLE = ERRORS.word("unreadable", "commands", about="that ended with an error of the medium")
LOST = ERRORS.word("lost", "ps", about="time spent on reading again")
KNOWN = ERRORS.word("known", "sectors", about="rows of the table of bad sectors in use")
OLDEST = ERRORS.word("oldest", about="row that is given up next when the table is full")
GAVE_UP = ERRORS.table(
    "gave up",
    about="for each command 0, or one above the sector on which the drive gave up; negative once that is reported",
)
ERRORS.later("bad", about="rows of BAD_COLUMNS words for the sectors that are known to be bad")


def initial(
    slots: int,
    retries: int,
    rereads: int = 1,
    *,
    soft: bool = False,
    hard: bool = False,
    unreadable: Sequence[int] = (),
    marginal: Sequence[int] = (),
) -> State:
    """Words that follow the state of a disk whose command table has `slots` rows.

    `soft` and `hard` say whether there are recoverable and unrecoverable errors by chance; `unreadable` sectors
    cannot be read until they are written, `marginal` ones always take `rereads` revolutions more. Raises ValueError
    for more bad sectors than the table has rows.
    """
    table = [(sector, 1) for sector in unreadable] + [(sector, 0) for sector in marginal]
    if len(table) > BAD_ROWS:
        raise ValueError(f"{len(table)} bad sectors; a drive knows {BAD_ROWS} at most")
    rows = [word for row in table for word in row]
    return ERRORS.initial(
        **{
            "retries": retries,
            "rereads": rereads,
            "next recoverable": WANTED if soft else NEVER,
            "next unrecoverable": WANTED if hard else NEVER,
            "known": len(table),
            "gave up": [0] * slots,
            "bad": [*rows, *[0] * (BAD_COLUMNS * BAD_ROWS - len(rows))],
        }
    )
