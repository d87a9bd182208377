"""A token ring with a timed token (FDDI, ISO 9314-2): when the token comes by, and how long a station may keep it.

The token circulates by itself while nobody wants it, and where it is follows from when and where it was released. A
station that catches it may send for as long as the token came early: the target rotation time TTRT less the time
since it came by last. A frame that has begun is sent to its end. A token that is late is let go by.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared

STATIONS = 0
HOP = 1
"""Latency from one station to the next, in ps; all alike."""
TOKEN = 2
"""Time in ps to send a token."""
TARGET = 3
"""TTRT in ps."""
HELD = 4
"""1 while a station has the token."""
WHO = 5
"""The station that has it, or that released it last."""
WHEN = 6
"""Instant at which it was caught, or at which it left the station that released it."""
UNTIL = 7
"""Instant until which the station that has it may begin to send."""
WAITING = 8
"""Threads that wait for the token to be released."""
FIRST = 9
"""From here on, of each station: when the token came by last, as far as the release before goes; then, of each, the
packets that wait there."""

ARRIVE = 0
ASK = 1
DONE = 2
OTHER = 2**60
"""Answer to ASK: another station has the token; it tells when it has released it."""


def initial(stations: int, hop: int, token: int, target: int) -> list[int]:
    """State of a ring whose token leaves the first station at the start."""
    return [stations, hop, token, target, 0, 0, 0, 0, 0] + [0] * (2 * stations)


@shared
def pass_by(state: NDArray, base: int, station: int) -> int:
    """When the token that was released comes by a station for the first time."""
    stations = state[base]
    hops = (station - state[base + 5] + stations - 1) % stations + 1
    return state[base + 6] + hops * state[base + 1]


@shared
def catch(state: NDArray, base: int, now: int, station: int) -> int:
    """The token is at a station now: 0 if it takes it, else the time until it comes by again."""
    round_trip = state[base] * state[base + 1]
    last = state[base + 9 + station]
    if now > pass_by(state, base, station):
        last = now - round_trip
    early = state[base + 3] - (now - last)
    if early <= 0:
        return round_trip
    for other in range(state[base]):
        first = pass_by(state, base, other)
        if first <= now:
            state[base + 9 + other] = first + (now - first) // round_trip * round_trip
    state[base + 4] = 1
    state[base + 5] = station
    state[base + 6] = now
    state[base + 7] = now + early
    return 0


@shared
def ask(state: NDArray, base: int, now: int, station: int) -> int:
    """A station has something to send: 0 if it may, the time after which to ask again, or OTHER."""
    if state[base + 4] == 1:
        if state[base + 5] == station:
            return 0
        state[base + 8] += 1
        return OTHER
    round_trip = state[base] * state[base + 1]
    time = pass_by(state, base, station)
    if time < now:
        time += (now - time + round_trip - 1) // round_trip * round_trip
    if time > now:
        return time - now
    return catch(state, base, now, station)


@shared
def done(state: NDArray, base: int, now: int, station: int) -> int:
    """A station has sent a packet: 0 if it keeps the token for its next one, else 1 + how many wait for the token."""
    if state[base + 4] != 1 or state[base + 5] != station:
        return -1
    waiting = base + 9 + state[base] + station
    state[waiting] -= 1
    if state[waiting] > 0 and now < state[base + 7]:
        return 0
    state[base + 4] = 0
    state[base + 6] = now + state[base + 2]
    threads = state[base + 8]
    state[base + 8] = 0
    return threads + 1


@machine("network")
def ring(state: NDArray, base: int, now: int, station: int, what: int) -> int:
    """ARRIVE (a packet waits at a station), ASK or DONE."""
    if station < 0 or station >= state[base]:
        return -1
    if what == 0:
        state[base + 9 + state[base] + station] += 1
        return 0
    if what == 1:
        return ask(state, base, now, station)
    return done(state, base, now, station)
