"""The functions of a drive whose media has read errors: those of a disk under numbers of their own, and some more."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk.layout import LATEST
from simio.machines.failing.layout import GAVE_UP
from simio.machines.failing.media import (
    about_to_be_written,
    after_media,
    after_next,
    before_next,
    catch_up,
    errors_at,
    failed,
    fails,
    note_pass,
    told,
    wanted_draws,
)
from simio.machines.shared import shared

DISK = 96
"""What is added to the number of a disk's function."""
WANTS = 112
TOLD = 113
FAILED = 114
NAMES = {WANTS: "media.wants", TOLD: "media.told", FAILED: "media.failed"}


@shared
def before(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> bool:
    """What comes before a disk's function; whether that is to be called."""
    catch_up(state, base, now)
    if function == 13:
        about_to_be_written(state, base)
    return function != 5 or before_next(state, base, a, b)


@shared
def after(function: int, state: NDArray, base: int, now: int, a: int, answer: int) -> int:
    """What a disk's function answers, with the errors of the media."""
    if now > LATEST:
        return -1
    note_pass(state, base, errors_at(state, base))
    if answer < 0:
        return answer
    if function == 1:
        state[errors_at(state, base) + GAVE_UP + answer] = 0
    if function == 3:
        return after_media(state, base, a, answer)
    if function == 5:
        return after_next(state, base, now, a, answer)
    return answer


@shared
def errors(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a function of errors alone; negative if the machine refuses."""
    if function == 5:
        return fails(state, base, now, a)
    if function == 112:
        return wanted_draws(state, base)
    if function == 113:
        return told(state, base, a, b)
    if function == 114:
        return failed(state, base, a)
    return -1
