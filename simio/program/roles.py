"""Roles of marks and names of threads by which results find what a workload has recorded."""

REQUEST = "request"
"""Role of the marks of replayed requests, which are several in a row for each."""
TRACE_PAUSE = "trace pause"
"""Name of the threads in which a replay waits as its trace does."""
PERIOD_PAUSE = "pause until the next period"
"""Name of the threads in which a sender waits until its period is over."""
