"""Queue disciplines: what becomes of a packet that comes to a queue, and of one that is to leave it. One file each.

A new one is a file in this folder that adds a `Discipline` to `DISCIPLINES`; datasheets can then name it.
"""

from simio.machines.network.disciplines.interface import (
    DISCIPLINES,
    DROP,
    MARK,
    PASS,
    WORDS,
    Discipline,
    arrive,
    depart,
    enter,
    known,
    leave,
    withdraw,
)
from simio.machines.strategies import import_all

__all__ = [
    "DISCIPLINES",
    "DROP",
    "MARK",
    "PASS",
    "WORDS",
    "Discipline",
    "arrive",
    "depart",
    "enter",
    "known",
    "leave",
    "withdraw",
]

import_all(__name__)
