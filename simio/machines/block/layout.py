"""Words of the machines of the block layer. Times are in ps of the host's own CPUs."""

from __future__ import annotations

from simio.machines.layout import Layout

NEVER = 2**62
"""In place of a time after which something would happen."""

CORE = Layout("core")
BUSY_UNTIL = CORE.word("busy_until", "ps", about="end of the last work on it")
EXIT = CORE.word("exit", "ps", about="until it runs again after it was idle")
LONG = CORE.word("long", "ps", about="idle for so long, it is in the deeper sleep state")
LONG_EXIT = CORE.word("long_exit", "ps", about="until it runs again from there")
LONG_COLD = CORE.word("long_cold", "ps", about="by which the first work after that takes longer")
SHARED = CORE.word("shared", initial=-1, about="offset of the state that it shares with its sibling; -1: has none")
THREAD = CORE.word("thread", about="which of two siblings it is")
WORKS = CORE.word("works", about="1: it works, where it has a sibling")

SIBLINGS = Layout("hardware threads of a core")
RATE = SIBLINGS.word("rate", "thousandths", about="of the core's full rate, at which each works while both do")
CHANGED = SIBLINGS.word("changed", "ps", about="instant up to which work is taken off what is left")
CORES = SIBLINGS.table("cores", 2, initial=-1, about="offsets of the states of both, by thread")
LEFT = SIBLINGS.table("left", 2, "thousandths of ps", about="work left, at the full rate, by thread")

PROCESS = Layout("process")
OWN_CORE = PROCESS.word("core", about="offset of the core's state")
READY = PROCESS.word("ready", "requests", about="done requests that it has not taken yet")
TAKEN = PROCESS.word("taken", "requests", about="of these, what its present look at the completion queue found")
RUNS_UNTIL = PROCESS.word("runs_until", "ps", about="end of what it does now")
WOKEN = PROCESS.word("woken", about="1: it slept, and has not run since")
COLD = PROCESS.word("cold", "ps", about="by which its next work takes longer, as the core slept")
COST = PROCESS.word("cost", "ps", about="of taking a request and submitting the next")
LOOK = PROCESS.word("look", "ps", about="of a look at the completion queue that finds something")
SWITCH = PROCESS.word("switch", "ps", about="of going to sleep and running again")
WAKE = PROCESS.word("wake", "ps", about="of making it ready, in the interrupt")
POLLS = PROCESS.word("polls", about="1: it never sleeps")
WORKED = PROCESS.word("worked", "ns", about="CPU time that counts as its own; of one that polls, all of it")

QUEUE = Layout("hardware queue")
OWNER = QUEUE.word("owner", about="offset of the state of the process whose requests it has")
SERVED = QUEUE.word("served", "ps", initial=-1, about="end of the last completion that an interrupt served")
INTERRUPT = QUEUE.word("interrupt", "ps", about="to take an interrupt and return")
END = QUEUE.word("end", "ps", about="to end a request in it")

SLICES = Layout("time slices")
SLICE = SLICES.word("slice", "ps", about="time for which a process runs until the next that polls on its core")
SHARERS = SLICES.word("sharers", about="processes that poll on the core")
PLACE = SLICES.word("place", about="which of them it is")

LOCK = Layout("lock")
HOLDER = LOCK.word("holder", initial=-1, about="core that had it last; -1: none")
HELD = LOCK.word("held", "ps", about="of a turn that finds the data in its own cache")
NEAR = LOCK.word("near", "ps", about="by which a turn takes longer if a core of the same socket had it")
FAR = LOCK.word("far", "ps", about="likewise, of another socket")
HANDED = LOCK.word("handed", "ps", about="by which a turn takes longer if its core waited in line for the one before")
HANDED_FAR = LOCK.word("handed_far", "ps", about="likewise, from another socket")
FREE_AT = LOCK.word("free_at", "ps", initial=-1, about="end of the turn before")
SOCKET = LOCK.word("socket", "cores", about="cores a socket")
