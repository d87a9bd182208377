"""Drop-tail: what does not fit is dropped."""

from simio.machines.network.disciplines.interface import DISCIPLINES, Discipline

DISCIPLINES.add(Discipline("drop-tail", []))
