"""A token ring with a timed token (FDDI, ISO 9314-2): when the token comes by, and how long a station may keep it.

The token circulates by itself while nobody wants it, and where it is follows from when and where it was released. A
station that catches it may send for as long as the token came early: the target rotation time TTRT less the time
since it came by last. A frame that has begun is sent to its end. A token that is late is let go by.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("token ring")
STATIONS = WORDS.word("stations")
HOP = WORDS.word("hop", "ps", about="latency from one station to the next, all alike")
TOKEN = WORDS.word("token", "ps", about="time to send a token")
TARGET = WORDS.word("target", "ps", about="TTRT")
HELD = WORDS.word("held", about="1 while a station has the token")
WHO = WORDS.word("who", about="the station that has it, or that released it last")
WHEN = WORDS.word("when", "ps", about="when it was caught, or when it left the station that released it")
UNTIL = WORDS.word("until", "ps", about="until when the station that has it may begin to send")
WAITING = WORDS.word("waiting", "threads", about="threads that wait for the token to be released")
LAST = WORDS.table("last", unit="ps", about="when the token came by each station last, as of the last release")
WORDS.later("queued", "packets", about="packets that wait at each station; behind LAST")


OTHER = 2**60
"""Answer of `ask`: another station has the token, and wakes who waits when it has released it."""


def initial(stations: int, hop: int, token: int, target: int) -> State:
    """State of a ring whose token leaves the first station at the start."""
    none = [0] * stations
    return WORDS.initial(stations=stations, hop=hop, token=token, target=target, last=none, queued=none)


@shared
def queued_at(state: NDArray, base: int, station: int) -> int:
    """Position of the number of packets that wait at a station."""
    return base + LAST + state[base + STATIONS] + station


@shared
def is_station(state: NDArray, base: int, station: int) -> bool:
    """True if the ring has a station."""
    return 0 <= station < state[base + STATIONS]


@machine("network")
def arrive(state: NDArray, base: int, station: int) -> int:
    """A packet waits at a station. Returns 0."""
    if not is_station(state, base, station):
        return -1
    state[queued_at(state, base, station)] += 1
    return 0


@shared
def pass_by(state: NDArray, base: int, station: int) -> int:
    """Instant at which the token that was released comes by a station for the first time."""
    stations = state[base + STATIONS]
    hops = (station - state[base + WHO] + stations - 1) % stations + 1
    return state[base + WHEN] + hops * state[base + HOP]


@shared
def catch(state: NDArray, base: int, now: int, station: int) -> int:
    """The token is at a station now: 0 if it takes it, else the time until it comes by again."""
    round_trip = state[base + STATIONS] * state[base + HOP]
    last = state[base + LAST + station]
    if now > pass_by(state, base, station):
        last = now - round_trip
    early = state[base + TARGET] - (now - last)
    if early <= 0:
        return round_trip
    for other in range(state[base + STATIONS]):
        first = pass_by(state, base, other)
        if first <= now:
            state[base + LAST + other] = first + (now - first) // round_trip * round_trip
    state[base + HELD] = 1
    state[base + WHO] = station
    state[base + WHEN] = now
    state[base + UNTIL] = now + early
    return 0


@machine("network")
def ask(state: NDArray, base: int, now: int, station: int) -> int:
    """A station has something to send: 0 if it may, the time after which to ask again, or OTHER."""
    if not is_station(state, base, station):
        return -1
    if state[base + HELD] == 1:
        if state[base + WHO] == station:
            return 0
        state[base + WAITING] += 1
        return OTHER
    round_trip = state[base + STATIONS] * state[base + HOP]
    time = pass_by(state, base, station)
    if time < now:
        time += (now - time + round_trip - 1) // round_trip * round_trip
    if time > now:
        return time - now
    return catch(state, base, now, station)


@machine("network")
def done(state: NDArray, base: int, now: int, station: int) -> int:
    """A station has sent a packet: 0 if it keeps the token for its next one, else 1 + how many wait for the token."""
    if not is_station(state, base, station) or state[base + HELD] != 1 or state[base + WHO] != station:
        return -1
    queued = queued_at(state, base, station)
    state[queued] -= 1
    if state[queued] > 0 and now < state[base + UNTIL]:
        return 0
    state[base + HELD] = 0
    state[base + WHEN] = now + state[base + TOKEN]
    threads = state[base + WAITING]
    state[base + WAITING] = 0
    return threads + 1
