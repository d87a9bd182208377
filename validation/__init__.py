"""Measured tables, as printed in their sources, each tied to the scenario that predicts it."""
