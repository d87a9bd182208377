"""A computer's own parts: CPUs, memory, buses, kernel calls and interrupts."""
