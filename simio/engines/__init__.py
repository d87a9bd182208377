"""Engines: programs in, outcomes out; both engines keep the same contract, to the tick."""
