"""The planner of a volume: which pieces of its members a request takes, as its members are now."""
