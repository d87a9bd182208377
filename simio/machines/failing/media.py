"""A drive whose media has read errors: a disk, and what its media comes across in the passes that it makes.

The media finds out that a sector is bad when the head has gone over it. It then reads it again, a revolution later
each time. If that succeeds, the pass goes on from there. If it does not, and a command wants the sector, the drive
gives up after RETRIES revolutions, and the command ends with an error; if none does, reading ahead ends there.

A disk's passes are computed when somebody asks. So whoever asks anything of such a drive first has it catch up: what
the media has come across until now is settled, and only then is the disk's function called.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as d
from simio.machines.disk.buffer import command_at, position, swept_at
from simio.machines.disk.geometry import path
from simio.machines.failing import layout as f
from simio.machines.failing.bad import errors_at, first_bad, forget, learn
from simio.machines.shared import shared


@shared
def count(state: NDArray, e: int, sector: int) -> None:
    """The media has read on to a sector, which brings the next errors by chance nearer."""
    amount = sector - state[e + f.AT]
    state[e + f.AT] = sector
    if state[e + f.SOFT] != f.NEVER and state[e + f.SOFT] != f.WANTED:
        state[e + f.SOFT] = max(state[e + f.SOFT] - amount, 0)
    if state[e + f.HARD] != f.NEVER and state[e + f.HARD] != f.WANTED:
        state[e + f.HARD] = max(state[e + f.HARD] - amount, 0)


@shared
def same_pass(state: NDArray, base: int, e: int) -> bool:
    """True if the media reads in the pass that was looked at last."""
    s = state[base + d.ACTIVE]
    return (
        s >= 0
        and s == state[e + f.PASS]
        and state[s + d.ORIGIN] == state[e + f.PASS_ORIGIN]
        and state[s + d.PHASE] == state[e + f.PASS_PHASE]
    )


@shared
def note_pass(state: NDArray, base: int, e: int) -> None:
    """Count sectors from the beginning of the present pass of the media, if that is another one."""
    s = state[base + d.ACTIVE]
    if s < 0 or state[s + d.KIND] != d.STREAM or state[s + d.STOP] >= 0:
        state[e + f.PASS] = -1
    elif not same_pass(state, base, e):
        state[e + f.PASS] = s
        state[e + f.PASS_ORIGIN] = state[s + d.ORIGIN]
        state[e + f.PASS_PHASE] = state[s + d.PHASE]
        state[e + f.AT] = state[s + d.ORIGIN]


@shared
def next_bad(state: NDArray, base: int, e: int) -> int:
    """First sector at which the present pass comes across an error, a long way off where there is none."""
    at = state[e + f.AT]
    row = first_bad(state, base, e, at)
    found = state[row] if row >= 0 else f.NEVER
    if state[e + f.SOFT] != f.WANTED:
        found = min(found, at + state[e + f.SOFT])
    if state[e + f.HARD] != f.WANTED:
        found = min(found, at + state[e + f.HARD])
    return found


@shared
def recovers(state: NDArray, base: int, e: int, sector: int) -> bool:
    """True if reading again recovers the error at a sector; one that comes by chance is over with that."""
    row = first_bad(state, base, e, sector)
    known = row >= 0 and state[row] == sector
    hard = known and state[row + 1] == 1
    at = state[e + f.AT]
    if state[e + f.HARD] != f.WANTED and at + state[e + f.HARD] == sector:
        state[e + f.HARD] = f.WANTED
        if not hard:
            learn(state, base, e, sector)
        hard = True
    if state[e + f.SOFT] != f.WANTED and at + state[e + f.SOFT] == sector:
        state[e + f.SOFT] = f.WANTED
    return not hard and state[e + f.REREADS] <= state[e + f.RETRIES]


@shared
def come_across(state: NDArray, base: int, e: int, sector: int, tag: int) -> None:
    """The pass of the media comes across an error at a sector, which command `tag` wants, or none if that is -1."""
    s = state[e + f.PASS]
    revolution = state[base + d.REVOLUTION]
    if recovers(state, base, e, sector):
        time = state[e + f.REREADS] * revolution
        state[e + f.RECOVERED] += 1
        state[e + f.LOST] += time
        state[s + d.ORIGIN] = state[e + f.PASS_ORIGIN] = sector
        state[s + d.PHASE] = state[e + f.PASS_PHASE] = state[s + d.PHASE] + time
        state[s + d.START] = state[s + d.PHASE] + path(state, base, sector)
        count(state, e, sector)
        # A sector that has been read again is not come across a second time in this pass.
        state[e + f.AT] = sector + 1
        return
    found = swept_at(state, base, s, sector + 1)
    count(state, e, sector)
    state[s + d.STOP] = sector
    state[s + d.START] = found
    state[e + f.PASS] = -1
    if tag >= 0:
        state[s + d.START] = found + state[e + f.RETRIES] * revolution
        state[e + f.LOST] += state[e + f.RETRIES] * revolution
        state[e + f.GAVE_UP + tag] = sector + 1


@shared
def wants(state: NDArray, base: int, sector: int) -> int:
    """Tag of the command that has the arm, if it is for the stream that the media reads and wants a sector, or -1."""
    tag = state[base + d.OWNER]
    if tag < 0:
        return -1
    c = command_at(state, base, tag)
    return tag if state[c + d.PLACE] == state[base + d.ACTIVE] and state[c + d.END] > sector else -1


@shared
def catch_up(state: NDArray, base: int, now: int) -> None:
    """Settle what the media has come across until now."""
    e = errors_at(state, base)
    while state[e + f.PASS] >= 0:
        sector = next_bad(state, base, e)
        s = state[e + f.PASS]
        if sector >= position(state, base, s, now):
            count(state, e, max(position(state, base, s, now), state[e + f.AT]))
            return
        come_across(state, base, e, sector, wants(state, base, sector))


@shared
def failed(state: NDArray, base: int, tag: int) -> int:
    """1 if the failure of a command has been reported, else 0."""
    if tag < 0 or tag >= state[base + d.SLOTS]:
        return -1
    return 1 if state[errors_at(state, base) + f.GAVE_UP + tag] < 0 else 0


@shared
def fails(state: NDArray, base: int, now: int, tag: int) -> int:
    """Time in ps until the drive reports that a command has failed: when it gives up."""
    e = errors_at(state, base)
    state[e + f.UNREADABLE] += 1
    state[e + f.GAVE_UP + tag] = -state[e + f.GAVE_UP + tag]
    s = state[command_at(state, base, tag) + d.PLACE]
    return max(state[s + d.START] - now, 0)


@shared
def before_next(state: NDArray, base: int, tag: int, sectors: int) -> bool:
    """True if the drive has not given up one of the next sectors of a read."""
    if tag < 0 or tag >= state[base + d.SLOTS]:
        return True
    gave_up = state[errors_at(state, base) + f.GAVE_UP + tag]
    return gave_up == 0 or state[command_at(state, base, tag) + d.NEXT] + sectors < gave_up


@shared
def after_next(state: NDArray, base: int, now: int, tag: int, time: int) -> int:
    """The time until the next sectors of a read are there, which the disk says is `time`, with the errors in them."""
    e = errors_at(state, base)
    c = command_at(state, base, tag)
    s = state[c + d.PLACE]
    wanted = state[c + d.NEXT]
    if state[e + f.PASS] != s:
        return time
    while state[e + f.PASS] == s and next_bad(state, base, e) < wanted:
        come_across(state, base, e, next_bad(state, base, e), tag)
    if state[e + f.PASS] != s:
        return fails(state, base, now, tag)
    if wanted <= state[s + d.ORIGIN]:
        return time
    return max(swept_at(state, base, s, wanted) - now, 0)


@shared
def after_media(state: NDArray, base: int, tag: int, time: int) -> int:
    """The time until the media has read all of a read, or 0 where an error may come before."""
    e = errors_at(state, base)
    c = command_at(state, base, tag)
    unsure = state[e + f.SOFT] == f.WANTED or state[e + f.HARD] == f.WANTED
    if time > 0 and (unsure or (state[e + f.PASS] >= 0 and next_bad(state, base, e) < state[c + d.END])):
        state[c + d.HELD] = 0
        return 0
    return time


@shared
def about_to_be_written(state: NDArray, base: int) -> None:
    """The media has what `disk.write` said: these sectors can be read again."""
    s = state[base + d.CHUNK]
    if s >= 0:
        forget(state, base, errors_at(state, base), state[s + d.DESTAGED], state[base + d.CHUNK_END])


@shared
def wanted_draws(state: NDArray, base: int) -> int:
    """1 if the distance to the next recoverable error is to be drawn, plus 2 for an unrecoverable one."""
    e = errors_at(state, base)
    return (1 if state[e + f.SOFT] == f.WANTED else 0) + (2 if state[e + f.HARD] == f.WANTED else 0)


@shared
def set_distance(state: NDArray, base: int, kind: int, sectors: int) -> int:
    """Set the distance to the next error, recoverable (`kind` is 1) or not (2), in sectors. Returns 0."""
    if sectors < 0 or sectors >= f.NEVER:
        return -1
    e = errors_at(state, base)
    state[e + (f.SOFT if kind == 1 else f.HARD)] = sectors
    return 0
