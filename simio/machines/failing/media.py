"""A drive whose media has read errors: a disk, and what its media comes across in the passes that it makes.

The media finds out that a sector is bad when the head has gone over it. It then reads it again, a revolution later
each time. If that succeeds, the pass goes on from there. If it does not, and a command wants the sector, the drive
gives up after RETRIES revolutions, and the command ends with an error; if none does, reading ahead ends there.

A disk's passes are computed when somebody asks. So whoever asks anything of such a drive first has it catch up: what
the media has come across until now is settled, and only then is the disk's function called.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.buffer import command_at, position, swept_at
from simio.machines.disk.geometry import path
from simio.machines.disk.layout import (
    ACTIVE,
    CHUNK,
    CHUNK_END,
    DESTAGED,
    END,
    HELD,
    KIND,
    NEXT,
    ORIGIN,
    OWNER,
    PHASE,
    PLACE,
    REVOLUTION,
    SLOTS,
    START,
    STOP,
    STREAM,
)
from simio.machines.failing.bad import errors_at, first_bad, forget, learn
from simio.machines.failing.layout import (
    AT,
    GAVE_UP,
    HARD,
    LOST,
    NEVER,
    PASS,
    PASS_ORIGIN,
    PASS_PHASE,
    RECOVERED,
    REREADS,
    RETRIES,
    SOFT,
    UNREADABLE,
    WANTED,
)
from simio.machines.shared import shared


@shared
def count(state: NDArray, e: int, sector: int) -> None:
    """The media has read on to a sector, which brings the next errors by chance nearer."""
    amount = sector - state[e + AT]
    state[e + AT] = sector
    if state[e + SOFT] != NEVER and state[e + SOFT] != WANTED:
        state[e + SOFT] = max(state[e + SOFT] - amount, 0)
    if state[e + HARD] != NEVER and state[e + HARD] != WANTED:
        state[e + HARD] = max(state[e + HARD] - amount, 0)


@shared
def same_pass(state: NDArray, base: int, e: int) -> bool:
    """Whether the media reads in the pass that was looked at last."""
    s = state[base + ACTIVE]
    return (
        s >= 0
        and s == state[e + PASS]
        and state[s + ORIGIN] == state[e + PASS_ORIGIN]
        and state[s + PHASE] == state[e + PASS_PHASE]
    )


@shared
def note_pass(state: NDArray, base: int, e: int) -> None:
    """If the media has begun another pass, sectors are counted from where that begins."""
    s = state[base + ACTIVE]
    if s < 0 or state[s + KIND] != STREAM or state[s + STOP] >= 0:
        state[e + PASS] = -1
    elif not same_pass(state, base, e):
        state[e + PASS] = s
        state[e + PASS_ORIGIN] = state[s + ORIGIN]
        state[e + PASS_PHASE] = state[s + PHASE]
        state[e + AT] = state[s + ORIGIN]


@shared
def next_bad(state: NDArray, base: int, e: int) -> int:
    """First sector at which the present pass comes across an error, a long way off where there is none."""
    at = state[e + AT]
    row = first_bad(state, base, e, at)
    found = state[row] if row >= 0 else NEVER
    if state[e + SOFT] != WANTED:
        found = min(found, at + state[e + SOFT])
    if state[e + HARD] != WANTED:
        found = min(found, at + state[e + HARD])
    return found


@shared
def recovers(state: NDArray, base: int, e: int, sector: int) -> bool:
    """Whether the error at a sector is one that reading again recovers; what comes by chance is over with that."""
    row = first_bad(state, base, e, sector)
    known = row >= 0 and state[row] == sector
    hard = known and state[row + 1] == 1
    at = state[e + AT]
    if state[e + HARD] != WANTED and at + state[e + HARD] == sector:
        state[e + HARD] = WANTED
        if not hard:
            learn(state, base, e, sector)
        hard = True
    if state[e + SOFT] != WANTED and at + state[e + SOFT] == sector:
        state[e + SOFT] = WANTED
    return not hard and state[e + REREADS] <= state[e + RETRIES]


@shared
def come_across(state: NDArray, base: int, e: int, sector: int, tag: int) -> None:
    """The pass of the media comes across an error at a sector, which command `tag` wants, or none if that is -1."""
    s = state[e + PASS]
    revolution = state[base + REVOLUTION]
    if recovers(state, base, e, sector):
        time = state[e + REREADS] * revolution
        state[e + RECOVERED] += 1
        state[e + LOST] += time
        state[s + ORIGIN] = state[e + PASS_ORIGIN] = sector
        state[s + PHASE] = state[e + PASS_PHASE] = state[s + PHASE] + time
        state[s + START] = state[s + PHASE] + path(state, base, sector)
        count(state, e, sector)
        # A sector that has been read again is not come across a second time in this pass.
        state[e + AT] = sector + 1
        return
    found = swept_at(state, base, s, sector + 1)
    count(state, e, sector)
    state[s + STOP] = sector
    state[s + START] = found
    state[e + PASS] = -1
    if tag >= 0:
        state[s + START] = found + state[e + RETRIES] * revolution
        state[e + LOST] += state[e + RETRIES] * revolution
        state[e + GAVE_UP + tag] = sector + 1


@shared
def wants(state: NDArray, base: int, sector: int) -> int:
    """Tag of the command that has the arm, if it is for the stream that the media reads and wants a sector, or -1."""
    tag = state[base + OWNER]
    if tag < 0:
        return -1
    c = command_at(state, base, tag)
    return tag if state[c + PLACE] == state[base + ACTIVE] and state[c + END] > sector else -1


@shared
def catch_up(state: NDArray, base: int, now: int) -> None:
    """Settle what the media has come across until now."""
    e = errors_at(state, base)
    while state[e + PASS] >= 0:
        sector = next_bad(state, base, e)
        s = state[e + PASS]
        if sector >= position(state, base, s, now):
            count(state, e, max(position(state, base, s, now), state[e + AT]))
            return
        come_across(state, base, e, sector, wants(state, base, sector))


@shared
def failed(state: NDArray, base: int, tag: int) -> int:
    """1 if a command was told that it has failed, else 0."""
    if tag < 0 or tag >= state[base + SLOTS]:
        return -1
    return 1 if state[errors_at(state, base) + GAVE_UP + tag] < 0 else 0


@shared
def fails(state: NDArray, base: int, now: int, tag: int) -> int:
    """Time until the drive tells that a command has failed: when it gives up."""
    e = errors_at(state, base)
    state[e + UNREADABLE] += 1
    state[e + GAVE_UP + tag] = -state[e + GAVE_UP + tag]
    s = state[command_at(state, base, tag) + PLACE]
    return max(state[s + START] - now, 0)


@shared
def before_next(state: NDArray, base: int, tag: int, sectors: int) -> bool:
    """Whether the next sectors of a read can be asked for: the drive has not given up on one of them."""
    if tag < 0 or tag >= state[base + SLOTS]:
        return True
    gave_up = state[errors_at(state, base) + GAVE_UP + tag]
    return gave_up == 0 or state[command_at(state, base, tag) + NEXT] + sectors < gave_up


@shared
def after_next(state: NDArray, base: int, now: int, tag: int, time: int) -> int:
    """The time until the next sectors of a read are there, which the disk says is `time`, with the errors in them."""
    e = errors_at(state, base)
    c = command_at(state, base, tag)
    s = state[c + PLACE]
    wanted = state[c + NEXT]
    if state[e + PASS] != s:
        return time
    while state[e + PASS] == s and next_bad(state, base, e) < wanted:
        come_across(state, base, e, next_bad(state, base, e), tag)
    if state[e + PASS] != s:
        return fails(state, base, now, tag)
    if wanted <= state[s + ORIGIN]:
        return time
    return max(swept_at(state, base, s, wanted) - now, 0)


@shared
def after_media(state: NDArray, base: int, tag: int, time: int) -> int:
    """The time until the media has read all of a read, or 0 where an error may come before."""
    e = errors_at(state, base)
    c = command_at(state, base, tag)
    unsure = state[e + SOFT] == WANTED or state[e + HARD] == WANTED
    if time > 0 and (unsure or (state[e + PASS] >= 0 and next_bad(state, base, e) < state[c + END])):
        state[c + HELD] = 0
        return 0
    return time


@shared
def about_to_be_written(state: NDArray, base: int) -> None:
    """The media has what `disk.write` said: these sectors can be read again."""
    s = state[base + CHUNK]
    if s >= 0:
        forget(state, base, errors_at(state, base), state[s + DESTAGED], state[base + CHUNK_END])


@shared
def wanted_draws(state: NDArray, base: int) -> int:
    """1 if it is to be told how far the next recoverable error is off, plus 2 for an unrecoverable one."""
    e = errors_at(state, base)
    return (1 if state[e + SOFT] == WANTED else 0) + (2 if state[e + HARD] == WANTED else 0)


@shared
def told(state: NDArray, base: int, kind: int, sectors: int) -> int:
    """The next error, recoverable (`kind` is 1) or not (2), is so many sectors off. Returns 0."""
    if sectors < 0 or sectors >= NEVER:
        return -1
    e = errors_at(state, base)
    state[e + (SOFT if kind == 1 else HARD)] = sectors
    return 0
